// SPDX-License-Identifier: Apache-2.0
// What eagle_add_plugin writes and refuses, and what EAGLE_PLUGIN makes of it. Nothing is built here.
#include <gmock/gmock.h>

#include <sstream>

#include "core/temporary_folder.hpp"
#include "plugins/command.hpp"

namespace {

using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

const std::string cmake = EAGLE_TEST_CMAKE, module = EAGLE_TEST_MODULE;

/// A configured tests/plugins/declarations; its bundles lie below.
struct Declarations : TemporaryFolder {
  explicit Declarations(const std::string& nvcc) {
    const Outcome outcome =
        run_command(cmake + " -S '" EAGLE_TEST_DECLARATIONS "' -B '" + path().string() + "' -DEAGLE_ADD_PLUGIN='" + module +
                    "' -DCMAKE_CXX_COMPILER='" EAGLE_TEST_CXX "' -DEAGLE_NVCC='" + nvcc + "'");
    EXPECT_EQ(outcome.status, 0) << outcome.text;
  }
};

/// Where a sidecar came from says nothing of the plugin.
std::string without_provenance(const std::string& json) {
  std::istringstream lines(json);
  std::string kept;
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with("  \"digest\"") && !line.starts_with("  \"aether_include\"") &&
        !line.starts_with("  \"eagle_include\""))
      kept += line + "\n";
  return kept;
}

TEST(Declaration, WritesWhatBundlesInTheFieldSay) {
  const Declarations built("/anywhere/nvcc");
  const fs::path field = fs::path(EAGLE_TEST_DATA) / "bundles";
  struct {
    const char* plugin;
    const char* bundle;
  } const rows[] = {{"mixed", "mixed_two"}, {"matvec", "matvec_two"}, {"mr_sum_guard", "mr_sum_guard"}};
  for (const auto& row : rows)
    for (const std::string& file : {std::string("manifest.json"), std::string(row.plugin) + ".json"})
      EXPECT_EQ(read_bytes(built / row.plugin / file), without_provenance(read_bytes(field / row.bundle / file))) << row.bundle;
}

TEST(Declaration, KnowsEveryRoleAndSortsThem) {
  const Declarations built("OFF");
  EXPECT_EQ(read_bytes(built / "all_roles/all_roles.json"), read_bytes(fs::path(EAGLE_TEST_DATA) / "plugins/all_roles.json"));
  const std::string declaration = read_bytes(built / "all_roles_declaration.hpp");
  EXPECT_EQ(
      declaration,
      "#define EAGLE_DECLARATION (eagle::Scalar<std::int64_t>, j), (eagle::Plane<float[3]>, q), (eagle::Plane<float[2][2]>, "
      "r), "
      "(eagle::Scalar<float>, s), (eagle::Plane<double[2][3]>, o), (eagle::Scalar<std::uint32_t>, w), "
      "(eagle::Scalar<std::uint64_t>, bins), (eagle::Plane<const float[1]>, v), (eagle::Plane<const float[3][2]>, m), "
      "(eagle::Scalar<const float>, halo), (eagle::Scalar<const std::int32_t>, A), (eagle::Scalar<const float>, a), "
      "(eagle::Scalar<const std::int64_t>, a1), (eagle::Scalar<const std::uint8_t>, a_b), (eagle::Scalar<const float>, z), "
      "(eagle::Scalar<const double>, table), (eagle::Scalar<std::uint8_t>, done), (std::int64_t, count), (float, scale), "
      "(eagle::Index, n)\n");
}

TEST(Declaration, FinishedCountIsALookupThatTheBodyWrites) {
  const Declarations built("OFF");
  EXPECT_THAT(read_bytes(built / "finish_declaration.hpp"),
              HasSubstr("(eagle::Scalar<std::uint32_t>, finished_count), (eagle::Scalar<std::uint8_t>, terminated)"));
  EXPECT_THAT(read_bytes(built / "finish/finish.json"), HasSubstr("\"finished_count\": \"uint32\""));
}

TEST(Declaration, GivesTheSameBytesInEveryFolder) {
  const Declarations one("/here/nvcc"), other("/there/bin/nvcc");
  for (const char* plugin : {"mixed", "matvec", "mr_sum_guard", "all_roles"})
    for (const std::string& file : {std::string("manifest.json"), std::string(plugin) + ".json"}) {
      const std::string bytes = read_bytes(one / plugin / file);
      EXPECT_EQ(bytes, read_bytes(other / plugin / file));
      EXPECT_THAT(bytes, testing::Not(HasSubstr("nvcc")));
      EXPECT_THAT(bytes, testing::Not(HasSubstr(one.path().string())));
    }
}

TEST(Declaration, WithoutNvccThereIsTheHostAlone) {
  const Declarations built("OFF");
  for (const char* file : {"mixed/manifest.json", "mixed/mixed.json"}) {
    EXPECT_THAT(read_bytes(built / file),
                AllOf(HasSubstr("\"exec_targets\": [\n    \"host\"\n  ]"), HasSubstr("\"format\": \"host\"")));
  }
  EXPECT_THAT(read_bytes(built / "mixed/manifest.json"), HasSubstr("\"artifact\": \"mixed.so\""));
}

struct Refusal {
  const char* name;
  const char* declaration;
  const char* words;
  friend void PrintTo(const Refusal& row, std::ostream* out) { *out << row.declaration; }
};

const Refusal refusals[] = {
    {"name", R"(eagle_add_plugin(3p HOST p.cpp ACCESS sample_local ARGS "mutable y"))", "(3p): the name is not a C identifier"},
    {"no_host", R"(eagle_add_plugin(p ACCESS sample_local ARGS "mutable y"))", "(p): HOST is missing"},
    {"no_access", R"(eagle_add_plugin(p HOST p.cpp ARGS "mutable y"))", "(p): ACCESS is missing"},
    {"no_args", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local))", "(p): ARGS is missing"},
    {"keyword", R"(eagle_add_plugin(p TARGET x HOST p.cpp ACCESS sample_local ARGS "mutable y"))",
     "no keyword takes 'TARGET;x'"},
    {"access", R"(eagle_add_plugin(p HOST p.cpp ACCESS local ARGS "mutable y"))",
     "ACCESS is 'local', accepted: sample_local, cross_sample_read, cross_sample_write, mapreduce"},
    {"op_missing", R"(eagle_add_plugin(p HOST p.cpp ACCESS mapreduce ARGS "accum_out t"))",
     "OP, which mapreduce requires, is '', accepted: sum, times, max, land"},
    {"op_unknown", R"(eagle_add_plugin(p HOST p.cpp ACCESS mapreduce OP min ARGS "accum_out t"))",
     "is 'min', accepted: sum, times"},
    {"op_forbidden", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local OP sum ARGS "mutable y"))",
     "OP is 'sum', forbidden unless ACCESS is mapreduce"},
    {"no_partials", R"(eagle_add_plugin(p HOST p.cpp ACCESS mapreduce OP sum ARGS "per_sample x"))",
     "mapreduce needs an argument 'accum_out NAME'"},
    {"scalar", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local SCALAR float16 ARGS "mutable y"))",
     "SCALAR is 'float16', accepted: float64, float32"},
    {"index", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local INDEX 8 ARGS "mutable y"))",
     "INDEX is '8', accepted: 32, 64"},
    {"format", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local FORMAT sass ARGS "mutable y"))",
     "FORMAT is 'sass', accepted: ptx, cubin, fatbin"},
    {"role", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local ARGS "scalar_in x"))",
     "argument 'x': the role is 'scalar_in', accepted: mutable, out, wide_out, accum_out, vec_in, mat_in, wide_in, per_sample, "
     "lookup, "
     "terminated, uniform, nsamples"},
    {"nameless", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local ARGS "mutable"))", "argument 'mutable' does not read"},
    {"argument_name", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local ARGS "mutable y-z"))",
     "argument 'mutable y-z' does not read"},
    {"too_many_words", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local ARGS "vec_in v float64 3 3"))",
     "does not read \"role name [dtype [shape]]\""},
    {"twice", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local ARGS "mutable y" "per_sample x" "uniform y"))",
     "argument 'y' is declared twice"},
    {"dtype", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local ARGS "per_sample x double"))",
     "argument 'x': the dtype of a per_sample is 'double', accepted: float64, float32, int64, int32, uint64, uint32, bool"},
    {"uniform_dtype", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local SCALAR float32 ARGS "uniform a float64"))",
     "the dtype of a uniform is 'float64', accepted: float32, int64"},
    {"mutable_dtype", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local ARGS "mutable j int32"))",
     "accepted: float64, float32, int64"},
    {"terminated_dtype", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local ARGS "terminated t int64"))",
     "'int64', accepted: bool"},
    {"finished_count", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local ARGS "lookup finished_count int64"))",
     "argument 'finished_count': the dtype of a lookup is 'int64', accepted: uint32"},
    {"vector_without_width", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local ARGS "vec_in v"))",
     "argument 'v': the shape '' of a vec_in (none: scalar, N: vector, RxC: matrix) is 'scalar', accepted: vector"},
    {"matrix_without_columns", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local ARGS "mat_in m float64 9"))",
     "is 'vector', accepted: matrix"},
    {"scalar_with_width", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local ARGS "per_sample x float64 3"))",
     "is 'vector', accepted: scalar"},
    {"width_0", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local ARGS "vec_in v float64 0"))", "the shape '0' of a vec_in"},
    {"columns_negative", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local ARGS "out m float64 2x-3"))",
     "the shape '2x-3' of a out"},
    {"accumulate_place", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local ARGS "accum_out t"))",
     "argument 't': accum_out needs ACCESS cross_sample_write or mapreduce, not sample_local"},
    {"default_text", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local DEFAULTS y=one ARGS "mutable y"))",
     "DEFAULTS 'y=one' does not read argument=number"},
    {"default_octal", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local DEFAULTS y=07 ARGS "mutable y"))",
     "DEFAULTS 'y=07' does not read argument=number"},
    {"default_of_none", R"(eagle_add_plugin(p HOST p.cpp ACCESS sample_local DEFAULTS x=1 ARGS "per_sample x"))",
     "DEFAULTS 'x=1' names no mutable of ARGS"},
};

class DeclarationRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(DeclarationRefusal, NamesPluginArgumentAndWhatIsAccepted) {
  const TemporaryFolder folder;
  const fs::path script = write_bytes(folder / "script.cmake", "include(\"" + module + "\")\n" + GetParam().declaration + "\n");
  const Outcome outcome = run_command(cmake + " -P '" + script.string() + "'");
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.text, AllOf(HasSubstr("eagle_add_plugin("), HasSubstr(GetParam().words)));
}

INSTANTIATE_TEST_SUITE_P(Row, DeclarationRefusal, testing::ValuesIn(refusals), [](const auto& row) { return row.param.name; });

/// The outcome of compiling a plugin whose ARGS stand for `declared`.
Outcome compile(const std::string& declared) {
  const TemporaryFolder folder;
  const fs::path source =
      write_bytes(folder / "plugin.cpp", "#define EAGLE_DECLARATION " + declared +
                                             "\n#include <eagle/body.hpp>\nEAGLE_PLUGIN(p, (eagle::Scalar<double>, y), "
                                             "(eagle::Scalar<const double>, a), (eagle::Scalar<const double>, b)) "
                                             "{ y[i] = a[i] - b[i]; }\n");
  return run_command("'" EAGLE_TEST_CXX "' -std=c++20 -fsyntax-only -I'" EAGLE_TEST_INCLUDE "' '" + source.string() + "'");
}

TEST(Declaration, OfAnotherTypeOrOrderDoesNotCompile) {
  const std::string y = "(eagle::Scalar<double>, y)", a = "(eagle::Scalar<const double>, a)",
                    b = "(eagle::Scalar<const double>, b)";
  const Outcome same = compile(y + ", " + a + ", " + b);
  EXPECT_EQ(same.status, 0) << same.text;
  const std::string due = y + ", " + b + ", " + a;
  EXPECT_THAT(compile(due).text,
              AllOf(HasSubstr("EAGLE_PLUGIN's names are not those of eagle_add_plugin's ARGS"), HasSubstr(": " + due)));
  EXPECT_THAT(compile(y + ", " + a).text, HasSubstr("EAGLE_PLUGIN's types are not those of eagle_add_plugin's ARGS"));
  EXPECT_THAT(compile(y + ", (eagle::Scalar<const float>, a), " + b).text, HasSubstr("EAGLE_PLUGIN's types are not those"));
}

}  // namespace
