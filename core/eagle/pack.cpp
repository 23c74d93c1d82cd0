// SPDX-License-Identifier: Apache-2.0
#include <eagle/pack.hpp>

#include <algorithm>
#include <cstring>
#include <limits>

#include <eagle/convert.hpp>
#include <eagle/error.hpp>
#include <eagle/names.hpp>
#include <eagle/plane.hpp>
#include <eagle/reduction.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace eagle::detail {
namespace {

/// What a role means for a caller, as the table of planes has it.
struct Traits {
  bool plane;     ///< one element or component row a sample
  bool required;  ///< the caller must give it
  bool written;   ///< the body writes it
};

Traits traits_of(const Argument& argument, const Declaration& plugin, Access access) {
  const bool written = is_output(argument, plugin);
  switch (argument.role) {
    case Role::mutable_:
    case Role::out:
    case Role::terminated: return {true, false, written};
    case Role::vec_in:
    case Role::mat_in:
    case Role::per_sample: return {true, true, written};
    case Role::accum_out: return {access == Access::mapreduce, access != Access::mapreduce, written};
    case Role::wide_out:
    case Role::wide_in:
    case Role::uniform: return {false, true, written};
    case Role::lookup: return {false, !written && argument.name != "fused_steps", written};
    case Role::nsamples: break;
  }
  return {false, false, written};
}

class Packer {
 public:
  Packer(const Plugin& plugin, const PackOptions& options) : declaration_(plugin.declaration()), options_(options) {}

  std::unique_ptr<Packed> pack(const Values& values) {
    check_names(values);
    auto packed = std::make_unique<Packed>();
    read_samples(values, *packed);
    packed->shows_host = options_.staging && std::all_of(values.begin(), values.end(), [](const auto& each) {
                           return each.second.array() == nullptr || on_host(*each.second.array());
                         });
    check_limits(packed->n);
    packed->slots.resize(declaration_.arguments.size());
    for (std::size_t k = 0; k < packed->slots.size(); ++k) {
      const Argument& argument = declaration_.arguments[k];
      const auto given = values.find(argument.name);
      packed->slots[k] = slot(argument, given == values.end() ? nullptr : &given->second, *packed);
      packed->params.push_back(packed->slots[k].box);
    }
    for (const Slot& each : packed->slots) check_overlap(each, packed->slots);
    list_arrays(*packed);
    seed_partials(*packed);
    return packed;
  }

  void repack(Packed& packed, const std::string& name, const Value& value) {
    check_names({{name, value}}, false);
    for (Slot& old : packed.slots) {
      if (old.argument.name != name || old.argument.role == Role::nsamples) continue;
      Slot fresh = slot(old.argument, &value, packed);
      std::swap(old, fresh);
      try {
        for (const Slot& each : packed.slots) check_overlap(each, packed.slots);
      } catch (...) {
        std::swap(old, fresh);
        throw;
      }
      list_arrays(packed);
      return seed_partials(packed);
    }
  }

 private:
  static void list_arrays(Packed& packed) {
    packed.arrays.clear();
    for (const Slot& each : packed.slots) packed.arrays.push_back(each.bound);
  }

  [[nodiscard]] const Memory& memory() const { return *options_.memory; }

  [[noreturn]] void refuse(const std::string& argument, const std::string& why, Code code = Code::argument) const {
    throw Error(code, fmt::format("plugin '{}': argument {} {}", declaration_.id, in_quotes(argument), why));
  }

  Traits traits(const Argument& argument) const { return traits_of(argument, declaration_, options_.access); }

  /// Whether an argument is an accumulate output that is folded, so that no plane of it exists.
  bool folded(const Argument& argument) const { return options_.fold && argument.role == Role::accum_out; }

  void check_names(const Values& values, bool all = true) const {
    std::vector<std::string> known;
    for (const Argument& argument : declaration_.arguments)
      if (argument.role != Role::nsamples) known.push_back(argument.name);
    for (const auto& [name, value] : values) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const std::string near = near_name(name, known);
      refuse(name, fmt::format("is unknown{}: the arguments are {}", near.empty() ? "" : fmt::format(" (is '{}' meant?)", near),
                               known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
    }
    for (const Argument& argument : declaration_.arguments)
      if (folded(argument) && values.contains(argument.name))
        refuse(argument.name, "is folded to one value: plan with combine=false to have the partials written into an array");
    if (!all) return;
    for (const Argument& argument : declaration_.arguments)
      if (traits(argument).required && !values.contains(argument.name))
        refuse(argument.name, fmt::format("({}, {}) is missing and must be given", name(argument.role), name(argument.dtype)));
  }

  /// Settles n and whether the call is a single sample.
  void read_samples(const Values& values, Packed& packed) const {
    std::optional<std::int64_t> n = options_.n;
    std::string fixed_by = "the plan";
    std::optional<bool> single;
    const Argument* first_argument = nullptr;
    for (const Argument& argument : declaration_.arguments) {
      const auto given = values.find(argument.name);
      if (given == values.end() || !traits(argument).plane) continue;
      const PlaneReading plane = read(argument, given->second);
      if (!single) {
        single = plane.single;
        first_argument = &argument;
      }
      if (*single != plane.single)
        refuse(argument.name,
               fmt::format("is {}, and '{}' is {}: single samples and batches cannot be mixed{}{}", kind_of(plane.single),
                           first_argument->name, kind_of(*single), remedy(plane.single ? argument : *first_argument, true),
                           plane.single && n && plane.width() == *n
                               ? fmt::format(" (its length {} is also the number of samples)", *n)
                               : ""));
      if (n && *n != plane.samples())
        refuse(argument.name, fmt::format("has {} samples, and {} has {}", plane.samples(), fixed_by, *n));
      if (!n) fixed_by = fmt::format("'{}'", argument.name);
      n = plane.samples();
    }
    if (!n)
      throw Error(Code::argument,
                  fmt::format("plugin '{}': nothing given fixes the number of samples: give n_samples", declaration_.id));
    packed.n = *n;
    packed.single = single.value_or(false);
  }

  void check_limits(std::int64_t n) const {
    const bool narrow = options_.index_bytes == 4;
    if (declaration_.is_v1() && n > std::numeric_limits<std::int32_t>::max())
      throw Error(Code::limit,
                  fmt::format("plugin '{}': {} samples are more than an aether-abi/1 entry can count (int32, at most {})",
                              declaration_.id, n, std::numeric_limits<std::int32_t>::max()));
    if (narrow && n > std::numeric_limits<std::uint32_t>::max())
      throw Error(Code::limit,
                  fmt::format("plugin '{}': {} samples are more than the artifact can index: its index word is 4 bytes, "
                              "at most {} samples; build it with a 64-bit index",
                              declaration_.id, n, std::numeric_limits<std::uint32_t>::max()));
  }

  PlaneReading read(const Argument& argument, const Value& value) const {
    const auto layout = options_.layouts.find(argument.name);
    if (const Number* number = value.number()) {
      if (argument.is_plane || traits(argument).written)
        refuse(argument.name,
               fmt::format("is the number {}, and a plane is due: give an array {}", to_string(*number),
                           accepted_shapes(argument)),
               Code::type);
      ArrayView scalar;
      scalar.shape = {1};
      scalar.strides = {1};
      return {scalar, true};
    }
    try {
      return read_plane(argument, *value.array(),
                        layout == options_.layouts.end() ? std::nullopt : std::optional(layout->second));
    } catch (const Error& e) {
      throw Error(e.code(), fmt::format("plugin '{}': {}", declaration_.id, e.what()));
    }
  }

  Slot slot(const Argument& argument, const Value* value, const Packed& packed) const {
    Slot slot;
    slot.argument = argument;
    if (argument.role == Role::nsamples) pack_count(slot, packed.n);
    else if (argument.role == Role::uniform) pack_uniform(slot, *value);
    else if (value == nullptr) make(slot, packed);
    else if (const Number* number = value->number(); number != nullptr && traits(argument).plane && !traits(argument).written)
      pack_number(slot, *number, packed);
    else pack_array(slot, *value, packed);
    return slot;
  }

  void pack_count(Slot& slot, std::int64_t n) const { std::memcpy(slot.box, &n, options_.index_bytes); }

  void pack_uniform(Slot& slot, const Value& value) const {
    const Argument& argument = slot.argument;
    if (const ArrayView* array = value.array()) {
      if (array->size() != 1 || !array->shape.empty())
        refuse(argument.name, fmt::format("is {}: a uniform is one number", to_string(*array)), Code::type);
      check_address(argument, *array);
      if (!on_host(*array))
        refuse(argument.name, fmt::format("lies on {}: a uniform is a number of the host", to_string(array->device)),
               Code::type);
      if (!widens(array->dtype, argument.dtype)) refuse_dtype(argument, *array);
      ArrayView target{slot.box, argument.dtype, {}, {}, {}, false};
      copy(*array, target);
      return;
    }
    try {
      value.number()->store(argument.dtype, slot.box);
    } catch (const Error& e) {
      refuse(argument.name, fmt::format("is {}: {}", to_string(*value.number()), e.what()), e.code());
    }
  }

  /// A number for a scalar input of a single sample.
  void pack_number(Slot& slot, const Number& number, const Packed& packed) const {
    check_single(slot.argument, true, packed);
    slot.made = memory().make(slot.argument.dtype, {1});
    try {
      memory().fill(slot.made->view(), number);
    } catch (const Error& e) {
      refuse(slot.argument.name, fmt::format("is {}: {}", to_string(number), e.what()), e.code());
    }
    bind(slot, slot.made->view(), packed.n);
  }

  void check_single(const Argument& argument, bool single, const Packed& packed) const {
    if (single != packed.single)
      refuse(argument.name, fmt::format("is {}, and the run is {}: single samples and batches cannot be mixed{}",
                                        kind_of(single), kind_of(packed.single), remedy(argument, single)));
  }

  static std::string_view kind_of(bool single) { return single ? "a single sample" : "a batch"; }

  /// What to give where one sample came among batches.
  static std::string remedy(const Argument& argument, bool single) {
    return single ? fmt::format("; give '{}' as an array {}", argument.name, accepted_shapes(argument)) : std::string();
  }

  /// An array nobody gave: zeroed, or filled with what the role starts from.
  void make(Slot& slot, const Packed& packed) const {
    const Argument& argument = slot.argument;
    const Traits t = traits(argument);
    if (folded(argument)) {
      slot.made.emplace(argument.dtype, Extents{});
      slot.returned = true;
      return bind(slot, {nullptr, argument.dtype, {0}, {1}, {}, false}, packed.n);
    }
    if (!t.plane) {
      slot.made = memory().make(argument.dtype, {1});
      if (argument.name == "fused_steps") memory().fill(slot.made->view(), Number(1));
      show(slot, packed);
      return bind(slot, slot.made->view(), packed.n);
    }
    if (argument.is_plane) check_reach(argument, argument.width, packed.n, packed.n);
    slot.made = memory().make(argument.dtype, made_shape(argument, packed));
    if (argument.initial) memory().fill(slot.made->view(), *argument.initial);
    show(slot, packed);
    bind_rows(slot, rows_in(slot.made->view(), packed.n), packed.n);
  }

  /// Returns an array that eagle made if the body writes it, in host memory where that was given.
  void show(Slot& slot, const Packed& packed) const {
    slot.returned = traits(slot.argument).written;
    if (!slot.returned || !packed.shows_host) return;
    slot.shown.emplace(slot.argument.dtype, slot.made->view().shape);
    slot.back = slot.shown->view();
  }

  /// A gapless array of this memory as component rows of n samples.
  ArrayView rows_in(const ArrayView& array, std::int64_t n) const {
    return {array.data, array.dtype, {n == 0 ? 0 : array.size() / n, n}, {n, 1}, memory().device(), false};
  }

  static Extents made_shape(const Argument& argument, const Packed& packed) {
    if (packed.single) {
      if (argument.shape) return {(*argument.shape)[0], (*argument.shape)[1]};
      return argument.is_plane ? Extents{argument.width} : Extents{};
    }
    return argument.is_plane ? Extents{argument.width, packed.n} : Extents{packed.n};
  }

  /// What unwritten slots of a mapreduce hold: the identity.
  Number seed(DType dtype) const {
    return visit(dtype, [&]<class T>(T) -> Number {
      if constexpr (Reducible<T>) return identity<T>(options_.op);
      else return identity<std::uint32_t>(options_.op);
    });
  }

  void pack_array(Slot& slot, const Value& value, const Packed& packed) const {
    const Argument& argument = slot.argument;
    const Traits t = traits(argument);
    if (value.array() == nullptr)
      refuse(argument.name, fmt::format("is the number {}, and an array is due", to_string(*value.number())), Code::type);
    const ArrayView& given = slot.given.emplace(*value.array());
    check_address(argument, given);
    const bool staged = check_place(argument, given);
    check_dtype(argument, given, t.written);
    if (t.written) check_writable(argument, given);
    ArrayView logical = given;
    std::optional<ArrayView> ready;
    if (t.plane) {
      const PlaneReading plane = read(argument, value);
      check_single(argument, plane.single, packed);
      if (plane.samples() != packed.n)
        refuse(argument.name, fmt::format("has {} samples, and the run has {}", plane.samples(), packed.n));
      logical = plane.view;
      ready = as_rows(plane);
    } else if (argument.role == Role::lookup && traits(argument).required == false && given.size() == 0) {
      refuse(argument.name, "is empty, and its one element is due");
    } else if (given.is_contiguous()) {
      ready = given;
    }
    if (given.dtype != argument.dtype || !ready || staged) ready = copied(slot, logical, t, staged);
    slot.returned = t.written && argument.role != Role::terminated && argument.role != Role::lookup;
    if (t.plane) bind_rows(slot, *ready, packed.n);
    else bind(slot, *ready, packed.n);
  }

  /// A gapless copy with the samples last; outputs go back into the given array after the run.
  ArrayView copied(Slot& slot, const ArrayView& logical, const Traits& t, bool staged) const {
    const Argument& argument = slot.argument;
    if (t.written && !options_.copy_outputs && !staged)
      refuse(argument.name,
             fmt::format("is {} in a layout that has to be copied, and a bound output is written in place: give "
                         "{}",
                         to_string(*slot.given),
                         t.plane && argument.is_plane ? "(w, n) with contiguous samples" : "a contiguous array"));
    if (slot.given->dtype == argument.dtype && options_.observer != nullptr && !staged)
      options_.observer->warning(
          printable_lines(fmt::format("plugin '{}': argument '{}' is copied{}: its samples are not contiguous", declaration_.id,
                                      argument.name, t.written ? " in and back" : "")));
    if (argument.is_plane)
      check_reach(argument, logical.size() / std::max<std::int64_t>(logical.shape.back(), 1), logical.shape.back(),
                  logical.shape.back());
    slot.made = memory().make(argument.dtype, logical.shape);
    memory().copy(logical, slot.made->view());
    if (t.written) slot.back = logical;
    return t.plane ? rows_in(slot.made->view(), logical.shape.back()) : slot.made->view();
  }

  /// Sets planes of partials to the identity, which samples that the body skips contribute. Last, so that a refusal has
  /// written nothing.
  void seed_partials(const Packed& packed) const {
    if (options_.access != Access::mapreduce || options_.fold) return;
    for (const Slot& slot : packed.slots) {
      if (slot.argument.role != Role::accum_out) continue;
      const Number number = seed(slot.argument.dtype);
      for (std::int64_t c = 0; c < rows_of(slot.bound); ++c)
        memory().fill({row_of(slot.bound, c), slot.bound.dtype, {slot.bound.shape.back()}, {1}, slot.bound.device, false},
                      number);
    }
  }

  bool reaches(const Argument& argument, const ArrayView& array) const {
    try {
      return memory().reaches(array);
    } catch (const Error& e) {
      refuse(argument.name, e.what(), e.code());
    }
  }

  /// Whether an array has to be staged; refused where bodies do not reach it and it may not be.
  bool check_place(const Argument& argument, const ArrayView& array) const {
    if (reaches(argument, array)) return false;
    if (options_.staging && on_host(array)) return true;
    const Device here = memory().device();
    refuse(argument.name,
           here.type == Device::cpu
               ? fmt::format("lies on {}, and this plan runs on the host: give a host array", to_string(array.device))
               : fmt::format("lies on {}, and this plan runs on {}: give an array there{}", to_string(array.device),
                             to_string(here), on_host(array) ? ", or plan with staging to have it copied there and back" : ""),
           Code::type);
  }

  void check_address(const Argument& argument, const ArrayView& array) const {
    if (array.size() > 0 && array.data == nullptr) refuse(argument.name, "has a null pointer");
    if (array.size() > 0 &&
        reinterpret_cast<std::uintptr_t>(array.data) % static_cast<std::uintptr_t>(size_of(array.dtype)) != 0)
      refuse(argument.name, fmt::format("is misaligned: {} needs an address that is a multiple of {}", name(array.dtype),
                                        size_of(array.dtype)));
  }

  [[noreturn]] void refuse_dtype(const Argument& argument, const ArrayView& array) const {
    refuse(argument.name,
           fmt::format("is {}, and {} is due: give an array of that type", name(array.dtype), name(argument.dtype)),
           Code::type);
  }

  void check_dtype(const Argument& argument, const ArrayView& array, bool written) const {
    if (array.dtype == argument.dtype) return;
    if (written || !widens(array.dtype, argument.dtype)) refuse_dtype(argument, array);
  }

  void check_writable(const Argument& argument, const ArrayView& array) const {
    if (array.read_only) refuse(argument.name, "is read-only, and the body writes it");
    if (repeats_elements(array)) refuse(argument.name, "has elements that share memory, and the body writes it");
  }

  void check_overlap(const Slot& written, const std::vector<Slot>& slots) const {
    if (!written.given || !traits(written.argument).written) return;
    for (const Slot& other : slots)
      if (&other != &written && other.given && may_overlap(*written.given, *other.given))
        refuse(
            written.argument.name,
            fmt::format("overlaps argument '{}' in memory, and the body writes it: give separate arrays", other.argument.name));
  }

  /// That the index word of a device artifact reaches the last of a plane's elements.
  void check_reach(const Argument& argument, std::int64_t components, std::int64_t apart, std::int64_t n) const {
    constexpr std::int64_t most = std::numeric_limits<std::uint32_t>::max();
    if (memory().device().type == Device::cpu || options_.index_bytes != 4) return;
    if (components <= 1 || apart <= (most - n) / (components - 1)) return;
    refuse(argument.name,
           fmt::format("has {} components {} elements apart, more than the device artifact can index: its index word is 4 "
                       "bytes, at most {} elements; build it with a 64-bit index",
                       components, apart, most),
           Code::limit);
  }

  /// A handle over a table or a scalar plane.
  void bind(Slot& slot, const ArrayView& array, std::int64_t n) const {
    const bool own_length = slot.argument.role == Role::lookup || slot.argument.role == Role::wide_in;
    const std::int64_t samples = own_length ? (array.shape.empty() ? 1 : array.shape.back()) : n;
    slot.bound = array;
    const Device here = memory().device();
    const ScalarHandle handle{array.data, static_cast<std::uint64_t>(samples), 1, here.type, here.id};
    std::memcpy(slot.box, &handle, sizeof handle);
  }

  void bind_rows(Slot& slot, const ArrayView& rows, std::int64_t n) const {
    if (!slot.argument.is_plane) return bind(slot, rows, n);
    slot.bound = rows;
    const Device here = memory().device();
    check_reach(slot.argument, rows.shape[0], rows.strides[0], n);
    const GRefMirror plane{rows.data, static_cast<std::uint64_t>(n), static_cast<std::uint64_t>(rows.strides[0]), 1, here.type,
                           here.id};
    std::memcpy(slot.box, &plane, sizeof plane);
  }

  const Declaration& declaration_;
  const PackOptions& options_;
};

}  // namespace

void Packed::copy_back(const Memory& memory) const {
  for (const Slot& slot : slots)
    if (slot.back) memory.copy(slot.made->view(), *slot.back);
}

std::unique_ptr<Packed> pack(const Plugin& plugin, const PackOptions& options, const Values& values) {
  return Packer(plugin, options).pack(values);
}

bool repack_disturbs(const Packed& packed, const PackOptions& options, const std::string& name) {
  if (options.access == Access::mapreduce && !options.fold) return true;
  return std::any_of(packed.slots.begin(), packed.slots.end(),
                     [&](const Slot& each) { return each.argument.name == name && each.made; });
}

void repack(Packed& packed, const Plugin& plugin, const PackOptions& options, const std::string& name, const Value& value) {
  Packer(plugin, options).repack(packed, name, value);
}

}  // namespace eagle::detail
