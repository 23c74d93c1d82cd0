// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>
#include <unistd.h>

namespace eagle::python {

/// Takes the GIL by f. Where the interpreter is being torn down, Python ends the threads that ask for it in the middle of C++
/// (by pthread_exit, which unwinds like an exception); they wait for the end of the process here instead.
template <class F>
void take_gil(F&& f) noexcept {
  try {
    f();
  } catch (...) {
    for (;;) ::pause();
  }
}

/// Other threads may run Python while this lives.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  ~WithoutGil() {
    take_gil([this] { PyEval_RestoreThread(state_); });
  }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;

 private:
  PyThreadState* state_;
};

/// The GIL, in the middle of C++.
class WithGil {
 public:
  WithGil() {
    take_gil([this] { state_ = PyGILState_Ensure(); });
  }
  ~WithGil() { PyGILState_Release(state_); }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;

 private:
  PyGILState_STATE state_;
};

}  // namespace eagle::python
