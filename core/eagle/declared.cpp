// SPDX-License-Identifier: Apache-2.0
#include <eagle/declared.hpp>

#include <limits>

#include <eagle/text.hpp>
#include <fmt/format.h>

namespace eagle::detail {
namespace {

struct Kind {
  std::string_view name;
  Form form;
  std::optional<DType> dtype;
  bool first_schema_only = false;
};
constexpr Kind kinds[] = {
    {"scalar", Form::scalar, std::nullopt},      {"vector", Form::vector, std::nullopt},
    {"matrix", Form::matrix, std::nullopt},      {"int", Form::scalar, DType::int64},
    {"int64", Form::scalar, DType::int64},       {"int32", Form::scalar, DType::int32},
    {"uint64", Form::scalar, DType::uint64},     {"uint32", Form::scalar, DType::uint32},
    {"float", Form::scalar, std::nullopt, true},
};

constexpr Role named_roles[] = {Role::per_sample, Role::vec_in, Role::mat_in, Role::wide_in, Role::wide_out, Role::accum_out};

class DeclaredReader {
 public:
  DeclaredReader(const Reader& sidecar, std::int64_t version, DType scalar)
      : sidecar_(sidecar), version_(version), scalar_(scalar) {}

  Declared read() {
    for (const Role role : named_roles) read_names(role);
    for (const Reader& entry : sidecar_.objects("mutables")) read_mutable(entry);
    read_params();
    read_widths("arg_widths", declared_.arg_widths);
    read_widths("vec_widths", declared_.vec_widths);
    read_widths("arg_shapes", declared_.arg_shapes);
    each("mat_shapes", [this](std::string_view name, const json::Value& value) {
      if (const auto shape = to_shape(sidecar_, "mat_shapes", value, name)) declared_.mat_shapes[name] = *shape;
    });
    each("arg_dtypes", [this](std::string_view name, const json::Value& value) { read_dtype(name, value); });
    return std::move(declared_);
  }

 private:
  /// Calls f for each member of an object that is not null.
  template <class F>
  void each(std::string_view key, F&& f) const {
    const auto* object = sidecar_.get<json::Object>(key);
    if (!object) return;
    for (const json::Member& member : *object)
      if (!member.value.is_null()) f(member.key, member.value);
  }

  /// Notes a name of a role; a finding where it is there already.
  void declare(Role role, std::string_view name, const Reader& place, std::string_view key, std::string_view more = {}) {
    if (!declared_.names.emplace(role, name).second)
      place.refuse("duplicate", key, fmt::format("{} has {} twice: give each name once", list_key(role), in_quotes(name)),
                   more);
  }

  void read_names(Role role) {
    const std::string_view key = list_key(role);
    const auto* array = sidecar_.get<json::Array>(key);
    if (!array) return;
    for (std::size_t k = 0; k < array->size(); ++k) {
      const auto* name = (*array)[k].get<std::string>();
      if (name && !name->empty()) declare(role, *name, sidecar_, key, std::to_string(k));
      else
        sidecar_.refuse("wrong-type", key, fmt::format("{}[{}] must be a name, not {}", key, k, json::describe((*array)[k])),
                        std::to_string(k));
    }
  }

  void read_mutable(const Reader& entry) {
    const std::string* name = entry.text("name", Need::required);
    if (!name) return;
    declare(Role::mutable_, *name, entry, "name");
    const std::size_t before = entry.report().count();
    Mutable result;
    if (const std::string* kind = entry.text("dtype", Need::required)) read_kind(entry, *kind, result);
    if (const json::Value* width = entry.find("width")) result.width = to_width(entry, "width", *width);
    if (const json::Value* shape = entry.find("shape")) result.shape = to_shape(entry, "shape", *shape);
    if (const json::Value* initial = entry.find("default")) result.initial = to_number(entry, *initial);
    if (entry.report().count() == before) declared_.mutables.emplace(*name, result);
  }

  void read_kind(const Reader& entry, std::string_view text, Mutable& result) const {
    std::string known;
    for (const Kind& kind : kinds) {
      if (kind.first_schema_only && version_ != 1) continue;
      known += (known.empty() ? "" : ", ") + std::string(kind.name);
      if (kind.name != text) continue;
      result.form = kind.form;
      result.dtype = kind.dtype;
      return;
    }
    entry.refuse("bad-value", "dtype",
                 fmt::format("dtype {} of a mutable is unknown (expected one of {})", in_quotes(text), known));
  }

  static std::optional<Number> to_number(const Reader& entry, const json::Value& value) {
    if (const auto* integer = value.get<std::int64_t>()) return Number(*integer);
    if (const auto* integer = value.get<std::uint64_t>()) return Number(*integer);
    if (const auto* number = value.get<double>()) return Number(*number);
    entry.refuse("wrong-type", "default", fmt::format("default must be a number or null, not {}", json::describe(value)));
    return std::nullopt;
  }

  /// Schema 1 may list bare names, which are floats.
  void read_params() {
    const auto* array = sidecar_.get<json::Array>("params");
    if (!array) return;
    for (std::size_t k = 0; k < array->size(); ++k) {
      const json::Value& element = (*array)[k];
      const auto* bare = element.get<std::string>();
      if (element.get<json::Object>()) {
        read_param(Reader(element, sidecar_.report(), sidecar_.pointer() + "/params" + json::step(k)));
      } else if (version_ == 1 && bare && !bare->empty()) {
        declare(Role::uniform, *bare, sidecar_, "params", std::to_string(k));
        declared_.params.emplace(*bare, scalar_);
      } else {
        sidecar_.refuse("wrong-type", "params",
                        fmt::format("params[{}] must be an object with name and dtype, not {}", k, json::describe(element)),
                        std::to_string(k));
      }
    }
  }

  void read_param(const Reader& entry) {
    const std::string* name = entry.text("name", Need::required);
    if (!name) return;
    declare(Role::uniform, *name, entry, "name");
    const std::string* dtype = entry.text("dtype", Need::required);
    if (!dtype) return;
    if (*dtype == "float" || *dtype == "int") declared_.params.emplace(*name, *dtype == "int" ? DType::int64 : scalar_);
    else
      entry.refuse("bad-value", "dtype",
                   fmt::format("dtype {} of a param is unknown (expected float or int)", in_quotes(*dtype)));
  }

  void read_widths(std::string_view key, ByName<std::int64_t>& widths) const {
    each(key, [&](std::string_view name, const json::Value& value) {
      if (const auto width = to_width(sidecar_, key, value, name)) widths[name] = *width;
    });
  }

  void read_dtype(std::string_view name, const json::Value& value) {
    const auto* text = value.get<std::string>();
    const auto dtype = dtype_from(text ? std::string_view(*text) : std::string_view());
    if (dtype) declared_.dtypes[name] = *dtype;
    else
      sidecar_.refuse(
          text ? "bad-value" : "wrong-type", "arg_dtypes",
          fmt::format("arg_dtypes says {} for {} (expected one of float64, float32, int64, int32, uint64, uint32, bool)",
                      json::describe(value), in_quotes(name)),
          name);
  }

  static constexpr std::int64_t most_width = std::numeric_limits<std::int32_t>::max();

  static bool is_width(const std::int64_t* width) noexcept { return width && *width >= 1 && *width <= most_width; }

  static std::optional<std::int64_t> to_width(const Reader& place, std::string_view key, const json::Value& value,
                                              std::string_view name = {}) {
    const auto* width = value.get<std::int64_t>();
    if (is_width(width)) return *width;
    place.refuse(width ? "bad-value" : "wrong-type", key,
                 fmt::format("{}{} must be a positive integer of at most {}, not {}", key,
                             name.empty() ? "" : fmt::format(" of {}", in_quotes(name)), most_width, json::describe(value)),
                 name);
    return std::nullopt;
  }

  static std::optional<Shape> to_shape(const Reader& place, std::string_view key, const json::Value& value,
                                       std::string_view name = {}) {
    const auto* array = value.get<json::Array>();
    if (array && array->size() == 2) {
      const auto* rows = array->front().get<std::int64_t>();
      const auto* columns = array->back().get<std::int64_t>();
      if (is_width(rows) && is_width(columns) && *rows * *columns <= most_width) return Shape{*rows, *columns};
    }
    place.refuse(array ? "bad-value" : "wrong-type", key,
                 fmt::format("{}{} must be two positive integers [R, C] with R * C of at most {}", key,
                             name.empty() ? "" : fmt::format(" of {}", in_quotes(name)), most_width),
                 name);
    return std::nullopt;
  }

  const Reader& sidecar_;
  std::int64_t version_;
  DType scalar_;
  Declared declared_;
};

}  // namespace

std::string_view list_key(Role role) noexcept {
  switch (role) {
    case Role::mutable_: return "mutables";
    case Role::wide_out: return "wide_outputs";
    case Role::accum_out: return "accum_outputs";
    case Role::vec_in: return "vector_inputs";
    case Role::mat_in: return "matrix_inputs";
    case Role::wide_in: return "wide_inputs";
    case Role::per_sample: return "per_sample";
    case Role::uniform: return "params";
    case Role::out:
    case Role::lookup:
    case Role::terminated:
    case Role::nsamples: break;
  }
  return {};
}

Declared read_declared(const Reader& sidecar, std::int64_t version, DType scalar) {
  return DeclaredReader(sidecar, version, scalar).read();
}

}  // namespace eagle::detail
