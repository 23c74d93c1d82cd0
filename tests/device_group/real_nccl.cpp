// SPDX-License-Identifier: Apache-2.0
// The real nccl.h beside the table that eagle opens NCCL by: every function has the declared parameters, every number the
// declared value. Asks the library for its version and a unique id.
#include <nccl.h>

#include <array>
#include <cstdio>
#include <type_traits>

#include "device_group/nccl.hpp"

namespace {

template <class T>
constexpr std::size_t shape_of = sizeof(T) * 4 + (std::is_pointer_v<T> ? 1 : 0) + (std::is_class_v<T> ? 2 : 0);
template <class Result, class... Arguments>
constexpr auto shape(Result (*)(Arguments...)) {
  return std::array{shape_of<Result>, shape_of<Arguments>...};
}

using eagle::nccl::Library;
#define EAGLE_CHECK(member, symbol, parameters) \
  static_assert(shape(decltype (&symbol)()) == shape(decltype(Library::member)()), #symbol);
EAGLE_NCCL_FUNCTIONS(EAGLE_CHECK)
EAGLE_CHECK(error_string, ncclGetErrorString, )
#undef EAGLE_CHECK
static_assert(ncclSuccess == int{eagle::nccl::success} && ncclInProgress == int{eagle::nccl::in_progress});
static_assert(ncclUint8 == int{eagle::nccl::bytes});

}  // namespace

int main() {
  int version = 0;
  ncclUniqueId id;
  if (ncclGetVersion(&version) != ncclSuccess || ncclGetUniqueId(&id) != ncclSuccess) return 1;
  std::printf("NCCL %d.%d.%d gave a unique id of %zu bytes\n", version / 10000, version % 10000 / 100, version % 100,
              sizeof id);
}
