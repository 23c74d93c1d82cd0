// SPDX-License-Identifier: Apache-2.0
#include <eagle/plan.hpp>

#include "fuzz.hpp"
#include "given.hpp"

namespace {

using eagle::Access;
using eagle::Role;

/// Runs no code: reads every element that the boxes give, and writes those of outputs.
class Toucher final : public eagle::Structure {
 public:
  Toucher() : Structure(eagle::StructureKind::host_team) {}
  std::string describe() const override { return "toucher"; }
  void prepare(const eagle::Plugin&) const override {}

 private:
  std::string_view label() const noexcept override { return "Toucher"; }

  /// What a body finds in the k-th box.
  static eagle::ArrayView boxed(const eagle::Call& call, std::size_t k) {
    const eagle::Argument& argument = call.plugin.declaration().arguments[k];
    eagle::ArrayView array = call.arrays[k];
    if (!argument.is_plane) return array;
    GRefMirror plane;
    std::memcpy(&plane, call.params[k], sizeof plane);
    array.data = plane.data;
    array.strides = {static_cast<std::int64_t>(plane.compStride), static_cast<std::int64_t>(plane.sampleStride)};
    fuzz::require(plane.samples == static_cast<std::uint64_t>(array.shape.back()), "a plane has all samples");
    fuzz::require(array.strides[0] >= 0 && array.strides[1] == 1, "a body counts rows upwards, and samples one by one");
    return array;
  }

  void drive(const eagle::Call& call, const eagle::Partition& partition) const override {
    constexpr std::int64_t most = 1 << 10;
    if (partition.n_samples > most) throw eagle::Error(eagle::Code::limit, "more samples than are touched here");
    const eagle::Declaration& declaration = call.plugin.declaration();
    unsigned read = 0;
    for (std::size_t k = 0; k < call.arrays.size(); ++k) {
      const bool written = is_output(declaration.arguments[k], declaration);
      fuzz::each_byte(boxed(call, k), [&](unsigned char* byte) { written ? void(*byte = 0) : void(read += *byte); });
    }
    for (eagle::Reduction& each : call.reductions) {
      const std::vector<std::byte> zeros(static_cast<std::size_t>(partition.count * size_of(each.total.dtype())));
      each.total.append(zeros.data(), partition.count);
    }
    fuzz::keep(read);
  }
};

eagle::Argument argument_of(fuzz::Bytes& in, std::size_t k) {
  eagle::Argument a;
  a.role = static_cast<Role>(in.up_to(11));
  a.name = std::string(1, static_cast<char>('a' + k));
  a.dtype = a.role == Role::terminated ? eagle::DType::boolean : static_cast<eagle::DType>(in.up_to(6));
  const bool matrix = a.role == Role::mat_in || ((a.role == Role::mutable_ || a.role == Role::out) && in.coin());
  a.is_plane = matrix || a.role == Role::vec_in || a.role == Role::out || (a.role == Role::mutable_ && in.coin());
  if (matrix) a.shape = {1 + in.up_to(3), 1 + in.up_to(3)};
  a.width = matrix ? (*a.shape)[0] * (*a.shape)[1] : a.is_plane ? 1 + in.up_to(3) : 1;
  if (a.role == Role::lookup || a.role == Role::wide_in || a.role == Role::wide_out) a.width = 0;
  if (a.role == Role::mutable_ && in.coin()) a.initial = fuzz::number_of(in);
  if (a.initial && !a.initial->fits(a.dtype)) a.initial.reset();
  return a;
}

eagle::Declaration declaration_of(fuzz::Bytes& in) {
  eagle::Declaration d;
  d.id = "p";
  d.schema_version = 1 + in.up_to(2);
  d.targets = {eagle::Target::host};
  d.access = static_cast<Access>(in.up_to(3));
  if (d.access == Access::mapreduce && in.coin()) d.op = static_cast<eagle::Op>(in.up_to(3));
  d.terminated_readonly = in.coin();
  for (std::int64_t k = in.up_to(5); k >= 0; --k) d.arguments.push_back(argument_of(in, static_cast<std::size_t>(k)));
  if (eagle::Argument& last = d.arguments.back(); last.role == Role::lookup && in.coin())
    last.name = in.coin() ? "finished_count" : "fused_steps";
  const bool adds = d.access == Access::cross_sample_write || d.access == Access::mapreduce;
  if (!adds) std::erase_if(d.arguments, [](const eagle::Argument& a) { return a.role == Role::accum_out; });
  return d;
}

eagle::PlanOptions options_of(fuzz::Bytes& in, const eagle::Declaration& declaration) {
  eagle::PlanOptions options;
  options.structure = std::make_shared<Toucher>();
  const std::int64_t parts = in.count();
  options.npartitions = parts < 0 || parts > std::int64_t{1} << 24 ? parts : parts % 50;
  if (in.coin()) options.n_samples = in.count();
  for (std::int64_t k = in.up_to(3); in.coin() && k > 0; --k)
    options.partitions.push_back({in.count(), in.count(), in.count()});
  if (in.up_to(3) == 0) options.exec_access = static_cast<Access>(in.up_to(3));
  if (in.up_to(3) == 0) options.exec_op = static_cast<eagle::Op>(in.up_to(3));
  if (in.up_to(3) == 0) options.combine = in.coin();
  if (in.up_to(3) == 0) options.precision = static_cast<eagle::Precision>(in.up_to(1));
  for (const eagle::Argument& a : declaration.arguments)
    if (in.up_to(3) == 0) options.layout[a.name] = static_cast<eagle::Layout>(in.up_to(1));
  return options;
}

}  // namespace

/// A declaration, a plan of it and its arguments, all from the input: what is refused has written nothing, and what runs has
/// written the elements of its outputs alone.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Bytes in(data, size);
  const eagle::Declaration declaration = declaration_of(in);
  fuzz::accepts([&] {
    const eagle::Plan plan = eagle::plan(eagle::Plugin(declaration, static_cast<void*>(nullptr)), options_of(in, declaration));
    fuzz::require_text(plan.describe(), "a plan can be shown");
    fuzz::Given given(declaration, in);
    const bool runs = fuzz::accepts([&] { plan.run(given.values()); });
    fuzz::require(!runs || !given.overlaps(), "what is written is nothing else's memory");
    given.check(runs);
    const bool binds = fuzz::accepts([&] {
      eagle::BoundPlan bound = plan.bind(given.values());
      bound.launch();
      static_cast<void>(bound.result());
      for (const eagle::Argument& each : declaration.arguments)
        if (in.coin()) fuzz::accepts([&] { bound.rebind(each.name, given.another(each, in)); });
      bound.launch();
      static_cast<void>(bound.result());
    });
    fuzz::require(runs || !binds, "what binds runs");
    given.check(binds || runs);
  });
  return 0;
}
