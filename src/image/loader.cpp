// The loader: threads take pictures, not batches, from one counter, so that all of them work on the batch
// that is wanted next. One mutex guards the bookkeeping; it is taken twice per picture, which is nothing
// beside a millisecond of decoding.
#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "image/batch_source.hpp"
#include "image/picture_loading.hpp"
#include "os/thread.hpp"

namespace neph::image {
namespace {

/// A batch that is being filled or waits to be taken.
struct Filling {
  Batch batch;
  std::int64_t loaded = 0;
  bool complete() const { return loaded == batch.size; }
};

/// A picture to load, and where to.
struct Piece {
  std::int64_t index;  ///< in the run
  Filling* filling;
};

class Loader final : public BatchSource {
 public:
  Loader(const PictureSet& set, const Transform& transform, const LoaderOptions& options,
         std::vector<std::span<float>> slots, const Clock& clock)
      : pictures_(set.usable),
        transform_(transform),
        options_(options),
        clock_(clock),
        count_(options.count ? options.count : static_cast<std::int64_t>(set.usable.size())),
        slots_(std::move(slots)) {
    for (std::size_t slot = slots_.size(); slot > 0; --slot) free_slots_.push_back(slot - 1);
    if (options.threads == 0) own_loading_.emplace(transform_, clock_, options_.max_pixels);
  }

  ~Loader() override { stop(); }

  Status begin() {
    NEPH_TRY(threads_, start_threads(loader_role, options_.threads,
                                     [this](std::int64_t, const std::stop_token&) { run(); }));
    return {};
  }

  std::optional<Batch> next() override;
  std::optional<Batch> try_next() override;
  void on_ready(std::function<void()> ready) override;
  void release(const Batch& batch) override;
  void stop() override;
  void restart(const std::function<void()>& meanwhile) override;
  std::int64_t distinct_pictures() const override {
    return std::min(count_, static_cast<std::int64_t>(pictures_.size()));
  }

 private:
  void run();
  std::optional<Piece> take_piece(bool wait);
  bool open_batch();
  void load(PictureLoading& loading, const Piece& piece);
  void load_next_here();
  bool may_deliver() const;
  std::optional<Batch> deliver();
  void announce();

  const std::vector<Picture> pictures_;
  const Transform transform_;
  const LoaderOptions options_;
  const Clock& clock_;
  const std::int64_t count_;
  const std::vector<std::span<float>> slots_;
  std::optional<PictureLoading> own_loading_;  ///< without threads

  std::mutex mutex_;
  std::condition_variable room_;      ///< a slot is free, or stopped
  std::condition_variable complete_;  ///< the first batch is complete, or there will be none
  std::condition_variable idle_;      ///< no picture is being loaded
  std::function<void()> ready_;       ///< called with complete_
  std::deque<Filling> batches_;       ///< in order; a deque keeps its elements in place
  std::vector<std::size_t> free_slots_;
  std::int64_t next_piece_ = 0;  ///< the next picture to take
  std::int64_t delivered_ = 0;   ///< pictures that next() has handed out
  std::int64_t loading_ = 0;     ///< pictures taken and not yet loaded
  bool restarting_ = false;
  bool stopped_ = false;
  std::vector<std::jthread> threads_;  ///< last: they end before what they use
};

/// The next picture begins a batch: needs a slot. Called under the mutex.
bool Loader::open_batch() {
  if (free_slots_.empty()) return false;
  const std::size_t slot = free_slots_.back();
  free_slots_.pop_back();
  Filling filling;
  filling.batch = Batch{.index = next_piece_ / options_.batch,
                        .first = next_piece_,
                        .size = std::min(options_.batch, count_ - next_piece_),
                        .tensor = slots_[slot],
                        .slot = slot};
  const auto used = static_cast<std::size_t>(filling.batch.size) * transform_.values();
  std::fill(filling.batch.tensor.begin() + static_cast<std::ptrdiff_t>(used), filling.batch.tensor.end(),
            0.0F);
  batches_.push_back(std::move(filling));
  return true;
}

/// Empty when the loader is stopped or, without waiting, when there is no picture to load or no slot for it.
std::optional<Piece> Loader::take_piece(bool wait) {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    const bool more = next_piece_ < count_ && !restarting_;
    if (more && (next_piece_ % options_.batch != 0 || open_batch())) {
      ++loading_;
      return Piece{next_piece_++, &batches_.back()};
    }
    if (!wait) break;
    room_.wait(lock);
  }
  return std::nullopt;
}

void Loader::load(PictureLoading& loading, const Piece& piece) {
  const auto at = static_cast<std::size_t>(piece.index - piece.filling->batch.first) * transform_.values();
  const Picture& picture = pictures_[static_cast<std::size_t>(piece.index) % pictures_.size()];
  LoadedPicture loaded = loading.load(picture, piece.filling->batch.tensor.subspan(at, transform_.values()));

  const std::lock_guard lock(mutex_);
  Batch& batch = piece.filling->batch;
  batch.times += loaded.times;
  batch.bytes_read += loaded.bytes_read;
  if (!loaded.fault.empty()) batch.failed.push_back({piece.index, std::move(loaded.fault)});
  ++piece.filling->loaded;
  if (--loading_ == 0) idle_.notify_all();
  if (batches_.front().complete()) announce();
}

void Loader::run() {
  PictureLoading loading(transform_, clock_, options_.max_pixels);
  while (const auto piece = take_piece(true)) load(loading, *piece);
}

/// One batch on the calling thread, where there are no others.
void Loader::load_next_here() {
  if (!own_loading_) return;
  for (std::int64_t left = options_.batch; left > 0; --left) {
    const auto piece = take_piece(false);
    if (!piece) break;
    load(*own_loading_, *piece);
    if (piece->filling->complete()) break;
  }
}

/// Whether deliver() has an answer, be it that there is no more. Called under the mutex.
bool Loader::may_deliver() const {
  return stopped_ || delivered_ == count_ || (!batches_.empty() && batches_.front().complete());
}

/// Called under the mutex.
void Loader::announce() {
  complete_.notify_all();
  if (ready_) ready_();
}

std::optional<Batch> Loader::next() {
  load_next_here();
  std::unique_lock lock(mutex_);
  complete_.wait(lock, [&] { return may_deliver(); });
  return deliver();
}

std::optional<Batch> Loader::try_next() {
  load_next_here();
  const std::lock_guard lock(mutex_);
  return may_deliver() ? deliver() : std::nullopt;
}

void Loader::on_ready(std::function<void()> ready) {
  const std::lock_guard lock(mutex_);
  ready_ = std::move(ready);
}

/// Called under the mutex, when it may.
std::optional<Batch> Loader::deliver() {
  if (stopped_ || delivered_ == count_) return std::nullopt;
  Batch batch = std::move(batches_.front().batch);
  batches_.pop_front();
  delivered_ += batch.size;
  if (may_deliver()) announce();  // another caller may wait for the batch after this one, or for the end
  std::sort(batch.failed.begin(), batch.failed.end(), [](auto& a, auto& b) { return a.index < b.index; });
  return batch;
}

void Loader::release(const Batch& batch) {
  const std::lock_guard lock(mutex_);
  free_slots_.push_back(batch.slot);
  room_.notify_all();
}

void Loader::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  room_.notify_all();
  announce();
}

void Loader::restart(const std::function<void()>& meanwhile) {
  std::unique_lock lock(mutex_);
  restarting_ = true;
  idle_.wait(lock, [&] { return loading_ == 0; });
  for (const auto& filling : batches_) free_slots_.push_back(filling.batch.slot);
  batches_.clear();
  next_piece_ = 0;
  delivered_ = 0;
  if (meanwhile) {
    lock.unlock();
    meanwhile();
    lock.lock();
  }
  restarting_ = false;
  room_.notify_all();
}

}  // namespace

Result<std::unique_ptr<BatchSource>> load_batches(const PictureSet& set, const Transform& transform,
                                                  const LoaderOptions& options,
                                                  std::vector<std::span<float>> slots, const Clock& clock) {
  NEPH_CHECK(check_request(set, transform, options.count, options.batch, options.threads));
  if (slots.empty()) return fail(ErrorCode::invalid_argument, "no memory for batches: one slot is the least");
  const auto values = static_cast<std::size_t>(options.batch) * transform.values();
  for (const auto& slot : slots)
    if (slot.size() != values)
      return fail(ErrorCode::invalid_argument, "a slot of {} values for batches of {}", slot.size(), values);
  auto loader = std::make_unique<Loader>(set, transform, options, std::move(slots), clock);
  NEPH_CHECK(loader->begin());
  return loader;
}

}  // namespace neph::image
