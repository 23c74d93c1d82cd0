// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>

#include <eagle/observer.hpp>

namespace eagle::python {

/// Watches a plan for Python: layout warnings, progress and Ctrl-C. Called with or without the GIL.
class PythonObserver final : public Observer {
 public:
  /// `progress` is a callable (done, total), or None.
  explicit PythonObserver(pybind11::object progress) : progress_(std::move(progress)) {}
  ~PythonObserver() override;
  /// Warns with eagle.LayoutWarning, at the caller of the Python method that binds; throws where the filter makes it an error.
  void warning(std::string_view text) override;
  /// The same with eagle.ProfileWarning.
  void ignored(std::string_view text) override;
  /// Calls the callable at most ten times a second, and with the last sample. What it raises stops the run.
  void progress(std::int64_t done, std::int64_t total) override;
  /// Runs signal handlers ten times a second, on the main thread as Python does; what they raise stays set, and the run is
  /// stopped. The GIL is asked for no more often, since another thread may hold it for milliseconds.
  bool stop_requested() override;
  /// When the module is imported: later, Python code would raise what a signal has left pending.
  static void find_main_thread();
  /// Before a run of this thread: forgets what another has left.
  static void start() { raised_ = false; }
  /// Throws what the callable has raised on this thread, where nothing else has since. Needs the GIL.
  static void rethrow();

 private:
  static thread_local bool raised_;
  pybind11::object progress_;
};

}  // namespace eagle::python
