#include "engine/tensorflow/session.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "core/names.hpp"
#include "core/random.hpp"
#include "engine/elements.hpp"
#include "engine/hardware.hpp"
#include "engine/streamed_request.hpp"
#include "os/thread.hpp"

namespace neph::engine::tensorflow_plugin {
namespace {

using Shape = std::vector<std::int64_t>;

bool is_open(const Port& port) { return port.is_open(); }

/// TensorFlow names threads after their pools ("tf_Compute"), and telemetry finds an engine's by its role.
void name_threads() {
  std::error_code gone;
  for (std::filesystem::directory_iterator task("/proc/self/task", gone), end; task != end;
       task.increment(gone)) {
    std::string name;
    std::getline(std::ifstream(task->path() / "comm") >> std::ws, name);
    if (name.starts_with("tf_")) std::ofstream(task->path() / "comm") << engine_role;
  }
}

/// Values of one run; those that the run made are deleted with it.
class Values {
 public:
  Values(const Api& api, std::size_t count) : api_(&api), tensors_(count) {}
  ~Values() { clear(); }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;

  TF_Tensor*& operator[](std::size_t i) { return tensors_[i]; }
  TF_Tensor** data() { return tensors_.data(); }
  std::size_t size() const { return tensors_.size(); }
  void drop(std::size_t i) {
    if (auto* const tensor = std::exchange(tensors_[i], nullptr)) api_->DeleteTensor(tensor);
  }
  void clear() {
    for (std::size_t i = 0; i < tensors_.size(); ++i) drop(i);
  }

 private:
  const Api* api_;
  std::vector<TF_Tensor*> tensors_;
};

class TfSession final : public Session {
 public:
  TfSession(const Library& library, std::vector<Port> inputs, std::vector<Port> outputs,
            const Options& options)
      : api_(library.api),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        threads_(usable_threads(options.threads)),
        streams_(streams_for(options, threads_, false)) {}

  Status prepare(const std::function<Result<Loaded>(const ThreadCounts&)>& load) {
    NEPH_CHECK(streams_.begin());
    NEPH_TRY(loaded_, load({.intra_op = threads_, .inter_op = streams_.count()}));
    return set_output_shapes();
  }
  void set_facts(const Library& library, const Options& options);

  const std::vector<Port>& inputs() const override { return inputs_; }
  const std::vector<Port>& outputs() const override { return outputs_; }
  Result<std::unique_ptr<Request>> make_request() override;
  std::int64_t optimal_requests() const override { return streams_.count(); }
  const Facts& facts() const override { return facts_; }

 private:
  friend class TfRequest;
  Status set_output_shapes();
  Result<std::vector<Shape>> shapes_of_trial(bool zeros) const;
  bool is_known(std::size_t output, const std::vector<Shape>& shapes) const;

  /// Over the caller's memory, unless that is not aligned: then TensorFlow copies it.
  TF_Tensor* tensor(std::size_t port, void* data, const Shape& shape) const {
    const auto element = inputs_[port].element;
    std::size_t bytes = element_bytes(element);
    for (const auto size : shape) bytes *= static_cast<std::size_t>(size);
    return api_.NewTensor(
        type_of(element), shape.data(), static_cast<int>(shape.size()), data, bytes,
        [](void*, std::size_t, void*) {}, nullptr);
  }

  void run(Values& given, Values& answers, TF_Status* status) const {
    api_.SessionRun(loaded_.session.get(), nullptr, loaded_.inputs.data(), given.data(),
                    static_cast<int>(given.size()), loaded_.outputs.data(), answers.data(),
                    static_cast<int>(answers.size()), nullptr, 0, nullptr, status);
  }

  Shape shape_of(const TF_Tensor* tensor) const {
    Shape shape(static_cast<std::size_t>(api_.NumDims(tensor)));
    for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = api_.Dim(tensor, static_cast<int>(i));
    return shape;
  }
  bool has_shape(const TF_Tensor* tensor, const Shape& shape) const {
    if (static_cast<std::size_t>(api_.NumDims(tensor)) != shape.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (api_.Dim(tensor, static_cast<int>(i)) != shape[i]) return false;
    return true;
  }

  const Api& api_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  std::int64_t threads_;
  Loaded loaded_;
  Facts facts_;
  Streams streams_;  ///< last: its threads use the rest
};

class TfRequest final : public StreamedRequest {
 public:
  explicit TfRequest(TfSession& session)
      : StreamedRequest(session.streams_, session.inputs_, session.outputs_),
        session_(session),
        shapes_(session.inputs_.size()),
        is_copied_(session.inputs_.size()),
        given_(session.api_, session.inputs_.size()),
        answers_(session.api_, session.outputs_.size()),
        call_(session.api_) {}
  ~TfRequest() override { wait(); }
  TfRequest(const TfRequest&) = delete;
  TfRequest& operator=(const TfRequest&) = delete;

  Status bind_input(std::size_t port, void* data, std::size_t bytes) override {
    NEPH_CHECK(StreamedRequest::bind_input(port, data, bytes));
    return use(port, session_.inputs_[port].shape);
  }

  Status bind_open_input(std::size_t port, void* data, std::span<const std::int64_t> shape) override {
    NEPH_CHECK(check_idle());
    NEPH_CHECK(check_open_shape(session_.inputs_, port, shape));
    inputs_[port] = data;
    return use(port, {shape.begin(), shape.end()});
  }

  Result<OpenOutput> open_output(std::size_t port) override {
    NEPH_CHECK(check_idle());
    if (port >= answers_.size() || answers_[port] == nullptr)
      return fail(ErrorCode::invalid_argument, "output {} is not open, or nothing was computed yet", port);
    const auto& api = session_.api_;
    return OpenOutput{static_cast<const std::byte*>(api.TensorData(answers_[port])),
                      api.TensorByteSize(answers_[port]), session_.shape_of(answers_[port])};
  }

 private:
  Status use(std::size_t port, Shape shape) {
    given_.drop(port);
    given_[port] = session_.tensor(port, inputs_[port], shape);
    if (given_[port] == nullptr)
      return fail(ErrorCode::unavailable, "TensorFlow has no memory for input '{}'",
                  session_.inputs_[port].name);
    is_copied_[port] = session_.api_.TensorData(given_[port]) != inputs_[port];
    shapes_[port] = std::move(shape);
    return {};
  }

  Status work() override {
    NEPH_CHECK(check_bound());
    for (std::size_t i = 0; i < given_.size(); ++i)
      if (is_copied_[i]) NEPH_CHECK(use(i, shapes_[i]));  // what is in the memory now
    answers_.clear();
    session_.run(given_, answers_, call_.get());
    NEPH_CHECK(call_.check("inference failed"));
    for (std::size_t i = 0; i < outputs_.size(); ++i) NEPH_CHECK(give(i));
    return {};
  }

  /// Copies an output of fixed shape to the caller's memory.
  Status give(std::size_t i) {
    const auto& port = session_.outputs_[i];
    if (port.is_open()) return {};
    const auto& api = session_.api_;
    auto* const answer = answers_[i];
    if (!session_.has_shape(answer, port.shape) || api.TensorByteSize(answer) != port.bytes())
      return fail(ErrorCode::unsupported,
                  "output '{}' has the shape {} now, not {}: it depends on the input's values", port.name,
                  shape_text(session_.shape_of(answer)), shape_text(port.shape));
    std::memcpy(outputs_[i], api.TensorData(answer), port.bytes());
    answers_.drop(i);
    return {};
  }

  TfSession& session_;
  std::vector<Shape> shapes_;
  std::vector<bool> is_copied_;  ///< by input: its memory is not aligned
  Values given_;
  Values answers_;
  CallStatus call_;
};

/// Shapes that the file leaves open although those of all inputs are known come from runs of zeros and of
/// noise. Those in which the two differ stay open, as do all if the model takes neither.
Status TfSession::set_output_shapes() {
  if (std::ranges::any_of(inputs_, is_open) || std::ranges::none_of(outputs_, is_open)) return {};
  const auto first = shapes_of_trial(true);
  const auto is_of_floats = [](const Port& port) { return is_float(port.element); };
  if (!first && (first.error().code != ErrorCode::invalid_argument ||  // else integers may be out of range
                 std::ranges::all_of(inputs_, is_of_floats)))
    return tl::unexpected(first.error());
  std::optional<Result<std::vector<Shape>>> second;
  for (std::size_t i = 0; first && i < outputs_.size(); ++i) {
    auto& [name, element, shape, open_rank] = outputs_[i];
    if (!outputs_[i].is_open()) continue;
    if (!is_known(i, *first)) {
      if (!second) second = shapes_of_trial(false);
      const bool empty = std::ranges::find((*first)[i], 0) != (*first)[i].end();
      if (empty || !*second || (**second)[i] != (*first)[i]) continue;
    }
    shape = (*first)[i];
    open_rank = false;
  }
  return {};
}

/// Whether only the batch of an output was open, and is that of the first input.
bool TfSession::is_known(std::size_t output, const std::vector<Shape>& shapes) const {
  const auto& [name, element, shape, open_rank] = outputs_[output];
  if (open_rank || inputs_.empty() || inputs_[0].shape.empty()) return false;
  return std::ranges::count_if(shape, [](auto size) { return size < 0; }) == 1 && shape[0] < 0 &&
         !shapes[output].empty() && shapes[output][0] == inputs_[0].shape[0];
}

Result<std::vector<Shape>> TfSession::shapes_of_trial(bool zeros) const {
  Random random(1);
  std::vector<std::vector<std::byte>> filled;
  Values given(api_, inputs_.size()), answers(api_, outputs_.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const auto& input = inputs_[i];
    auto& memory = filled.emplace_back(input.bytes());
    for (std::size_t k = 0; !zeros && k < memory.size() / element_bytes(input.element); ++k)
      set_element(input.element, memory.data(), k,
                  is_float(input.element) ? random.uniform() : static_cast<double>(random.below(2)));
    given[i] = tensor(i, memory.data(), input.shape);
  }
  const CallStatus status(api_);
  run(given, answers, status.get());
  NEPH_CHECK(status.check("its first run failed"));
  std::vector<Shape> shapes;
  for (std::size_t i = 0; i < outputs_.size(); ++i) shapes.push_back(shape_of(answers[i]));
  return shapes;
}

Result<std::unique_ptr<Request>> TfSession::make_request() {
  name_threads();  // those that the compilation started
  return std::make_unique<TfRequest>(*this);
}

void TfSession::set_facts(const Library& library, const Options& options) {
  set(facts_, fact::engine, "tensorflow " + library.version);
  set(facts_, fact::device, std::string("CPU"));
  set(facts_, fact::device_name, processor_name());
  set(facts_, fact::hint, std::string(enum_name(options.hint)));
  const auto is_short = [](const Port& port) {
    return port.element == Element::f16 || port.element == Element::bf16;
  };
  if (std::ranges::none_of(inputs_, is_short) && std::ranges::none_of(outputs_, is_short))
    set(facts_, fact::precision, std::string(enum_name(Precision::f32)));
  set(facts_, fact::threads, std::to_string(threads_));
  set(facts_, fact::streams, std::to_string(streams_.count()));
  set(facts_, fact::requests, optimal_requests());
}

}  // namespace

Result<std::unique_ptr<Session>> make_session(
    const Library& library, std::vector<Port> inputs, std::vector<Port> outputs, const Options& options,
    const std::function<Result<Loaded>(const ThreadCounts&)>& load) {
  auto session = std::make_unique<TfSession>(library, std::move(inputs), std::move(outputs), options);
  NEPH_CHECK(session->prepare(load));
  session->set_facts(library, options);
  return session;
}

}  // namespace neph::engine::tensorflow_plugin
