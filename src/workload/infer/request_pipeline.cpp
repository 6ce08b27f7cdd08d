#include "workload/infer/request_pipeline.hpp"

#include <algorithm>
#include <cstring>

#include "workload/infer/pixels.hpp"
#include "workload/infer/requests.hpp"

namespace neph::workload {
namespace {

/// How long a request to stop may go unheard while nothing else happens.
constexpr Nanoseconds attention = std::chrono::milliseconds(100);

void append_element(std::span<const std::byte> bytes, std::vector<std::byte>& packed) {
  const auto length = static_cast<std::uint32_t>(bytes.size());
  const auto begin = packed.size();
  packed.resize(begin + sizeof(length) + bytes.size());
  std::memcpy(packed.data() + begin, &length, sizeof(length));
  std::memcpy(packed.data() + begin + sizeof(length), bytes.data(), bytes.size());
}

}  // namespace

/// While it lives, the source wakes the pipeline when it has a batch.
class RequestPipeline::Listening {
 public:
  Listening(RequestPipeline& pipeline, image::BatchSource& source) : source_(source) {
    source.on_ready([&pipeline] {
      {
        const std::scoped_lock lock(pipeline.mutex_);
        pipeline.offered_ = true;
      }
      pipeline.client_->wake();
    });
  }
  ~Listening() { source_.on_ready({}); }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;

 private:
  image::BatchSource& source_;
};

Result<std::unique_ptr<RequestPipeline>> RequestPipeline::make(const wire::Endpoint& server,
                                                               const wire::ClientOptions& options,
                                                               RequestForm form, const Clock& clock,
                                                               std::int64_t depth) {
  std::unique_ptr<RequestPipeline> made(new RequestPipeline(std::move(form), clock));
  const auto ended = [raw = made.get()](wire::Call& call) {
    raw->ended_.push_back(&static_cast<Lane&>(call));
  };
  NEPH_TRY(made->client_, wire::Client::connect(server, options, clock, ended));
  for (std::int64_t i = 0; i < depth; ++i) {
    made->lanes_.push_back(std::make_unique<Lane>());
    made->lanes_.back()->keeps_reply = true;
    made->free_.push_back(made->lanes_.back().get());
  }
  return made;
}

RequestPipeline::~RequestPipeline() {
  if (client_) client_->abort();
}

/// Starts what can be started, else waits until a request ends or, where one more may be in flight, the
/// source has a batch.
Status RequestPipeline::run(image::BatchSource& source, const Finished& finished,
                            const std::stop_token& stop) {
  std::optional<Listening> listening;
  if (lanes_.size() > 1) listening.emplace(*this, source);
  Status outcome;
  bool more = true;
  while (more || free_.size() < lanes_.size()) {
    if (more && stop.stop_requested()) {
      outcome = fail(ErrorCode::unavailable, "stopped before the end");
      more = false;
      client_->abort();  // a server that hangs would answer none
    }
    if (more && !free_.empty()) {
      const bool idle = free_.size() == lanes_.size();
      if (auto batch = next_batch(source, idle)) {
        outcome = send(*free_.back(), *std::move(batch));
        if (!outcome) {
          source.release(free_.back()->batch);
          more = false;
        } else {
          free_.pop_back();
        }
        continue;
      }
      if (idle) break;
    }
    wait(more && !free_.empty());
    for (auto* lane : std::exchange(ended_, {})) {
      more = finish(*lane, finished) && more;
      source.release(lane->batch);
      free_.push_back(lane);
    }
  }
  if (const auto stray = outcome ? client_->stray_replies({}) : 0; stray > 0)
    return fail(ErrorCode::corrupt,
                "{} replies came though no request was out: which answers which is not known", stray);
  return outcome;
}

std::optional<image::Batch> RequestPipeline::next_batch(image::BatchSource& source, bool wait) {
  {
    const std::scoped_lock lock(mutex_);
    offered_ = false;
  }
  return wait ? source.next() : source.try_next();
}

void RequestPipeline::wait(bool for_batch) {
  client_->run_until(clock_.now() + attention, [&] {
    if (!ended_.empty()) return true;
    const std::scoped_lock lock(mutex_);
    return for_batch && offered_;
  });
}

/// The message is made anew for every batch: it is part of what a request costs.
Status RequestPipeline::send(Lane& lane, image::Batch batch) {
  lane.batch = std::move(batch);
  lane.times = {.issued = clock_.now()};
  NEPH_CHECK(fill(request_, lane));
  NEPH_TRY(lane.outgoing, client_->encode(request_));
  lane.request = lane.outgoing.get();
  if (form_.timeout) lane.deadline = lane.times.issued + *form_.timeout;
  client_->send(lane);
  lane.times.send = clock_.now() - lane.times.issued;
  return {};
}

Status RequestPipeline::fill(wire::InferRequest& request, Lane& lane) const {
  request.clear();
  request.model = form_.model;
  request.binary_outputs = true;
  for (const auto& name : form_.outputs) request.outputs.push_back({.name = name});
  if (form_.examples) return add_example(form_.inputs, form_.examples->all[lane.batch.slot], request);
  auto& input = request.inputs.emplace_back();
  input.name = form_.inputs.front().name;
  if (!form_.files) return fill_pixels(input, lane);
  fill_files(input, lane);
  return {};
}

void RequestPipeline::fill_files(wire::Tensor& input, Lane& lane) const {
  lane.packed.clear();
  const auto readable = std::find_if(lane.batch.files.begin(), lane.batch.files.end(),
                                     [](const auto& file) { return !file.empty(); });
  // What could not be read has failed already; something stands in for it, so that the others get answers.
  for (const auto& file : lane.batch.files)
    append_element(file.empty() && readable != lane.batch.files.end() ? *readable : file, lane.packed);
  auto count = lane.batch.size;
  for (; count < form_.fixed_batch; ++count)  // nobody looks at these answers
    append_element(readable != lane.batch.files.end() ? *readable : lane.batch.files.front(), lane.packed);
  input.type = wire::DataType::bytes;
  input.shape = {count, 1};
  input.data = lane.packed;
}

/// A short last batch goes whole, as to an engine.
Status RequestPipeline::fill_pixels(wire::Tensor& input, Lane& lane) const {
  const auto& port = form_.inputs.front();
  std::int64_t row = 1;
  for (std::size_t i = 1; i < port.shape.size(); ++i) row *= port.shape[i];
  input.type = type_of(port.element);
  input.shape = {std::ssize(lane.batch.tensor) / row};
  for (std::size_t i = 1; i < port.shape.size(); ++i) input.shape.push_back(port.shape[i]);
  if (port.element == engine::Element::f32) {
    input.data = std::as_bytes(std::span<const float>(lane.batch.tensor));
    return {};
  }
  const auto bytes = lane.batch.tensor.size() * engine::element_bytes(port.element);
  if (!lane.pixels) lane.pixels = allocate_floats(bytes / sizeof(float) + 1);
  if (!lane.pixels) return fail(ErrorCode::unavailable, "no memory for input '{}'", port.name);
  convert_pixels(lane.batch.tensor, port.element, lane.pixels.get());
  input.data = {reinterpret_cast<const std::byte*>(lane.pixels.get()), bytes};
  return {};
}

Status add_example(const std::vector<engine::Port>& inputs, const std::vector<ExampleTensor>& example,
                   wire::InferRequest& request) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto& port = inputs[i];
    auto& input = request.inputs.emplace_back();
    input.name = port.name;
    input.type = type_of(port.element);
    for (const auto size : example[i].shape)
      if (!input.shape.push_back(size))
        return fail(ErrorCode::unsupported, "input '{}' has more than {} dimensions, which no request has",
                    port.name, wire::Shape::most);
    input.data = {reinterpret_cast<const std::byte*>(example[i].memory.get()), example[i].bytes};
  }
  return {};
}

bool RequestPipeline::finish(Lane& lane, const Finished& finished) {
  const auto begin = clock_.now();
  const auto read = lane.outcome ? read_outputs(lane) : lane.outcome;
  lane.times.done = lane.done;
  lane.times.server = lane.server;
  lane.times.receive = clock_.now() - begin;
  if (read) return finished(lane.batch, lane.times, lane.outputs);
  fail_all(lane.batch, "request failed: " + read.error().text());
  return finished(lane.batch, lane.times, {});
}

/// Those that had failed before keep their reason.
void RequestPipeline::fail_all(image::Batch& batch, const std::string& reason) {
  const auto before = std::exchange(batch.failed, {});
  auto known = before.begin();
  for (auto index = batch.first; index < batch.first + batch.size; ++index)
    batch.failed.push_back(
        known != before.end() && known->index == index ? *known++ : image::FailedPicture{index, reason});
}

/// Copied, because in the reply they may lie at any byte.
Status RequestPipeline::read_outputs(Lane& lane) const {
  lane.answer.clear();
  NEPH_CHECK(client_->decode(lane, lane.answer));
  const auto& came = lane.answer.outputs;
  lane.values.resize(came.size());
  lane.shapes.resize(came.size());
  lane.names.resize(came.size());
  lane.outputs.clear();
  for (std::size_t i = 0; i < came.size(); ++i) {
    lane.values[i].assign(came[i].data.begin(), came[i].data.end());
    lane.shapes[i].assign(came[i].shape.begin(), came[i].shape.end());
    lane.names[i] = came[i].name;
    lane.outputs.push_back({.name = lane.names[i],
                            .element = element_of(came[i].type),
                            .shape = lane.shapes[i],
                            .data = lane.values[i]});
  }
  return {};
}

}  // namespace neph::workload
