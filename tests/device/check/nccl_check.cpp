// SPDX-License-Identifier: Apache-2.0
// NCCL itself, by the table that eagle has of it: a communicator of the first device, which gathers and broadcasts to itself.
#include <eagle/eagle.hpp>

#include "device_group/nccl.hpp"
#include "driver.hpp"

namespace device_check {

void check_nccl() try {
  using namespace eagle::nccl;
  const auto structure = eagle::device_group({0});
  const eagle::Memory& memory = structure->memory();
  const eagle::Array from = memory.make(eagle::DType::float64, {1000}), to = memory.make(eagle::DType::float64, {1000});
  memory.fill(from.view(), 1.5);
  auto* const stream = static_cast<eagle::cuda::Stream>(memory.stream(0)->stream);
  CUcontext context = nullptr;
  CALL(cuDevicePrimaryCtxRetain, &context, 0);
  CALL(cuCtxPushCurrent_v2, context);
  const int device = 0;
  Comm comm = nullptr;
  check(library().init_all(&comm, 1, &device), "ncclCommInitAll");
  check(library().group_start(), "ncclGroupStart");
  check(library().all_gather(from.view().data, to.view().data, 4000, eagle::nccl::bytes, comm, stream), "ncclAllGather");
  auto* const rest = static_cast<std::byte*>(to.view().data) + 4000;
  check(library().broadcast(from.view().data, rest, 4000, eagle::nccl::bytes, 0, comm, stream), "ncclBroadcast");
  check(library().group_end(), "ncclGroupEnd");
  const eagle::Array here = eagle::host_memory().make(eagle::DType::float64, {1000});
  memory.copy(to.view(), here.view());
  check(library().abort(comm), "ncclCommAbort");
  RESULT(cuCtxPopCurrent_v2, &context);
  RESULT(cuDevicePrimaryCtxRelease_v2, 0);
  for (int i = 0; i < 1000; ++i) require(here.data<double>()[i] == 1.5, version_text() + " moved other bytes");
} catch (const eagle::Error& e) {
  if (std::string_view(e.what()).find("need NCCL") == std::string_view::npos) throw;
  throw Skipped("no libnccl.so.2");
}

}  // namespace device_check
