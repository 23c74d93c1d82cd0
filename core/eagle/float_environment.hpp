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
  DefaultFloatEnvironment() noexcept : saved_(_mm_getcsr()), x87_(X87::now()) {
    _mm_setcsr(0x1f80);
    X87{0x37f, x87_.status}.restore();
  }
  ~DefaultFloatEnvironment() {
    _mm_setcsr(saved_);
    x87_.restore();
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
  /// The control and status words of long double. Where they are as wanted, which is nearly always, nothing is written.
  struct X87 {
    std::uint16_t control, status;
    static X87 now() noexcept {
      X87 words = {};
      asm volatile("fnstcw %0" : "=m"(words.control));
      asm volatile("fnstsw %0" : "=m"(words.status));
      return words;
    }
    void restore() const noexcept {
      constexpr std::uint16_t flags = 0x80ff;
      const X87 found = now();
      if (found.control == control && ((found.status ^ status) & flags) == 0) return;
      std::uint16_t all[14];  // 28 bytes of fnstenv: control, -, status, -, ...
      asm volatile("fnstenv %0" : "=m"(all));
      all[0] = control;
      all[2] = static_cast<std::uint16_t>((all[2] & ~flags) | (status & flags));
      asm volatile("fldenv %0" : : "m"(all));
    }
  };
  unsigned saved_;
  X87 x87_;
#else
  std::fenv_t saved_;
#endif
};

}  // namespace eagle
