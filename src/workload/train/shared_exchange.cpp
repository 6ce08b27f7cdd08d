#include "workload/train/shared_exchange.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace neph::workload {
namespace {

/// The board's part of the memory; a multiple of all page sizes.
constexpr std::size_t board_bytes = 64 << 10;
static_assert(sizeof(MeetingBoard) <= board_bytes);

/// Ranks write to cache lines of their own.
constexpr std::int64_t line = 16;
/// Summed at once: it stays in the first cache.
constexpr std::int64_t block = 2048;

std::int64_t rounded_up(std::int64_t count) { return (count + line - 1) / line * line; }

/// Adds its time to a sum when it goes.
class Stretch {
 public:
  Stretch(const Clock& clock, Nanoseconds& sum) : clock_(clock), sum_(sum), begin_(clock.now()) {}
  ~Stretch() { sum_ += clock_.now() - begin_; }
  Stretch(const Stretch&) = delete;
  Stretch& operator=(const Stretch&) = delete;

 private:
  const Clock& clock_;
  Nanoseconds& sum_;
  Moment begin_;
};

void scale(float* __restrict to, const float* __restrict from, float factor, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = from[i] * factor;
}

void add_scaled(float* __restrict to, const float* __restrict from, float factor, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] += from[i] * factor;
}

}  // namespace

SharedExchange::SharedExchange(SharedMemory memory, Mapping board, std::int64_t rank, std::int64_t ranks,
                               const Clock& clock, const Patience& patience)
    : memory_(std::move(memory)),
      board_memory_(std::move(board)),
      board_(*static_cast<MeetingBoard*>(board_memory_.begin())),
      meeting_(board_, rank, ranks, patience, clock),
      clock_(clock) {}

Result<std::unique_ptr<SharedExchange>> SharedExchange::over(SharedMemory memory, std::int64_t rank,
                                                             std::int64_t ranks, const Clock& clock,
                                                             const Patience& patience) {
  if (ranks < 1 || ranks > most_ranks || rank < 0 || rank >= ranks)
    return fail(ErrorCode::invalid_argument, "rank {} of {}: there can be {}", rank, ranks, most_ranks);
  NEPH_TRY(auto board, memory.map(0, board_bytes));
  return std::unique_ptr<SharedExchange>(
      new SharedExchange(std::move(memory), std::move(board), rank, ranks, clock, patience));
}

Result<std::unique_ptr<SharedExchange>> SharedExchange::make(std::int64_t ranks, const Clock& clock,
                                                             const Patience& patience) {
  NEPH_TRY(auto memory, SharedMemory::make("neph-exchange"));
  NEPH_CHECK(memory.grow(board_bytes));
  return over(std::move(memory), 0, ranks, clock, patience);
}

Result<std::unique_ptr<SharedExchange>> SharedExchange::join(const std::string& path, std::int64_t rank,
                                                             std::int64_t ranks, const Clock& clock,
                                                             const Patience& patience) {
  NEPH_TRY(auto memory, SharedMemory::open(path));
  return over(std::move(memory), rank, ranks, clock, patience);
}

float* SharedExchange::numbers_of(std::int64_t rank) const {
  return static_cast<float*>(numbers_.begin()) + rank * stride_;
}

/// A part for each rank and one for the means, in memory that only grows.
Status SharedExchange::have_room(std::int64_t count) {
  NEPH_TRY(const auto slips, meeting_.trade({static_cast<double>(count)}));
  for (std::size_t other = 0; other < slips.size(); ++other)
    if (slips[other][0] != static_cast<double>(count))
      return fail(ErrorCode::internal, "rank {} has {} numbers to exchange, and rank {} has {}", rank(),
                  count, other, slips[other][0]);
  stride_ = rounded_up(std::max<std::int64_t>(count, 1));
  const auto bytes = static_cast<std::size_t>(stride_ * (ranks() + 1)) * sizeof(float);
  Status grown;
  if (rank() == 0 && bytes > numbers_.bytes()) grown = memory_.grow(board_bytes + bytes);
  NEPH_TRY(const auto well, meeting_.trade({grown ? 1.0 : 0.0}));
  NEPH_CHECK(grown);
  if (well[0][0] == 0) return fail(ErrorCode::unavailable, "rank 0 has no memory for the exchange");
  if (bytes > numbers_.bytes()) {
    NEPH_TRY(numbers_, memory_.map(board_bytes, bytes));
  }
  count_ = count;
  return {};
}

Result<std::span<float>> SharedExchange::room(std::int64_t count) {
  const Stretch stretch(clock_, spent_);
  if (count != count_) NEPH_CHECK(have_room(count));
  return std::span(numbers_of(rank()), static_cast<std::size_t>(count));
}

Result<std::span<const float>> SharedExchange::mean(double weight) {
  const Stretch stretch(clock_, spent_);
  board_.weights[static_cast<std::size_t>(rank())] = weight;
  NEPH_CHECK(meeting_.come());
  double whole = 0;
  for (std::int64_t other = 0; other < ranks(); ++other)
    whole += board_.weights[static_cast<std::size_t>(other)];
  sum_slice(whole);
  NEPH_CHECK(meeting_.come());
  return std::span<const float>(means(), static_cast<std::size_t>(count_));
}

void SharedExchange::sum_slice(double whole) const {
  const auto border = [&](std::int64_t rank) { return stride_ / line * rank / ranks() * line; };
  const auto end = border(rank() + 1);
  for (auto begin = border(rank()); begin < end; begin += block) {
    const auto count = std::min(block, end - begin);
    bool is_first = true;
    for (std::int64_t other = 0; other < ranks(); ++other) {
      const double weight = board_.weights[static_cast<std::size_t>(other)];
      if (weight == 0) continue;  // it has nothing to say, and what stands there is of before
      (is_first ? scale : add_scaled)(means() + begin, numbers_of(other) + begin,
                                      static_cast<float>(weight / whole), count);
      is_first = false;
    }
  }
}

Status SharedExchange::from_rank_0(std::span<std::byte> bytes) {
  const Stretch stretch(clock_, spent_);
  const auto numbers = static_cast<std::int64_t>((bytes.size() + sizeof(float) - 1) / sizeof(float));
  const auto before = count_;
  if (numbers > count_) NEPH_CHECK(have_room(numbers));
  NEPH_CHECK(meeting_.come());  // nobody reads the means any longer
  if (rank() == 0) std::memcpy(means(), bytes.data(), bytes.size());
  NEPH_CHECK(meeting_.come());
  if (rank() != 0) std::memcpy(bytes.data(), means(), bytes.size());
  if (numbers > before) count_ = 0;  // room() divides the memory anew
  return {};
}

}  // namespace neph::workload
