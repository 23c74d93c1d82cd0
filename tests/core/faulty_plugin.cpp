// SPDX-License-Identifier: Apache-2.0
// One host plugin (doubles its plane) and, by macros, the ways in which it can be wrong. Built and unloaded with a trace:
// its constructor and destructor append a line to the file that EAGLE_TEST_TRACE names.
#include <eagle/abi.h>

#include <locale.h>

#include <cfenv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#ifndef FAULTY_FACTOR
#define FAULTY_FACTOR 2.0
#endif
#ifndef FAULTY_TAG
#define FAULTY_TAG EAGLE_ABI_V2
#endif
#ifndef FAULTY_LAYOUT
#define FAULTY_LAYOUT 40, 32, 32, 4, 24
#endif

extern "C" {
#ifndef FAULTY_NO_TAG
EAGLE_EXPORT extern const char eagle_abi_tag[];
const char eagle_abi_tag[] = FAULTY_TAG;
#endif

#if defined(FAULTY_LAYOUT_WITHOUT_CONTENT)
EAGLE_EXPORT uint64_t eagle_layout_sizes[EAGLE_LAYOUT_WORDS];
#elif !defined(FAULTY_NO_LAYOUT)
EAGLE_EXPORT extern const uint64_t eagle_layout_sizes[];
const uint64_t eagle_layout_sizes[] = {FAULTY_LAYOUT};
#endif

#if defined(FAULTY_ENTRY_IS_DATA)
EAGLE_EXPORT int twice_host = 1;
#elif defined(FAULTY_ENTRY_IS_HIDDEN)
__attribute__((visibility("hidden"))) void twice_host() {}
#elif !defined(FAULTY_NO_ENTRY)
EAGLE_EXPORT void twice_host(void* const* params, int64_t base, int64_t count, int64_t) {
  const auto* x = static_cast<const ScalarHandle*>(params[0]);
  for (int64_t i = base; i < base + count; ++i) static_cast<double*>(x->data)[i] *= FAULTY_FACTOR;
}
#endif
EAGLE_EXPORT void another_function() {}
}

namespace {

#ifdef FAULTY_STATE
locale_t own_locale = nullptr;
#endif

void trace(const char* line) {
  const char* name = std::getenv("EAGLE_TEST_TRACE");
  if (name == nullptr) return;
  std::FILE* file = std::fopen(name, "a");
  std::fputs(line, file);
  std::fclose(file);
}

__attribute__((constructor)) void construct() {
  trace("constructed\n");
#ifdef FAULTY_STATE
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  setlocale(LC_ALL, "C.UTF-8");
  own_locale = newlocale(LC_ALL_MASK, "C.UTF-8", nullptr);
  uselocale(own_locale);
#endif
#ifdef FAULTY_FLOATING_POINT
  std::fesetround(FE_UPWARD);
#if defined(__x86_64__)
  _mm_setcsr(_mm_getcsr() | 0x8040);  // flush subnormal results to zero, take subnormal operands for zero
#endif
#endif
}

__attribute__((destructor)) void destruct() {
  trace("destructed\n");
#ifdef FAULTY_STATE
  freelocale(own_locale);
#endif
}

}  // namespace
