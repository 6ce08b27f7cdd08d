#include "workload/train/learner.hpp"

#include <algorithm>

namespace neph::workload {

bool computes_on_its_own(const engine::Trainer& trainer) {
  return get(trainer.facts(), fact::device).value_or("CPU") != "CPU";
}

Result<bool> Learner::step(std::int64_t epoch) {
  StepTimes times{.asked = clock_.now(), .epoch = epoch};
  NEPH_TRY(const auto examples, feed_.next());
  if (!examples) {
    NEPH_CHECK(wait());
    return false;
  }
  times.ready = clock_.now();
  times.items = feed_.whole();
  NEPH_CHECK(trainer_.step(*examples));
  pending_.push_back(times);
  if (std::ssize(pending_) >= waited_together_) NEPH_CHECK(wait());
  return true;
}

Status Learner::wait() {
  if (pending_.empty()) return {};
  NEPH_TRY(const auto losses, trainer_.losses());
  if (losses.size() != pending_.size())
    return fail(ErrorCode::internal, "the engine told {} losses of {} steps", losses.size(), pending_.size());
  const auto begin = pending_.front().asked;
  const auto each = (clock_.now() - begin) / static_cast<std::int64_t>(pending_.size());
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    auto& step = pending_[i];
    if (pending_.size() > 1) {
      const auto waited = step.ready - step.asked;
      step.asked = begin + static_cast<std::int64_t>(i) * each;
      step.ready = step.asked + std::min(waited, each);
    }
    step.done = step.asked + each;
    step.loss = losses[i];
    steps_.push_back(step);
  }
  pending_.clear();
  return {};
}

Result<Verification> verify(engine::Trainer& trainer, Feed& feed, std::int64_t samples, const Clock& clock,
                            const std::function<bool(std::int64_t done)>& stops) {
  Verification all;
  std::int64_t whole = 0;
  feed.begin(0, samples);
  for (;;) {
    const auto begin = clock.now();
    NEPH_TRY(const auto examples, feed.next());
    if (!examples) break;
    if (examples->count == 0) continue;  // another rank has all of them
    NEPH_TRY(const auto seen, trainer.verify(*examples));
    whole = std::max(whole, examples->count);
    if (examples->count == whole) all.batch_s.push_back(seconds(clock.now() - begin));
    all.loss += seen.loss * static_cast<double>(examples->count);
    all.correct += seen.correct;
    all.samples += examples->count;
    if (stops(all.samples)) break;
  }
  if (all.samples > 0) all.loss /= static_cast<double>(all.samples);
  return all;
}

}  // namespace neph::workload
