// The exchange of ranks on one machine, through memory that they share: each rank writes its numbers there,
// sums a slice over all ranks, and reads the other slices where they are.
//
// What it does not do: start ranks, or see that one has died: who does calls it off.
// Threads: one, but for call_off(). Ownership: the memory is that of all ranks, and goes with the last of
// them. Cost: two meetings a mean, and ranks + 2 passes over the numbers; (ranks + 1) x 4 bytes a number,
// once.
#pragma once

#include <memory>
#include <string>

#include "core/clock.hpp"
#include "engine/engine.hpp"
#include "os/shared_memory.hpp"
#include "workload/train/meeting.hpp"

namespace neph::workload {

class SharedExchange final : public engine::Exchange {
 public:
  /// That of rank 0. `clock` outlives it. Errors: unavailable (memory), invalid_argument (too many ranks).
  static Result<std::unique_ptr<SharedExchange>> make(std::int64_t ranks, const Clock& clock,
                                                      const Patience& patience = {});
  /// That of another rank, in the memory that rank 0 told of. Errors: unavailable (rank 0 is gone).
  static Result<std::unique_ptr<SharedExchange>> join(const std::string& path, std::int64_t rank,
                                                      std::int64_t ranks, const Clock& clock,
                                                      const Patience& patience = {});

  std::int64_t rank() const override { return meeting_.rank(); }
  std::int64_t ranks() const override { return meeting_.ranks(); }
  Result<std::span<float>> room(std::int64_t count) override;
  Result<std::span<const float>> mean(double weight) override;
  Status from_rank_0(std::span<std::byte> bytes) override;

  Meeting& meeting() { return meeting_; }
  /// For join().
  std::string path() const { return memory_.path(); }
  /// Time in room(), mean() and from_rank_0() since this was last asked: with waiting for the slowest rank.
  Nanoseconds time_spent() { return std::exchange(spent_, {}); }

 private:
  SharedExchange(SharedMemory memory, Mapping board, std::int64_t rank, std::int64_t ranks,
                 const Clock& clock, const Patience& patience);
  static Result<std::unique_ptr<SharedExchange>> over(SharedMemory memory, std::int64_t rank,
                                                      std::int64_t ranks, const Clock& clock,
                                                      const Patience& patience);
  Status have_room(std::int64_t count);
  float* numbers_of(std::int64_t rank) const;
  float* means() const { return numbers_of(ranks()); }
  void sum_slice(double whole) const;

  SharedMemory memory_;
  Mapping board_memory_, numbers_;
  MeetingBoard& board_;
  Meeting meeting_;
  const Clock& clock_;
  std::int64_t count_ = 0;   ///< numbers of a rank
  std::int64_t stride_ = 0;  ///< between the first number of a rank and that of the next
  Nanoseconds spent_{};
};

}  // namespace neph::workload
