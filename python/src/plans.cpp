// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <eagle/error.hpp>
#include <eagle/placement.hpp>
#include <eagle/plan.hpp>
#include <eagle/structures.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>

#include "arrays.hpp"
#include "bindings.hpp"
#include "capsule.hpp"
#include "device_array.hpp"
#include "device_group/rank_gathers.hpp"
#include "gil.hpp"
#include "observer.hpp"

namespace py = pybind11;

namespace eagle::python {
namespace {

using Triple = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

/// The enumerator called `text`, if any is; Error naming those there are.
template <class From>
auto named(const std::optional<std::string>& text, From from, std::string (*names)(), const char* what, Code code) {
  decltype(from(std::string_view())) found;
  if (!text) return found;
  found = from(*text);
  if (!found) throw Error(code, fmt::format("{} is {}: {} is accepted", what, detail::in_quotes(*text), names()));
  return found;
}

std::optional<StructureKind> structure_named(const std::optional<std::string>& text, const char* what) {
  return named(text, structure_from, structure_names, what, Code::placement);
}
std::optional<Access> access_named(const std::optional<std::string>& text) {
  return named(text, access_from, access_names, "exec_access", Code::placement);
}
std::optional<Op> op_named(const std::optional<std::string>& text) {
  return named(text, op_from, op_names, "exec_op", Code::placement);
}
std::string precision_names() { return "working or compensated"; }
std::string layout_names() { return "component or sample"; }

std::optional<Layout> layout_from(std::string_view text) {
  if (text == "component") return Layout::component;
  if (text == "sample") return Layout::sample;
  return std::nullopt;
}

/// A structure of one process. A stream is given by its handle.
py::capsule make_structure(const std::string& kind, int threads, const std::string& schedule, std::int64_t tile,
                           std::optional<int> device, const std::vector<int>& devices, std::optional<std::uintptr_t> stream,
                           int block, bool staging) {
  const std::optional<void*> handle = stream ? std::optional(reinterpret_cast<void*>(*stream)) : std::nullopt;
  switch (*structure_named(kind, "structure")) {
    case StructureKind::device_kernel:
      return capsule_of(device_kernel({.device = device, .stream = handle, .block = block, .staging = staging}));
    case StructureKind::device_group:
      return capsule_of(device_group(devices, {.stream = handle, .block = block, .staging = staging}));
    default: break;
  }
  const auto way = named(schedule, schedule_from, schedule_names, "schedule", Code::argument);
  return capsule_of(host_team({.threads = threads, .schedule = *way, .tile = tile}));
}

/// What gathers between the devices of ranks, for eagle._mpi.
py::capsule gatherer() {
  device_group()->require_built();
  return capsule_of(detail::nccl_gatherer());
}

/// What a plan is asked for, in Python's terms.
struct Options {
  std::string structure;
  std::optional<std::string> inner;
  std::optional<std::vector<Triple>> partitions;
  std::int64_t npartitions;
  std::optional<std::int64_t> n_samples;
  std::optional<std::string> exec_access, exec_op;
  std::optional<bool> combine;
  std::optional<std::string> precision;
  std::map<std::string, std::string> layout;
  bool check_replicated;
  std::filesystem::path profile;
};

/// In a plan's own terms.
PlanOptions options_of(const Plugin& plugin, const Options& o) {
  PlanOptions options;
  if (o.partitions) {
    if (o.partitions->empty())
      throw Error(Code::partition,
                  fmt::format("plugin '{}': partitions is empty: give at least one, e.g. (0, n, n)", plugin.id()));
    for (const auto& [base, count, n] : *o.partitions) options.partitions.push_back({base, count, n});
  }
  options.npartitions = o.npartitions;
  options.n_samples = o.n_samples;
  options.exec_access = access_named(o.exec_access);
  options.exec_op = op_named(o.exec_op);
  options.combine = o.combine;
  options.precision = named(o.precision, precision_from, precision_names, "precision", Code::placement);
  for (const auto& [name, layout] : o.layout)
    options.layout.emplace(name, *named(layout, layout_from, layout_names, "layout", Code::argument));
  options.check_replicated = o.check_replicated;
  options.profile = o.profile.string();
  return options;
}

/// Refuses what no plan may be made of; what is left to refuse, ranks refuse together.
std::string check(const Plugin& plugin, const Options& o) {
  std::string rule = check_placement(
      plugin.declaration(), {.structure = *structure_named(o.structure, "structure"),
                             .inner = structure_named(o.inner, "inner"),
                             .partitions = o.partitions ? static_cast<std::int64_t>(o.partitions->size()) : o.npartitions,
                             .exec_access = access_named(o.exec_access),
                             .exec_op = op_named(o.exec_op)});
  static_cast<void>(options_of(plugin, o));
  return rule;
}

/// A plan and what its arrays on a device hang on.
struct Planned {
  std::shared_ptr<Origin> origin;
  Plan plan;
  [[nodiscard]] const Declaration& declaration() const { return plan.plugin().declaration(); }
};

Planned make_plan(const Plugin& plugin, const Options& o, py::object progress, const py::capsule& structure,
                  py::object stream) {
  PlanOptions options = options_of(plugin, o);
  options.structure = structure_of(structure);
  options.observer = std::make_shared<PythonObserver>(std::move(progress));
  auto origin = std::make_shared<Origin>(options.structure, std::move(stream));
  const WithoutGil release;
  return {std::move(origin), plan(plugin, std::move(options))};
}

/// An array that the caller gave as it is; one that eagle made as NumPy's where the host reads it, else as a DeviceArray.
py::object give_array(const Result::Output& output, const py::dict& planes, const std::shared_ptr<Origin>& origin) {
  if (output.keep == nullptr) return planes[output.name.c_str()];
  if (on_host(output.array)) return numpy_array(output.array, output.keep);
  return py::cast(DeviceArray(output.name, output.array, output.keep, origin));
}

py::object give_one(const Result::Output& output, const py::dict& planes, const std::shared_ptr<Origin>& origin) {
  const bool scalar = output.keep != nullptr && output.array.shape.empty() && on_host(output.array);
  return scalar ? numpy_scalar(output.array.dtype, output.array.data) : give_array(output, planes, origin);
}

/// One output bare, several by name.
py::object give(const Result& result, const py::dict& planes, const std::shared_ptr<Origin>& origin) {
  const auto& outputs = result.outputs();
  if (outputs.size() == 1) return give_one(outputs.front(), planes, origin);
  if (outputs.empty()) return py::none();
  py::dict all;
  for (const Result::Output& output : outputs) all[output.name.c_str()] = give_one(output, planes, origin);
  return all;
}

/// What f makes of the caller's objects; what one rank cannot take all refuse.
template <class F>
auto together(const Plan& plan, F&& f) {
  try {
    return f();
  } catch (const Error&) {
    const std::exception_ptr refusal = std::current_exception();
    const WithoutGil release;
    plan.agree(refusal);
    throw;
  } catch (const std::exception& error) {
    const Error told(Code::internal, error.what());
    try {
      const WithoutGil release;
      plan.agree(std::make_exception_ptr(told));
    } catch (const Error&) {  // the others'; this rank has the exception itself
    }
    throw;
  }
}

Given take_together(const Planned& planned, const py::dict& planes) {
  return together(planned.plan, [&] {
    return take(planned.declaration(), planes, place_of(planned.origin->structure(), planned.declaration().id));
  });
}

py::object run(const Planned& planned, const py::dict& planes) {
  const Given given = take_together(planned, planes);
  PythonObserver::start();
  const Result result = [&] {
    const WithoutGil release;
    return planned.plan.run(given.values);
  }();
  PythonObserver::rethrow();
  return give(result, planes, planned.origin);
}

/// A bound plan and the objects whose memory it borrows.
class Bound {
 public:
  Bound(const Planned& planned, const py::dict& planes)
      : planned_{planned.origin->fresh(), planned.plan},
        planes_(planes.attr("copy")()),
        given_(take_together(planned_, planes_)) {
    const WithoutGil release;
    bound_.emplace(planned.plan.bind(given_.values));
  }
  /// Lets go of what was given only when no launch uses it any more.
  ~Bound() {
    const WithoutGil release;
    bound_.reset();
  }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

  void launch(const py::object& stream) {
    const Alone alone(*this, "launch");
    const std::optional<void*> handle = together(planned_.plan, [&] { return handle_of(stream); });
    PythonObserver::start();
    is_queued_ = planned_.origin->structure().has_streams();
    {
      const WithoutGil release;
      if (handle) bound_->launch(*handle);
      else bound_->launch();
    }
    planned_.origin->set_stream(handle, stream);  // not before: the launch came after what the last stream was given
    PythonObserver::rethrow();
  }

  /// What was given before goes last: its destructors run code of others, which may rebind too.
  void rebind(const py::dict& planes) {
    py::list before;
    const Alone alone(*this, "rebind");
    wait();
    const Place place = place_of(planned_.origin->structure(), planned_.declaration().id);
    for (const auto& [key, value] : planes) {
      py::dict one;
      one[key] = value;
      const Given given = take(planned_.declaration(), one, place);
      {
        const WithoutGil release;
        for (const auto& [name, plane] : given.values) bound_->rebind(name, plane);
      }
      for (const auto& held : {planes_, given_.keep})
        if (held.contains(key)) before.append(held[key]);
      planes_[key] = value;
      if (given.keep.contains(key)) given_.keep[key] = given.keep[key];
      else given_.keep.attr("pop")(key, py::none());
    }
  }

  py::object result() {
    const Alone alone(*this, "result");
    const Result result = [&] {
      const WithoutGil release;
      return bound_->result();
    }();
    is_queued_ = false;
    return give(result, planes_, planned_.origin);
  }

  /// The arrays that launches write, by name.
  py::dict outputs() {
    const Alone alone(*this, "outputs");
    py::dict all;
    for (const Result::Output& output : bound_->outputs())
      all[output.name.c_str()] = give_array(output, planes_, planned_.origin);
    return all;
  }

  /// An output on each device of a group.
  py::tuple replicas(const std::string& name) {
    const Alone alone(*this, "replicas");
    for (const Result::Output& output : bound_->outputs()) {
      if (output.name != name) continue;
      if (output.replicas.empty()) return py::make_tuple(give_array(output, planes_, planned_.origin));
      py::tuple all(output.replicas.size());
      for (std::size_t d = 0; d < all.size(); ++d) {
        const Array& each = output.replicas[d];
        all[d] = each.view().data == output.array.data
                     ? give_array(output, planes_, planned_.origin)
                     : py::cast(DeviceArray(name, each.view(), each.storage(), planned_.origin));
      }
      return all;
    }
    throw Error(Code::argument, fmt::format("plugin '{}': there is no output '{}'", planned_.declaration().id, name));
  }

  [[nodiscard]] std::int64_t n_samples() const { return bound_->n_samples(); }

  /// What the cycle collector asks: the objects that are held, and to let them go.
  static int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    if (py::detail::is_holder_constructed(self)) {
      const auto& bound = py::cast<const Bound&>(py::handle(self));
      Py_VISIT(bound.planes_.ptr());
      Py_VISIT(bound.given_.keep.ptr());
    }
    return 0;
  }
  static int clear(PyObject* self) {
    auto& bound = py::cast<Bound&>(py::handle(self));
    try {
      bound.wait();
    } catch (const Error&) {  // nobody asks any more
    }
    bound.planes_.clear();
    bound.given_.keep.clear();
    return 0;
  }

 private:
  /// Keeps a call alone with the object: others are refused, of other threads and of what a call runs of others.
  class Alone {
   public:
    Alone(Bound& bound, const char* call) : busy_(bound.is_busy_) {
      if (std::exchange(busy_, true)) {
        throw Error(Code::argument, fmt::format("plugin '{}': {}() while another call of this bound plan is under way",
                                                bound.planned_.declaration().id, call));
      }
    }
    ~Alone() { busy_ = false; }
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;

   private:
    bool& busy_;
  };

  /// The handle of a stream, of None none.
  std::optional<void*> handle_of(const py::object& stream) const {
    if (stream.is_none()) return std::nullopt;
    const std::string& id = planned_.declaration().id;
    if (!planned_.origin->structure().has_streams())
      throw Error(Code::argument, fmt::format("plugin '{}': a stream is given, and host_team has none: launch()", id));
    try {
      const py::object handle = py::module_::import("eagle._options").attr("stream_handle")(stream);
      return reinterpret_cast<void*>(handle.cast<std::uintptr_t>());
    } catch (py::error_already_set& error) {
      const bool is_type = error.matches(PyExc_TypeError);
      if (!is_type && !error.matches(PyExc_ValueError)) throw;
      throw Error(is_type ? Code::type : Code::argument,
                  fmt::format("plugin '{}': {}", id, py::str(error.value()).cast<std::string>()));
    }
  }

  /// Returns when no launch uses what it was given any more.
  void wait() {
    if (!std::exchange(is_queued_, false)) return;
    const DeviceStream stream = planned_.origin->stream();
    const WithoutGil release;
    wait_for(stream);
  }

  Planned planned_;
  py::dict planes_;
  Given given_;
  std::optional<BoundPlan> bound_;
  bool is_queued_ = false;  ///< whether a launch may not have ended
  bool is_busy_ = false;    ///< whether a call is under way; read and written with the GIL
};

}  // namespace

void bind_plans(py::module_& module) {
  PythonObserver::find_main_thread();
  py::class_<Options>(module, "Options")
      .def(py::init([](std::string structure, std::optional<std::string> inner, std::optional<std::vector<Triple>> partitions,
                       std::int64_t npartitions, std::optional<std::int64_t> n_samples, std::optional<std::string> exec_access,
                       std::optional<std::string> exec_op, std::optional<bool> combine, std::optional<std::string> precision,
                       std::map<std::string, std::string> layout, bool check_replicated, std::filesystem::path profile) {
             return Options{std::move(structure), std::move(inner), std::move(partitions),
                            npartitions,          n_samples,        std::move(exec_access),
                            std::move(exec_op),   combine,          std::move(precision),
                            std::move(layout),    check_replicated, std::move(profile)};
           }),
           py::kw_only(), py::arg("structure"), py::arg("inner") = py::none(), py::arg("partitions") = py::none(),
           py::arg("npartitions") = 1, py::arg("n_samples") = py::none(), py::arg("exec_access") = py::none(),
           py::arg("exec_op") = py::none(), py::arg("combine") = py::none(), py::arg("precision") = py::none(),
           py::arg("layout") = std::map<std::string, std::string>(), py::arg("check_replicated") = false,
           py::arg("profile") = std::filesystem::path());
  py::class_<Bound>(module, "Bound", py::custom_type_setup([](PyHeapTypeObject* type) {
                      type->ht_type.tp_flags |= Py_TPFLAGS_HAVE_GC;
                      type->ht_type.tp_traverse = Bound::traverse;
                      type->ht_type.tp_clear = Bound::clear;
                    }))
      .def("launch", &Bound::launch, py::arg("stream"))
      .def("rebind", &Bound::rebind, py::arg("planes"))
      .def("result", &Bound::result)
      .def("outputs", &Bound::outputs)
      .def("replicas", &Bound::replicas, py::arg("name"))
      .def_property_readonly("n_samples", &Bound::n_samples);
  py::class_<Planned>(module, "Plan")
      .def("run", run, py::arg("planes"))
      .def(
          "bind", [](const Planned& planned, const py::dict& planes) { return std::make_unique<Bound>(planned, planes); },
          py::arg("planes"))
      .def("describe", [](const Planned& planned) { return planned.plan.describe(); });
  module.def("check", check, py::arg("plugin"), py::arg("options"), "The rule that allows a placement.");
  module.def("plan", make_plan, py::arg("plugin"), py::arg("options"), py::arg("progress"), py::arg("structure"),
             py::arg("stream"));
  module.def("gatherer", gatherer);
  module.def("look_for_nccl_at", look_for_nccl_at, py::arg("file"));
  module.def("structure", make_structure, py::kw_only(), py::arg("kind"), py::arg("threads"), py::arg("schedule"),
             py::arg("tile"), py::arg("device"), py::arg("devices"), py::arg("stream"), py::arg("block"), py::arg("staging"),
             "What drives a body in one process: for a plan, or for eagle._mpi to drive on each rank.");
  module.def(
      "check_access",
      [](const std::string& plugin, const std::string& access, const std::string& structure, std::int64_t partitions) {
        return check_access(plugin, *access_named(access), *structure_named(structure, "structure"), partitions);
      },
      py::arg("plugin"), py::arg("access"), py::arg("structure"), py::arg("partitions"));
  module.def(
      "part_of",
      [](const Triple& whole, std::int64_t parts, std::int64_t r) {
        const Partition part = part_of({std::get<0>(whole), std::get<1>(whole), std::get<2>(whole)}, parts, r);
        return Triple{part.base, part.count, part.n_samples};
      },
      py::arg("whole"), py::arg("parts"), py::arg("r"));
}

}  // namespace eagle::python
