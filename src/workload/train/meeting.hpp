// Where the ranks of a training meet, in memory that they share: each waits until all have come.
//
// Threads: a Meeting is used from one thread; call_off() from any of any process. Ownership: the board
// outlives it. Cost: some microseconds where all come within `spinning`; whoever waits longer sleeps.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

#include "core/clock.hpp"
#include "core/result.hpp"

namespace neph::workload {

constexpr std::int64_t most_ranks = 256;

/// What rank 0 has the others do next.
struct Word {
  enum class Task : std::uint32_t { none, step, verify, end };
  Task task = Task::none;
  std::int64_t epoch = 0;    ///< of step
  std::int64_t samples = 0;  ///< of verify: the first so many; 0: all
};

/// Some numbers that every rank tells the others.
using Slip = std::array<double, 4>;

/// Lies in shared memory, all zeros at first.
struct MeetingBoard {
  alignas(64) std::atomic<std::uint32_t> arrived;
  alignas(64) std::atomic<std::uint32_t> round;  ///< meetings that are over; whoever waits sleeps on it
  alignas(64) std::atomic<std::uint32_t> words;  ///< that rank 0 has said; likewise
  Word word;
  alignas(64) std::atomic<std::uint32_t> sleepers;
  std::atomic<std::uint32_t> called_off;                    ///< 1 + the rank that will not come any more
  std::array<std::atomic<std::uint32_t>, most_ranks> came;  ///< of each rank: meetings that it came to
  std::array<std::array<Slip, most_ranks>, 2> slips;        ///< of this meeting and the one before
  std::array<double, most_ranks> weights;
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "it is shared with other processes");

/// How long a rank waits for the others: their work is alike, so that none is much later than the others.
struct Patience {
  Nanoseconds start = std::chrono::seconds(600);  ///< until all have come twice: data may be read from afar
  Nanoseconds least = std::chrono::seconds(60);
  double times = 10;  ///< the longest time so far that this rank itself has been away
};

class Meeting {
 public:
  Meeting(MeetingBoard& board, std::int64_t rank, std::int64_t ranks, const Patience& patience,
          const Clock& clock);

  std::int64_t rank() const { return rank_; }
  std::int64_t ranks() const { return ranks_; }

  /// Returns when all ranks have come as often. Errors: unavailable (it is called off; ranks do not come).
  Status come();
  /// The same, with a slip; those of all ranks, in their order, are valid until the next call.
  Result<std::span<const Slip>> trade(const Slip& slip);

  /// Of rank 0. Whoever is behind hears the latest word only, so that it differs from the one before only
  /// where all have heard that. After most words there is a meeting, which sees to it. Steps on GPUs have
  /// none: rank 0 may say the steps of an epoch ahead of the others, in words that are alike, and waits for
  /// all of these steps, to which every rank gives its gradients, before it says anything else.
  void say(const Word& word);
  /// Of the others: waits as long as nobody calls it off.
  Result<Word> hear();

  /// Nobody waits any longer, and all calls fail. `rank` is named as the reason.
  void call_off(std::int64_t rank);

 private:
  Status wait(std::atomic<std::uint32_t>& what, std::uint32_t before, Nanoseconds limit);
  Nanoseconds patience();
  tl::unexpected<Error> nobody_came(Nanoseconds limit) const;

  MeetingBoard& board_;
  std::int64_t rank_, ranks_;
  Patience patience_;
  const Clock& clock_;
  std::uint32_t rounds_ = 0, words_ = 0;
  Moment left_;  ///< the last meeting
  Nanoseconds longest_away_{};
};

}  // namespace neph::workload
