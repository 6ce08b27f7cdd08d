// What brings batches from a source to whatever answers them, one after the other or several in flight: an
// engine in this process (pipeline.hpp) or a server (request_pipeline.hpp).
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "core/clock.hpp"
#include "core/result.hpp"
#include "engine/engine.hpp"
#include "image/image.hpp"
#include "wire/wire.hpp"

namespace neph::workload {

/// One batch's way. What is empty in this process is what a server adds.
struct InferTimes {
  Moment issued;            ///< handed to the engine, or begun to be made a request
  Moment done;              ///< its outputs are there
  Nanoseconds send{};       ///< of the driving thread: the tensor made a message and handed over
  Nanoseconds receive{};    ///< of the driving thread: the reply made numbers
  wire::StageTimes server;  ///< what the server says of its own stages
};

/// An output of one inference. What it points to stays until the next that runs in its place.
struct Output {
  std::string_view name;
  engine::Element element = engine::Element::f32;
  std::span<const std::int64_t> shape;
  std::span<const std::byte> data;
};
using Outputs = std::span<const Output>;

/// Threads: run() is called on the driving thread, one run at a time.
class BatchRunner {
 public:
  /// Called on the driving thread with every finished batch, in the order in which they finish. There are no
  /// outputs when the batch failed, which is then said of each of its items. False: start no further batches.
  using Finished = std::function<bool(const image::Batch&, const InferTimes&, Outputs)>;

  virtual ~BatchRunner() = default;
  /// Runs until the source ends, `finished` says stop, or `stop` is requested (ErrorCode::unavailable). When
  /// it returns nothing is in flight and every batch that was handed out is released.
  virtual Status run(image::BatchSource& source, const Finished& finished, const std::stop_token& stop) = 0;
};

}  // namespace neph::workload
