// SPDX-License-Identifier: Apache-2.0
#include "kernels_on_host.hpp"

#include <algorithm>
#include <array>

#include "device_kernel/copy_kernels.hpp"
#include "device_kernel/kernels.hpp"
#include "device_kernel/reduction_kernels.hpp"

namespace eagle::detail {
namespace {

/// A Block (kernel_block.hpp) whose threads take turns.
template <int n>
class HostBlock {
 public:
  static constexpr int threads = n;
  template <class V>
  using Each = std::array<V, n>;

  HostBlock(unsigned index, unsigned count) : index_(index), count_(count) {}
  long long index() const { return index_; }
  long long count() const { return count_; }

  template <class F>
  void each(F f) const {
    for (int t = 0; t < threads; ++t) f(t);
  }
  template <int width, class V>
  Each<V> down(const Each<V>& from, int distance) const {
    return taken<V>([&](int t) { return from[t % width + distance < width ? t + distance : t]; });
  }
  template <int stride, class V>
  Each<V> gather(const Each<V>& from) const {
    return taken<V>([&](int t) { return from[t % (threads / stride) * stride]; });
  }

 private:
  template <class V, class F>
  static Each<V> taken(F of) {
    Each<V> values;
    for (int t = 0; t < threads; ++t) values[t] = of(t);
    return values;
  }
  long long index_, count_;
};

struct Kernel {
  std::string_view name;
  int threads;
  void (*run)(void* const* params, unsigned index, unsigned count);
};

template <class P>
P parameter(void* const* params, int k) {
  return *static_cast<const P*>(params[k]);
}

template <class O, Reducible T, bool compensated>
void run_fold(void* const* p, unsigned index, unsigned count) {
  fold<O, T, compensated>(HostBlock<fold_threads>(index, count), parameter<const T*>(p, 0), parameter<long long>(p, 1),
                          parameter<Term<T>*>(p, 2));
}

template <class O, Reducible T, bool compensated>
void run_join(void* const* p, unsigned index, unsigned count) {
  join<O, T, compensated>(HostBlock<join_threads>(index, count), parameter<const Term<T>*>(p, 0), parameter<long long>(p, 1),
                          parameter<Term<T>*>(p, 2));
}

template <class Word>
void run_fill(void* const* p, unsigned index, unsigned count) {
  fill<Word>(HostBlock<element_threads>(index, count), parameter<void*>(p, 0), parameter<long long>(p, 1),
             parameter<unsigned long long>(p, 2));
}

void run_copy(void* const* p, unsigned index, unsigned count) {
  copy_strided(HostBlock<element_threads>(index, count), parameter<StridedCopy>(p, 0));
}

#define EAGLE_ROWS(name, O, T, compensated)                         \
  {"eagle_fold_" #name, fold_threads, run_fold<O, T, compensated>}, \
      {"eagle_join_" #name, join_threads, run_join<O, T, compensated>},
constexpr Kernel kernels[] = {
    EAGLE_EACH_REDUCTION(EAGLE_ROWS){"eagle_fill_1", element_threads, run_fill<std::uint8_t>},
    {"eagle_fill_4", element_threads, run_fill<std::uint32_t>},
    {"eagle_fill_8", element_threads, run_fill<std::uint64_t>},
    {"eagle_copy", element_threads, run_copy},
};

const Kernel* find(std::string_view name) {
  const auto* const found = std::ranges::find(kernels, name, &Kernel::name);
  return found == std::end(kernels) ? nullptr : found;
}

}  // namespace

bool run_on_host(std::string_view kernel, void* const* params, unsigned grid) {
  const Kernel* const found = find(kernel);
  if (found == nullptr) return false;
  for (unsigned index = 0; index < grid; ++index) found->run(params, index, grid);
  return true;
}

unsigned threads_of(std::string_view kernel) {
  const Kernel* const found = find(kernel);
  return found == nullptr ? 0 : static_cast<unsigned>(found->threads);
}

std::vector<std::string_view> kernel_names() {
  std::vector<std::string_view> names;
  for (const Kernel& each : kernels) names.push_back(each.name);
  return names;
}

}  // namespace eagle::detail
