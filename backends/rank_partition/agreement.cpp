// SPDX-License-Identifier: Apache-2.0
#include "agreement.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include <eagle/digest.hpp>
#include <eagle/error.hpp>
#include <fmt/format.h>

namespace eagle::detail {
namespace {

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

/// Each word after its length: words may hold any byte.
std::string text_of(const std::vector<Claim>& claims) {
  std::string text;
  for (const Claim& each : claims)
    for (const std::string& word : {each.what, each.value}) {
      const std::uint64_t size = word.size();
      text.append(reinterpret_cast<const char*>(&size), sizeof(size)).append(word);
    }
  return text;
}

/// Splits a text of claims again.
std::vector<Claim> claims_in(const std::vector<std::byte>& bytes) {
  std::vector<Claim> claims;
  const auto* next = reinterpret_cast<const char*>(bytes.data());
  const auto* const end = next + bytes.size();
  const auto word = [&] {
    std::uint64_t size = 0;
    std::memcpy(&size, next, sizeof(size));
    const std::string text(next + sizeof(size), size);
    next += sizeof(size) + size;
    return text;
  };
  while (next < end) {
    std::string what = word();
    claims.push_back({std::move(what), word()});
  }
  return claims;
}

std::string shortened(const std::string& text) { return text.size() <= 60 ? text : text.substr(0, 57) + "..."; }

/// Why claims are not those of rank 0; null where they are.
std::exception_ptr difference(const std::vector<Claim>& mine, const std::vector<Claim>& theirs) {
  const auto refuse = [](const std::string& why) {
    return std::make_exception_ptr(Error(Code::partition, why + ": all ranks must plan and run alike"));
  };
  for (std::size_t k = 0; k < std::min(mine.size(), theirs.size()); ++k) {
    if (mine[k].what != theirs[k].what)
      return refuse(fmt::format("this rank compares {}, and rank 0 {}", mine[k].what, theirs[k].what));
    if (mine[k].value != theirs[k].value)
      return refuse(fmt::format("{} is not that of rank 0 ({}, and there {})", mine[k].what, shortened(mine[k].value),
                                shortened(theirs[k].value)));
  }
  return mine.size() == theirs.size() ? nullptr : refuse("ranks differ in how many arguments they give");
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

namespace {

/// Throws what a rank refuses, on all; else gives whether all have one hash. More than one rank.
bool have_one(const Ranks& ranks, const std::exception_ptr& refusal, std::uint64_t hash) {
  const auto value = static_cast<std::int64_t>(hash >> 1);
  // The first rank that refuses, and the least and, negated, the greatest hash of all ranks.
  std::int64_t bounds[] = {refusal ? ranks.rank() : ranks.size(), value, -value};
  ranks.least(bounds);
  if (bounds[0] < ranks.size()) fail_alike(ranks, static_cast<int>(bounds[0]), refusal);
  return bounds[1] == -bounds[2];
}

/// Compares claims that differ with those of rank 0.
[[noreturn]] void fail_by_difference(const Ranks& ranks, const std::vector<Claim>& mine) {
  const std::string text = text_of(mine);
  std::vector<std::byte> reference(text.size());
  std::memcpy(reference.data(), text.data(), text.size());
  ranks.broadcast(reference, 0);
  const std::exception_ptr mismatch = difference(mine, claims_in(reference));
  std::int64_t first = mismatch ? ranks.rank() : ranks.size();
  ranks.least({&first, 1});
  fail_alike(ranks, static_cast<int>(first), mismatch);
}

}  // namespace

void agree(const Ranks& ranks, std::exception_ptr refusal, const Claims& claims) {
  if (ranks.size() == 1) {
    if (refusal) std::rethrow_exception(refusal);
    return;
  }
  std::vector<Claim> mine;
  try {
    if (claims && !refusal) mine = claims();
  } catch (...) {
    refusal = std::current_exception();
  }
  if (!have_one(ranks, refusal, fnv1a(text_of(mine)))) fail_by_difference(ranks, mine);
}

void agree(const Ranks& ranks, const std::exception_ptr& refusal, std::uint64_t token) {
  if (ranks.size() == 1) {
    if (refusal) std::rethrow_exception(refusal);
    return;
  }
  if (!have_one(ranks, refusal, token)) fail_by_difference(ranks, {{"the bound plan", fmt::format("{:x}", token)}});
}

}  // namespace eagle::detail
