// What the measurement leaves behind: raw samples, stages, answers, their file; and the figures made of
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "image/image.hpp"
#include "record/run.hpp"
#include "record/stages.hpp"
#include "workload/infer/answers.hpp"
#include "workload/infer/batch_runner.hpp"
#include "workload/speed.hpp"
#include "workload/timeline.hpp"

namespace neph::workload {

/// Fed with every batch of the measurement on the driving thread. Memory for all samples is taken before it
/// begins.
class Recorder {
 public:
  /// `pictures` in the run, in batches of `batch`: picture i is that of the set at i % `distinct`.
  Recorder(const image::PictureSet& set, std::int64_t pictures, std::int64_t distinct, std::int64_t batch,
           AnswersFile file, const Clock& clock);

  void add(const image::Batch& batch, const InferTimes& times, std::span<const float> scores);
  std::int64_t pictures_done() const { return done_; }

  /// After the last batch: its answers are in the file when this returns.
  Status close_answers_file() { return file_of_answers_.close(); }

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

  const image::PictureSet& set_;
  const Clock& clock_;
  std::size_t distinct_;
  AnswersFile file_of_answers_;
  std::vector<Top> tops_;  ///< of the batch at hand
  std::vector<Sample> samples_;
  std::vector<std::int32_t> answers_;
  std::vector<image::FailedPicture> failed_;
  std::int64_t bytes_read_ = 0;
  std::int64_t done_ = 0;
};

}  // namespace neph::workload
