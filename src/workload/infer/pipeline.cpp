#include "workload/infer/pipeline.hpp"

#include <algorithm>

#include "workload/infer/pixels.hpp"

namespace neph::workload {
namespace {

tl::unexpected<Error> stopped() { return fail(ErrorCode::unavailable, "stopped before the end"); }

}  // namespace

/// While it lives, the source wakes the pipeline when it has a batch.
class Pipeline::Listening {
 public:
  Listening(Pipeline& pipeline, image::BatchSource& source) : source_(source) {
    source.on_ready([&pipeline] {
      const std::scoped_lock lock(pipeline.mutex_);
      pipeline.offered_ = true;
      pipeline.awake_.notify_one();
    });
  }
  ~Listening() { source_.on_ready({}); }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  image::BatchSource& source_;
};

Pipeline::Pipeline(engine::Session& session, const Clock& clock, Examples* examples)
    : session_(session), clock_(clock), examples_(examples) {
  for (const auto& output : session.outputs()) has_open_outputs_ |= output.is_open();
}
Pipeline::~Pipeline() = default;

Result<std::unique_ptr<Pipeline>> Pipeline::make(engine::Session& session, const Clock& clock,
                                                 std::int64_t depth, Examples* examples) {
  std::unique_ptr<Pipeline> pipeline(new Pipeline(session, clock, examples));
  pipeline->lanes_.reserve(static_cast<std::size_t>(depth));
  pipeline->done_lanes_.reserve(static_cast<std::size_t>(depth));
  for (std::int64_t i = 0; i < depth; ++i) NEPH_CHECK(pipeline->add_lane());
  return pipeline;
}

Status Pipeline::add_lane() {
  if (session_.outputs().empty())
    return fail(ErrorCode::unsupported, "the model has no output, so no answers");
  Lane lane;
  NEPH_TRY(lane.request, session_.make_request());
  NEPH_CHECK(bind_outputs(lane));
  lanes_.push_back(std::move(lane));
  return {};
}

/// Those whose shape depends on the data lie in the request's own memory.
Status Pipeline::bind_outputs(Lane& lane) {
  const auto& ports = session_.outputs();
  lane.open.resize(ports.size());
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const auto& port = ports[i];
    lane.outputs.push_back({.name = port.name, .element = port.element, .shape = {}, .data = {}});
    if (port.is_open()) continue;
    auto memory = allocate_floats(port.bytes() / sizeof(float) + 1);
    if (!memory) return fail(ErrorCode::unavailable, "no memory for output '{}'", port.name);
    NEPH_CHECK(lane.request->bind_output(i, memory.get(), port.bytes()));
    lane.outputs.back().shape = port.shape;
    lane.outputs.back().data = {reinterpret_cast<const std::byte*>(memory.get()), port.bytes()};
    lane.memory.push_back(std::move(memory));
  }
  return {};
}

Status Pipeline::read_open_outputs(Lane& lane) const {
  if (!has_open_outputs_) return {};
  for (std::size_t i = 0; i < lane.outputs.size(); ++i) {
    if (!session_.outputs()[i].is_open()) continue;
    NEPH_TRY(auto came, lane.request->open_output(i));
    lane.open[i] = std::move(came.shape);
    lane.outputs[i].shape = lane.open[i];
    lane.outputs[i].data = {came.data, came.bytes};
  }
  return {};
}

Status Pipeline::bind(Lane& lane, const image::Batch& batch) {
  if (examples_) {
    auto& example = examples_->all[batch.slot];
    if (lane.bound == &example) return {};
    NEPH_CHECK(bind_example(*lane.request, session_.inputs(), example));
    lane.bound = &example;
    return {};
  }
  const auto& input = session_.inputs().front();
  if (input.element != engine::Element::f32) return bind_converted(lane, batch);
  if (lane.bound == batch.tensor.data()) return {};
  NEPH_CHECK(lane.request->bind_input(0, batch.tensor.data(), input.bytes()));
  lane.bound = batch.tensor.data();
  return {};
}

/// Pixels are made as floats; other elements are made of them here.
Status Pipeline::bind_converted(Lane& lane, const image::Batch& batch) {
  const auto& input = session_.inputs().front();
  if (!lane.pixels) {
    lane.pixels = allocate_floats(input.bytes() / sizeof(float) + 1);
    if (!lane.pixels) return fail(ErrorCode::unavailable, "no memory for input '{}'", input.name);
    NEPH_CHECK(lane.request->bind_input(0, lane.pixels.get(), input.bytes()));
  }
  convert_pixels(batch.tensor, input.element, lane.pixels.get());
  return {};
}

Status Pipeline::run(image::BatchSource& source, const Finished& finished, const std::stop_token& stop) {
  return lanes_.size() == 1 ? run_in_turn(source, finished, stop) : run_in_flight(source, finished, stop);
}

Status Pipeline::run_in_turn(image::BatchSource& source, const Finished& finished,
                             const std::stop_token& stop) {
  auto& lane = lanes_.front();
  for (;;) {
    if (stop.stop_requested()) return stopped();
    const auto batch = source.next();
    if (!batch) return {};
    NEPH_CHECK(bind(lane, *batch));
    InferTimes times;
    times.issued = clock_.now();
    auto status = lane.request->infer();
    times.done = clock_.now();
    if (status) status = read_open_outputs(lane);
    const bool more = status && finished(*batch, times, lane.outputs);
    source.release(*batch);
    if (!status) return status;
    if (!more) return {};
  }
}

/// Starts what can be started, else takes what is finished, else waits for either: a loader that is late
/// keeps no answer waiting.
Status Pipeline::run_in_flight(image::BatchSource& source, const Finished& finished,
                               const std::stop_token& stop) {
  const Listening listening(*this, source);
  std::vector<std::size_t> free_lanes;
  for (std::size_t i = lanes_.size(); i > 0; --i) free_lanes.push_back(i - 1);
  Status outcome;
  bool more = true;
  while (more || free_lanes.size() < lanes_.size()) {
    if (more && stop.stop_requested()) {
      outcome = stopped();
      more = false;
    }
    if (more && !free_lanes.empty()) {
      const bool idle = free_lanes.size() == lanes_.size();
      if (auto batch = idle ? source.next() : offered_batch(source)) {
        const auto lane = free_lanes.back();
        if (outcome = start(lane, std::move(*batch)); outcome) {
          free_lanes.pop_back();
        } else {
          source.release(lanes_[lane].batch);
          more = false;
        }
        continue;
      }
      if (idle) break;
    }
    const auto index = wait_for_lane(more && !free_lanes.empty());
    if (!index) continue;
    auto& lane = lanes_[*index];
    if (lane.status) lane.status = read_open_outputs(lane);
    if (lane.status) {
      more = finished(lane.batch, lane.times, lane.outputs) && more;
    } else {
      if (outcome) outcome = lane.status;  // of several errors the first says why
      more = false;
    }
    source.release(lane.batch);
    free_lanes.push_back(*index);
  }
  return outcome;
}

Status Pipeline::start(std::size_t index, image::Batch batch) {
  auto& lane = lanes_[index];
  lane.batch = std::move(batch);
  NEPH_CHECK(bind(lane, lane.batch));
  lane.times.issued = clock_.now();
  return lane.request->start([this, index](Status status) {
    lanes_[index].times.done = clock_.now();
    lanes_[index].status = std::move(status);
    const std::scoped_lock lock(mutex_);
    done_lanes_.push_back(index);
    awake_.notify_one();
  });
}

std::optional<image::Batch> Pipeline::offered_batch(image::BatchSource& source) {
  {
    const std::scoped_lock lock(mutex_);
    offered_ = false;
  }
  return source.try_next();
}

std::optional<std::size_t> Pipeline::wait_for_lane(bool or_batch) {
  std::unique_lock lock(mutex_);
  awake_.wait(lock, [&] { return !done_lanes_.empty() || (or_batch && offered_); });
  if (done_lanes_.empty()) return std::nullopt;
  const auto index = done_lanes_.front();
  done_lanes_.erase(done_lanes_.begin());
  return index;
}

}  // namespace neph::workload
