// SPDX-License-Identifier: Apache-2.0
#include <eagle/placement.hpp>

#include <gmock/gmock.h>

#include <eagle/error.hpp>

namespace {

using eagle::Access;
using eagle::Declaration;
using eagle::Op;
using eagle::Placement;
using eagle::StructureKind;
using eagle::Target;
using testing::HasSubstr;

constexpr Access accesses[] = {Access::sample_local, Access::cross_sample_read, Access::cross_sample_write, Access::mapreduce};
constexpr StructureKind structures[] = {StructureKind::host_team, StructureKind::device_kernel, StructureKind::rank_partition,
                                        StructureKind::device_group};
const std::vector<Target> target_sets[] = {{Target::host}, {Target::device}, {Target::device, Target::host}};

Declaration plugin(Access access, std::vector<Target> targets = {Target::device, Target::host}, int schema = 2) {
  Declaration d;
  d.id = "body";
  d.access = access;
  if (access == Access::mapreduce) d.op = Op::sum;
  d.targets = std::move(targets);
  d.schema_version = schema;
  return d;
}

/// "" where the placement is legal, else the message.
std::string refusal(const Declaration& declaration, const Placement& placement) {
  try {
    EXPECT_NE(eagle::check_placement(declaration, placement), "");
    return "";
  } catch (const eagle::Error& e) {
    EXPECT_EQ(e.code(), eagle::Code::placement);
    EXPECT_THAT(e.what(), HasSubstr("'body'"));
    return e.what();
  }
}

/// The rules of the contract written out a second time, as one expression for each stage.
std::string_view expected(const Declaration& d, const Placement& p) {
  const bool single = p.structure == StructureKind::host_team || p.structure == StructureKind::device_kernel;
  if (d.access == Access::cross_sample_write && !(single && p.partitions == 1)) return "single-device structures only";
  if (d.schema_version == 1 && !(single && p.partitions == 1)) return "one whole view only";
  const StructureKind driver =
      p.structure == StructureKind::rank_partition ? p.inner.value_or(StructureKind::host_team) : p.structure;
  if (!d.ships(driver == StructureKind::host_team ? Target::host : Target::device)) return "and the artifact ships";
  if (p.inner && p.structure != StructureKind::rank_partition) return "only rank_partition has an inner";
  if (p.inner && *p.inner != StructureKind::host_team && *p.inner != StructureKind::device_kernel)
    return "inner is host_team or";
  return "";
}

TEST(Placement, WideOutputsAreWrittenByOneProcessAndDevice) {
  Declaration d = plugin(Access::sample_local);
  d.arguments = {{.role = eagle::Role::wide_out, .name = "pairs"}};
  for (const StructureKind structure : structures) {
    const bool single = structure == StructureKind::host_team || structure == StructureKind::device_kernel;
    const std::string refused = refusal(d, {.structure = structure});
    if (single) EXPECT_EQ(refused, "");
    else EXPECT_THAT(refused, HasSubstr("'pairs' (wide_out) is refused under"));
  }
}

TEST(Placement, EveryCombinationFollowsTheContract) {
  int refused = 0, allowed = 0;
  std::vector<std::optional<StructureKind>> inners{std::nullopt};
  inners.insert(inners.end(), std::begin(structures), std::end(structures));
  for (const Access access : accesses)
    for (const StructureKind structure : structures)
      for (const std::int64_t partitions : {1, 2, 7})
        for (const int schema : {1, 2, 3})
          for (const auto& targets : target_sets)
            for (const auto& inner : inners) {
              if (schema == 1 && (access != Access::sample_local || targets.size() != 1)) continue;
              const Declaration d = plugin(access, targets, schema);
              const Placement p{.structure = structure, .inner = inner, .partitions = partitions};
              const std::string_view words = expected(d, p);
              const std::string message = refusal(d, p);
              EXPECT_EQ(message.empty(), words.empty()) << message;
              EXPECT_THAT(message, HasSubstr(std::string(words)));
              ++(words.empty() ? allowed : refused);
            }
  EXPECT_GT(allowed, 200);
  EXPECT_GT(refused, 200);
}

TEST(Placement, TheSeedsExampleNamesItsRule) {
  EXPECT_THAT(refusal(plugin(Access::sample_local),
                      {.structure = StructureKind::device_kernel, .partitions = 2, .exec_access = Access::cross_sample_write}),
              HasSubstr("exec_access 'cross_sample_write' is legal on single-device structures only"));
}

TEST(Placement, AccessMayOnlyBeRestricted) {
  for (const Access declared : accesses)
    for (const Access wanted : accesses) {
      const bool legal =
          declared == wanted || (declared != Access::mapreduce && wanted != Access::mapreduce && wanted > declared);
      const std::string message = refusal(plugin(declared), {.exec_access = wanted});
      EXPECT_EQ(message.empty(), legal) << message;
      EXPECT_THAT(message, HasSubstr(legal ? "" : "may only restrict"));
    }
}

TEST(Placement, OpBelongsToMapreduceAndMustAgree) {
  EXPECT_EQ(refusal(plugin(Access::mapreduce), {.exec_op = Op::sum}), "");
  EXPECT_THAT(refusal(plugin(Access::mapreduce), {.exec_op = Op::max}), HasSubstr("the artifact declares 'sum'"));
  EXPECT_THAT(refusal(plugin(Access::sample_local), {.exec_op = Op::sum}), HasSubstr("only a mapreduce has an op"));
  Declaration open = plugin(Access::mapreduce);
  open.op.reset();
  EXPECT_EQ(refusal(open, {.exec_op = Op::max}), "");
}

TEST(Placement, TheAccessRuleIsNamedBeforeTargetAndOptions) {
  const Declaration d = plugin(Access::cross_sample_write, {Target::host});
  const Placement p{.structure = StructureKind::device_group, .inner = StructureKind::host_team, .exec_op = Op::sum};
  EXPECT_THAT(refusal(d, p), HasSubstr("single-device"));
  Placement q = p;
  q.structure = StructureKind::device_kernel;
  EXPECT_THAT(refusal(d, q), HasSubstr("drives the 'device' entry, and the artifact ships 'host'"));
}

}  // namespace
