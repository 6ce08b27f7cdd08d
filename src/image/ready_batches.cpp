#include <algorithm>
#include <mutex>
#include <vector>

#include "core/aligned.hpp"
#include "image/batch_source.hpp"
#include "image/parallel.hpp"
#include "image/picture_loading.hpp"

namespace neph::image {
namespace {

constexpr std::int64_t least_batches = 4;

/// Tensors of `distinct` pictures in a row, and the first batch - 1 of them once more behind the last: so a
/// batch that begins anywhere is one stretch of memory, whatever the batch, and picture i of the run is
/// always i % distinct.
class Ready final : public BatchSource {
 public:
  Ready(std::int64_t count, std::int64_t batch, std::int64_t distinct, std::size_t values,
        AlignedFloats memory, std::vector<std::string> faults)
      : count_(count),
        batch_(batch),
        distinct_(distinct),
        values_(values),
        memory_(std::move(memory)),
        faults_(std::move(faults)) {}

  std::optional<Batch> next() override {
    const std::lock_guard lock(mutex_);
    if (stopped_ || first_ >= count_) return std::nullopt;
    const std::int64_t begin = first_ % distinct_;
    Batch batch{.index = first_ / batch_, .first = first_, .size = std::min(batch_, count_ - first_)};
    batch.tensor = {memory_.get() + static_cast<std::size_t>(begin) * values_,
                    static_cast<std::size_t>(batch_) * values_};
    for (std::int64_t i = 0; i < batch.size; ++i)
      if (const auto& fault = faults_[static_cast<std::size_t>((begin + i) % distinct_)]; !fault.empty())
        batch.failed.push_back({first_ + i, fault});
    first_ += batch.size;
    return batch;
  }

  std::optional<Batch> try_next() override { return next(); }
  void on_ready(std::function<void()>) override {}  // it always is
  void release(const Batch&) override {}

  void stop() override {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }

  void restart(const std::function<void()>& meanwhile) override {
    if (meanwhile) meanwhile();
    const std::lock_guard lock(mutex_);
    first_ = 0;
  }

  std::int64_t distinct_pictures() const override { return distinct_; }

 private:
  const std::int64_t count_, batch_, distinct_;
  const std::size_t values_;
  const AlignedFloats memory_;
  const std::vector<std::string> faults_;
  std::mutex mutex_;
  std::int64_t first_ = 0;
  bool stopped_ = false;
};

/// As many distinct pictures as the run needs and the memory holds.
std::int64_t distinct_pictures(const PictureSet& set, std::int64_t count, const ReadyOptions& options,
                               std::size_t values) {
  const auto tensor_bytes = static_cast<std::int64_t>(values * sizeof(float));
  const std::int64_t fitting = options.memory_bytes / tensor_bytes - (options.batch - 1);
  const std::int64_t held = std::max(fitting, least_batches * options.batch);
  return std::min({held, count, static_cast<std::int64_t>(set.usable.size())});
}

}  // namespace

Result<std::unique_ptr<BatchSource>> ready_batches(const PictureSet& set, const Transform& transform,
                                                   const ReadyOptions& options, const Clock& clock,
                                                   StageTimes* loading, const PictureProgress& progress,
                                                   std::stop_token stop) {
  NEPH_CHECK(check_request(set, transform, options.count, options.batch, options.threads));
  const std::size_t values = transform.values();
  const std::int64_t count = options.count ? options.count : static_cast<std::int64_t>(set.usable.size());
  const std::int64_t distinct = distinct_pictures(set, count, options, values);
  const std::int64_t tensors = distinct + options.batch - 1;
  auto memory = allocate_floats(static_cast<std::size_t>(tensors) * values);
  if (!memory) return fail(ErrorCode::unavailable, "no memory for {} tensors of {} values", tensors, values);

  const auto tensor = [&](std::int64_t i) {
    return std::span(memory.get() + static_cast<std::size_t>(i) * values, values);
  };
  std::vector<std::string> faults(static_cast<std::size_t>(distinct));
  StageTimes times;
  std::mutex mutex;
  const auto make_worker = [&] {
    auto one = std::make_shared<PictureLoading>(transform, clock, options.max_pixels);
    return [&, one](std::int64_t i) {
      auto loaded = one->load(set.usable[static_cast<std::size_t>(i)], tensor(i));
      const std::lock_guard lock(mutex);
      times += loaded.times;
      faults[static_cast<std::size_t>(i)] = std::move(loaded.fault);
    };
  };
  NEPH_CHECK(for_each_piece(distinct, options.threads, make_worker, progress, stop));
  if (stop.stop_requested()) return fail(ErrorCode::unavailable, "stopped while images were being decoded");
  for (std::int64_t i = distinct; i < tensors; ++i) {
    const auto from = tensor(i - distinct);
    std::copy(from.begin(), from.end(), tensor(i).begin());
  }
  if (loading) *loading = times;
  return std::make_unique<Ready>(count, options.batch, distinct, values, std::move(memory),
                                 std::move(faults));
}

}  // namespace neph::image
