// SPDX-License-Identifier: Apache-2.0
// What a process holds, before and after much work.
#pragma once

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

/// Memory that was freed is kept for long then.
inline const bool is_sanitized = std::getenv("EAGLE_SANITIZER") != nullptr;  // NOLINT(concurrency-mt-unsafe)

/// How much more may be held. Memory: the arenas of the allocator fragment. Mappings: they grow by one now and then.
constexpr std::int64_t more_kib = 4096, more_mappings = 24;

struct Held {
  std::int64_t rss_kib = 0, descriptors = 0, mappings = 0, threads = 0;
};

inline std::int64_t entries(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

/// What this process holds now. Free memory that the allocator keeps is given back first.
inline Held held() {
  ::malloc_trim(0);
  Held now;
  std::ifstream("/proc/self/statm") >> now.rss_kib >> now.rss_kib;
  now.rss_kib *= ::sysconf(_SC_PAGESIZE) / 1024;
  now.descriptors = entries("/proc/self/fd");
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) ++now.mappings;
  now.threads = entries("/proc/self/task");
  return now;
}

/// Has the allocator give back what is free: its thresholds rise with what is freed otherwise, and arenas keep up to 64 MiB.
inline void keep_little() {
  ::mallopt(M_TRIM_THRESHOLD, 128 << 10);
  ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
}

/// No more is held than before; threads of teams take a moment to end.
inline void expect_no_more_than(const Held& before) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  Held now = held();
  for (; now.threads > before.threads && std::chrono::steady_clock::now() < deadline; now = held())
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_LE(now.descriptors, before.descriptors) << "open descriptors";
  EXPECT_LE(now.threads, before.threads) << "threads";
  if (is_sanitized) return;
  EXPECT_LE(now.rss_kib, before.rss_kib + more_kib) << "KiB of memory";
  EXPECT_LE(now.mappings, before.mappings + more_mappings) << "mappings";
}
