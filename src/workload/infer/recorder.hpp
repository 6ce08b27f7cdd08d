// What the measurement leaves behind: raw samples, stages, answers, their file; and the figures made of
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "image/image.hpp"
#include "record/run.hpp"
#include "record/stages.hpp"
#include "workload/infer/answer_keeper.hpp"
#include "workload/infer/batch_runner.hpp"
#include "workload/infer/input_plan.hpp"
#include "workload/speed.hpp"
#include "workload/timeline.hpp"

namespace neph::workload {

/// Fed with every batch of the measurement on the driving thread. Memory for all samples is taken before it
/// begins.
class Recorder {
 public:
  struct What {
    std::int64_t items = 0;  ///< in the run
    std::int64_t batch = 1;
    Item item = Item::image;
    std::int64_t tokens = 0;  ///< in an item
  };
  Recorder(const What& what, std::unique_ptr<AnswerKeeper> answers, const Clock& clock);

  void add(const image::Batch& batch, const InferTimes& times, Outputs outputs);
  std::int64_t items_done() const { return done_; }

  /// After the last batch: its answers are in the file when this returns.
  Status close_answers_file() { return answers_->close(); }

  /// Fills samples, stages, answers, figures and warnings of the result for the measurement that lasted from
  /// `begin` to `end`. `loaders` are the threads that shared the loading.
  void finish(const Timeline& timeline, Moment begin, Moment end, std::int64_t loaders,
              RunResult& result) const;

 private:
  struct Sample {
    InferTimes times;
    std::int64_t items = 0;
    std::int64_t answered = 0;  ///< items less those that failed
    image::StageTimes load;
    Nanoseconds postprocess{};
    Nanoseconds write{};
  };

  void add_stages(RunResult& result) const;
  void add_samples(const Timeline& timeline, RunResult& result) const;
  void add_figures(Moment begin, Moment end, std::int64_t loaders, RunResult& result) const;
  void add_short_batch(RunResult& result) const;
  void add_warnings(RunResult& result) const;
  std::vector<BatchEnd> ends() const;
  Nanoseconds engine_busy() const;
  bool served() const;
  RequestStages requests() const;  ///< of no requests in this process

  const What what_;
  const Clock& clock_;
  std::unique_ptr<AnswerKeeper> answers_;
  std::vector<Sample> samples_;
  std::vector<image::FailedPicture> failed_;
  std::int64_t bytes_read_ = 0;
  std::int64_t done_ = 0;
};

}  // namespace neph::workload
