// SPDX-License-Identifier: Apache-2.0
// Control of the stand-in NCCL, a libnccl.so.2 that moves bytes between the devices of the stand-in driver.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stand_in_nccl {

/// The nth coming call of a function (1: the next) returns a result that is no success.
void fail(const std::string& symbol, int nth, int result);
/// What ncclCommGetAsyncError answers from now on.
void set_async_error(int result);
/// Forgets calls, failures and errors.
void reset();
/// A collective that was begun: "ncclAllGather" and the stream it was queued on.
struct Operation {
  std::string symbol;
  const void* stream;
};
std::vector<Operation> operations();
/// The names of the calls so far.
std::vector<std::string> calls();
/// Communicators that were neither destroyed nor aborted.
int communicators();

}  // namespace stand_in_nccl
