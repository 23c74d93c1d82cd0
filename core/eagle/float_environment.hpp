// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cfenv>
#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace eagle {

/// While it lives, this thread rounds to nearest, keeps subnormals and traps nothing, whatever a caller or a plugin set;
/// then the environment before it is back. About 10 ns.
class DefaultFloatEnvironment {
 public:
#if defined(__x86_64__)
  DefaultFloatEnvironment() noexcept : saved_(_mm_getcsr()), x87_(x87()) {
    _mm_setcsr(0x1f80);
    set_x87(0x37f);
  }
  ~DefaultFloatEnvironment() {
    _mm_setcsr(saved_);
    set_x87(x87_);
  }
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
  /// The control word of long double.
  static std::uint16_t x87() noexcept {
    std::uint16_t word = 0;
    asm volatile("fnstcw %0" : "=m"(word));
    return word;
  }
  static void set_x87(std::uint16_t word) noexcept {
    if (x87() != word) asm volatile("fldcw %0" : : "m"(word));
  }
  unsigned saved_;
  std::uint16_t x87_;
#else
  std::fenv_t saved_;
#endif
};

}  // namespace eagle
