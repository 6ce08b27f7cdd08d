#include "workload/train/feed.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <numeric>

#include <fmt/format.h>

#include "core/random.hpp"
#include "core/units.hpp"
#include "os/thread.hpp"

namespace neph::workload {

std::vector<std::int64_t> epoch_order(std::int64_t size, std::uint64_t seed, std::int64_t epoch) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  auto state = seed;
  Random random(split_mix(state) ^ static_cast<std::uint64_t>(epoch));
  shuffle(order, random);
  return order;
}

Feed::Feed(const data::Split& split, const FeedOptions& options, const Clock& clock)
    : split_(split), options_(options), clock_(clock) {}

Feed::~Feed() = default;

Result<std::unique_ptr<Feed>> Feed::make(const data::Split& split, const FeedOptions& options,
                                         const Clock& clock) {
  std::unique_ptr<Feed> feed(new Feed(split, options, clock));
  NEPH_CHECK(feed->allocate());
  NEPH_CHECK(feed->start_loaders());
  return feed;
}

Status Feed::allocate() {
  const auto all = std::min(options_.batch, std::max<std::int64_t>(1, split_.size()));
  const auto rows = (all + options_.ranks - 1) / options_.ranks;
  try {
    slots_.resize(options_.loaders > 0 ? static_cast<std::size_t>(options_.loaders) + 2 : 1);
    for (auto& slot : slots_) {
      slot.inputs.resize(static_cast<std::size_t>(rows * options_.values));
      slot.labels.resize(static_cast<std::size_t>(rows * split_.labels_per_example()));
    }
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::unavailable, "not enough memory for {} batches of {}; take a smaller --batch",
                slots_.size(),
                format_bytes(4.0 * static_cast<double>(rows) * static_cast<double>(options_.values)));
  }
  return {};
}

Status Feed::start_loaders() {
  NEPH_TRY(loaders_, start_threads(loader_role, options_.loaders,
                                   [this](std::int64_t, const std::stop_token& stop) { load(stop); }));
  return {};
}

std::int64_t Feed::batches() const { return (std::ssize(order_) + options_.batch - 1) / options_.batch; }

std::int64_t Feed::size_of(std::int64_t batch) const {
  return std::min(options_.batch, std::ssize(order_) - batch * options_.batch);
}

std::span<const std::int64_t> Feed::rows_of(std::int64_t batch) const {
  const auto size = size_of(batch);
  const auto begin = size * options_.rank / options_.ranks;
  const auto end = size * (options_.rank + 1) / options_.ranks;
  return {order_.data() + batch * options_.batch + begin, static_cast<std::size_t>(end - begin)};
}

Status Feed::fill(Slot& slot, std::int64_t batch) {
  const auto rows = rows_of(batch);
  if (rows.empty()) return {};
  const auto inputs = rows.size() * static_cast<std::size_t>(options_.values);
  const auto labels = rows.size() * static_cast<std::size_t>(split_.labels_per_example());
  return guarded([&] {
    return split_.fill(rows, {slot.inputs.data(), inputs}, {slot.labels.data(), labels});
  });
}

void Feed::begin(std::int64_t epoch, std::int64_t examples) {
  auto order =
      options_.shuffles ? epoch_order(split_.size(), options_.seed, epoch) : epoch_order(split_.size(), 0, 0);
  if (!options_.shuffles) std::iota(order.begin(), order.end(), 0);
  if (examples > 0 && examples < std::ssize(order)) order.resize(static_cast<std::size_t>(examples));
  std::unique_lock lock(mutex_);
  next_to_fill_ = batches();  // nobody begins another one of the order that goes
  changed_.wait(lock, [this] { return filling_ == 0; });
  order_ = std::move(order);
  for (auto& slot : slots_) slot.is_full = false;
  next_to_fill_ = next_to_give_ = 0;
  changed_.notify_all();
}

void Feed::load(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  // The batch that was given last is in use until the next is asked for: its slot is not free.
  const auto is_free = [this] {
    return next_to_fill_ < batches() && next_to_fill_ < next_to_give_ - 1 + std::ssize(slots_);
  };
  while (changed_.wait(lock, stop, is_free)) {
    const auto batch = next_to_fill_++;
    auto& slot = slot_of(batch);
    slot.batch = batch;
    ++filling_;
    lock.unlock();
    const auto begin = clock_.now();
    auto status = fill(slot, batch);
    const auto took = clock_.now() - begin;
    lock.lock();
    filling_time_ += took;
    slot.status = std::move(status);
    slot.is_full = true;
    --filling_;
    changed_.notify_all();
  }
}

Result<std::optional<engine::Examples>> Feed::next() {
  std::unique_lock lock(mutex_);
  if (next_to_give_ >= batches()) return std::nullopt;
  const auto batch = next_to_give_++;
  auto& slot = slot_of(batch);
  if (options_.loaders == 0) {
    const auto begin = clock_.now();
    slot.status = fill(slot, batch);
    filling_time_ += clock_.now() - begin;
  } else {
    changed_.notify_all();
    changed_.wait(lock, [&] { return slot.batch == batch && slot.is_full; });
    slot.is_full = false;
  }
  NEPH_CHECK(slot.status);
  whole_ = size_of(batch);
  const auto count = std::ssize(rows_of(batch));
  return engine::Examples{
      .count = count,
      .inputs = {slot.inputs.data(), static_cast<std::size_t>(count * options_.values)},
      .labels = {slot.labels.data(), static_cast<std::size_t>(count * split_.labels_per_example())},
      .whole = whole_};
}

bool Feed::is_over() {
  const std::lock_guard lock(mutex_);
  return next_to_give_ >= batches();
}

Nanoseconds Feed::filling_time() {
  const std::lock_guard lock(mutex_);
  return std::exchange(filling_time_, Nanoseconds{});
}

}  // namespace neph::workload
