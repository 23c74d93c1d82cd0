// SPDX-License-Identifier: Apache-2.0
#include "observer.hpp"

#include <string>
#include <utility>

#include <eagle/error.hpp>
#include <fmt/format.h>

#include "gil.hpp"

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

unsigned long main_thread = 0;

void warn(const char* category, std::string_view text) {
  const WithGil gil;
  const py::object type = py::module_::import("eagle.errors").attr(category);
  if (PyErr_WarnEx(type.ptr(), std::string(text).c_str(), 2) != 0)  // what it raises stays set: it is what Python gets
    throw Error(Code::argument, fmt::format("a {} was raised: {}", category, text));
}

}  // namespace

void PythonObserver::find_main_thread() {
  main_thread = py::module_::import("threading").attr("main_thread")().attr("ident").cast<unsigned long>();
}

PythonObserver::~PythonObserver() {
  if (!progress_.is_none()) {
    const WithGil gil;
    progress_ = py::none();
  }
}

void PythonObserver::warning(std::string_view text) { warn("LayoutWarning", text); }
void PythonObserver::ignored(std::string_view text) { warn("ProfileWarning", text); }

void PythonObserver::progress(std::int64_t done, std::int64_t total) {
  thread_local Clock::time_point last;
  if (progress_.is_none() || (done < total && !due(last))) return;
  const WithGil gil;
  if (PyErr_Occurred() != nullptr) return;
  try {
    progress_(done, total);
  } catch (py::error_already_set& error) {
    error.restore();  // perhaps what a signal handler raised in the middle of it
    raised_ = true;
  }
}

bool PythonObserver::stop_requested() {
  thread_local Clock::time_point last;
  if (raised_) return true;
  if (!due(last) || PyThread_get_thread_ident() != main_thread) return false;
  const WithGil gil;
  return PyErr_CheckSignals() != 0;
}

void PythonObserver::rethrow() {
  if (!std::exchange(raised_, false)) return;
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
}

thread_local bool PythonObserver::raised_ = false;

}  // namespace eagle::python
