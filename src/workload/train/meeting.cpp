#include "workload/train/meeting.hpp"

#include <algorithm>
#include <climits>
#include <ctime>
#include <string>

#include <fmt/format.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/units.hpp"

namespace neph::workload {
namespace {

/// Longer than ranks with cores of their own are apart, as a rule, and too short to disturb others.
constexpr Nanoseconds spinning = std::chrono::microseconds(100);
/// Who sleeps looks up so often, as a wake-up can come just before the sleep begins.
constexpr timespec longest_sleep{.tv_sec = 0, .tv_nsec = 50'000'000};
constexpr Nanoseconds forever = Nanoseconds::max();
constexpr std::uint32_t rounds_of_the_start = 2;

void sleep_on(std::atomic<std::uint32_t>& what, std::uint32_t value) {
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&what), FUTEX_WAIT, value, &longest_sleep, nullptr,
            0);
}

void wake_all(std::atomic<std::uint32_t>& what) {
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&what), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

Meeting::Meeting(MeetingBoard& board, std::int64_t rank, std::int64_t ranks, const Patience& patience,
                 const Clock& clock)
    : board_(board), rank_(rank), ranks_(ranks), patience_(patience), clock_(clock), left_(clock.now()) {}

Nanoseconds Meeting::patience() {
  if (rounds_ < rounds_of_the_start) return patience_.start;
  longest_away_ = std::max(longest_away_, clock_.now() - left_);
  return std::max(patience_.least, from_seconds(seconds(longest_away_) * patience_.times));
}

Status Meeting::come() {
  const auto limit = patience();
  const auto round = rounds_++;
  board_.came[static_cast<std::size_t>(rank_)].store(rounds_, std::memory_order_relaxed);
  if (board_.called_off.load(std::memory_order_relaxed) != 0) return nobody_came(limit);
  if (board_.arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == ranks_) {
    board_.arrived.store(0, std::memory_order_relaxed);
    board_.round.store(rounds_, std::memory_order_seq_cst);
    if (board_.sleepers.load(std::memory_order_seq_cst) > 0) wake_all(board_.round);
  } else {
    NEPH_CHECK(wait(board_.round, round, limit));
  }
  left_ = clock_.now();
  return {};
}

Status Meeting::wait(std::atomic<std::uint32_t>& what, std::uint32_t before, Nanoseconds limit) {
  const auto is_over = [&] { return what.load(std::memory_order_acquire) != before; };
  const auto begin = clock_.now();
  while (clock_.now() - begin < spinning) {
    if (is_over()) return {};
    pause();
  }
  while (!is_over()) {
    if (board_.called_off.load() != 0 || clock_.now() - begin >= limit) return nobody_came(limit);
    board_.sleepers.fetch_add(1, std::memory_order_seq_cst);
    if (!is_over()) sleep_on(what, before);
    board_.sleepers.fetch_sub(1, std::memory_order_seq_cst);
  }
  return {};
}

tl::unexpected<Error> Meeting::nobody_came(Nanoseconds limit) const {
  if (const auto off = board_.called_off.load(); off != 0)
    return fail(ErrorCode::unavailable, "rank {} has left the training", off - 1);
  std::string missing;
  for (std::int64_t rank = 0; rank < ranks_; ++rank)
    if (board_.came[static_cast<std::size_t>(rank)].load() < rounds_)
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", rank);
  return fail(ErrorCode::unavailable,
              "rank {} did not come to exchange its numbers for {}: it has stalled, or was stopped", missing,
              format_seconds(seconds(limit)));
}

Result<std::span<const Slip>> Meeting::trade(const Slip& slip) {
  auto& slips = board_.slips[rounds_ % 2];  // whoever still reads those before has not come to this meeting
  slips[static_cast<std::size_t>(rank_)] = slip;
  NEPH_CHECK(come());
  return std::span<const Slip>(slips).first(static_cast<std::size_t>(ranks_));
}

void Meeting::say(const Word& word) {
  board_.word = word;
  board_.words.store(++words_, std::memory_order_seq_cst);
  if (board_.sleepers.load(std::memory_order_seq_cst) > 0) wake_all(board_.words);
}

Result<Word> Meeting::hear() {
  NEPH_CHECK(wait(board_.words, words_, forever));
  ++words_;
  return board_.word;
}

void Meeting::call_off(std::int64_t rank) {
  std::uint32_t nobody = 0;
  board_.called_off.compare_exchange_strong(nobody, static_cast<std::uint32_t>(rank) + 1);
  wake_all(board_.round);
  wake_all(board_.words);
}

}  // namespace neph::workload
