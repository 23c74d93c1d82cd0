// SPDX-License-Identifier: Apache-2.0
#include <eagle/neural.hpp>

#include <limits>
#include <string_view>
#include <vector>

#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle::detail {
namespace {

constexpr std::string_view required[] = {"forward_exec", "vjp_exec",       "kernel",       "in_degree",
                                         "out_degree",   "input_width",    "output_width", "state_width",
                                         "param_width",  "scatter_policy", "arg_spec"};
constexpr std::string_view execs[] = {"forward_exec", "vjp_exec"};
struct Count {
  std::string_view key;
  std::int64_t least;
};
constexpr Count counts[] = {{"in_degree", 1},    {"out_degree", 1},  {"input_width", 1},
                            {"output_width", 1}, {"state_width", 1}, {"param_width", 0}};

void check_exec(const Reader& block, std::string_view key) {
  const auto* object = block.get<json::Object>(key);
  if (!object) return;
  const Reader exec(*block.find(key), block.report(), block.pointer() + json::step(key));
  std::vector<std::string> unknown;
  for (const json::Member& member : *object)
    if (member.key != "kind" && member.key != "kernel") unknown.push_back(member.key);
  if (!unknown.empty())
    block.refuse("forbidden-key", key,
                 fmt::format("{} carries unknown key(s) {}: only kind and kernel are known", key, some_of(unknown)));
  const json::Value* kind = exec.find("kind");
  const auto* text = kind ? kind->get<std::string>() : nullptr;
  if (!text || *text != "kernel")
    exec.refuse("bad-value", "kind",
                fmt::format("{}.kind must be 'kernel', not {}", key, kind ? json::describe(*kind) : std::string("absent")));
  if (const auto* kernel = exec.get<std::string>("kernel"); !kernel || kernel->empty())
    exec.refuse("bad-value", "kernel", fmt::format("{} needs a non-empty 'kernel'", key));
}

/// The count, or nothing and a finding.
const std::int64_t* read_count(const Reader& block, const Count& count) {
  const json::Value* found = block.find(count.key);
  if (!found) return nullptr;
  constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
  const auto* value = found->get<std::int64_t>();
  if (value && *value >= count.least && *value <= most) return value;
  block.refuse(value ? "bad-value" : "wrong-type", count.key,
               fmt::format("{} must be a {} integer of at most {}, not {}", count.key,
                           count.least > 0 ? "positive" : "non-negative", most, json::describe(*found)));
  return nullptr;
}

void check_counts(const Reader& block) {
  const std::int64_t* output = nullptr;
  const std::int64_t* state = nullptr;
  for (const Count& count : counts) {
    const std::int64_t* value = read_count(block, count);
    if (count.key == "output_width") output = value;
    if (count.key == "state_width") state = value;
  }
  if (output && state && *output > *state)
    block.refuse("bad-value", "output_width", fmt::format("output_width {} must not exceed state_width {}", *output, *state));
}

void check_words(const Reader& block) {
  if (const auto* policy = block.get<std::string>("scatter_policy");
      policy && *policy != "unique_write" && *policy != "accumulate")
    block.refuse("bad-value", "scatter_policy",
                 fmt::format("scatter_policy {} is unknown: unique_write or accumulate", in_quotes(*policy)));
  const std::string* scalar = block.text("scalar_type");
  if (scalar && *scalar != "float64" && *scalar != "float32")
    block.refuse("bad-value", "scalar_type",
                 fmt::format("neural_block requires scalar_type 'float64' or 'float32', not {}", in_quotes(*scalar)));
  if (const auto* kernel = block.get<std::string>("kernel"); kernel && kernel->empty())
    block.refuse("bad-value", "kernel", "neural_block needs a non-empty 'kernel'");
  block.get<json::Array>("arg_spec");
}

}  // namespace

void check_neural_block(const Reader& block) {
  for (const std::string_view key : required)
    if (!block.find(key)) block.refuse("missing-key", key, fmt::format("missing required neural_block field '{}'", key));
  for (const std::string_view key : execs) check_exec(block, key);
  check_counts(block);
  check_words(block);
  if (block.has("derivative"))
    block.refuse("forbidden-key", "derivative", "neural_block must not carry 'derivative': vjp_exec is its derivative");
}

void check_neural_kernels(const Reader& block, const std::set<std::string>& ids) {
  for (const std::string_view key : execs) {
    const json::Value* exec = block.find(key);
    const json::Value* kernel = exec ? exec->find("kernel") : nullptr;
    const auto* name = kernel ? kernel->get<std::string>() : nullptr;
    if (name && !name->empty() && !ids.contains(*name))
      block.refuse("mismatch", key,
                   fmt::format("{}.kernel {} does not resolve: no plugin of the manifest has this id", key, in_quotes(*name)),
                   "kernel");
  }
}

}  // namespace eagle::detail
