// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>
#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace eagle {

/// While it lives, this thread rounds to nearest, keeps subnormals and traps nothing, whatever a caller or a plugin set;
/// then the environment before it is back. About 10 ns. On x86-64 not that of long double.
class DefaultFloatEnvironment {
 public:
#if defined(__x86_64__)
  DefaultFloatEnvironment() noexcept : saved_(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~DefaultFloatEnvironment() { _mm_setcsr(saved_); }
#else
  DefaultFloatEnvironment() noexcept {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&saved_); }
#endif
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
#if defined(__x86_64__)
  unsigned saved_;
#else
  std::fenv_t saved_;
#endif
};

/// The same for code of others, which may use long double: on x86-64 the control and status words of the x87 as well.
/// Where they are as wanted, which is nearly always, they are read alone.
class DefaultBodyEnvironment {
 public:
#if defined(__x86_64__)
  DefaultBodyEnvironment() noexcept : saved_(X87::now()) {
    if (saved_.control != 0x37f) X87{0x37f, saved_.status}.set();
  }
  ~DefaultBodyEnvironment() {
    const X87 found = X87::now();
    if (found.control != saved_.control || ((found.status ^ saved_.status) & flags) != 0) saved_.set();
  }
#else
  DefaultBodyEnvironment() = default;
#endif
  DefaultBodyEnvironment(const DefaultBodyEnvironment&) = delete;
  DefaultBodyEnvironment& operator=(const DefaultBodyEnvironment&) = delete;

 private:
  DefaultFloatEnvironment environment_;
#if defined(__x86_64__)
  static constexpr std::uint16_t flags = 0x80ff;
  struct X87 {
    std::uint16_t control, status;
    static X87 now() noexcept {
      X87 words = {};
      asm volatile("fnstcw %0" : "=m"(words.control));
      asm volatile("fnstsw %0" : "=m"(words.status));
      return words;
    }
    void set() const noexcept {
      std::uint16_t all[14];  // 28 bytes of fnstenv: control, -, status, -, ...
      asm volatile("fnstenv %0" : "=m"(all));
      all[0] = control;
      all[2] = static_cast<std::uint16_t>((all[2] & ~flags) | (status & flags));
      asm volatile("fldenv %0" : : "m"(all));
    }
  };
  X87 saved_;
#endif
};

}  // namespace eagle
