#include "wire/grpc/reply_watch.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "os/thread.hpp"
#include "wire/min_transfer_rate.hpp"

namespace neph::wire {
namespace {

constexpr Nanoseconds a_byte{static_cast<std::int64_t>(1e9 / least_bytes_per_s)};
constexpr Nanoseconds longest_between_looks = std::chrono::seconds(1);

}  // namespace

ReplyWatch::ReplyWatch(double patience_s, const Clock& clock)
    : patience_(from_seconds(patience_s)), clock_(clock), now_(clock.now()) {
  const auto between = std::min(longest_between_looks, patience_ / 4);
  thread_ = start_thread("grpc-watch", [this, between](const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!asleep_.wait_for(lock, stop, between, [&stop] { return stop.stop_requested(); })) {
      lock.unlock();
      look();
      lock.lock();
    }
  });
}

void ReplyWatch::look() {
  const auto now = clock_.now();
  now_ = now;
  std::vector<std::pair<Slot*, Moment>> late;
  {
    const std::scoped_lock lock(mutex_);
    for (auto* slot : slots_)
      if (const auto due = slot->due_.load(); due < now) late.emplace_back(slot, due);
  }
  for (const auto& [slot, due] : late) cancel(slot, due);
}

/// Without a lock: the library may end the call in here, and other calls of its connection. Either end()
/// comes first, and the slot is not due, or it finds that it must wait.
void ReplyWatch::cancel(Slot* slot, Moment due) {
  {
    const std::scoped_lock lock(mutex_);
    if (!slots_.contains(slot)) return;
    cancelling_ = slot;
  }
  if (slot->due_.compare_exchange_strong(due, never)) slot->context_->TryCancel();
  cancelling_ = nullptr;
}

ReplyWatch::Slot::Slot(ReplyWatch& home) : home_(home) {
  const std::scoped_lock lock(home_.mutex_);
  home_.slots_.insert(this);
}

ReplyWatch::Slot::~Slot() {
  {
    const std::scoped_lock lock(home_.mutex_);
    home_.slots_.erase(this);
  }
  end();
}

void ReplyWatch::Slot::begin(const grpc::ServerContextBase& context, std::size_t bytes) {
  context_ = &context;
  due_.store(home_.now_.load(std::memory_order_relaxed) + home_.patience_ +
                 a_byte * static_cast<std::int64_t>(bytes),
             std::memory_order_release);
}

void ReplyWatch::Slot::end() {
  due_ = never;
  while (home_.cancelling_ == this && std::this_thread::get_id() != home_.thread_.get_id())
    std::this_thread::yield();
}

}  // namespace neph::wire
