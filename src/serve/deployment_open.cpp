// How a deployment comes to be, and what it says of itself.
#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "os/cores.hpp"
#include "os/thread.hpp"
#include "serve/batching.hpp"
#include "serve/deployment.hpp"

namespace neph::serve {
namespace {

/// What a burst of pictures may leave behind for the next one, however small the model's batch is. It is not
/// given back while the model is loaded: after a stall of seconds all of it would be kept.
constexpr std::size_t always_kept_bytes = 8 << 20;

/// Of an execution, until one has been seen: more than is run where it came in, and no reason to wait for
/// long.
constexpr double unknown_cost_s = 1e-3;

std::string config_type(wire::DataType type) {
  return type == wire::DataType::bytes ? "TYPE_STRING" : fmt::format("TYPE_{}", enum_name(type));
}

wire::ModelConfig::Port config_port(const Field& field, bool has_rows) {
  const auto first = field.shape.begin() + (has_rows && !field.shape.empty() ? 1 : 0);
  return {.name = field.name, .data_type = config_type(field.type), .dims = {first, field.shape.end()}};
}

}  // namespace

Deployment::Deployment(std::unique_ptr<engine::Model> model, ModelName name, const ModelOptions& options,
                       std::string platform, const Regions& regions, const Clock& clock)
    : options_(options),
      name_(std::move(name)),
      platform_(std::move(platform)),
      regions_(regions),
      clock_(clock),
      model_(std::move(model)) {}

Result<std::unique_ptr<Deployment>> Deployment::open(std::unique_ptr<engine::Model> model, ModelName name,
                                                     const ModelOptions& options, const std::string& platform,
                                                     const Regions& regions, const Clock& clock) {
  auto own = options;
  NEPH_CHECK(add_shapes(own.shape, model->inputs(), own.declared));
  std::unique_ptr<Deployment> made(
      new Deployment(std::move(model), std::move(name), own, platform, regions, clock));
  NEPH_CHECK(made->compile());
  NEPH_CHECK(made->make_instances());
  NEPH_CHECK(made->try_sizes());
  NEPH_CHECK(made->add_instances_for_cheap_model());
  auto* const raw = made.get();
  if (options.payload != Payload::tensor) {
    made->decoders_ =
        std::make_unique<Decoders>(made->signature_, clock, [raw](Job& job) { raw->decoded(job); });
    NEPH_CHECK(made->decoders_->begin(usable_cores()));
  }
  NEPH_TRY(made->clock_watcher_,
           start_thread(
               "queue", [raw](const std::stop_token& stop) { raw->watch_clock(stop); }, end_process));
  return made;
}

Status Deployment::compile() {
  NEPH_TRY(auto plan, plan_sessions(*model_, options_));
  sessions_ = std::move(plan.sessions);
  for (const auto& each : sessions_) costs_.push_back({.rows = each.rows, .seconds = unknown_cost_s});
  const auto& largest = sessions_.back();
  front_.reserve(static_cast<std::size_t>(largest.rows));
  if (plan.batched) {
    NEPH_TRY(signature_, make_signature(*largest.session, largest.rows, options_.payload));
  } else {
    NEPH_TRY(signature_, make_unbatched_signature(*largest.session, options_.payload));
  }
  NEPH_CHECK(declare(signature_, options_.declared));
  signature_.reply_bytes = static_cast<std::uint64_t>(options_.reply_bytes);
  facts_ = largest.session->facts();
  set(facts_, fact::max_batch, options_.max_batch);
  set(facts_, fact::batching, plan.batched ? "on" : "off: " + plan.reason);
  return {};
}

Status Deployment::make_instances() {
  const auto& largest = *sessions_.back().session;
  const auto count = options_.instances > 0 ? options_.instances : largest.optimal_requests();
  const auto in_use =
      2 * static_cast<std::size_t>(count);  // one that is filled, one that is written or decoded
  std::vector<std::size_t> bytes;
  for (const auto& output : largest.outputs()) bytes.push_back(output.bytes());
  const auto block_bytes = std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{1});
  blocks_ =
      OutputBlocks::make(std::move(bytes), in_use, std::max(in_use, signature_.reply_bytes / block_bytes));
  for (const auto& input : largest.inputs()) most_kept_bytes_ += in_use * input.bytes();
  most_kept_bytes_ = std::max(most_kept_bytes_, always_kept_bytes);
  for (std::int64_t i = 0; i < count; ++i) NEPH_CHECK(add_instance());
  return {};
}

Status Deployment::add_instance() {
  NEPH_TRY(auto instance,
           Instance::make(sessions_, signature_, *blocks_, clock_,
                          [this](Instance& done, const Status& status) { complete(done, status); }));
  idle_instances_.push_back(instances_.emplace_back(std::move(instance)).get());
  return {};
}

/// Of a model that is run by the threads which bring its requests, each of them finds an instance of its own.
Status Deployment::add_instances_for_cheap_model() {
  if (options_.instances > 1 || costs_.front().seconds > worth_handing_over_s) return {};
  const auto cores = usable_cores();
  while (std::ssize(instances_) < cores) NEPH_CHECK(add_instance());
  return {};
}

/// Not shapes that only a request knows. Nor integers: a step or size of 0 ends the process in some operators
/// (Range, Col2Im of OpenVINO 2026.4: SIGFPE).
bool Deployment::may_try_zeros() const {
  const auto& inputs = sessions_.front().session->inputs();
  const bool floats = std::all_of(inputs.begin(), inputs.end(),
                                  [](const engine::Port& port) { return engine::is_float(port.element); });
  return signature_.batched || (floats && !signature_.has_open_inputs());
}

/// The first execution of a session sets things up; the second shows what one costs. With that the server is
/// warm before it says that it is ready. A model that is not batched may refuse zeros, and take what its
/// clients send.
Status Deployment::try_sizes() {
  if (!may_try_zeros()) return {};
  for (std::size_t size = 0; size < sessions_.size(); ++size) {
    Result<Nanoseconds> time = Nanoseconds{};
    for (const auto& instance : instances_)
      if (time) time = instance->try_out(size);
    if (time) time = instances_.front()->try_out(size);
    if (!time && signature_.batched) return tl::unexpected(time.error());
    if (time) costs_[size].seconds = seconds(*time);
  }
  return {};
}

void Deployment::try_smallest() const {
  auto& session = *sessions_.front().session;
  auto request = session.make_request();
  std::vector<AlignedFloats> memory;
  const auto room = [&](std::size_t bytes, std::size_t width, bool ones) {
    auto* const at =
        reinterpret_cast<std::byte*>(memory.emplace_back(allocate_floats(bytes / sizeof(float) + 1)).get());
    for (std::size_t i = 0; at != nullptr && i < bytes; ++i) at[i] = std::byte{ones && i % width == 0};
    return at;
  };
  if (!request) return;
  for (std::size_t i = 0; i < session.inputs().size(); ++i) {
    auto port = session.inputs()[i];
    if (port.element == engine::Element::text) return;
    const bool open = port.is_open();
    if (std::exchange(port.open_rank, false)) port.shape = {1};
    for (auto& size : port.shape) size = size < 0 ? 1 : size;
    auto* const data =
        room(port.bytes(), engine::element_bytes(port.element), !engine::is_float(port.element));
    if (!(open ? (*request)->bind_open_input(i, data, port.shape)
               : (*request)->bind_input(i, data, port.bytes())))
      return;
  }
  for (std::size_t i = 0; i < session.outputs().size(); ++i)
    if (const auto& port = session.outputs()[i]; !port.is_open())
      if (!(*request)->bind_output(i, room(port.bytes(), 1, false), port.bytes())) return;
  std::ignore = (*request)->infer();
}

wire::ModelMetadata Deployment::metadata() const {
  wire::ModelMetadata about{.name = name_.name, .versions = {name_.version}, .platform = platform_};
  for (const auto& field : signature_.inputs) about.inputs.push_back(field.metadata());
  for (const auto& field : signature_.outputs)
    if (!field.hidden) about.outputs.push_back(field.metadata());
  return about;
}

wire::ModelConfig Deployment::config() const {
  const auto own = signature_.batched ? options_.max_batch : 0;
  const bool has_rows = signature_.has_rows();
  wire::ModelConfig config{.name = name_.name,
                           .platform = platform_,
                           .backend = options_.runtime.engine,
                           .max_batch_size = signature_.request_rows > 0 ? signature_.request_rows : own};
  for (const auto& field : signature_.inputs) config.input.push_back(config_port(field, has_rows));
  for (const auto& field : signature_.outputs)
    if (!field.hidden) config.output.push_back(config_port(field, has_rows));
  config.instance_group.push_back({.name = name_.name,
                                   .kind = options_.runtime.device == "CPU" ? "KIND_CPU" : "KIND_GPU",
                                   .count = static_cast<std::int64_t>(instances_.size())});
  if (own > 1) {
    wire::ModelConfig::DynamicBatching batching;
    for (const auto& session : sessions_) batching.preferred_batch_size.push_back(session.rows);
    batching.max_queue_delay_microseconds = static_cast<std::int64_t>(options_.max_wait.value * 1e6);
    config.dynamic_batching = std::move(batching);
  }
  return config;
}

wire::ModelStatistics Deployment::statistics() const {
  std::vector<wire::ModelStatistics> parts{statistics_.snapshot()};
  for (const auto& instance : instances_) parts.push_back(instance->statistics().snapshot());
  auto all = sum_of(parts);
  all.name = name_.name;
  all.version = name_.version;
  return all;
}

std::int64_t Deployment::pending() const {
  const std::scoped_lock lock(mutex_);
  return waiting_;
}

}  // namespace neph::serve
