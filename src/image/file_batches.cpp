#include <numeric>

#include "image/batch_source.hpp"
#include "image/file_bytes.hpp"
#include "image/picture_loading.hpp"

namespace neph::image {
namespace {

/// Threads: next() and release() may be called from different ones, next() by one at a time.
class FileBatches final : public BatchSource {
 public:
  FileBatches(const PictureSet& set, std::int64_t count, std::int64_t batch, std::int64_t slots,
              const Clock& clock)
      : set_(set),
        count_(count > 0 ? count : static_cast<std::int64_t>(set.usable.size())),
        batch_(batch),
        clock_(clock),
        slots_(static_cast<std::size_t>(slots)),
        free_(slots_.size()) {
    std::iota(free_.rbegin(), free_.rend(), std::size_t{0});
    for (auto& slot : slots_) slot.resize(static_cast<std::size_t>(batch));
  }

  std::optional<Batch> next() override {
    if (stopped_ || next_ >= count_ || free_.empty()) return std::nullopt;
    Batch batch{.index = next_ / batch_, .first = next_, .size = std::min(batch_, count_ - next_)};
    batch.slot = free_.back();
    free_.pop_back();
    next_ += batch.size;
    const auto begin = clock_.now();
    for (std::int64_t i = 0; i < batch.size; ++i) add_file(batch, i);
    batch.times.read = clock_.now() - begin;
    return batch;
  }
  std::optional<Batch> try_next() override { return next(); }
  void on_ready(std::function<void()>) override {}  // there is never anything to wait for
  void release(const Batch& batch) override { free_.push_back(batch.slot); }
  void stop() override { stopped_ = true; }
  void restart(const std::function<void()>& meanwhile) override {
    if (meanwhile) meanwhile();
    next_ = 0;
  }
  std::int64_t distinct_pictures() const override { return static_cast<std::int64_t>(set_.usable.size()); }

 private:
  void add_file(Batch& batch, std::int64_t i) {
    const auto& picture = set_.usable[static_cast<std::size_t>(batch.first + i) % set_.usable.size()];
    const auto bytes = read_into(picture.path, slots_[batch.slot][static_cast<std::size_t>(i)]);
    if (!bytes) batch.failed.push_back({batch.first + i, bytes.error().message});
    batch.files.push_back(bytes.value_or(std::span<const std::byte>()));
    batch.bytes_read += static_cast<std::int64_t>(batch.files.back().size());
  }

  const PictureSet& set_;
  const std::int64_t count_, batch_;
  const Clock& clock_;
  std::vector<std::vector<std::vector<std::byte>>> slots_;  ///< per slot and picture, used again
  std::vector<std::size_t> free_;
  std::int64_t next_ = 0;
  bool stopped_ = false;
};

}  // namespace

Result<std::unique_ptr<BatchSource>> file_batches(const PictureSet& set, std::int64_t count,
                                                  std::int64_t batch, std::int64_t slots,
                                                  const Clock& clock) {
  NEPH_CHECK(check_request(set, Transform{}, count, batch, 0));
  if (slots < 1) return fail(ErrorCode::invalid_argument, "slots {}: 1 or more", slots);
  return std::make_unique<FileBatches>(set, count, batch, slots, clock);
}

}  // namespace neph::image
