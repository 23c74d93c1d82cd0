// SPDX-License-Identifier: Apache-2.0
// Private to eagle::cuda: the devices of the driver.
#pragma once

#include <string>

#include "driver.hpp"

namespace eagle::cuda {

/// One device: its primary context, which is shared with every other CUDA user of the process, and a stream of eagle's own that
/// is ordered with the legacy default stream.
class Gpu {
 public:
  /// Looked up once and kept until the process ends. Error(unavailable) where there is no such device.
  static const Gpu& at(int ordinal);
  static int count();

  [[nodiscard]] int ordinal() const noexcept { return ordinal_; }
  [[nodiscard]] Stream stream() const noexcept { return stream_; }
  [[nodiscard]] Context context() const noexcept { return context_; }
  [[nodiscard]] bool has_pools() const noexcept { return has_pools_; }
  [[nodiscard]] int multiprocessors() const noexcept { return multiprocessors_; }
  /// Has another device reach what is allocated here, where the hardware lets it.
  void let_in(const Gpu& other) const;
  /// "NVIDIA H200".
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// "cuda:0 (NVIDIA H200, sm_90, CUDA 13.0)".
  [[nodiscard]] const std::string& describe() const noexcept { return text_; }
  /// The same of a device that is not looked up: no context is made.
  static std::string describe(int ordinal);
  static std::string name(int ordinal);

 private:
  explicit Gpu(int ordinal);
  void make_stream();
  int ordinal_;
  std::string name_, text_;
  Context context_ = nullptr;
  Stream stream_ = nullptr;
  bool has_pools_ = false;
  int multiprocessors_ = 1;
};

/// Has a device's context current on this thread, as every call that follows needs it.
class Current {
 public:
  explicit Current(const Gpu& gpu);
  ~Current();
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  const Gpu* before_;
};

/// A stream that is ordered with no other.
class OwnStream {
 public:
  explicit OwnStream(const Gpu& gpu);
  ~OwnStream();
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  [[nodiscard]] Stream get() const noexcept { return stream_; }

 private:
  const Gpu& gpu_;
  Stream stream_ = nullptr;
};

/// A point in the order of a stream, for others to wait for. The device's context is current for all but the destructor.
class Marker {
 public:
  explicit Marker(const Gpu& gpu) : gpu_(gpu) { check(driver().create_event(&event_, disable_timing), "cuEventCreate"); }
  ~Marker();
  Marker(const Marker&) = delete;
  Marker& operator=(const Marker&) = delete;
  /// Marks the end of what the stream has been given.
  void set(Stream stream) { check(driver().record_event(event_, stream), "cuEventRecord"); }
  /// What the stream is given from now on comes after the mark.
  void hold(Stream stream) const { check(driver().wait_event(stream, event_, 0), "cuStreamWaitEvent"); }
  /// Whether the mark was reached, or never set.
  [[nodiscard]] bool is_reached() const {
    const int result = driver().query_event(event_);
    if (result != not_ready) check(result, "cuEventQuery");
    return result == success;
  }
  /// Returns when the mark was reached.
  void wait() const { check(driver().synchronize_event(event_), "cuEventSynchronize"); }

 private:
  const Gpu& gpu_;
  Event event_ = nullptr;
};

}  // namespace eagle::cuda
