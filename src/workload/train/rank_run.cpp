#include "workload/train/rank_run.hpp"

#include "os/cores.hpp"
#include "workload/train/cores.hpp"
#include "workload/train/ranks.hpp"

namespace neph::workload {

FeedOptions feed_options(const TrainSpec& spec, const data::Set& data, std::int64_t cores,
                         std::int64_t rank) {
  FeedOptions options{.batch = spec.batch,
                      .loaders = spec.loaders,
                      .seed = static_cast<std::uint64_t>(spec.train_seed),
                      .rank = rank,
                      .ranks = ranks_of(spec)};
  for (const auto size : data.example_shape) options.values *= size;
  if (options.loaders < 0)
    options.loaders = spec.data_in == data::Keep::memory ? 1 : cores > 0 ? cores : usable_cores();
  return options;
}

Result<Verification> verify_together(Meeting* meeting, engine::Trainer& trainer, Feed& feed,
                                     std::int64_t samples, const Clock& clock,
                                     const std::function<bool(std::int64_t done)>& stops) {
  if (!meeting) return verify(trainer, feed, samples, clock, stops);
  NEPH_CHECK(trainer.share_statistics());
  NEPH_TRY(auto all, verify(trainer, feed, samples, clock, stops));
  const auto seen = static_cast<double>(all.samples);
  NEPH_TRY(const auto slips, meeting->trade({all.loss * seen, static_cast<double>(all.correct), seen}));
  Slip sums{};
  for (const auto& slip : slips)
    for (std::size_t i = 0; i < slip.size(); ++i) sums[i] += slip[i];
  all.samples = static_cast<std::int64_t>(sums[2]);
  all.correct = static_cast<std::int64_t>(sums[1]);
  all.loss = sums[2] > 0 ? sums[0] / sums[2] : 0;
  return all;
}

Result<RunResult> RankRun::run() {
  const auto& part = *context_.part;
  NEPH_TRY(exchange_, SharedExchange::join(part.memory, part.rank, part.ranks, context_.clock));
  NEPH_CHECK(prepare());
  NEPH_CHECK(exchange_->meeting().come());
  NEPH_CHECK(follow());
  NEPH_CHECK(trainer_->share_statistics());
  NEPH_TRY(const auto weights, trainer_->weights());
  NEPH_CHECK(check_alike(exchange_->meeting(), weights));
  return RunResult{};
}

Status RankRun::prepare() {
  NEPH_TRY(const auto cores, bind_to_cores(spec_.threads, exchange_->rank(), exchange_->ranks()));
  NEPH_TRY(auto* const engine, engines_.open_trainer(spec_.engine));
  NEPH_TRY(network_, open_network(spec_, *engine));
  NEPH_TRY(trainer_, make_trainer(spec_, network_, *engine, exchange_.get(), cores));
  NEPH_TRY(data_, data::open(spec_.data, data_options(spec_, network_.known(), trainer_.get())));
  auto options = feed_options(spec_, data_, cores, exchange_->rank());
  NEPH_TRY(feed_, Feed::make(*data_.train, options, context_.clock));
  options.shuffles = false;
  NEPH_TRY(test_feed_, Feed::make(*data_.test, options, context_.clock));
  learner_ = std::make_unique<Learner>(*trainer_, *feed_, context_.clock);
  if (computes_on_its_own(*trainer_)) learner_->wait_together(waited_together_on_a_gpu);
  return {};
}

Status RankRun::follow() {
  for (;;) {
    NEPH_TRY(const auto word, exchange_->meeting().hear());
    switch (word.task) {
      case Word::Task::step:
        NEPH_CHECK(step(word.epoch));
        break;
      case Word::Task::verify:
        NEPH_CHECK(verify_together(&exchange_->meeting(), *trainer_, *test_feed_, word.samples,
                                   context_.clock, [](std::int64_t) { return false; }));
        break;
      case Word::Task::none:
      case Word::Task::end:
        return {};
    }
  }
}

Status RankRun::step(std::int64_t epoch) {
  if (epoch != epoch_) feed_->begin(epoch_ = epoch);
  NEPH_TRY(const bool learnt, learner_->step(epoch));
  if (!learnt) return fail(ErrorCode::internal, "rank 0 makes a step that this rank has no samples of");
  return {};
}

}  // namespace neph::workload
