#include "engine/torch/session.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "core/names.hpp"
#include "engine/hardware.hpp"
#include "engine/streamed_request.hpp"

namespace neph::engine::torch_plugin {
namespace {

using Shape = std::vector<std::int64_t>;

std::optional<std::int32_t> dtype_of(const Abi& abi, Element element) {
  switch (element) {
    case Element::f32:
      return abi.dtype_float32();
    case Element::f16:
      return abi.dtype_float16();
    case Element::bf16:
      return abi.dtype_bfloat16();
    case Element::f64:
      return abi.dtype_float64();
    case Element::u8:
      return abi.dtype_uint8();
    case Element::i8:
      return abi.dtype_int8();
    case Element::i16:
      return abi.dtype_int16();
    case Element::i32:
      return abi.dtype_int32();
    case Element::i64:
      return abi.dtype_int64();
    case Element::boolean:
      return abi.dtype_bool();
    default:
      return std::nullopt;
  }
}

std::optional<Element> element_of(const Abi& abi, std::int32_t dtype) {
  for (const auto& each : enum_names(Element{}))
    if (dtype_of(abi, each.value) == dtype) return each.value;
  return std::nullopt;
}

Shape row_major(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (auto i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * std::max<std::int64_t>(1, shape[i]);
  return strides;
}

class TorchSession final : public Session {
 public:
  TorchSession(const Library& library, const Place& place, std::vector<Port> inputs,
               std::vector<Port> outputs, const Options& options)
      : abi_(library.abi),
        place_(place),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        threads_(usable_threads(options.threads)),
        streams_(streams_for(options, threads_, is_cuda(options.device))) {}

  Status prepare(std::shared_ptr<CompiledLibrary> compiled, const Package& package,
                 std::weak_ptr<Runner>& last, const Options& options) {
    NEPH_CHECK(streams_.begin());
    take_effect();
    runner_ = last.lock();
    if (!runner_ || !runner_->is_for(place_, streams_.count())) {
      NEPH_TRY(runner_, Runner::make(std::move(compiled), package, place_, streams_.count()));
      last = runner_;
    }
    return set_outputs(options);
  }
  void set_facts(const Library& library, const Package& package, const Options& options);

  const std::vector<Port>& inputs() const override { return inputs_; }
  const std::vector<Port>& outputs() const override { return outputs_; }
  Result<std::unique_ptr<Request>> make_request() override;
  std::int64_t optimal_requests() const override { return streams_.count(); }
  const Facts& facts() const override { return facts_; }

 private:
  friend class TorchRequest;
  /// On the calling thread, before it computes.
  void take_effect() const {
    thread_local std::int64_t set_here = 0;
    const auto threads = std::max<std::int64_t>(1, threads_ / streams_.count());
    if (set_here == threads) return;
    if (abi_.set_thread_count != nullptr) abi_.set_thread_count(static_cast<int>(threads));
    abi_.grad_mode_set_enabled(false);
    set_here = threads;
  }
  bool is_on_cpu() const { return place_.type == abi_.device_type_cpu(); }

  /// Over memory of this machine.
  Status wrap(void* data, Element element, const Shape& shape, Tensor& made) const {
    const auto strides = row_major(shape);
    const Messages messages;
    return messages.check(
        abi_.create_tensor_from_blob(data, std::ssize(shape), shape.data(), strides.data(), 0,
                                     dtype_of(abi_, element).value_or(-1), abi_.device_type_cpu(), 0, &made),
        "a tensor");
  }
  Status give(void* data, Element element, const Shape& shape, Tensor& made) const;
  Status copy(Tensor from, const Port& port, const Shape& shape, void* data) const;
  Result<Port> port_of(const std::string& name, Tensor tensor) const;
  Result<std::vector<Port>> try_run() const;
  Status set_outputs(const Options& options);

  const Abi& abi_;
  Place place_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  std::int64_t threads_;
  std::shared_ptr<Runner> runner_;
  Facts facts_;
  Streams streams_;  ///< last: its threads use the rest
};

class TorchRequest final : public StreamedRequest {
 public:
  explicit TorchRequest(TorchSession& session)
      : StreamedRequest(session.streams_, session.inputs_, session.outputs_),
        session_(session),
        open_(session.outputs_.size()) {
    for (const auto& input : session.inputs_) shapes_.push_back(input.shape);
  }
  ~TorchRequest() override { wait(); }
  TorchRequest(const TorchRequest&) = delete;
  TorchRequest& operator=(const TorchRequest&) = delete;

  Status bind_open_input(std::size_t port, void* data, std::span<const std::int64_t> shape) override {
    NEPH_CHECK(check_idle());
    NEPH_CHECK(check_open_shape(session_.inputs_, port, shape));
    double bytes = 8;
    for (const auto size : shape) bytes *= static_cast<double>(size);
    NEPH_CHECK(check_memory(bytes, 1));
    inputs_[port] = data;
    shapes_[port].assign(shape.begin(), shape.end());
    return {};
  }

  Result<OpenOutput> open_output(std::size_t port) override {
    NEPH_CHECK(check_idle());
    if (port >= open_.size() || !session_.outputs_[port].is_open() || !open_[port])
      return fail(ErrorCode::invalid_argument, "output {} is not open, or nothing was computed yet", port);
    return OpenOutput{open_[port]->bytes.data(), open_[port]->bytes.size(), open_[port]->shape};
  }

 private:
  struct Answer {
    std::vector<std::byte> bytes;
    Shape shape;
  };

  Status work() override {
    NEPH_CHECK(check_bound());
    session_.take_effect();
    Tensors given(session_.abi_, inputs_.size()), answers(session_.abi_, outputs_.size());
    for (std::size_t i = 0; i < given.size(); ++i)
      NEPH_CHECK(session_.give(inputs_[i], session_.inputs_[i].element, shapes_[i], given[i]));
    NEPH_CHECK(session_.runner_->run(given, answers));
    for (std::size_t i = 0; i < answers.size(); ++i) NEPH_CHECK(take(i, answers[i]));
    return {};
  }

  Status take(std::size_t i, Tensor answer) {
    const auto& port = session_.outputs_[i];
    NEPH_TRY(const auto computed, session_.port_of(port.name, answer));
    if (computed.element != port.element)
      return fail(ErrorCode::corrupt, "output '{}' is of {}, and the package says {}", port.name,
                  enum_name(computed.element), enum_name(port.element));
    if (!port.is_open()) {
      if (computed.shape != port.shape)
        return fail(ErrorCode::unsupported,
                    "output '{}' has the shape {} now, not {}: it depends on the "
                    "input's values",
                    port.name, shape_text(computed.shape), shape_text(port.shape));
      return session_.copy(answer, port, port.shape, outputs_[i]);
    }
    auto& open = open_[i].emplace();
    open.shape = computed.shape;
    open.bytes.resize(computed.bytes());
    return session_.copy(answer, port, open.shape, open.bytes.data());
  }

  TorchSession& session_;
  std::vector<Shape> shapes_;  ///< of the inputs
  std::vector<std::optional<Answer>> open_;
};

/// The memory itself on a CPU, else a copy on the device.
Status TorchSession::give(void* data, Element element, const Shape& shape, Tensor& made) const {
  if (is_on_cpu()) return wrap(data, element, shape, made);
  Tensors here(abi_, 1);
  NEPH_CHECK(wrap(data, element, shape, here[0]));
  const auto strides = row_major(shape);
  const Messages messages;
  NEPH_CHECK(messages.check(
      abi_.empty_strided(std::ssize(shape), shape.data(), strides.data(),
                         dtype_of(abi_, element).value_or(-1), place_.type, place_.index, &made),
      "memory of the GPU"));
  return messages.check(abi_.copy_(made, here[0], 0), "a copy to the GPU");
}

/// Row-major, from wherever it is; waits for the device.
Status TorchSession::copy(Tensor from, const Port& port, const Shape& shape, void* data) const {
  Tensors to(abi_, 1);
  NEPH_CHECK(wrap(data, port.element, shape, to[0]));
  const Messages messages;
  return messages.check(abi_.copy_(to[0], from, 0), "a copy of an output");
}

Result<Port> TorchSession::port_of(const std::string& name, Tensor tensor) const {
  std::int64_t rank = 0, *sizes = nullptr;
  std::int32_t dtype = 0;
  const Messages messages;
  NEPH_CHECK(messages.check(abi_.get_dim(tensor, &rank), name));
  NEPH_CHECK(messages.check(abi_.get_sizes(tensor, &sizes), name));
  NEPH_CHECK(messages.check(abi_.get_dtype(tensor, &dtype), name));
  const auto element = element_of(abi_, dtype);
  if (!element)
    return fail(ErrorCode::unsupported,
                "output '{}' has elements that neph cannot pass on; cast it in the "
                "model",
                name);
  return Port{.name = name, .element = *element, .shape = {sizes, sizes + rank}};
}

/// What the outputs are for inputs of zeros; 2 stands for dimensions that are open.
Result<std::vector<Port>> TorchSession::try_run() const {
  std::vector<std::vector<std::byte>> zeros;
  Tensors given(abi_, inputs_.size()), answers(abi_, outputs_.size());
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    auto input = inputs_[i];
    for (auto& size : input.shape)
      if (size < 0) size = 2;
    NEPH_CHECK(give(zeros.emplace_back(input.bytes()).data(), input.element, input.shape, given[i]));
  }
  NEPH_CHECK(runner_->run(given, answers));
  std::vector<Port> outputs;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    NEPH_TRY(auto port, port_of(outputs_[i].name, answers[i]));
    outputs.push_back(std::move(port));
  }
  return outputs;
}

Status TorchSession::set_outputs(const Options& options) {
  NEPH_TRY(auto outputs, try_run());
  const bool is_open = std::ranges::any_of(inputs_, [](const Port& port) { return port.is_open(); });
  const bool has_batch = options.batch > 0 && options.shapes.empty();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (is_open) {
      outputs_[i].element = outputs[i].element;
      continue;
    }
    const auto& shape = outputs[i].shape;
    if (has_batch && !shape.empty() && shape[0] != options.batch)
      return fail(ErrorCode::unsupported,
                  "with batch {} output '{}' has the shape {}, whose first dimension is not the batch",
                  options.batch, outputs[i].name, shape_text(shape));
    outputs_[i] = std::move(outputs[i]);
  }
  return {};
}

Result<std::unique_ptr<Request>> TorchSession::make_request() {
  return std::make_unique<TorchRequest>(*this);
}

void TorchSession::set_facts(const Library& library, const Package& package, const Options& options) {
  set(facts_, fact::engine, "torch " + library.version);
  set(facts_, fact::device, place_.device.name);
  set(facts_, fact::device_name, place_.device.description);
  set(facts_, fact::hint, std::string(enum_name(options.hint)));
  const auto& precision = package.description.precision;
  if (!precision.empty()) set(facts_, fact::precision, precision == "f32" && place_.tf32 ? tf32 : precision);
  set(facts_, fact::threads, std::to_string(threads_));
  set(facts_, fact::streams, std::to_string(streams_.count()));
  set(facts_, fact::requests, optimal_requests());
}

}  // namespace

Result<std::unique_ptr<Session>> make_session(const Library& library, const Place& place,
                                              const Package& package,
                                              std::shared_ptr<CompiledLibrary> compiled,
                                              std::weak_ptr<Runner>& last, std::vector<Port> inputs,
                                              const Options& options) {
  auto session =
      std::make_unique<TorchSession>(library, place, std::move(inputs), package.description.outputs, options);
  NEPH_CHECK(session->prepare(std::move(compiled), package, last, options));
  session->set_facts(library, package, options);
  return session;
}

}  // namespace neph::engine::torch_plugin
