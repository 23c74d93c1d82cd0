// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <eagle/bundle.hpp>
#include <eagle/error.hpp>
#include <eagle/manifest.hpp>
#include <eagle/sidecar.hpp>
#include <fmt/format.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "gil.hpp"

namespace py = pybind11;

namespace eagle::python {
namespace {

std::string text(std::string_view name) { return std::string(name); }

py::list give(const Findings& findings) {
  py::list all;
  for (const auto& [code, plugin, pointer, message] : findings) {
    py::dict finding;
    finding["code"] = code;
    finding["plugin"] = plugin;
    finding["pointer"] = pointer;
    finding["message"] = message;
    all.append(finding);
  }
  return all;
}

/// (name, role, dtype, width, shape, default): width 0 where only a run tells, shape None but of matrices.
py::tuple give(const Argument& argument) {
  py::object shape = py::none(), initial = py::none();
  if (argument.shape) shape = py::make_tuple((*argument.shape)[0], (*argument.shape)[1]);
  if (argument.initial) {
    if (argument.initial->is_integer()) initial = py::module_::import("builtins").attr("int")(to_string(*argument.initial));
    else initial = py::float_(argument.initial->as_double());
  }
  return py::make_tuple(argument.name, text(name(argument.role)), text(name(argument.dtype)), argument.width, shape, initial);
}

py::list arguments(const Plugin& plugin) {
  py::list all;
  for (const Argument& argument : plugin.declaration().arguments) all.append(give(argument));
  return all;
}

py::dict describe(const Plugin& plugin) {
  const Declaration& d = plugin.declaration();
  py::list targets;
  for (const Target target : d.targets) targets.append(text(name(target)));
  py::dict all;
  all["id"] = d.id;
  all["kernel"] = d.kernel;
  all["pattern"] = d.pattern;
  all["aether_abi"] = d.aether_abi;
  all["schema_version"] = d.schema_version;
  all["scalar_type"] = d.scalar_type;
  all["format"] = d.format;
  all["exec_targets"] = py::tuple(targets);
  all["exec_access"] = text(name(d.access));
  all["exec_op"] = d.op ? py::object(py::str(text(name(*d.op)))) : py::none();
  const auto path = [](const std::filesystem::path& p) { return p.empty() ? py::object(py::none()) : py::cast(p); };
  all["manifest"] = path(d.manifest);
  all["sidecar"] = path(d.sidecar);
  all["artifact"] = path(d.artifact);
  all["host_artifact"] = d.host_artifact ? py::cast(*d.host_artifact) : py::none();
  return all;
}

/// One argument of an object that is no plugin of eagle's own: (name, role, dtype, width or 0, shape or None, is_plane).
Argument argument_of(const py::tuple& fields) {
  Argument argument;
  argument.name = fields[0].cast<std::string>();
  const auto role = fields[1].cast<std::string>();
  const auto known = role_from(role);
  if (!known)
    throw Error(Code::bundle,
                fmt::format("argument '{}' has the role '{}': {} is accepted", argument.name, role, role_names()));
  argument.role = *known;
  argument.dtype = dtype_named(fields[2].cast<std::string>());
  argument.width = fields[3].cast<std::int64_t>();
  if (!fields[4].is_none()) argument.shape = fields[4].cast<std::array<std::int64_t, 2>>();
  argument.is_plane = fields[5].cast<bool>();
  return argument;
}

Plugin given_plugin(const std::string& id, const std::string& kernel, const std::string& scalar_type, const std::string& access,
                    const std::optional<std::string>& op, bool v1, const std::vector<py::tuple>& arguments,
                    const std::string& target, std::uintptr_t entry, py::object keep) {
  Declaration d;
  d.id = id;
  d.kernel = kernel;
  d.pattern = "pure";
  const bool on_host = target == "host";
  d.format = on_host ? "host" : "cubin";
  d.scalar_type = scalar_type;
  d.schema_version = v1 ? 1 : 2;
  d.aether_abi = v1 ? "aether-abi/1" : "aether-abi/2";
  d.targets = {on_host ? Target::host : Target::device};
  const auto known = access_from(access);
  if (!known)
    throw Error(Code::bundle, fmt::format("plugin '{}': exec_access is '{}': {} is accepted", id, access, access_names()));
  d.access = *known;
  if (op) {
    d.op = op_from(*op);
    if (!d.op) throw Error(Code::bundle, fmt::format("plugin '{}': exec_op is '{}': {} is accepted", id, *op, op_names()));
  }
  for (const py::tuple& each : arguments) d.arguments.push_back(argument_of(each));
  // A body that counts what it has finished writes the mask too.
  d.terminated_readonly = std::none_of(d.arguments.begin(), d.arguments.end(), [](const Argument& each) {
    return each.role == Role::lookup && each.name == "finished_count";
  });
  std::shared_ptr<const void> owner(new py::object(std::move(keep)), [](const void* object) {
    const WithGil gil;
    delete static_cast<const py::object*>(object);
  });
  return Plugin(std::move(d), reinterpret_cast<void*>(entry), std::move(owner));
}

}  // namespace

void bind_plugins(py::module_& module) {
  py::class_<Plugin>(module, "Plugin")
      .def("describe", describe, "What manifest and sidecar say, by their own keys.")
      .def("arguments", arguments, "(name, role, dtype, width, shape, default) of each argument, in arg_spec order.")
      .def("digest", &Plugin::digest, py::call_guard<py::gil_scoped_release>())
      .def("text", [](const Plugin& plugin) { return to_string(plugin); });
  module.def(
      "load",
      [](const std::filesystem::path& path, const std::string& digest) {
        const WithoutGil release;
        const Bundle bundle = load(path, {digest});
        return std::vector<Plugin>(bundle.begin(), bundle.end());
      },
      py::arg("path"), py::arg("digest") = "");
  module.def(
      "digest", [](std::vector<Plugin> plugins) { return Bundle({}, std::move(plugins)).digest(); }, py::arg("plugins"),
      py::call_guard<py::gil_scoped_release>());
  module.def(
      "check_bundle",
      [](const std::filesystem::path& path) {
        Findings findings;
        {
          const WithoutGil release;
          findings = check(path);
        }
        return give(findings);
      },
      py::arg("path"));
  module.def(
      "validate_sidecar", [](const std::filesystem::path& path) { return give(validate_sidecar(path)); }, py::arg("path"));
  module.def(
      "validate_manifest", [](const std::filesystem::path& path) { return give(validate_manifest(path)); }, py::arg("path"));
  module.def("given_plugin", given_plugin, py::arg("id"), py::arg("kernel"), py::arg("scalar_type"), py::arg("access"),
             py::arg("op"), py::arg("v1"), py::arg("arguments"), py::arg("target"), py::arg("entry"), py::arg("keep"));
}

}  // namespace eagle::python
