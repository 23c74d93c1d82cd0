// SPDX-License-Identifier: Apache-2.0
#include <eagle/arguments.hpp>

#include <eagle/declared.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle::detail {
namespace {

/// One entry of arg_spec.
struct Entry {
  std::size_t index;
  Role role;
  std::string_view name;
};

std::string to_string(const Entry& entry) {
  return fmt::format("arg_spec[{}] ({} {})", entry.index, name(entry.role), in_quotes(entry.name));
}

class ArgumentReader {
 public:
  ArgumentReader(const Reader& sidecar, const Axis& axis, DType scalar)
      : sidecar_(sidecar), axis_(axis), scalar_(scalar), declared_(read_declared(sidecar, axis.version, scalar)) {}

  std::vector<Argument> read(Need need) {
    const std::vector<Entry> entries = read_entries(need);
    if (axis_.version > 1) check_order(entries);
    std::vector<Argument> arguments;
    arguments.reserve(entries.size());
    for (const Entry& entry : entries) {
      const std::size_t before = sidecar_.report().count();
      std::optional<Argument> argument = resolve(entry);
      if (argument && sidecar_.report().count() == before) arguments.push_back(std::move(*argument));
    }
    return arguments;
  }

 private:
  void refuse(std::string_view code, std::size_t index, std::string message) const {
    sidecar_.refuse(code, "arg_spec", std::move(message), std::to_string(index));
  }

  std::vector<Entry> read_entries(Need need) const {
    std::vector<Entry> entries;
    const auto* spec = sidecar_.get<json::Array>("arg_spec", need);
    if (!spec) return entries;
    if (spec->size() > most_arguments) {
      sidecar_.refuse("bad-value", "arg_spec",
                      fmt::format("arg_spec has {} entries: at most {} are accepted", spec->size(), most_arguments));
      return entries;
    }
    ByName<std::size_t> seen;
    for (std::size_t k = 0; k < spec->size(); ++k) {
      const auto entry = read_entry((*spec)[k], k);
      if (!entry) continue;
      const auto [first, is_new] = seen.emplace(entry->name, k);
      if (is_new) entries.push_back(*entry);
      else
        refuse("duplicate", k,
               fmt::format("{} repeats the name of arg_spec[{}]: names are unique", to_string(*entry), first->second));
    }
    return entries;
  }

  std::optional<Entry> read_entry(const json::Value& value, std::size_t k) const {
    const auto* pair = value.get<json::Array>();
    const auto* role_text = pair && pair->size() == 2 ? pair->front().get<std::string>() : nullptr;
    const auto* argument = pair && pair->size() == 2 ? pair->back().get<std::string>() : nullptr;
    if (!role_text || !argument || argument->empty()) {
      refuse("wrong-type", k, fmt::format("arg_spec[{}] must be [role, name], two non-empty strings", k));
      return std::nullopt;
    }
    if (!sidecar_.is_name(*argument, "arg_spec", std::to_string(k))) return std::nullopt;
    const auto role = role_from(*role_text);
    if (role) return Entry{k, *role, *argument};
    refuse("bad-value", k,
           fmt::format("arg_spec[{}] has the unknown role {} (expected {})", k, in_quotes(*role_text), role_names()));
    return std::nullopt;
  }

  void check_order(const std::vector<Entry>& entries) const {
    for (std::size_t k = 1; k < entries.size(); ++k) {
      const Entry& before = entries[k - 1];
      const Entry& after = entries[k];
      if (std::pair(before.role, before.name) < std::pair(after.role, after.name)) continue;
      return refuse("bad-value", after.index,
                    fmt::format("{} must stand before {}: arg_spec is sorted by role ({}), then by name", to_string(after),
                                to_string(before), role_names()));
    }
  }

  /// The argument of an entry, or nothing where it is not declared; what else is wrong becomes findings.
  std::optional<Argument> resolve(const Entry& entry) const {
    const std::string_view list = list_key(entry.role);
    if (!list.empty() && !declared_.names.contains({entry.role, entry.name})) {
      refuse("missing-key", entry.index, fmt::format("{} is not declared: {} does not name it", to_string(entry), list));
      return std::nullopt;
    }
    Argument argument;
    argument.role = entry.role;
    argument.name = entry.name;
    const auto declared = declared_.mutables.find(entry.name);
    const bool is_mutable = entry.role == Role::mutable_;
    if (is_mutable && declared == declared_.mutables.end()) return std::nullopt;
    const Mutable* mutable_entry = is_mutable ? &declared->second : nullptr;
    const Form form = form_of(entry, mutable_entry);
    argument.is_plane = form == Form::vector || form == Form::matrix;
    argument.dtype = dtype_of(entry, mutable_entry);
    read_shape(entry, form, mutable_entry, argument);
    if (mutable_entry) read_initial(entry, *mutable_entry, argument);
    if (entry.role == Role::accum_out) check_accumulates(entry);
    return argument;
  }

  Form form_of(const Entry& entry, const Mutable* mutable_entry) const {
    switch (entry.role) {
      case Role::mutable_: return mutable_entry->form;
      case Role::out: return declared_.mat_shapes.contains(entry.name) ? Form::matrix : Form::vector;
      case Role::vec_in: return Form::vector;
      case Role::mat_in: return Form::matrix;
      case Role::accum_out: return axis_.access == Access::mapreduce ? Form::scalar : Form::table;
      case Role::wide_out:
      case Role::wide_in:
      case Role::lookup: return Form::table;
      case Role::per_sample:
      case Role::terminated:
      case Role::uniform:
      case Role::nsamples: break;
    }
    return Form::scalar;
  }

  /// The dtype that role or declaration fix, whatever arg_dtypes says.
  std::optional<DType> fixed_dtype(const Entry& entry, const Mutable* mutable_entry) const {
    if (mutable_entry) return mutable_entry->dtype;
    if (entry.role == Role::terminated) return DType::boolean;
    const auto param = declared_.params.find(entry.name);
    if (entry.role == Role::uniform && param != declared_.params.end()) return param->second;
    return std::nullopt;
  }

  DType dtype_of(const Entry& entry, const Mutable* mutable_entry) const {
    if (entry.role == Role::nsamples) return DType::int64;
    const auto said = declared_.dtypes.find(entry.name);
    const auto fixed = fixed_dtype(entry, mutable_entry);
    if (fixed && said != declared_.dtypes.end() && said->second != *fixed)
      sidecar_.refuse("mismatch", "arg_dtypes",
                      fmt::format("arg_dtypes says {} for {}, which is {}: they must agree", name(said->second),
                                  to_string(entry), name(*fixed)),
                      entry.name);
    if (fixed) return *fixed;
    if (said != declared_.dtypes.end()) return said->second;
    if (entry.role == Role::lookup && entry.name == "finished_count") return DType::uint32;
    if (entry.role == Role::lookup && entry.name == "fused_steps") return DType::int64;
    return scalar_;
  }

  /// The [R, C] that is given for an argument.
  std::optional<Shape> shape_of(const Entry& entry, Form form, const Mutable* mutable_entry) const {
    if (mutable_entry && mutable_entry->shape) return mutable_entry->shape;
    if (form != Form::matrix) return std::nullopt;
    const auto declared = declared_.mat_shapes.find(entry.name);
    if (declared != declared_.mat_shapes.end()) return declared->second;
    const json::Value* shapes = sidecar_.find("mat_shapes");
    const json::Value* refused = shapes ? shapes->find(entry.name) : nullptr;
    if (!refused || refused->is_null())
      refuse("missing-key", entry.index,
             fmt::format("{} is a matrix and nothing gives its [R, C]: {} is needed", to_string(entry),
                         mutable_entry ? "the mutable's shape" : "an entry of mat_shapes"));
    return std::nullopt;
  }

  /// Width and shape; findings where the places that give them disagree.
  void read_shape(const Entry& entry, Form form, const Mutable* mutable_entry, Argument& argument) const {
    argument.width = 0;
    if (form == Form::table) return;
    const std::optional<Shape> shape = shape_of(entry, form, mutable_entry);
    if (form == Form::matrix) argument.shape = shape;
    WidthCheck check{sidecar_, entry};
    if (form == Form::scalar) check.add("a scalar", 1);
    if (shape) check.add("the shape", (*shape)[0] * (*shape)[1]);
    check.add("arg_widths", declared_.arg_widths);
    check.add("vec_widths", declared_.vec_widths);
    check.add("arg_shapes", declared_.arg_shapes);
    if (mutable_entry && mutable_entry->width) check.add("mutables", *mutable_entry->width);
    argument.width = check.width.value_or(1);
  }

  /// Gathers what several places say of one width.
  struct WidthCheck {
    const Reader& sidecar;
    const Entry& entry;
    std::string_view first = {};
    std::optional<std::int64_t> width = std::nullopt;

    void add(std::string_view place, std::int64_t value) {
      if (!width) {
        first = place;
        width = value;
      } else if (*width != value) {
        sidecar.refuse(
            "mismatch", "arg_spec",
            fmt::format("{} has width {} by {} and {} by {}: they must agree", to_string(entry), *width, first, value, place),
            std::to_string(entry.index));
      }
    }
    void add(std::string_view place, const ByName<std::int64_t>& widths) {
      if (const auto found = widths.find(entry.name); found != widths.end()) add(place, found->second);
    }
  };

  void read_initial(const Entry& entry, const Mutable& mutable_entry, Argument& argument) const {
    argument.initial = mutable_entry.initial;
    if (argument.initial && !argument.initial->fits(argument.dtype))
      refuse("bad-value", entry.index,
             fmt::format("{} has the default {}, which {} cannot hold", to_string(entry), eagle::to_string(*argument.initial),
                         name(argument.dtype)));
  }

  void check_accumulates(const Entry& entry) const {
    const auto access = axis_.access;
    const bool in_cells = sidecar_.has("cells");
    if (access && access != Access::cross_sample_write && access != Access::mapreduce && !in_cells)
      refuse(
          "mismatch", entry.index,
          fmt::format("{} needs exec_access cross_sample_write or mapreduce, and it is {}", to_string(entry), name(*access)));
  }

  const Reader& sidecar_;
  const Axis& axis_;
  DType scalar_;
  Declared declared_;
};

}  // namespace

std::vector<Argument> read_arguments(const Reader& sidecar, const Axis& axis, DType scalar, Need need) {
  return ArgumentReader(sidecar, axis, scalar).read(need);
}

}  // namespace eagle::detail
