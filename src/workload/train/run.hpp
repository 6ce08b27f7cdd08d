// One training run: bring the network and the data up, learn, verify after each epoch, save, sum up.
#pragma once

#include <memory>

#include "host/host.hpp"
#include "stats/stats.hpp"
#include "workload/timeline.hpp"
#include "workload/train/learner.hpp"
#include "workload/train/network.hpp"
#include "workload/train/ranks.hpp"
#include "workload/workload.hpp"

namespace neph::workload {

/// Threads: run() is called on a thread named "engine", so that the engine's own threads inherit the name.
/// Members are made in this order and go in reverse.
class TrainRun {
 public:
  TrainRun(const TrainSpec& spec, const Context& context);
  Result<RunResult> run();

 private:
  Status measure();
  Status bind();
  Status prepare();
  Status open_data();
  Status make_feeds();
  /// All epochs, or as many steps of them as are to be measured.
  Status train(host::Telemetry& telemetry);
  Status learn_epoch(host::Telemetry& telemetry);
  Result<bool> step();
  void after_step(host::Telemetry& telemetry);
  void begin_measuring(host::Telemetry& telemetry);
  /// Ends the phase that is going on; another of the kind begins with the next step.
  void end_lap();
  Status verify_epoch();
  Status verify_slice();
  Result<Verification> verify_first(std::int64_t samples);
  /// Of several processes: that all have learnt the same.
  Status end_ranks();
  Status save();

  bool is_sampled() const { return spec_.steps > 0; }
  bool is_over() const;  ///< whether no further step is to be made
  bool is_warm() const;
  std::int64_t measured() const;
  std::int64_t samples_of_training() const;
  void look_for_nan();
  void warn(Warning warning);
  void tell_epoch();
  /// Of sequences nobody tells which are right.
  bool has_accuracy() const { return data_.test->labels_per_example() == 1; }
  void emit_progress();
  double left_s() const;

  void sum_up(std::vector<Series> series);
  void add_figures(const StepLog& log);
  void add_times(const StepLog& log);
  void add_epochs();
  void add_facts(const StepLog& log);

  TrainSpec spec_;
  const Context& context_;
  Timeline timeline_;
  RunResult result_;
  std::int64_t cores_ = 0;        ///< that this process is bound to; 0: to none
  std::int64_t all_cores_ = 0;    ///< and all processes of the run
  std::unique_ptr<Ranks> ranks_;  ///< null: there is one process

  engine::Registry engines_;
  TrainedNetwork network_;
  std::unique_ptr<engine::Trainer> trainer_;
  data::Set data_;
  std::unique_ptr<Feed> feed_, test_feed_;
  std::unique_ptr<Learner> learner_;

  stats::Warmup warmup_;
  const PhaseKind* kind_ = nullptr;  ///< of the phase that is going on
  double lap_begin_s_ = 0;
  double learn_s_ = 0, verify_s_ = 0;  ///< that are over
  double warmup_begin_s_ = 0, measured_begin_s_ = 0, measured_end_s_ = 0;
  std::size_t first_measured_ = 0;  ///< step
  Nanoseconds filling_{}, exchanging_{};
  std::int64_t epoch_ = 1;
  std::int64_t epochs_over_ = 0;  ///< learnt and verified
  std::int64_t learnt_ = 0;       ///< samples
  std::size_t looked_at_ = 0;     ///< steps whose losses were looked at
  bool has_nan_ = false;
  std::vector<double> verify_batch_s_;             ///< of whole batches
  Verification last_;                              ///< of the last epoch
  Series train_loss_, test_loss_, test_accuracy_;  ///< at the end of each epoch
  std::int64_t checkpoint_bytes_ = 0;
  std::string checkpoint_;
  Moment next_progress_{};
};

}  // namespace neph::workload
