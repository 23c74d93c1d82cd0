// SPDX-License-Identifier: Apache-2.0
#include "ranks.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include <eagle/error.hpp>
#include <fmt/format.h>

#include "world.hpp"

#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace eagle::detail {

std::int64_t most_count = std::numeric_limits<int>::max();

namespace {

constexpr int tag = 7;

/// Whether this process was forked from one whose MPI was running: what it sent would be taken for the other's.
bool forked_off = false;
[[maybe_unused]] const int watch_forks = ::pthread_atfork(nullptr, nullptr, [] {
  int initialized = 0;
  if (MPI_Initialized(&initialized) == MPI_SUCCESS && initialized != 0) forked_off = true;
});

bool process_ends = false;

void end_mpi() {
  if (forked_off) return;
  process_ends = true;
  int finalized = 0;
  if (MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0) MPI_Finalize();
}

using Kept = std::shared_ptr<Duplicate>;

int free_duplicate(MPI_Comm, int, void* value, void*) {
  const std::unique_ptr<Kept> kept(static_cast<Kept*>(value));
  std::shared_ptr<void> let_go = std::move((*kept)->kept);  // also where plans still have the rest
  // What was opened after MPI was started, such as the driver, has ended before it.
  static auto* const never = new std::vector<std::shared_ptr<void>>;
  if (process_ends && let_go) never->push_back(std::move(let_go));
  return MPI_Comm_free(&(*kept)->comm);
}

/// The attribute under which a communicator keeps eagle's duplicate of it.
int key() {
  static const int made = [] {
    int value = MPI_KEYVAL_INVALID;
    check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_duplicate, &value, nullptr), "MPI_Comm_create_keyval");
    return value;
  }();
  return made;
}

/// Another MPI that was loaded first takes the calls of the one that eagle was built with.
void require_own_library() {
#if defined(MPICH_VERSION)
  constexpr const char* own = "MPICH";
#elif defined(OMPI_MAJOR_VERSION)
  constexpr const char* own = "Open MPI";
#else
  constexpr const char* own = "";
#endif
  static const std::string found = library_text();
  if (found.find(own) == std::string::npos)
    throw Error(
        Code::unavailable,
        fmt::format("eagle was built with {}, and its calls reach {}, which something in this process has loaded first (a "
                    "PyTorch that links an MPI does): import eagle and use its ranks before it, or build both with one MPI",
                    own, found));
}

void require_own_process() {
  if (forked_off)
    throw Error(Code::unavailable,
                "this process was forked from a rank and is none itself: plan with another structure here, or run in the rank");
}

void require_not_finalised() {
  int finalized = 0;
  check_mpi(MPI_Finalized(&finalized), "MPI_Finalized");
  if (finalized != 0) throw Error(Code::unavailable, "ranks need MPI, and MPI was finalised: run before MPI_Finalize()");
}

Kept made_duplicate(MPI_Comm comm) {
  int between = 0;
  check_mpi(MPI_Comm_test_inter(comm, &between), "MPI_Comm_test_inter");
  if (between != 0)
    throw Error(Code::argument, "the communicator joins two groups (an intercommunicator): merge it, or give one of one group");
  auto kept = std::make_shared<Duplicate>();
  check_mpi(MPI_Comm_dup(comm, &kept->comm), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(kept->comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(kept->comm, &kept->rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(kept->comm, &kept->size), "MPI_Comm_size");
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(kept->comm, MPI_COMM_TYPE_SHARED, kept->rank, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
  check_mpi(MPI_Comm_rank(node, &kept->node_rank), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(node, &kept->node_size), "MPI_Comm_size");
  check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
  return kept;
}

Kept duplicate_of(MPI_Comm comm) {
  require_own_library();
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  Kept* found = nullptr;
  int has = 0;
  check_mpi(MPI_Comm_get_attr(comm, key(), &found, &has), "MPI_Comm_get_attr");
  if (has != 0) return *found;
  auto kept = std::make_unique<Kept>(made_duplicate(comm));
  check_mpi(MPI_Comm_set_attr(comm, key(), kept.get()), "MPI_Comm_set_attr");
  return *kept.release();
}

/// Calls f(offset, count) for pieces of at most most_count bytes, at least one.
template <class F>
void for_each_piece(std::int64_t bytes, F&& f) {
  std::int64_t offset = 0;
  do {
    const std::int64_t count = std::min(bytes - offset, most_count);
    f(offset, static_cast<int>(count));
    offset += count;
  } while (offset < bytes);
}

}  // namespace

void check_mpi(int rc, const char* what) {
  if (rc == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(rc, text, &length) != MPI_SUCCESS) length = 0;
  throw Error(Code::internal, fmt::format("{} failed: {}", what, std::string(text, static_cast<std::size_t>(length))));
}

bool in_launcher() {
  for (const char* name : {"PMI_RANK", "PMI_SIZE", "PMIX_RANK", "OMPI_COMM_WORLD_SIZE", "PALS_RANKID"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

bool is_running() {
  int initialized = 0, finalized = 0;
  check_mpi(MPI_Initialized(&initialized), "MPI_Initialized");
  check_mpi(MPI_Finalized(&finalized), "MPI_Finalized");
  return initialized != 0 && finalized == 0;
}

void start_mpi() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (is_running()) return;
  require_not_finalised();
  require_own_library();
  int level = 0;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level), "MPI_Init_thread");
  std::atexit(end_mpi);
}

bool takes_device_memory() {
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
  return MPIX_Query_cuda_support() != 0;
#else
  return false;
#endif
}

std::string library_text() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0, version = 0, minor = 0;
  check_mpi(MPI_Get_library_version(text, &length), "MPI_Get_library_version");
  check_mpi(MPI_Get_version(&version, &minor), "MPI_Get_version");
  std::string first(text, static_cast<std::size_t>(length));
  first = first.substr(0, first.find_first_of("\n,"));
  std::replace(first.begin(), first.end(), '\t', ' ');
  for (std::size_t at; (at = first.find("  ")) != std::string::npos;) first.erase(at, 1);
  return fmt::format("{}, MPI {}.{}", first, version, minor);
}

std::string ranks_text() {
  if (!is_running() && !in_launcher()) return "";
  const Ranks ranks = Ranks::world();
  int level = 0;
  check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
  const char* const levels = level == MPI_THREAD_MULTIPLE     ? "multiple"
                             : level == MPI_THREAD_SERIALIZED ? "serialized"
                             : level == MPI_THREAD_FUNNELED   ? "funneled"
                                                              : "single";
  return fmt::format("{} rank{}, {} on this node, thread level {}, {}", ranks.size(), ranks.size() == 1 ? "" : "s",
                     ranks.node_size(), levels, takes_device_memory() ? "takes device memory" : "takes host memory only");
}

int world_rank() { return Ranks::world().rank(); }

Ranks::Ranks(MPI_Comm comm) {
  require_own_process();
  if (!is_running()) throw Error(Code::unavailable, "a communicator is given, and MPI does not run");
  if (comm == MPI_COMM_NULL) throw Error(Code::argument, "the communicator is MPI_COMM_NULL: this process is no rank of it");
  kept_ = duplicate_of(comm);
}

void Ranks::require_alive() const {
  if (!kept_) return;
  require_own_process();
  require_not_finalised();
  if (kept_->comm == MPI_COMM_NULL)
    throw Error(Code::argument, "the communicator that was planned with has been freed: free it after the last run");
}

Ranks Ranks::world() {
  if (!is_running()) {
    if (!in_launcher()) return {};
    start_mpi();
  }
  return Ranks(MPI_COMM_WORLD);
}

void Ranks::send(std::span<const std::byte> bytes, int to) const {
  const auto size = static_cast<std::int64_t>(bytes.size());
  if (size > most_count) check_mpi(MPI_Send(&size, 1, MPI_INT64_T, to, tag + 1, comm()), "MPI_Send");
  for_each_piece(size, [&](std::int64_t offset, int count) {
    check_mpi(MPI_Send(bytes.data() + offset, count, MPI_BYTE, to, tag, comm()), "MPI_Send");
  });
}

std::span<const std::byte> Ranks::receive(int from, std::size_t most) const {
  constexpr std::size_t small = 1 << 20;
  thread_local std::vector<std::byte> bytes;
  const auto room = [](std::size_t size) {
    if (bytes.size() < size) bytes.resize(size);
    return bytes.data();
  };
  MPI_Status status;
  if (most > 0 && most <= small && static_cast<std::int64_t>(most) <= most_count) {
    int count = 0;
    check_mpi(MPI_Recv(room(most), static_cast<int>(most), MPI_BYTE, from, tag, comm(), &status), "MPI_Recv");
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
    return std::span(bytes).first(static_cast<std::size_t>(count));
  }
  check_mpi(MPI_Probe(from, MPI_ANY_TAG, comm(), &status), "MPI_Probe");
  std::int64_t size = 0;
  int count = 0;
  if (status.MPI_TAG == tag + 1) {
    check_mpi(MPI_Recv(&size, 1, MPI_INT64_T, from, tag + 1, comm(), MPI_STATUS_IGNORE), "MPI_Recv");
  } else {
    check_mpi(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
    size = count;
  }
  std::byte* const data = room(static_cast<std::size_t>(size));
  for_each_piece(size, [&](std::int64_t offset, int piece) {
    check_mpi(MPI_Recv(data + offset, piece, MPI_BYTE, from, tag, comm(), MPI_STATUS_IGNORE), "MPI_Recv");
  });
  return std::span(bytes).first(static_cast<std::size_t>(size));
}

void Ranks::broadcast(std::vector<std::byte>& bytes, int root) const {
  const int me = (rank() - root + size()) % size();
  const auto real = [&](int relative) { return (relative + root) % size(); };
  int step = 1;
  while (step < size() && (me & step) == 0) step *= 2;
  if (me != 0) {
    const auto received = receive(real(me - step));
    bytes.assign(received.begin(), received.end());
  }
  for (step /= 2; step > 0; step /= 2)
    if (me + step < size()) send(bytes, real(me + step));
}

void Ranks::copy_from_first(std::span<std::byte> bytes) const {
  if (size() == 1) return;
  check_mpi(MPI_Bcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, comm()), "MPI_Bcast");
}

void Ranks::least(std::span<std::int64_t> numbers) const {
  if (size() == 1) return;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_INT64_T, MPI_MIN, comm()),
            "MPI_Allreduce");
}

void Ranks::sum(std::span<std::uint64_t> numbers) const {
  if (size() == 1) return;
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_UINT64_T, MPI_SUM, comm()),
            "MPI_Allreduce");
}

std::int64_t Ranks::before(std::int64_t number) const {
  std::int64_t sum = 0;
  if (size() > 1) check_mpi(MPI_Exscan(&number, &sum, 1, MPI_INT64_T, MPI_SUM, comm()), "MPI_Exscan");
  return rank() == 0 ? 0 : sum;  // which MPI leaves undefined
}

void Ranks::gather_one(const void* element, std::size_t bytes, void* all) const {
  const int count = static_cast<int>(bytes);
  if (size() == 1) std::copy_n(static_cast<const std::byte*>(element), bytes, static_cast<std::byte*>(all));
  else check_mpi(MPI_Allgather(element, count, MPI_BYTE, all, count, MPI_BYTE, comm()), "MPI_Allgather");
}

}  // namespace eagle::detail
