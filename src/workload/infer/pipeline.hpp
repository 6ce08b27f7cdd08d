// The loop that joins a source of batches to an engine: one inference after the other, or several in flight.
// It knows neither files nor what answers mean. Threads: run() drives from the calling thread, which should
// be named "engine" (core/thread.hpp); in asynchronous mode the engine completes requests on threads of its
// own.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "engine/engine.hpp"
#include "image/image.hpp"
#include "workload/infer/batch_runner.hpp"
#include "workload/infer/examples.hpp"

namespace neph::workload {

class Pipeline final : public BatchRunner {
 public:
  /// `depth` inferences in flight; 1 waits for each on the driving thread (synchronous).
  /// `examples`: what the batches' slots are numbers of; none: batches carry the pixels of the only input.
  static Result<std::unique_ptr<Pipeline>> make(engine::Session& session, const Clock& clock,
                                                std::int64_t depth, Examples* examples = nullptr);
  ~Pipeline() override;

  Status run(image::BatchSource& source, const Finished& finished, const std::stop_token& stop) override;

 private:
  /// A request with its output memory and the batch that is in it.
  struct Lane {
    std::unique_ptr<engine::Request> request;
    std::vector<AlignedFloats> memory;            ///< of outputs whose shape is known
    std::vector<std::vector<std::int64_t>> open;  ///< shapes of the others, after an inference
    std::vector<Output> outputs;
    const void* bound = nullptr;  ///< pixels, or an example
    AlignedFloats pixels;         ///< as the input's element, where that is not f32
    image::Batch batch;
    InferTimes times;
    Status status;
  };

  class Listening;

  Pipeline(engine::Session& session, const Clock& clock, Examples* examples);
  Status add_lane();
  Status bind_outputs(Lane& lane);
  Status read_open_outputs(Lane& lane) const;
  Status bind(Lane& lane, const image::Batch& batch);
  Status bind_converted(Lane& lane, const image::Batch& batch);
  Status run_in_turn(image::BatchSource& source, const Finished& finished, const std::stop_token& stop);
  Status run_in_flight(image::BatchSource& source, const Finished& finished, const std::stop_token& stop);
  Status start(std::size_t lane, image::Batch batch);
  /// The next batch, if it is there at once.
  std::optional<image::Batch> offered_batch(image::BatchSource& source);
  /// The next lane that is done; empty when a batch was offered first and `or_batch`.
  std::optional<std::size_t> wait_for_lane(bool or_batch);

  engine::Session& session_;
  const Clock& clock_;
  Examples* const examples_;
  bool has_open_outputs_ = false;

  std::mutex mutex_;
  std::condition_variable awake_;        ///< a lane is done, or a batch is offered
  bool offered_ = false;                 ///< guarded by mutex_
  std::vector<std::size_t> done_lanes_;  ///< guarded by mutex_; in order of completion
  std::vector<Lane> lanes_;  ///< last: a request may still be leaving its callback, which uses the above
};

}  // namespace neph::workload
