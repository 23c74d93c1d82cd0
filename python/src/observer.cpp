// SPDX-License-Identifier: Apache-2.0
#include "observer.hpp"

#include <string>

namespace py = pybind11;

namespace eagle::python {
namespace {

using Clock = std::chrono::steady_clock;

/// Whether a tenth of a second has passed since the last time.
bool due(Clock::time_point& last) {
  const auto now = Clock::now();
  if (now - last < std::chrono::milliseconds(100)) return false;
  last = now;
  return true;
}

bool on_main_thread() {
  static const unsigned long main = [] {
    const py::gil_scoped_acquire gil;
    return py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
  }();
  return PyThread_get_thread_ident() == main;
}

}  // namespace

PythonObserver::~PythonObserver() {
  if (!progress_.is_none()) {
    const py::gil_scoped_acquire gil;
    progress_ = py::none();
  }
}

void PythonObserver::warning(std::string_view text) {
  const py::gil_scoped_acquire gil;
  const py::object category = py::module_::import("eagle.errors").attr("LayoutWarning");
  if (PyErr_WarnEx(category.ptr(), std::string(text).c_str(), 2) != 0) throw py::error_already_set();
}

void PythonObserver::progress(std::int64_t done, std::int64_t total) {
  thread_local Clock::time_point last;
  if (progress_.is_none() || (done < total && !due(last))) return;
  const py::gil_scoped_acquire gil;
  try {
    progress_(done, total);
  } catch (py::error_already_set& error) {
    error.discard_as_unraisable("eagle progress");
  }
}

bool PythonObserver::stop_requested() {
  thread_local Clock::time_point last;
  if (!due(last) || !on_main_thread()) return false;
  const py::gil_scoped_acquire gil;
  return PyErr_CheckSignals() != 0;
}

}  // namespace eagle::python
