// SPDX-License-Identifier: Apache-2.0
// Private to eagle::mpi: a communicator of eagle's own, every return code checked, messages of any length.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace eagle::detail {

/// Error(internal) with MPI's own text unless rc is MPI_SUCCESS.
void check_mpi(int rc, const char* what);

/// Whether this process was started by a launcher of ranks, as far as its environment says.
bool in_launcher();
/// Whether MPI has been initialised, and not finalised yet.
bool is_running();
/// Initialises MPI if nobody has, and then finalises it when the process ends. Error(unavailable) after MPI_Finalize.
void start_mpi();
/// Whether this MPI reads and writes memory of CUDA devices, as far as it says.
bool takes_device_memory();
/// What messages are cut at: counts of MPI calls that take int. Tests make it small.
extern std::int64_t most_count;

/// What eagle keeps with a communicator.
struct Duplicate {
  MPI_Comm comm = MPI_COMM_NULL;  ///< null again once the communicator itself was freed
  int rank = 0;
  int size = 1;
  int node_rank = 0;  ///< among the ranks of this node
  int node_size = 1;
  mutable std::shared_ptr<void> kept;  ///< by a Gatherer
};

/// The ranks of one communicator, or this process alone where there is no MPI to speak of.
class Ranks {
 public:
  /// One process, no MPI.
  Ranks() = default;
  /// The ranks of a communicator, talking on a duplicate of it, which is made once (collectively) and lives as long as the
  /// communicator itself.
  explicit Ranks(MPI_Comm comm);
  /// All ranks of a launcher, starting MPI; one process where there is no launcher and MPI does not run.
  static Ranks world();

  [[nodiscard]] bool exist() const noexcept { return kept_ != nullptr; }
  [[nodiscard]] int rank() const noexcept { return kept_ ? kept_->rank : 0; }
  [[nodiscard]] int size() const noexcept { return kept_ ? kept_->size : 1; }
  [[nodiscard]] int node_rank() const noexcept { return kept_ ? kept_->node_rank : 0; }
  [[nodiscard]] int node_size() const noexcept { return kept_ ? kept_->node_size : 1; }
  [[nodiscard]] MPI_Comm comm() const noexcept { return kept_ ? kept_->comm : MPI_COMM_NULL; }
  /// What else is kept with the communicator, of more than one rank.
  [[nodiscard]] std::shared_ptr<void>& kept() const noexcept { return kept_->kept; }
  /// Error(argument) where the communicator was freed, Error(unavailable) where MPI was finalised or this process forked off.
  void require_alive() const;

  void send(std::span<const std::byte> bytes, int to) const;
  /// The next message of a rank, valid until this thread's next one. Where it has at most `most` bytes it is received at once,
  /// without asking for its length.
  [[nodiscard]] std::span<const std::byte> receive(int from, std::size_t most = 0) const;
  /// The bytes of one rank, on all that need not know how many they are: down a binomial tree.
  void broadcast(std::vector<std::byte>& bytes, int root) const;
  /// As many bytes of rank 0, on all.
  void copy_from_first(std::span<std::byte> bytes) const;
  /// The least of each number over all ranks.
  void least(std::span<std::int64_t> numbers) const;
  /// The sum of each number over all ranks, modulo 2^64.
  void sum(std::span<std::uint64_t> numbers) const;
  /// The sum of a number over the ranks before this one.
  [[nodiscard]] std::int64_t before(std::int64_t number) const;
  /// One element of every rank, in rank order.
  void gather_one(const void* element, std::size_t bytes, void* all) const;

 private:
  std::shared_ptr<const Duplicate> kept_;
};

}  // namespace eagle::detail
