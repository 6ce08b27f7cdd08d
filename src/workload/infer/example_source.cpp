#include "workload/infer/example_source.hpp"

#include <mutex>

namespace neph::workload {
namespace {

class Source final : public image::BatchSource {
 public:
  Source(const Examples& examples, std::int64_t count, std::int64_t rows)
      : examples_(examples), inferences_((count + rows - 1) / rows), rows_(rows) {}

  std::optional<image::Batch> next() override {
    const std::scoped_lock lock(mutex_);
    if (is_stopped_ || next_ >= inferences_) return std::nullopt;
    image::Batch batch{.index = next_, .first = next_ * rows_, .size = rows_};
    batch.slot = example_of(examples_, next_);
    ++next_;
    return batch;
  }

  std::optional<image::Batch> try_next() override { return next(); }
  void on_ready(std::function<void()>) override {}  // it always is
  void release(const image::Batch&) override {}

  void stop() override {
    const std::scoped_lock lock(mutex_);
    is_stopped_ = true;
  }

  void restart(const std::function<void()>& meanwhile) override {
    if (meanwhile) meanwhile();
    const std::scoped_lock lock(mutex_);
    next_ = 0;
  }

  std::int64_t distinct_pictures() const override { return std::ssize(examples_.all); }

 private:
  const Examples& examples_;
  const std::int64_t inferences_, rows_;
  std::mutex mutex_;
  std::int64_t next_ = 0;
  bool is_stopped_ = false;
};

}  // namespace

std::unique_ptr<image::BatchSource> example_source(const Examples& examples, std::int64_t count,
                                                   std::int64_t rows) {
  return std::make_unique<Source>(examples, count, rows);
}

}  // namespace neph::workload
