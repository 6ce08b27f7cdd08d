// Training steps alone, with the batches and the engine that `neph train` has: what `./dev bench` holds
// against other people's frameworks.
//
//   train_rate_bench MODEL [--data synth] [--batch 128] [--threads 1] ... (fields of TrainSpec, as JSON has
//   them)
//
// Takes as many steps as each line of standard input says, and answers each with one line of JSON: CPU time
// of the whole process, wall time, and the last loss. So several such programs can take turns.
#include <charconv>
#include <cstdio>
#include <iostream>
#include <span>

#include "core/bench_program.hpp"
#include "os/thread.hpp"
#include "workload/train/cores.hpp"
#include "workload/train/learner.hpp"
#include "workload/train/network.hpp"

namespace neph::workload {
namespace {

constexpr const char* program = "train_rate_bench";

/// Epochs without end.
class Training {
 public:
  Status open(const TrainSpec& spec) {
    NEPH_CHECK(bind_to_cores(spec.threads));
    NEPH_TRY(auto* const engine, engines_.open_trainer(spec.engine));
    NEPH_TRY(const auto network, open_network(spec, *engine));
    NEPH_TRY(trainer_, make_trainer(spec, network, *engine));
    NEPH_TRY(data_, data::open(spec.data, data_options(spec, network.known(), trainer_.get())));
    FeedOptions options{.batch = spec.batch, .seed = static_cast<std::uint64_t>(spec.train_seed)};
    for (const auto size : data_.example_shape) options.values *= size;
    NEPH_TRY(feed_, Feed::make(*data_.train, options, clock_));
    feed_->begin(epoch_);
    learner_ = std::make_unique<Learner>(*trainer_, *feed_, clock_);
    return {};
  }

  Status step() {
    NEPH_TRY(const bool learnt, learner_->step(epoch_));
    if (learnt) return {};
    feed_->begin(++epoch_);
    return step();
  }

  Result<Json> steps(std::int64_t count) {
    const double cpu_s = process_cpu_s();
    const auto begin = clock_.now();
    const auto items = taken();
    for (std::int64_t i = 0; i < count; ++i) NEPH_CHECK(step());
    NEPH_CHECK(learner_->wait());
    return Json{{"cpu_s", process_cpu_s() - cpu_s},
                {"wall_s", seconds(clock_.now() - begin)},
                {"images", taken() - items},
                {"loss", learner_->steps().empty() ? 0 : learner_->steps().back().loss}};
  }

  const Facts& facts() const { return trainer_->facts(); }

 private:
  std::int64_t taken() const {
    std::int64_t items = 0;
    for (const auto& step : learner_->steps()) items += step.items;
    return items;
  }

  SteadyClock clock_;
  engine::Registry engines_;
  std::unique_ptr<engine::Trainer> trainer_;
  data::Set data_;
  std::unique_ptr<Feed> feed_;
  std::unique_ptr<Learner> learner_;
  std::int64_t epoch_ = 1;
};

void say(const Json& json) {
  std::puts(dump_json(json).c_str());
  std::fflush(stdout);
}

Status run(std::span<char*> words) {
  NEPH_TRY(const auto spec, spec_of_words(program, words, TrainSpec{.data = "synth", .threads = 1}));
  name_this_thread(engine_role);
  Training training;
  NEPH_CHECK(training.open(spec));
  say(Json{{"facts", training.facts()}});
  for (std::string line; std::getline(std::cin, line);) {
    std::int64_t count = 0;
    std::from_chars(line.data(), line.data() + line.size(), count);
    if (count < 1) return fail(ErrorCode::invalid_argument, "'{}': a number of steps was expected", line);
    NEPH_TRY(const auto took, training.steps(count));
    say(took);
  }
  return {};
}

}  // namespace
}  // namespace neph::workload

int main(int count, char** words) {
  using namespace neph::workload;
  return neph::exit_code_of(program, run(std::span(words, static_cast<std::size_t>(count)).subspan(1)));
}
