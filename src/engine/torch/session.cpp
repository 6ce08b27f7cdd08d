#include "engine/torch/session.hpp"

#include <algorithm>
#include <mutex>

#include "engine/hardware.hpp"
#include "engine/streamed_request.hpp"
#include "engine/torch/cuda.hpp"
#include "engine/torch/layer_clock.hpp"
#include "engine/torch/request_memory.hpp"
#include "engine/torch/threads.hpp"

namespace neph::engine::torch_plugin {
namespace {

/// Inferences side by side where the caller leaves it open: for throughput one for each four threads, and two
/// where there are two, since parts of most networks use one thread only. On a GPU two, of which one copies
/// while the other computes.
std::int64_t streams_for(const Options& options, const Place& place, const Library& library,
                         std::int64_t threads) {
  if (options.streams > 0) return options.streams;
  if (options.hint == Hint::latency) return 1;
  if (place.type != library.abi.cpu()) return 2;
  return std::max(std::min<std::int64_t>(threads, 2), threads / 4);
}

class TorchSession final : public Session {
 public:
  TorchSession(const Library& library, const Place& place, const Simplified& simple, std::vector<Sizes> sizes,
               const Options& options)
      : ops_(library.abi, place.type, place.index),
        place_(place),
        simple_(&simple),
        sizes_(std::move(sizes)),
        options_(options),
        threads_(usable_threads(options.threads)),
        streams_(streams_for(options, place, library, threads_)) {}

  Status prepare(const Library& library, std::vector<Port> inputs, std::vector<Port> outputs);
  void set_facts(const Library& library, const Place& place);

  const std::vector<Port>& inputs() const override { return inputs_; }
  const std::vector<Port>& outputs() const override { return outputs_; }
  Result<std::unique_ptr<Request>> make_request() override;
  std::int64_t optimal_requests() const override { return streams_.count(); }
  const Facts& facts() const override { return facts_; }
  Result<std::vector<LayerTime>> layers() override {
    return options_.profiled ? layer_clock_.layers() : Session::layers();
  }

 private:
  friend class TorchRequest;
  /// On the calling thread, before it computes.
  void take_effect() const {
    compute_with(ops_.abi(), std::max<std::int64_t>(1, threads_ / streams_.count()));
    if (cuda_ && streams_.count() > 1) compute_beside(*cuda_, place_.index);
  }
  /// Until the device has done what was started; a CPU has when a call returns.
  void wait_for_device() const {
    if (cuda_) wait_for_gpu(*cuda_);
  }
  /// Inputs whose shapes each inference tells.
  bool is_open() const {
    return std::ranges::any_of(inputs_, [](const Port& port) { return port.is_open(); });
  }
  Result<Plan> make_plan(std::vector<Sizes> sizes);
  Status check_room();
  Status set_shapes();

  Ops ops_;
  Place place_;
  std::optional<Cuda> cuda_;  ///< on a GPU
  const Simplified* simple_;
  std::vector<Sizes> sizes_;
  Options options_;
  std::int64_t threads_;
  std::vector<Port> inputs_;
  std::vector<Port> outputs_;
  Facts facts_;
  LayerClock layer_clock_;
  std::mutex plans_;  ///< guards the next, while plans are made
  Uploaded uploaded_;
  std::mutex first_;            ///< guards the next
  std::optional<Plan> unused_;  ///< the first plan, until a request takes it
  Streams streams_;             ///< last: its threads use the rest
};

class TorchRequest final : public StreamedRequest {
 public:
  /// No plan: one is made for the shapes of each inference, and kept while they stay.
  TorchRequest(TorchSession& session, std::optional<Plan> plan)
      : StreamedRequest(session.streams_, session.inputs_, session.outputs_),
        session_(session),
        sizes_(session.sizes_),
        open_(session.outputs_.size()) {
    if (plan) use(std::move(*plan));
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
    if (std::ranges::equal(sizes_[port], shape)) return {};
    sizes_[port].assign(shape.begin(), shape.end());
    plan_.reset();
    return {};
  }

  Result<OpenOutput> open_output(std::size_t port) override {
    NEPH_CHECK(check_idle());
    if (port >= open_.size() || !session_.outputs_[port].is_open() || !plan_)
      return fail(ErrorCode::invalid_argument, "output {} is not open, or nothing was computed yet", port);
    return OpenOutput{open_[port].data(), open_[port].size(), plan_->output_sizes[port]};
  }

 private:
  void use(Plan plan) {
    plan_ = std::move(plan);
    pass_.emplace(session_.ops_, plan_->parameters, std::vector<bool>{});
  }

  Status check_bound() const {
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      if (outputs_[i] == nullptr && !session_.outputs_[i].is_open()) return unbound();
    if (std::ranges::find(inputs_, nullptr) != inputs_.end()) return unbound();
    return {};
  }
  static tl::unexpected<Error> unbound() {
    return fail(ErrorCode::invalid_argument, "an input or output has no memory; bind all of them first");
  }

  Status work() override {
    NEPH_CHECK(check_bound());
    if (!plan_) {
      NEPH_TRY(auto plan, session_.make_plan(sizes_));
      use(std::move(plan));
    }
    return guarded("inference", [&]() -> Status {
      session_.take_effect();
      compute();
      return {};
    });
  }

  void compute() {
    const auto& ops = session_.ops_;
    pass_->begin(false, 0, plan_->wanted.size());
    for (const auto& [slot, value] : plan_->constants) pass_->set(slot, value);
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      pass_->set(i, read_input(ops, session_.inputs_[i].element, sizes_[i], inputs_[i]));
    if (session_.options_.profiled)
      session_.layer_clock_.run(*plan_, *pass_, [this] { session_.wait_for_device(); });
    else
      plan_->forward(*pass_);
    for (std::size_t i = 0; i < outputs_.size(); ++i) give_output(i);
    pass_->begin(false, 0, 0);
  }

  void give_output(std::size_t i) {
    const auto& port = session_.outputs_[i];
    const auto& value = pass_->value(plan_->outputs[i]);
    const auto bytes = static_cast<std::size_t>(value.count()) * element_bytes(port.element);
    if (port.is_open())
      open_[i].resize(bytes);
    else if (bytes != port.bytes())
      throw Failure("an output of another size than the model's file tells");
    write_output(session_.ops_, value, port.element, port.is_open() ? open_[i].data() : outputs_[i]);
  }

  TorchSession& session_;
  std::vector<Sizes> sizes_;  ///< of the inputs
  std::optional<Plan> plan_;
  std::optional<Pass> pass_;
  std::vector<std::vector<std::byte>> open_;  ///< outputs of open shape
};

Result<Plan> TorchSession::make_plan(std::vector<Sizes> sizes) {
  const std::lock_guard lock(plans_);
  std::optional<Plan> made;
  NEPH_CHECK(guarded("compiling", [&]() -> Status {
    take_effect();
    const Arithmetic arithmetic{.bfloat16 = options_.precision == Precision::bf16};
    NEPH_TRY(made, make_inference_plan(*simple_, ops_, arithmetic, std::move(sizes), uploaded_));
    wait_for_device();  // other streams read what was uploaded
    return {};
  }));
  return std::move(*made);
}

/// A batch that does not fit would end the process: large ones are told from one example.
Status TorchSession::check_room() {
  double bytes = 0;
  auto one = sizes_;
  for (auto& sizes : one) {
    bytes += 4 * static_cast<double>(product(sizes));
    if (!sizes.empty()) sizes[0] = 1;
  }
  constexpr double large = 64 << 20;
  if (options_.batch < 2 || bytes < large) return {};
  NEPH_TRY(const auto plan, make_plan(one));
  return check_memory(plan.peak_bytes * static_cast<double>(options_.batch), options_.batch);
}

Status TorchSession::set_shapes() {
  const bool has_batch = options_.batch > 0 && options_.shapes.empty();
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    auto& shape = outputs_[i].shape;
    shape = unused_->output_sizes[i];
    if (has_batch && !shape.empty() && shape[0] != options_.batch)
      return fail(ErrorCode::unsupported,
                  "with batch {} output '{}' has the shape {}, whose first dimension is not the batch",
                  options_.batch, outputs_[i].name, shape_text(shape));
  }
  return {};
}

Status TorchSession::prepare(const Library& library, std::vector<Port> inputs, std::vector<Port> outputs) {
  NEPH_CHECK(streams_.begin());
  if (!ops_.on_cpu()) {
    NEPH_TRY(cuda_, find_cuda(library));
  }
  inputs_ = std::move(inputs);
  outputs_ = std::move(outputs);
  for (std::size_t i = 0; i < inputs_.size(); ++i) inputs_[i].shape = sizes_[i];
  if (is_open()) {
    for (auto& output : outputs_) output.open_rank = output.shape.empty();  // the file does not tell
    return {};
  }
  NEPH_CHECK(check_room());
  NEPH_TRY(unused_, make_plan(sizes_));
  return set_shapes();
}

Result<std::unique_ptr<Request>> TorchSession::make_request() {
  if (is_open()) return std::make_unique<TorchRequest>(*this, std::nullopt);
  const std::lock_guard lock(first_);
  if (!unused_) {
    NEPH_TRY(unused_, make_plan(sizes_));
  }
  return std::make_unique<TorchRequest>(*this, std::exchange(unused_, std::nullopt));
}

void TorchSession::set_facts(const Library& library, const Place& place) {
  set(facts_, fact::engine, "torch " + library.version);
  set(facts_, fact::device, place.device.name);
  set(facts_, fact::device_name, place.device.description);
  set(facts_, fact::hint, std::string(enum_name(options_.hint)));
  set(facts_, fact::precision, precision_used(place, options_.precision));
  set(facts_, fact::threads, std::to_string(threads_));
  set(facts_, fact::streams, std::to_string(streams_.count()));
  set(facts_, fact::requests, optimal_requests());
  set(facts_, fact::allocator, allocator_fact());
}

}  // namespace

Result<std::unique_ptr<Session>> make_session(const Library& library, const Place& place,
                                              const Simplified& simple, std::vector<Sizes> sizes,
                                              std::vector<Port> inputs, std::vector<Port> outputs,
                                              const Options& options) {
  auto session = std::make_unique<TorchSession>(library, place, simple, std::move(sizes), options);
  NEPH_CHECK(session->prepare(library, std::move(inputs), std::move(outputs)));
  session->set_facts(library, place);
  return session;
}

}  // namespace neph::engine::torch_plugin
