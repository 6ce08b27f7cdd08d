#include "engine/onnxruntime/session.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <system_error>

#include "core/names.hpp"
#include "engine/hardware.hpp"
#include "engine/onnxruntime/profiling.hpp"
#include "engine/onnxruntime/tensors.hpp"
#include "engine/streamed_request.hpp"

namespace neph::engine::onnxruntime_plugin {
namespace {

bool is_open(const Port& port) { return port.is_open(); }
bool is_text(const Port& port) { return port.element == Element::text; }

class OrtSession final : public Session {
 public:
  OrtSession(const Place& place, const Provider& provider, Ports inputs, const Options& options)
      : place_(place),
        provider_(provider),
        options_(options),
        inputs_(std::move(inputs)),
        threads_(usable_threads(options.threads)),
        streams_(streams_for(options, threads_, place.gpu >= 0)) {}

  /// Throws Ort::Exception.
  Status prepare(const Library& library, const Source& source);
  void set_facts(const Library& library);

  const std::vector<Port>& inputs() const override { return inputs_.ports; }
  const std::vector<Port>& outputs() const override { return outputs_; }
  Result<std::unique_ptr<Request>> make_request() override;
  std::int64_t optimal_requests() const override { return streams_.count(); }
  const Facts& facts() const override { return facts_; }
  Result<std::vector<LayerTime>> layers() override;
  std::filesystem::path model_as_run() const override { return profiling_.model_as_run(); }

 private:
  friend class OrtRequest;
  Result<Ort::SessionOptions> session_options(const Library& library) const;
  std::int64_t threads_of_a_stream() const { return std::max<std::int64_t>(1, threads_ / streams_.count()); }
  /// Left to itself ONNX Runtime's pool does.
  bool spins() const { return options_.spinning != Spinning::off; }
  /// Throws Ort::Exception.
  Status make_sessions(const Library& library, const Source& source);
  Status set_output_shapes(bool is_reshaped);
  /// Whether requests bind their memory once. On a GPU what is bound would be copied there once.
  bool is_bound() const {
    return place_.gpu < 0 && std::ranges::find(is_told_, false) == is_told_.end() &&
           std::ranges::none_of(inputs_.ports, is_open);
  }
  /// An output that is an input as it came: ONNX Runtime (1.32) does not write it into memory that is given.
  bool is_input(const std::string& name) const {
    return std::ranges::find(inputs_.ports, name, &Port::name) != inputs_.ports.end();
  }
  Status check_batch_of_outputs() const;
  /// Of all outputs. Throws Ort::Exception where the model refuses such inputs.
  std::vector<Shape> shapes_with(Numbers numbers);
  /// The same of each of several trials, of those that the model does not refuse.
  std::vector<std::vector<Shape>> shapes_of_trials();

  Place place_;
  Provider provider_;
  Options options_;
  Ports inputs_;
  std::vector<Port> outputs_;
  /// By output: whether the runtime itself tells its shape, so that it may write into the caller's memory.
  std::vector<bool> is_told_;
  std::vector<const char*> input_names_, output_names_;
  std::int64_t threads_;
  Ort::MemoryInfo memory_ = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  PlacementLog placement_;
  Ort::RunOptions run_options_{nullptr};
  Profiling profiling_;
  std::shared_ptr<const FilesBeside> beside_;
  std::vector<Ort::Session> sessions_;  ///< one a stream; the first is heard by the log above
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
        answers_(session.outputs_.size()),
        texts_(session.outputs_.size()) {
    for (auto& value : given_) value = Ort::Value(nullptr);
    for (auto& value : answers_) value = Ort::Value(nullptr);
    if (session.is_bound()) binding_ = Ort::IoBinding(runs);
  }
  ~OrtRequest() override { wait(); }
  OrtRequest(const OrtRequest&) = delete;
  OrtRequest& operator=(const OrtRequest&) = delete;

  Status bind_input(std::size_t port, void* data, std::size_t bytes) override {
    NEPH_CHECK(StreamedRequest::bind_input(port, data, bytes));
    const auto& input = session_.inputs_.ports[port];
    return guarded([&] {
      given_[port] = tensor(session_.memory_, data, input, input.shape);
      if (binding_) binding_.BindInput(session_.input_names_[port], given_[port]);
    });
  }

  Status bind_open_input(std::size_t port, void* data, std::span<const std::int64_t> shape) override {
    NEPH_CHECK(check_idle());
    NEPH_CHECK(check_open_shape(session_.inputs_.ports, port, shape));
    inputs_[port] = data;
    open_shapes_[port].assign(shape.begin(), shape.end());
    const auto& input = session_.inputs_.ports[port];
    return guarded([&] {
      given_[port] = is_text(input) ? text_tensor(open_shapes_[port])
                                    : tensor(session_.memory_, data, input, open_shapes_[port]);
    });
  }

  Status bind_output(std::size_t port, void* data, std::size_t bytes) override {
    NEPH_CHECK(StreamedRequest::bind_output(port, data, bytes));
    if (!session_.is_told_[port]) return {};
    const auto& output = session_.outputs_[port];
    return guarded([&] {
      answers_[port] = tensor(session_.memory_, data, output, output.shape);
      if (binding_) binding_.BindOutput(session_.output_names_[port], answers_[port]);
    });
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
      if (is_text(session_.outputs_[port])) {
        output.data = texts_[port].data();
        output.bytes = texts_[port].size();
        return;
      }
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

  Status work() override {
    NEPH_CHECK(check_bound());
    if (binding_) return guarded([&] { runs_.Run(session_.run_options_, binding_); });
    for (std::size_t i = 0; i < answers_.size(); ++i)
      if (!session_.is_told_[i]) answers_[i] = Ort::Value(nullptr);
    NEPH_CHECK(guarded([&] {
      for (std::size_t i = 0; i < given_.size(); ++i)
        if (is_text(session_.inputs_.ports[i])) fill_text(given_[i], inputs_[i]);
      runs_.Run(session_.run_options_, session_.input_names_.data(), given_.data(), given_.size(),
                session_.output_names_.data(), answers_.data(), answers_.size());
    }));
    for (std::size_t i = 0; i < answers_.size(); ++i) NEPH_CHECK(give(i));
    return {};
  }

  /// An output that the runtime made goes to the caller's memory, where its shape is the expected one.
  Status give(std::size_t i) {
    const auto& port = session_.outputs_[i];
    if (is_text(port)) return guarded([&] { read_text(answers_[i], texts_[i]); });
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
  Ort::IoBinding binding_{nullptr};  ///< where all memory is the caller's; null: values are given to each run
  std::vector<Shape> open_shapes_;   ///< of the inputs
  std::vector<Ort::Value> given_;
  std::vector<Ort::Value> answers_;            ///< the caller's memory, or what the last inference made
  std::vector<std::vector<std::byte>> texts_;  ///< of outputs of text, as a port's memory has it
};

Result<Ort::SessionOptions> OrtSession::session_options(const Library& library) const {
  Ort::SessionOptions options;
  const auto threads = threads_of_a_stream();
  options.SetIntraOpNumThreads(static_cast<int>(threads));
  options.AddConfigEntry(kOrtSessionOptionsConfigAllowIntraOpSpinning, spins() ? "1" : "0");
  options.SetExecutionMode(ORT_SEQUENTIAL);
  options.SetGraphOptimizationLevel(ORT_ENABLE_ALL);
  NEPH_CHECK(use_provider(library, place_, provider_, threads, options));
  for (std::size_t i = 0; i < inputs_.ports.size(); ++i) {
    const auto& symbols = inputs_.symbols[i];
    const auto& shape = inputs_.ports[i].shape;
    for (std::size_t k = 0; k < std::min(shape.size(), symbols.size()); ++k)
      if (shape[k] >= 0 && !symbols[k].empty())
        Ort::ThrowOnError(
            Ort::GetApi().AddFreeDimensionOverrideByName(options, symbols[k].c_str(), shape[k]));
  }
  return options;
}

/// Where a provider may leave nodes to others, the first session is asked which.
Status OrtSession::make_sessions(const Library& library, const Source& source) {
  beside_ = source.beside;
  const bool asks = provider_.name != "cpu";
  for (std::int64_t i = 0; i < streams_.count(); ++i) {
    NEPH_TRY(auto options, session_options(library));
    if (asks && i == 0) placement_.listen(options);
    if (options_.profiled && i == 0) NEPH_CHECK(profiling_.begin(options, options_.shown && !asks));
    sessions_.push_back(read_source(*library.env, source, options));
  }
  placement_.close();
  if (asks) run_options_ = Ort::RunOptions();
  if (asks) run_options_.SetRunLogSeverityLevel(ORT_LOGGING_LEVEL_FATAL);
  return {};
}

Status OrtSession::prepare(const Library& library, const Source& source) {
  NEPH_CHECK(streams_.begin());
  NEPH_CHECK(make_sessions(library, source));
  NEPH_TRY(auto outputs, outputs_of(sessions_.front()));
  outputs_ = std::move(outputs.ports);
  for (const auto& port : inputs_.ports) input_names_.push_back(port.name.c_str());
  for (const auto& port : outputs_) output_names_.push_back(port.name.c_str());
  NEPH_CHECK(set_output_shapes(source.is_reshaped));
  const bool has_new_batch = source.is_reshaped && options_.batch > 0 && options_.shapes.empty();
  return has_new_batch ? check_batch_of_outputs() : Status();
}

Status OrtSession::check_batch_of_outputs() const {
  for (const auto& output : outputs_)
    if (!output.shape.empty() && output.shape[0] != options_.batch)
      return fail(ErrorCode::unsupported,
                  "with batch {} output '{}' has the shape {}, whose first dimension is not the batch",
                  options_.batch, output.name, shape_text(output.shape));
  return {};
}

/// Whether output `i` has one shape in all trials, of which one alone shows nothing, and something in it:
/// what finds nothing in made up inputs (a detector without detections) says nothing of the shapes that real
/// ones come to.
bool is_known(const std::vector<std::vector<Shape>>& trials, std::size_t i) {
  if (trials.size() < 2 || std::ranges::find(trials.front()[i], 0) != trials.front()[i].end()) return false;
  return std::ranges::all_of(trials, [&](const auto& shapes) { return shapes[i] == trials.front()[i]; });
}

/// Shapes that the runtime leaves open although all inputs' are known come from inferences of made up inputs;
/// where those differ the shape depends on what is computed, and stays open. So does that of a model which
/// takes none of them: a size or a sampling rate of 1 may be none. A model whose shapes were changed is tried
/// in any case, and must take one of them.
Status OrtSession::set_output_shapes(bool is_reshaped) {
  for (const auto& output : outputs_)
    is_told_.push_back(!output.is_open() && !output.shape.empty() && !is_input(output.name));
  if (std::ranges::any_of(inputs_.ports, is_open)) {
    is_told_.assign(outputs_.size(), false);
    for (auto& output : outputs_) output.open_rank = output.shape.empty();
    return {};
  }
  if (!is_reshaped && std::ranges::find(is_told_, false) == is_told_.end()) return {};
  const auto trials = shapes_of_trials();
  if (is_reshaped && trials.empty()) (void)shapes_with(Numbers::zeros);  // throws its reason
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    if (is_known(trials, i))
      outputs_[i].shape = trials.front()[i];
    else if (!is_told_[i])
      outputs_[i].open_rank = outputs_[i].shape.empty();
  }
  return {};
}

std::vector<Shape> OrtSession::shapes_with(Numbers numbers) {
  std::vector<std::vector<std::byte>> filled;
  std::vector<Ort::Value> given;
  for (const auto& input : inputs_.ports) {
    auto& memory = filled.emplace_back(input.bytes());
    fill(memory, input.element, numbers);
    given.push_back(tensor(memory_, memory.data(), input, input.shape));
  }
  const auto answers = sessions_.front().Run(run_options_, input_names_.data(), given.data(), given.size(),
                                             output_names_.data(), output_names_.size());
  std::vector<Shape> shapes;
  for (const auto& answer : answers) shapes.push_back(answer.GetTensorTypeAndShapeInfo().GetShape());
  return shapes;
}

std::vector<std::vector<Shape>> OrtSession::shapes_of_trials() {
  std::vector<std::vector<Shape>> trials;
  for (const auto numbers : {Numbers::zeros, Numbers::ones, Numbers::noise}) {
    try {
      trials.push_back(shapes_with(numbers));
    } catch (const Ort::Exception&) {  // it takes no such numbers
    }
  }
  return trials;
}

Result<std::unique_ptr<Request>> OrtSession::make_request() {
  return std::make_unique<OrtRequest>(*this, sessions_[requests_++ % sessions_.size()]);
}

Result<std::vector<LayerTime>> OrtSession::layers() {
  if (!profiling_.is_on()) return Session::layers();
  if (place_.gpu >= 0 || sessions_.size() > 1)
    return fail(
        ErrorCode::unsupported,
        "engine onnxruntime tells the layers' times on a CPU and of one stream only: on a GPU it times "
        "how long a kernel takes to be launched");
  return profiling_.layers(sessions_.front());
}

void OrtSession::set_facts(const Library& library) {
  set(facts_, fact::engine, "onnxruntime " + library.version);
  set(facts_, fact::device, place_.device.name);
  set(facts_, fact::device_name, place_.device.description);
  set(facts_, fact::provider, std::string(provider_.name));
  if (place_.tf32) set(facts_, fact::precision, std::string(tf32));
  if (const auto others = fallback_text(placement_.placed(), provider_.theirs); !others.empty())
    set(facts_, fact::fallback, others);
  set(facts_, fact::hint, std::string(enum_name(options_.hint)));
  set(facts_, fact::threads, std::to_string(threads_of_a_stream() * streams_.count()));
  set(facts_, fact::streams, std::to_string(streams_.count()));
  set(facts_, fact::requests, optimal_requests());
  if (threads_of_a_stream() > 1) set(facts_, fact::spinning, spins() ? "on" : "off");  // one has no pool
}

/// Of a model whose shapes were changed the reason is that change.
std::string cannot(const Place& place, const Source& source, const Options& options) {
  if (!source.is_reshaped) return "cannot compile for " + place.device.name;
  return options.shapes.empty() ? fmt::format("the model's layers do not take batch {}", options.batch)
                                : std::string("the model's layers do not take these shapes");
}

}  // namespace

Result<std::unique_ptr<Session>> make_session(const Library& library, const Place& place,
                                              const Provider& provider, const Source& source, Ports inputs,
                                              const Options& options) try {
  auto session = std::make_unique<OrtSession>(place, provider, std::move(inputs), options);
  NEPH_CHECK(session->prepare(library, source));
  session->set_facts(library);
  return session;
} catch (...) {
  return tl::unexpected(explain_current(cannot(place, source, options)));
}

}  // namespace neph::engine::onnxruntime_plugin
