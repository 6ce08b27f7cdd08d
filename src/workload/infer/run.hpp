// One inference run: bring the system under test up, open the pictures, warm up, measure, sum up.
#pragma once

#include <memory>

#include "host/host.hpp"
#include "workload/infer/batch_memory.hpp"
#include "workload/infer/pictures.hpp"
#include "workload/infer/recorder.hpp"
#include "workload/infer/system_under_test.hpp"
#include "workload/timeline.hpp"
#include "workload/workload.hpp"

namespace neph::workload {

/// About so long a measurement of tensors takes, where nobody says how many.
inline constexpr double tensor_run_s = 2;

/// Threads: run() is called on a thread named "engine", so that the engine's own threads inherit the name and
/// their processor time is told apart from the loaders' (core/thread.hpp). Members are made in this order and
/// go in reverse.
class InferRun {
 public:
  InferRun(const InferSpec& spec, const Context& context);
  Result<RunResult> run();

 private:
  Status open_inputs();
  Status open_pictures();
  std::int64_t choose_depth() const;
  void choose_count(const std::vector<double>& batch_s);
  std::int64_t distinct_items() const;
  Result<Recorder> make_recorder();
  Status apply(host::Telemetry& telemetry);
  Status ask_independently(host::Telemetry& telemetry);
  Status open_source();
  Status first_inference();
  Status warm_up();
  Status fix_page_cache();
  Status measure(host::Telemetry& telemetry);
  void mark(host::Telemetry& telemetry);
  void warn(Warning warning);
  void sum_up(std::vector<Series> series);
  void add_model_hash();
  void emit_progress(const PhaseKind& phase, std::int64_t done, std::int64_t total);

  InferSpec spec_;
  const Context& context_;
  Timeline timeline_;
  RunResult result_;

  std::unique_ptr<SystemUnderTest> sut_;
  bool takes_tensors_ = false;  ///< examples, and no images
  Pictures pictures_;
  BatchMemory memory_;
  std::unique_ptr<image::BatchSource> source_;
  std::unique_ptr<BatchRunner> runner_;
  std::vector<engine::Port> first_answer_;  ///< what the first inference came to
  std::int64_t count_ = 0;                  ///< items of the measurement
  std::int64_t loaders_ = 0;                ///< threads
  std::int64_t depth_ = 1;                  ///< inferences in flight
  Moment next_progress_{};
};

}  // namespace neph::workload
