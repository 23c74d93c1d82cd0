// SPDX-License-Identifier: Apache-2.0
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include <eagle/error.hpp>
#include <eagle/mpi.hpp>

#include "bindings.hpp"
#include "capsule.hpp"
#include "gil.hpp"
#include "rank_partition/agreement.hpp"
#include "rank_partition/ranks.hpp"
#include "rank_partition/world.hpp"

namespace py = pybind11;

namespace {

using eagle::detail::Ranks;

/// Starts MPI, where a launcher started this process and MPI does not run yet. Whether it did.
bool start() {
  const eagle::python::WithoutGil release;
  if (eagle::detail::is_running() || !eagle::detail::in_launcher()) return false;
  eagle::detail::start_mpi();
  return true;
}

/// Ends the processes of all ranks, where there are others.
void end_all() {
  int size = 1;
  if (!eagle::detail::is_running() || MPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS || size == 1) return;
  const eagle::python::WithoutGil release;
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // launchers may drop what they have not forwarded yet
  MPI_Abort(MPI_COMM_WORLD, 1);
}

/// Collective where eagle has not met the communicator before.
Ranks ranks_of(std::optional<int> comm) {
  const eagle::python::WithoutGil release;
  return comm ? Ranks(MPI_Comm_f2c(*comm)) : Ranks::world();
}

py::capsule structure(const py::capsule& inner, std::optional<int> comm, bool gather) {
  const eagle::StructurePtr drives = eagle::python::structure_of(inner);
  return eagle::python::capsule_of([&] {
    const eagle::python::WithoutGil release;
    return comm ? eagle::detail::rank_partition_of(MPI_Comm_f2c(*comm), drives, gather)
                : eagle::detail::rank_partition_of_world(drives, gather);
  }());
}

/// One device a rank, with the gathers that eagle._core has.
py::capsule device_group(const py::capsule& inner, const py::capsule& gatherer, int comm) {
  const eagle::StructurePtr drives = eagle::python::structure_of(inner);
  const auto gathers = eagle::python::held_by<eagle::detail::GathererPtr>(gatherer);
  return eagle::python::capsule_of([&] {
    const eagle::python::WithoutGil release;
    return eagle::detail::device_group_of(MPI_Comm_f2c(comm), drives, gathers);
  }());
}

py::tuple world(std::optional<int> comm) {
  const Ranks ranks = ranks_of(comm);
  return py::make_tuple(ranks.rank(), ranks.size());
}

/// Has all ranks refuse what this one does, in the place of what they all do next; returns where this is the only rank.
void refuse(const std::string& code, const std::string& message, std::optional<int> comm) {
  const Ranks ranks = ranks_of(comm);
  if (ranks.size() == 1) return;
  auto kind = eagle::Code::internal;
  for (int k = 0; k < static_cast<int>(eagle::Code::internal); ++k)
    if (name(static_cast<eagle::Code>(k)) == code) kind = static_cast<eagle::Code>(k);
  const eagle::python::WithoutGil release;
  eagle::detail::agree(ranks, std::make_exception_ptr(eagle::Error(kind, message)), {});
}

/// The bytes of every rank, which have one length; what a rank refuses instead all refuse.
py::bytes allgather(const std::string& mine, std::optional<int> comm) {
  const Ranks ranks = ranks_of(comm);
  std::string all(mine.size() * static_cast<std::size_t>(ranks.size()), '\0');
  {
    const eagle::python::WithoutGil release;
    eagle::detail::agree(ranks, nullptr, {});
    ranks.gather_one(mine.data(), mine.size(), all.data());
  }
  return all;
}

/// The whole text of MPI_Get_library_version, which another binding of the same library gives too.
std::string library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  eagle::detail::check_mpi(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  return {text, static_cast<std::size_t>(length)};
}

}  // namespace

PYBIND11_MODULE(_mpi, module) {
  module.doc() = "The MPI half of eagle: nothing here is public but through the package.";
  eagle::python::bind_errors(module);
  module.def("structure", structure, py::arg("inner"), py::arg("comm"), py::arg("gather"));
  module.def("device_group", device_group, py::arg("inner"), py::arg("gatherer"), py::arg("comm"));
  module.def("refuse", refuse, py::arg("code"), py::arg("message"), py::arg("comm"));
  module.def("world", world, py::arg("comm") = py::none());
  module.def("allgather", allgather, py::arg("mine"), py::arg("comm") = py::none());
  module.def("library", library);
  module.def("text", eagle::detail::library_text);
  module.def("start", start);
  module.def("end_all", end_all);
}
