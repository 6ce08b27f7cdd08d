#include "engine/onnxruntime/session.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <system_error>

#include "core/names.hpp"
#include "engine/hardware.hpp"
#include "engine/streamed_request.hpp"

namespace neph::engine::onnxruntime_plugin {
namespace {

using Shape = std::vector<std::int64_t>;

bool is_open(const Port& port) { return port.is_open(); }

/// Inferences side by side where the caller leaves it open: for throughput one for each four threads, and two
/// where there are two. A GPU has one queue.
std::int64_t streams_for(const Options& options, const Place& place, std::int64_t threads) {
  if (options.streams > 0) return options.streams;
  if (options.hint == Hint::latency || place.gpu >= 0) return 1;
  return std::max(std::min<std::int64_t>(threads, 2), threads / 4);
}

Ort::Value tensor(const Ort::MemoryInfo& memory, void* data, const Port& port, const Shape& shape) {
  std::size_t bytes = element_bytes(port.element);
  for (const auto size : shape) bytes *= static_cast<std::size_t>(size);
  return Ort::Value::CreateTensor(memory, data, bytes, shape.data(), shape.size(), type_of(port.element));
}

/// The lowest bytes of one, as an integer or a float; of f16 and bf16 a small number will do.
void fill_with_ones(std::vector<std::byte>& memory, Element element) {
  const auto width = element_bytes(element);
  constexpr float one = 1;
  constexpr double one_of_double = 1;
  for (std::size_t at = 0; at + width <= memory.size(); at += width) {
    if (element == Element::f32)
      std::memcpy(&memory[at], &one, sizeof one);
    else if (element == Element::f64)
      std::memcpy(&memory[at], &one_of_double, sizeof one_of_double);
    else
      memory[at] = std::byte{1};
  }
}

std::size_t bytes_of(const Port& port, const Shape& shape) {
  auto sized = port;
  sized.shape = shape;
  return sized.bytes();
}

class OrtSession final : public Session {
 public:
  OrtSession(const Place& place, Ports inputs, const Options& options)
      : place_(place),
        options_(options),
        inputs_(std::move(inputs)),
        threads_(usable_threads(options.threads)),
        streams_(streams_for(options, place, threads_)) {}

  /// Throws Ort::Exception.
  Status prepare(Ort::Env& env, const std::string& file);
  void set_facts(const Library& library);

  const std::vector<Port>& inputs() const override { return inputs_.ports; }
  const std::vector<Port>& outputs() const override { return outputs_; }
  Result<std::unique_ptr<Request>> make_request() override;
  std::int64_t optimal_requests() const override { return streams_.count(); }
  const Facts& facts() const override { return facts_; }

 private:
  friend class OrtRequest;
  Ort::SessionOptions session_options() const;
  Status set_output_shapes();
  /// Throws Ort::Exception.
  std::vector<Shape> shapes_of_a_trial(bool of_ones);

  Place place_;
  Options options_;
  Ports inputs_;
  std::vector<Port> outputs_;
  /// By output: whether the runtime itself tells its shape, so that it may write into the caller's memory.
  std::vector<bool> is_told_;
  std::vector<const char*> input_names_, output_names_;
  std::int64_t threads_;
  Ort::MemoryInfo memory_ = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  std::vector<Ort::Session> sessions_;  ///< one a stream
  std::atomic<std::size_t> requests_ = 0;
  Facts facts_;
  Streams streams_;  ///< last: its threads use the rest
};

class OrtRequest final : public StreamedRequest {
 public:
  OrtRequest(OrtSession& session, Ort::Session& runs)
      : StreamedRequest(session.streams_, session.inputs_.ports, session.outputs_),
        session_(session),
        runs_(runs),
        open_shapes_(session.inputs_.ports.size()),
        given_(session.inputs_.ports.size()),
        answers_(session.outputs_.size()) {
    for (auto& value : given_) value = Ort::Value(nullptr);
    for (auto& value : answers_) value = Ort::Value(nullptr);
  }
  ~OrtRequest() override { wait(); }
  OrtRequest(const OrtRequest&) = delete;
  OrtRequest& operator=(const OrtRequest&) = delete;

  Status bind_input(std::size_t port, void* data, std::size_t bytes) override {
    NEPH_CHECK(StreamedRequest::bind_input(port, data, bytes));
    const auto& input = session_.inputs_.ports[port];
    return guarded([&] { given_[port] = tensor(session_.memory_, data, input, input.shape); });
  }

  Status bind_open_input(std::size_t port, void* data, std::span<const std::int64_t> shape) override {
    NEPH_CHECK(check_idle());
    NEPH_CHECK(check_open_shape(session_.inputs_.ports, port, shape));
    inputs_[port] = data;
    open_shapes_[port].assign(shape.begin(), shape.end());
    return guarded([&] {
      given_[port] = tensor(session_.memory_, data, session_.inputs_.ports[port], open_shapes_[port]);
    });
  }

  Status bind_output(std::size_t port, void* data, std::size_t bytes) override {
    NEPH_CHECK(StreamedRequest::bind_output(port, data, bytes));
    if (!session_.is_told_[port]) return {};
    const auto& output = session_.outputs_[port];
    return guarded([&] { answers_[port] = tensor(session_.memory_, data, output, output.shape); });
  }

  Result<OpenOutput> open_output(std::size_t port) override {
    NEPH_CHECK(check_idle());
    if (port >= answers_.size() || !answers_[port])
      return fail(ErrorCode::invalid_argument, "there is no output {}, or nothing was computed yet", port);
    return answer(port);
  }

 private:
  /// What the last inference gave, also while it is still told of.
  Result<OpenOutput> answer(std::size_t port) const {
    OpenOutput output;
    NEPH_CHECK(guarded([&] {
      output.shape = answers_[port].GetTensorTypeAndShapeInfo().GetShape();
      output.data = static_cast<const std::byte*>(answers_[port].GetTensorRawData());
      output.bytes = bytes_of(session_.outputs_[port], output.shape);
    }));
    return output;
  }

  template <class Action>
  static Status guarded(Action action) {
    try {
      action();
      return {};
    } catch (...) {
      return tl::unexpected(explain_current("inference failed"));
    }
  }

  Status check_bound() const {
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      if (outputs_[i] == nullptr && !session_.outputs_[i].is_open()) return unbound();
    return std::ranges::find(inputs_, nullptr) == inputs_.end() ? Status() : unbound();
  }
  static tl::unexpected<Error> unbound() {
    return fail(ErrorCode::invalid_argument, "an input or output has no memory; bind all of them first");
  }

  Status work() override {
    NEPH_CHECK(check_bound());
    for (std::size_t i = 0; i < answers_.size(); ++i)
      if (!session_.is_told_[i]) answers_[i] = Ort::Value(nullptr);
    NEPH_CHECK(guarded([&] {
      runs_.Run(Ort::RunOptions{nullptr}, session_.input_names_.data(), given_.data(), given_.size(),
                session_.output_names_.data(), answers_.data(), answers_.size());
    }));
    for (std::size_t i = 0; i < answers_.size(); ++i) NEPH_CHECK(give(i));
    return {};
  }

  /// An output that the runtime made goes to the caller's memory, where its shape is the expected one.
  Status give(std::size_t i) {
    const auto& port = session_.outputs_[i];
    if (session_.is_told_[i] || port.is_open()) return {};
    NEPH_TRY(const auto output, answer(i));
    if (output.shape != port.shape)
      return fail(ErrorCode::unsupported,
                  "output '{}' came as {}, not as {} as before: its shape depends on what is computed",
                  port.name, shape_text(output.shape), shape_text(port.shape));
    std::memcpy(outputs_[i], output.data, output.bytes);
    return {};
  }

  OrtSession& session_;
  Ort::Session& runs_;
  std::vector<Shape> open_shapes_;  ///< of the inputs
  std::vector<Ort::Value> given_;
  std::vector<Ort::Value> answers_;  ///< the caller's memory, or what the last inference made
};

Ort::SessionOptions OrtSession::session_options() const {
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(static_cast<int>(std::max<std::int64_t>(1, threads_ / streams_.count())));
  options.SetExecutionMode(ORT_SEQUENTIAL);
  options.SetGraphOptimizationLevel(ORT_ENABLE_ALL);
  if (place_.gpu >= 0) {
    OrtCUDAProviderOptions cuda;
    cuda.device_id = place_.gpu;
    options.AppendExecutionProvider_CUDA(cuda);
  }
  for (std::size_t i = 0; i < inputs_.ports.size(); ++i) {
    const auto& symbols = inputs_.symbols[i];
    const auto& shape = inputs_.ports[i].shape;
    if (!shape.empty() && shape[0] >= 0 && !symbols[0].empty())
      Ort::ThrowOnError(Ort::GetApi().AddFreeDimensionOverrideByName(options, symbols[0].c_str(), shape[0]));
  }
  return options;
}

Status OrtSession::prepare(Ort::Env& env, const std::string& file) {
  const auto options = session_options();
  for (std::int64_t i = 0; i < streams_.count(); ++i) sessions_.emplace_back(env, file.c_str(), options);
  NEPH_TRY(auto outputs, outputs_of(sessions_.front()));
  outputs_ = std::move(outputs.ports);
  for (const auto& port : inputs_.ports) input_names_.push_back(port.name.c_str());
  for (const auto& port : outputs_) output_names_.push_back(port.name.c_str());
  return set_output_shapes();
}

/// Shapes that the runtime leaves open although all inputs' are known come from inferences of zeros and of
/// ones; where the two differ the shape depends on what is computed, and stays open.
Status OrtSession::set_output_shapes() {
  for (const auto& output : outputs_) is_told_.push_back(!output.is_open() && !output.shape.empty());
  if (std::ranges::any_of(inputs_.ports, is_open)) {
    is_told_.assign(outputs_.size(), false);
    for (auto& output : outputs_) output.open_rank = output.shape.empty();
    return {};
  }
  if (std::ranges::find(is_told_, false) == is_told_.end()) return {};
  const auto zeros = shapes_of_a_trial(false);
  auto ones = zeros;
  try {
    ones = shapes_of_a_trial(true);
  } catch (const Ort::Exception&) {  // ones may be no indices
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    if (zeros[i] == ones[i]) outputs_[i].shape = zeros[i];
  return {};
}

std::vector<Shape> OrtSession::shapes_of_a_trial(bool of_ones) {
  std::vector<std::vector<std::byte>> numbers;
  std::vector<Ort::Value> given;
  for (const auto& input : inputs_.ports) {
    auto& memory = numbers.emplace_back(input.bytes());
    if (of_ones) fill_with_ones(memory, input.element);
    given.push_back(tensor(memory_, memory.data(), input, input.shape));
  }
  const auto answers = sessions_.front().Run(Ort::RunOptions{nullptr}, input_names_.data(), given.data(),
                                             given.size(), output_names_.data(), output_names_.size());
  std::vector<Shape> shapes;
  for (const auto& answer : answers) shapes.push_back(answer.GetTensorTypeAndShapeInfo().GetShape());
  return shapes;
}

Result<std::unique_ptr<Request>> OrtSession::make_request() {
  return std::make_unique<OrtRequest>(*this, sessions_[requests_++ % sessions_.size()]);
}

void OrtSession::set_facts(const Library& library) {
  set(facts_, fact::engine, "onnxruntime " + library.version);
  set(facts_, fact::device, place_.device.name);
  set(facts_, fact::device_name, place_.device.description);
  set(facts_, fact::hint, std::string(enum_name(options_.hint)));
  set(facts_, fact::threads, std::to_string(threads_));
  set(facts_, fact::streams, std::to_string(streams_.count()));
  set(facts_, fact::requests, optimal_requests());
}

}  // namespace

Result<std::unique_ptr<Session>> make_session(const Library& library, Ort::Env& env, const Place& place,
                                              const std::string& file, Ports inputs,
                                              const Options& options) try {
  auto session = std::make_unique<OrtSession>(place, std::move(inputs), options);
  NEPH_CHECK(session->prepare(env, file));
  session->set_facts(library);
  return session;
} catch (const std::system_error& error) {
  return fail(ErrorCode::unavailable, "cannot start the threads: {}", error.what());
} catch (...) {
  return tl::unexpected(explain_current("cannot compile for " + place.device.name));
}

}  // namespace neph::engine::onnxruntime_plugin
