// SPDX-License-Identifier: Apache-2.0
#include "agreement.hpp"

#include <cstring>
#include <vector>

#include <eagle/error.hpp>
#include <fmt/format.h>

namespace eagle::detail {
namespace {

/// FNV-1a of 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/), as a number that MPI_MIN orders.
std::int64_t hash(const std::string& text) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char each : text) value = (value ^ static_cast<unsigned char>(each)) * 0x100000001b3;
  return static_cast<std::int64_t>(value >> 1);
}

struct Failure {
  Code code;
  std::string message;
};

Failure failure_of(const std::exception_ptr& refusal) {
  try {
    std::rethrow_exception(refusal);
  } catch (const Error& e) {
    return {e.code(), e.what()};
  } catch (const std::exception& e) {
    return {Code::internal, e.what()};
  } catch (...) {
    return {Code::internal, "something that is no std::exception was thrown"};
  }
}

std::string text_of(const Claim& claim) { return claim.what + '\0' + claim.value + '\0'; }

/// What the first claim is called that is not in its place in a text of claims; empty where all are.
std::string first_difference(const std::vector<Claim>& claims, const std::string& expected) {
  std::size_t at = 0;
  for (const Claim& each : claims) {
    const std::string part = text_of(each);
    if (at > expected.size() || expected.compare(at, part.size(), part) != 0) return each.what;
    at += part.size();
  }
  return "";
}

[[noreturn]] void fail_alike(const Ranks& ranks, int first, const std::exception_ptr& refusal) {
  std::vector<std::byte> bytes;
  if (ranks.rank() == first) {
    const Failure failure = failure_of(refusal);
    bytes.resize(1 + failure.message.size());
    bytes[0] = static_cast<std::byte>(failure.code);
    std::memcpy(bytes.data() + 1, failure.message.data(), failure.message.size());
  }
  ranks.broadcast(bytes, first);
  const std::string message(reinterpret_cast<const char*>(bytes.data()) + 1, bytes.size() - 1);
  throw Error(static_cast<Code>(bytes[0]), fmt::format("rank {} of {}: {}", first, ranks.size(), message));
}

}  // namespace

void agree(const Ranks& ranks, const std::exception_ptr& refusal, const Claims& claims) {
  if (ranks.size() == 1) {
    if (refusal) std::rethrow_exception(refusal);
    return;
  }
  std::int64_t first = refusal ? ranks.rank() : ranks.size();
  ranks.least({&first, 1});
  if (first < ranks.size()) fail_alike(ranks, static_cast<int>(first), refusal);
  if (!claims) return;
  const std::vector<Claim> mine = claims();
  std::string text;
  for (const Claim& each : mine) text += text_of(each);
  std::int64_t bounds[] = {hash(text), -hash(text)};  // the least and, negated, the greatest of all ranks
  ranks.least(bounds);
  if (bounds[0] == -bounds[1]) return;
  std::vector<std::byte> reference(text.size());
  std::memcpy(reference.data(), text.data(), text.size());
  ranks.broadcast(reference, 0);
  const std::string differs = first_difference(mine, {reinterpret_cast<const char*>(reference.data()), reference.size()});
  first = differs.empty() ? ranks.size() : ranks.rank();
  ranks.least({&first, 1});
  std::exception_ptr mismatch;
  if (first == ranks.rank())
    mismatch = std::make_exception_ptr(
        Error(Code::partition, fmt::format("{} is not that of rank 0: all ranks must plan and run alike", differs)));
  if (first < ranks.size()) fail_alike(ranks, static_cast<int>(first), mismatch);
  throw Error(Code::partition, "ranks differ in how many arguments they give: all ranks must plan and run alike");
}

}  // namespace eagle::detail
