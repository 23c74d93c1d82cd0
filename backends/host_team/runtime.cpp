// SPDX-License-Identifier: Apache-2.0
#include "runtime.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <limits>
#include <mutex>
#include <optional>
#include <regex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <eagle/error.hpp>
#include <eagle/text.hpp>
#include <fmt/format.h>
#include <omp.h>
#include <pthread.h>

namespace eagle::detail {
namespace {

/// Held while Kokkos starts, and so that a fork finds it started or not.
std::mutex starting;
/// Whether Kokkos was started before this process was forked: the threads of its team stayed behind.
bool inherited = false;
[[maybe_unused]] const int watch_forks = pthread_atfork([] { starting.lock(); }, [] { starting.unlock(); },
                                                        [] {
                                                          if (Kokkos::is_initialized()) inherited = true;
                                                          starting.unlock();
                                                        });

/// Launches of all threads, and whether the process ends: then no more begin, and those under way stop.
std::atomic<int> launches = 0;
std::atomic<bool> ending = false;
/// Those of this thread, which may end the process from within a body.
thread_local int own_launches = 0;

/// Ends Kokkos with the process. Where a launch does not stop, as in a body that takes long for a sample, or stayed behind when
/// this process was forked, the process ends here: Kokkos' static objects would wait for that launch.
void end_kokkos(int status, void*) {
  constexpr auto longest = std::chrono::seconds(1);
  ending = true;
  const auto begin = std::chrono::steady_clock::now();
  const bool waits = !inherited && !omp_in_parallel();
  while (launches > own_launches && waits && std::chrono::steady_clock::now() - begin < longest) std::this_thread::yield();
  if (launches > own_launches || (launches > 0 && omp_in_parallel())) {
    std::cout.flush();
    std::fflush(nullptr);
    std::_Exit(status);
  }
  if (launches == 0 && waits && Kokkos::is_initialized() && !Kokkos::is_finalized()) Kokkos::finalize();
}

/// A library that holds end_kokkos() stays to the end, whoever closes it.
void keep_library() {
  ::Dl_info info = {};
  if (::dladdr(reinterpret_cast<void*>(&end_kokkos), &info) != 0)
    ::dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

/// How many threads Kokkos is to start with. Error(unavailable) for a KOKKOS_NUM_THREADS at which it would abort.
int initial_threads() {
  const char* text = std::getenv("KOKKOS_NUM_THREADS");
  if (text == nullptr) return std::min(omp_get_max_threads(), most_threads);
  int threads = 0;
  const auto [end, error] = std::from_chars(text, text + std::strlen(text), threads);
  if (error != std::errc() || *end != '\0' || threads < 1 || threads > most_threads)
    throw Error(Code::unavailable,
                fmt::format("KOKKOS_NUM_THREADS is '{}': Kokkos starts with 1 to {} threads", text, most_threads));
  return threads;
}

/// Error(unavailable) for a variable at which Kokkos would abort.
void check_environment() {
  const struct {
    const char *name, *accepted;
  } rows[] = {{"KOKKOS_DISABLE_WARNINGS", "true|false|yes|no|1|0"},
              {"KOKKOS_PRINT_CONFIGURATION", "true|false|yes|no|1|0"},
              {"KOKKOS_TUNE_INTERNALS", "true|false|yes|no|1|0"},
              {"KOKKOS_DEVICE_ID", "[0-9]{1,9}"},
              {"KOKKOS_MAP_DEVICE_ID_BY", "random|mpi_rank"}};
  for (const auto& [name, accepted] : rows) {
    const char* text = std::getenv(name);
    if (text != nullptr && !std::regex_match(text, std::regex(accepted, std::regex::icase)))
      throw Error(Code::unavailable, fmt::format("{} is {}: Kokkos starts with {}", name, in_quotes(text), accepted));
  }
}

/// The bytes of a team thread's stack, where the environment asks for another size than the system's: libgomp's reading of
/// OMP_STACKSIZE (OpenMP 5.2, 21.2.4), which counts in KiB unless it says otherwise.
std::optional<std::size_t> stack_bytes() {
  const auto past_spaces = [](const char* text) { return text + std::strspn(text, " \t\n\v\f\r"); };
  for (const char* name : {"OMP_STACKSIZE", "GOMP_STACKSIZE"}) {
    const char* const text = std::getenv(name);
    if (text == nullptr) continue;
    char* end = nullptr;
    errno = 0;
    const std::size_t size = std::strtoul(text, &end, 10);  // which takes a sign, too
    if (end == text || errno != 0) continue;
    const char* rest = past_spaces(end);
    const std::string_view units = "bkmg";
    const std::size_t unit = *rest == '\0' ? 1 : units.find(static_cast<char>(std::tolower(static_cast<unsigned char>(*rest))));
    if (*rest != '\0') rest = past_spaces(rest + 1);
    if (unit < units.size() && *rest == '\0' && size <= std::numeric_limits<std::size_t>::max() >> (10 * unit))
      return size << (10 * unit);
  }
  return std::nullopt;
}

/// Threads that wait until they are let go.
class Waiting {
 public:
  Waiting() {
    gate_.lock();
    pthread_attr_init(&like_a_teams_);
    if (const auto bytes = stack_bytes()) pthread_attr_setstacksize(&like_a_teams_, *bytes);  // one too small changes nothing
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
  ~Waiting() {
    gate_.unlock();
    for (const pthread_t thread : threads_) pthread_join(thread, nullptr);
    pthread_attr_destroy(&like_a_teams_);
  }
  /// One more, or the reason why there is none.
  int add() {
    threads_.reserve(threads_.size() + 1);
    pthread_t thread = {};
    const int error = pthread_create(&thread, &like_a_teams_, wait, &gate_);
    if (error == 0) threads_.push_back(thread);
    return error;
  }

 private:
  static void* wait(void* gate) {
    const std::lock_guard lock(*static_cast<std::mutex*>(gate));
    return nullptr;
  }
  std::mutex gate_;
  pthread_attr_t like_a_teams_ = {};
  std::vector<pthread_t> threads_;
};

/// Error(unavailable) where a team has `from` threads and the system has no room for `threads`.
void require_more(int from, int threads) {
  Waiting others;
  for (int k = from; k < threads; ++k)
    if (const int error = others.add(); error != 0)
      throw Error(
          Code::unavailable,
          fmt::format("a team of {} threads cannot start: the system gives {} and then says: {}; plan with fewer threads, "
                      "raise the limits on processes and memory (ulimit -u and -v, or the job's), or lower OMP_STACKSIZE",
                      threads, k, std::generic_category().message(error)));
}

/// Error(unavailable) where the system has no room for a team of so many threads, at which libgomp would end the process. It
/// keeps the threads of the last team, a pool for each thread that launches, so that only a larger one is tried.
void require_threads(int threads) {
  static thread_local int kept = 1;
  if (threads > kept) require_more(kept, threads);
  kept = threads;
}

void start_kokkos() {
  const std::lock_guard lock(starting);
  if (Kokkos::is_initialized()) return;
  const int threads = initial_threads();
  check_environment();
  require_threads(threads);
  omp_set_num_threads(threads);  // of the team that Kokkos starts to count threads
  Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true).set_num_threads(threads));
  keep_library();
  ::on_exit(end_kokkos, nullptr);
}

/// The spaces of teams that nobody has.
class Pool {
 public:
  Kokkos::OpenMP take(int threads) {
    {
      const std::lock_guard lock(mutex_);
      const auto found = std::ranges::find(idle_, threads, &Idle::threads);
      if (found != idle_.end()) {
        Kokkos::OpenMP space = std::move(found->space);
        idle_.erase(found);
        return space;
      }
      if (!std::exchange(hooked_, true)) Kokkos::push_finalize_hook([this] { clear(); });
      idle_.reserve(++made_);
    }
    return Kokkos::OpenMP(threads);
  }
  void give(int threads, Kokkos::OpenMP space) noexcept {
    const std::lock_guard lock(mutex_);
    idle_.push_back({threads, std::move(space)});  // there is room for all
  }

 private:
  struct Idle {
    int threads;
    Kokkos::OpenMP space;
  };
  void clear() {
    const std::lock_guard lock(mutex_);
    idle_.clear();
  }
  std::mutex mutex_;
  std::vector<Idle> idle_;
  std::size_t made_ = 0;
  bool hooked_ = false;
};

Pool& pool() {
  static Pool* const all = new Pool;  // outlives every static object, as Kokkos may end late
  return *all;
}

void require_launch() {
  if (inherited)
    throw Error(Code::unavailable,
                "no team can start: this process was forked from one whose Kokkos was running, and threads are not inherited; "
                "fork before the first run, or start workers afresh (in Python, multiprocessing's 'spawn' or 'forkserver')");
  if (Kokkos::is_finalized())
    throw Error(Code::unavailable, "a team needs Kokkos, and Kokkos was finalized: run before Kokkos::finalize()");
  if (omp_in_parallel())
    throw Error(Code::unavailable, "no team can start inside an OpenMP parallel region: launch outside of it");
}

}  // namespace

void require_running() {
  require_launch();
  if (!Kokkos::is_initialized())
    throw Error(Code::unavailable, "Kokkos is not running: call Kokkos::initialize() (or use a Kokkos::ScopeGuard) first");
}

Launch::Counted::Counted() noexcept {
  ++own_launches;
  launches.fetch_add(1);
}
Launch::Counted::~Counted() {
  launches.fetch_sub(1);
  --own_launches;
}

Launch::Launch() {
  if (ending) throw Error(Code::unavailable, "no team can start: the process is ending");
  require_launch();
  if (!Kokkos::is_initialized()) start_kokkos();
}

bool is_ending() noexcept { return ending.load(std::memory_order_relaxed); }

Kokkos::OpenMP Team::checked(int threads) {
  require_threads(threads > 0 ? threads : Kokkos::OpenMP().concurrency());
  return threads > 0 ? pool().take(threads) : Kokkos::OpenMP();
}

Team::Team(int threads) : threads_(threads), space_(checked(threads)) {}

Team::~Team() {
  if (threads_ > 0) pool().give(threads_, std::move(space_));
}

std::string kokkos_text() {
  return fmt::format("Kokkos {}.{}.{} with OpenMP, {} threads", KOKKOS_VERSION_MAJOR, KOKKOS_VERSION_MINOR,
                     KOKKOS_VERSION_PATCH, omp_get_max_threads());
}

}  // namespace eagle::detail
