// SPDX-License-Identifier: Apache-2.0
// What a bundle on disk is read into.
#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>

#include <eagle/bundle.hpp>
#include <eagle/error.hpp>
#include <eagle/plugin.hpp>

#include "support.hpp"
#include "written_bundle.hpp"

namespace {

using eagle::BundleReading;
using eagle::Declaration;
using eagle::Target;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using written::axis;
using written::Bundle;
using written::entry;
using written::finding;
using written::with;

/// "role name dtype width", then "RxC" of a matrix, "= initial value", and the size of the box.
std::string to_text(const eagle::Argument& a) {
  std::string text =
      std::string(name(a.role)) + " " + a.name + " " + std::string(name(a.dtype)) + " " + std::to_string(a.width);
  if (a.shape) text += " " + std::to_string((*a.shape)[0]) + "x" + std::to_string((*a.shape)[1]);
  if (a.initial) text += " = " + to_string(*a.initial);
  return text + (a.is_plane ? " (40)" : " (32)");
}

std::vector<std::string> texts(const std::vector<eagle::Argument>& arguments) {
  std::vector<std::string> result;
  for (const eagle::Argument& each : arguments) result.push_back(to_text(each));
  return result;
}

TEST(Bundle, ReadsATwoTargetBundleFieldByField) {
  const std::filesystem::path folder = std::filesystem::canonical(support::data("bundles/mixed_two"));
  const BundleReading reading = eagle::read_bundle(folder);
  EXPECT_THAT(reading.findings, IsEmpty());
  ASSERT_THAT(reading.plugins, SizeIs(1));
  const Declaration& plugin = reading.plugins[0];
  EXPECT_EQ(plugin.id, "mixed");
  EXPECT_EQ(plugin.kernel, "mixed");
  EXPECT_EQ(plugin.pattern, "pure");
  EXPECT_EQ(plugin.aether_abi, "aether-abi/2");
  EXPECT_EQ(plugin.scalar_type, "float64");
  EXPECT_EQ(plugin.format, "ptx");
  EXPECT_EQ(plugin.schema_version, 2);
  EXPECT_EQ(plugin.order, 0);
  EXPECT_FALSE(plugin.is_v1());
  EXPECT_THAT(plugin.targets, ElementsAre(Target::device, Target::host));
  EXPECT_EQ(plugin.access, eagle::Access::sample_local);
  EXPECT_EQ(plugin.op, std::nullopt);
  EXPECT_TRUE(plugin.terminated_readonly);
  EXPECT_EQ(plugin.host_entry, "mixed_host");
  EXPECT_EQ(plugin.manifest, folder / "manifest.json");
  EXPECT_EQ(plugin.sidecar, folder / "mixed.json");
  EXPECT_EQ(plugin.artifact, folder / "mixed.ptx");
  EXPECT_EQ(plugin.host_artifact, folder / "mixed.so");
  EXPECT_THAT(texts(plugin.arguments),
              ElementsAre("mutable j int64 1 (32)", "mutable y float64 1 (32)", "per_sample k int64 1 (32)",
                          "per_sample x float64 1 (32)", "uniform s int64 1 (32)", "nsamples n_samples int64 1 (32)"));
}

TEST(Bundle, ReadsPlanesAndReductions) {
  const BundleReading matvec = eagle::read_bundle(support::data("bundles/matvec_two/manifest.json"));
  ASSERT_THAT(matvec.plugins, SizeIs(1));
  EXPECT_THAT(texts(matvec.plugins[0].arguments), ElementsAre("mutable mt float64 6 3x2 (40)", "mutable y float64 2 (40)",
                                                              "vec_in x float64 3 (40)", "mat_in m float64 6 2x3 (40)"));
  const BundleReading guarded = eagle::read_bundle(support::data("bundles/mr_sum_guard"));
  ASSERT_THAT(guarded.plugins, SizeIs(1));
  EXPECT_EQ(guarded.plugins[0].access, eagle::Access::mapreduce);
  EXPECT_EQ(guarded.plugins[0].op, eagle::Op::sum);
  EXPECT_EQ(guarded.plugins[0].host_artifact, guarded.plugins[0].artifact);
  EXPECT_THAT(texts(guarded.plugins[0].arguments), ElementsAre("accum_out total float64 1 (32)", "per_sample x float64 1 (32)",
                                                               "terminated terminated bool 1 (32)"));
}

struct Sample {
  std::string sidecar;
  std::vector<std::string> arguments;
};

/// Sidecars as another program writes them, each in a bundle that repeats its axis.
TEST(Bundle, ReadsSidecarsOfOthersAsTheyAre) {
  const Sample samples[] = {
      {"tape",
       {"mutable applied_steps int64 1 (32)", "mutable t float64 1 (32)", "mutable x float64 1 (32)",
        "out tape float64 16 (40)", "per_sample dt float64 1 (32)", "per_sample t_0 float64 1 (32)",
        "lookup finished_count uint32 0 (32)", "lookup fused_steps int64 0 (32)", "terminated terminated bool 1 (32)",
        "uniform tape_on int64 1 (32)"}},
      {"indices",
       {"mutable j uint32 1 (32)", "mutable k int64 1 (32)", "mutable y float64 1 (32)", "per_sample i int64 1 (32)",
        "per_sample w uint32 1 (32)", "per_sample x float64 1 (32)", "lookup t float64 0 (32)"}},
      {"scatter", {"accum_out bins float64 0 (32)", "per_sample i int32 1 (32)", "per_sample x float64 1 (32)"}},
      {"wide_input", {"mutable y float64 1 (32)", "wide_in b float64 0 (32)", "per_sample i int64 1 (32)"}},
      {"wide_output", {"wide_out o float64 0 (32)", "per_sample i int64 1 (32)", "per_sample x float64 1 (32)"}},
      {"matrices", {"mutable n float64 9 3x3 (40)", "mutable v float64 1 (32)", "mat_in m float64 9 3x3 (40)"}},
      {"float32", {"mutable y float32 1 (32)", "per_sample x float32 1 (32)", "uniform a float32 1 (32)"}},
      {"largest", {"accum_out total uint32 1 (32)", "per_sample x uint32 1 (32)", "terminated terminated bool 1 (32)"}},
  };
  for (const Sample& sample : samples) {
    SCOPED_TRACE(sample.sidecar);
    const std::string text = read_bytes(support::data("sidecars/" + sample.sidecar + ".json"));
    const auto value = [&](const std::string& key) {
      const std::size_t at = text.find("\"" + key + "\": ");
      return at == text.npos ? std::string() : text.substr(at, text.find('\n', at) - at);
    };
    const Bundle bundle(entry("a"), value("schema_version") + value("exec_access") + value("exec_op") +
                                        R"("pattern": "pure", "aether_abi": "aether-abi/2", "exec_targets": ["host"])");
    bundle.write("a.json", text);
    bundle.write("a.so", "");
    const BundleReading reading = bundle.read();
    for (const eagle::Finding& each : reading.findings) ADD_FAILURE() << to_string(each);
    ASSERT_THAT(reading.plugins, SizeIs(1));
    EXPECT_EQ(texts(reading.plugins[0].arguments), sample.arguments);
    EXPECT_EQ(reading.plugins[0].terminated_readonly, sample.sidecar != "tape");
  }
}

TEST(Bundle, KeepsInitialValuesExactly) {
  const struct {
    std::string kind, dtype, value;
  } rows[] = {
      {"int", "int64", "9223372036854775807"},
      {"int", "int64", "-9223372036854775808"},
      {"int", "int64", "9007199254740993"},
      {"int64", "int64", "-9007199254740993"},
      {"uint64", "uint64", "18446744073709551615"},
      {"uint32", "uint32", "4294967295"},
      {"int32", "int32", "-2147483648"},
      {"scalar", "float64", "3"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.value);
    const Bundle bundle(entry("a"));
    bundle.write("a.so", "");
    bundle.write("a.json", "{" + axis +
                               R"(, "kernel": "a", "arg_spec": [["mutable", "m"]], "mutables": [{"name": "m", "dtype": ")" +
                               row.kind + R"(", "default": )" + row.value + "}]}");
    const BundleReading reading = bundle.read();
    ASSERT_THAT(reading.plugins, SizeIs(1));
    EXPECT_THAT(texts(reading.plugins[0].arguments), ElementsAre("mutable m " + row.dtype + " 1 = " + row.value + " (32)"));
  }
}

/// The C library's strtod rounds correctly, and so must the reader.
TEST(Bundle, ReadsFloatingValuesToTheLastBit) {
  for (const char* text :
       {"0.1", "1e23", "2.2250738585072011e-308", "2.2250738585072014e-308", "4.9e-324", "1.7976931348623157e308",
        "9007199254740993.0", "0.500000000000000166533453693773481063544750213623046875", "3.518437208883201171875e13", "-0.0",
        "123456789012345678901234567890", "6.02214076e+23", "0e300", "0.0e305", "-0e100", "0e-400", "1e-400", "-1e-400"}) {
    SCOPED_TRACE(text);
    const Bundle bundle(entry("a"));
    bundle.write("a.so", "");
    bundle.write("a.json", "{" + axis +
                               R"(, "kernel": "a", "arg_spec": [["mutable", "m"]], "mutables": [{"name": "m", "dtype": "scalar",
      "default": )" + text + "}]}");
    const BundleReading reading = bundle.read();
    ASSERT_THAT(reading.plugins, SizeIs(1));
    const double got = reading.plugins[0].arguments[0].initial->as_double();
    const double wanted = std::strtod(text, nullptr);
    EXPECT_EQ(std::memcmp(&got, &wanted, sizeof got), 0) << got << " " << wanted;
  }
}

TEST(Bundle, ReadsWhatIsOptional) {
  const Bundle bundle(entry("a"));
  bundle.write("a.so", "");
  bundle.write("a.json",
               "{" + axis + R"(, "kernel": "a", "host_entry": "run_a", "scalar_type": "float32", "terminated_readonly": false,
    "arg_widths": {"o": 4}, "mat_shapes": {"r": [2, 3]}, "arg_dtypes": {"t": "uint64", "r": "float64"},
    "arg_spec": [["out", "o"], ["out", "r"], ["lookup", "finished_count"], ["lookup", "fused_steps"], ["lookup", "t"],
                 ["lookup", "u"], ["terminated", "done"], ["nsamples", "n"]]})");
  const BundleReading reading = bundle.read();
  EXPECT_THAT(reading.findings, IsEmpty());
  ASSERT_THAT(reading.plugins, SizeIs(1));
  EXPECT_EQ(reading.plugins[0].host_entry, "run_a");
  EXPECT_EQ(reading.plugins[0].scalar_type, "float32");
  EXPECT_FALSE(reading.plugins[0].terminated_readonly);
  EXPECT_THAT(texts(reading.plugins[0].arguments),
              ElementsAre("out o float32 4 (40)", "out r float64 6 2x3 (40)", "lookup finished_count uint32 0 (32)",
                          "lookup fused_steps int64 0 (32)", "lookup t uint64 0 (32)", "lookup u float32 0 (32)",
                          "terminated done bool 1 (32)", "nsamples n int64 1 (32)"));
}

TEST(Bundle, SortsByOrderThenPlace) {
  const Bundle bundle(entry("c", "", "5") + "," + entry("a", "", "5") + "," + entry("b", "", "-1") + "," +
                      with(entry("off", "", "0"), "true", "false"));
  for (const char* id : {"a", "b", "c"}) bundle.add(id);
  const BundleReading reading = bundle.read();
  EXPECT_THAT(reading.findings, IsEmpty());
  EXPECT_THAT(reading.plugins,
              ElementsAre(Field(&Declaration::id, "b"), Field(&Declaration::id, "c"), Field(&Declaration::id, "a")));
}

TEST(Bundle, ChecksOnlyTheEntryOfAPluginThatIsOff) {
  const std::string off = with(entry("off"), "true", "false");
  EXPECT_THAT(Bundle(off).read().findings, IsEmpty());
  EXPECT_THAT(Bundle(off).read().disabled, ElementsAre("off"));
  const BundleReading reading = Bundle(with(off, "off.so", "../off.so")).read();
  EXPECT_THAT(reading.findings, ElementsAre(finding("path", "manifest.json#/plugins/0/artifact", "climbs")));
}

TEST(Bundle, GivesEveryFindingAndTheGoodPlugins) {
  const Bundle bundle(entry("good") + "," + entry("bad") + "," + entry("worse") + "," + with(entry("odd"), "host", "wasm"));
  bundle.add("good");
  bundle.add("bad", with(axis, "sample_local", "cross_sample_read"));
  bundle.add("worse", with(axis, "\"pure\"", "\"quantum\", \"terminated_readonly\": 3"));
  const BundleReading reading = bundle.read();
  EXPECT_THAT(reading.plugins, ElementsAre(Field(&Declaration::id, "good")));
  EXPECT_THAT(reading.findings,
              testing::UnorderedElementsAre(finding("mismatch", "bad.json#/exec_access", "must agree"),
                                            finding("bad-value", "worse.json#/pattern", "quantum"),
                                            finding("wrong-type", "worse.json#/terminated_readonly", "true or false"),
                                            finding("bad-value", "manifest.json#/plugins/3/format", "wasm")));
  for (const eagle::Finding& each : reading.findings)
    EXPECT_EQ(each.plugin, each.code == "mismatch" ? "bad" : each.pointer.starts_with("worse") ? "worse" : "odd");
}

TEST(Bundle, GivesNoPluginWhereTheManifestIsWrong) {
  const Bundle bundle(entry("good"), with(axis, "\"pure\"", "\"quantum\""));
  bundle.add("good");
  EXPECT_THAT(bundle.read().plugins, IsEmpty());
  EXPECT_THAT(bundle.read().findings, ElementsAre(AllOf(finding("bad-value", "manifest.json#/pattern", "quantum"),
                                                        Field(&eagle::Finding::plugin, ""))));
}

TEST(Bundle, FirstSchemaTakesTheTargetFromTheFormat) {
  const std::string first = R"("schema_version": 1, "pattern": "pure", "aether_abi": "aether-abi/1")";
  for (const auto& [format, target] : {std::pair("host", Target::host), std::pair("ptx", Target::device),
                                       std::pair("cubin", Target::device), std::pair("fatbin", Target::device)}) {
    const Bundle bundle(with(entry("a"), R"("format": "host")", std::string(R"("format": ")") + format + "\""), first);
    bundle.add("a", first);
    const BundleReading reading = bundle.read();
    ASSERT_THAT(reading.plugins, SizeIs(1)) << format;
    EXPECT_THAT(reading.plugins[0].targets, ElementsAre(target));
    EXPECT_TRUE(reading.plugins[0].is_v1());
    EXPECT_EQ(reading.plugins[0].host_artifact.has_value(), target == Target::host);
    EXPECT_EQ(reading.plugins[0].host_entry, "a_host");
  }
}

/// A line that a name begins, a colour or another direction of writing would make what is printed say something else.
TEST(Bundle, NamesArePrintable) {
  const std::string sidecar =
      "{" + axis + R"(, "kernel": "KERNEL", "host_entry": "ENTRY", "per_sample": ["self", "\u00e9", "NAME"],
    "arg_spec": [["per_sample", "NAME"], ["per_sample", "self"], ["per_sample", "\u00e9"]]})";
  const auto read = [&](const std::string& place, const std::string& name) {
    const Bundle bundle(with(with(entry("a"), "a.so", "FILE.so"), R"("id": "a")", R"("id": "ID")"));
    bundle.write("FILE.so", "");
    bundle.write("a.json", with(sidecar, place, name));
    bundle.write("manifest.json", with(read_bytes(bundle.folder / "manifest.json"), place, name));
    return bundle.read();
  };
  EXPECT_THAT(read("NAME", "layout").findings, IsEmpty());
  EXPECT_THAT(read("ID", std::string(1024, 'i')).findings, IsEmpty());
  const std::pair<std::string, std::string> places[] = {{"ID", "manifest.json#/plugins/0/id"},
                                                        {"FILE", "manifest.json#/plugins/0/artifact"},
                                                        {"KERNEL", "a.json#/kernel"},
                                                        {"ENTRY", "a.json#/host_entry"},
                                                        {"NAME", "a.json#/arg_spec/0"}};
  for (const auto& [place, pointer] : places)
    for (const std::string name : {"a\\nb", "\\u001b[2J", "\\u007f", "\\u0085", "\\u2028", "\\u202e", "\\u2066", "\\u2069"}) {
      const BundleReading reading = read(place, name);
      EXPECT_THAT(reading.findings, ElementsAre(finding("bad-value", pointer, "is no name: at most 1024 bytes of printable")));
      EXPECT_THAT(reading.plugins, IsEmpty());
      EXPECT_THAT(to_string(reading.findings.at(0)), testing::MatchesRegex("[ -~]*"));
    }
  EXPECT_THAT(read("NAME", std::string(1025, 'n')).findings, ElementsAre(finding("bad-value", "arg_spec/0", "is no name")));
}

TEST(Bundle, NamesAreNeverPrintedRaw) {
  Declaration given;
  given.id = "a\x1b[2J\xe2\x80\xae";
  given.targets = {Target::host};
  EXPECT_THAT(to_string(eagle::Plugin(given, nullptr, nullptr)), testing::StartsWith("a\\x1b[2J\\u202e: "));
  EXPECT_STREQ(eagle::Error(eagle::Code::io, "a\x1b\nb\xff\n\xe2\x81\xa9\xe2\x81\xaa").what(),
               "a\\x1b\nb\\xff\n\\u2069\xe2\x81\xaa");
}

TEST(Bundle, MessagesAreBounded) {
  const std::string text = eagle::Error(eagle::Code::io, std::string(10'000'000, '\x01')).what();
  EXPECT_EQ(text.size(), 4 * (16 << 10) + 3);
  EXPECT_THAT(text, testing::EndsWith("\\x01..."));
  std::string keys, entries;
  for (int k = 0; k < 100000; ++k) keys += "\"" + std::to_string(k) + "\": 0, ";
  const Bundle bundle("",
                      with(axis, "\"pure\"", "\"neural_block\", \"blocks\": [{\"forward_exec\": {" + keys + "\"kind\": 0}}]"));
  EXPECT_THAT(bundle.read().findings, testing::Contains(finding("forbidden-key", "/forward_exec",
                                                                "key(s) '0', '1', '2', '3', '4', '5' and 99994 more:")));
  for (int k = 0; k < 999; ++k) entries += (k ? ", " : "") + entry(std::string(500, 'i') + std::to_string(k));
  const Bundle many(entries);
  EXPECT_LE(support::refusal(eagle::Code::bundle, [&] { (void)eagle::load(many.folder.path()); }).size(), (16 << 10) + 3);
  EXPECT_LE(support::refusal(eagle::Code::io, [] { (void)eagle::load(std::string(10'000'000, 'p')); }).size(), 5000);
}

TEST(Bundle, LimitsTheNumberOfArguments) {
  std::string names;
  std::string spec;
  for (int k = 0; k < 4097; ++k) {
    const std::string name = "\"x" + std::to_string(10000 + k) + "\"";
    names += (k ? "," : "") + name;
    spec += (k ? ",[\"per_sample\"," : "[\"per_sample\",") + name + "]";
  }
  const Bundle bundle(entry("a"));
  bundle.write("a.so", "");
  const std::string text = "{" + axis + R"(, "kernel": "a", "per_sample": [)" + names + "], \"arg_spec\": [" + spec + "]}";
  bundle.write("a.json", text);
  EXPECT_THAT(bundle.read().findings, ElementsAre(finding("bad-value", "a.json#/arg_spec", "at most 4096")));
  bundle.write("a.json", with(text, R"(,["per_sample","x14096"])", ""));
  EXPECT_THAT(bundle.read().findings, IsEmpty());
}

}  // namespace
