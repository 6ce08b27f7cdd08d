// How a deployment comes to be, and what it says of itself.
#include <algorithm>
#include <utility>

#include "core/thread.hpp"
#include "core/values.hpp"
#include "host/host.hpp"
#include "serve/deployment.hpp"

namespace neph::serve {
namespace {

/// What a burst of pictures may leave behind for the next one, however small the model's batch is.
constexpr std::size_t always_kept_bytes = 64 << 20;

Result<std::int64_t> size_of(const std::string& text, std::int64_t most) {
  const auto number = value_as_json<std::int64_t>(text);
  if (!number.is_number_integer() || number.get<double>() < 1 ||
      number.get<double>() > static_cast<double>(most))
    return fail(ErrorCode::invalid_argument,
                "batch sizes: '{}' is not a whole number from 1 to max_batch, which is {}", text, most);
  return number.get<std::int64_t>();
}

/// Ascending; the largest is max_batch.
Result<std::vector<std::int64_t>> batch_sizes(const ModelOptions& options) {
  std::vector<std::int64_t> sizes{options.max_batch};
  if (options.batch_sizes.empty()) {
    for (std::int64_t size = 1; size < options.max_batch; size *= 2) sizes.push_back(size);
  } else {
    NEPH_TRY(const auto texts, expand_values(options.batch_sizes));
    for (const auto& text : texts) {
      NEPH_TRY(const auto size, size_of(text, options.max_batch));
      sizes.push_back(size);
    }
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

/// Executions side by side want a stream each: else the engine would have them queue.
std::int64_t streams_of(const ModelOptions& options) {
  if (options.streams > 0) return options.streams;
  return options.instances > 1 ? options.instances : 0;
}

engine::Options engine_options(const ModelOptions& options, std::int64_t rows) {
  return {.device = options.device,
          .precision = options.precision,
          .batch = rows,
          .threads = options.threads,
          .streams = streams_of(options),
          .pinning = options.pinning,
          .hint = options.instances == 1 ? engine::Hint::latency : engine::Hint::throughput};
}

std::string config_type(wire::DataType type) {
  return type == wire::DataType::bytes ? "TYPE_STRING" : fmt::format("TYPE_{}", enum_name(type));
}

wire::ModelConfig::Port config_port(const Field& field) {
  return {.name = field.name, .data_type = config_type(field.type), .dims = field.dims};
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
  std::unique_ptr<Deployment> made(
      new Deployment(std::move(model), std::move(name), options, platform, regions, clock));
  NEPH_CHECK(made->compile());
  NEPH_CHECK(made->make_lanes());
  NEPH_CHECK(made->try_sizes());
  NEPH_CHECK(made->add_lanes_for_cheap_model());
  if (options.payload != Payload::tensor)
    made->decoders_ = std::make_unique<Decoders>(made->signature_, host::usable_cores(), clock,
                                                 [raw = made.get()](Job& job) { raw->decoded(job); });
  made->clock_watcher_ =
      start_thread("queue", [raw = made.get()](const std::stop_token& stop) { raw->watch_clock(stop); });
  return made;
}

Status Deployment::compile() {
  NEPH_TRY(const auto sizes, batch_sizes(options_));
  for (const auto rows : sizes) {
    NEPH_TRY(auto session, model_->compile(engine_options(options_, rows)));
    sessions_.push_back({.rows = rows, .session = std::move(session)});
    costs_.push_back({.rows = rows});
  }
  const auto& largest = sessions_.back();
  NEPH_TRY(signature_, make_signature(*largest.session, largest.rows, options_.payload));
  return {};
}

Status Deployment::make_lanes() {
  const auto& largest = *sessions_.back().session;
  const auto count = options_.instances > 0 ? options_.instances : largest.optimal_requests();
  const auto in_use =
      2 * static_cast<std::size_t>(count);  // one that is filled, one that is written or decoded
  std::vector<std::size_t> bytes;
  for (const auto& output : largest.outputs()) bytes.push_back(output.bytes());
  blocks_ = OutputBlocks::make(std::move(bytes), in_use);
  for (const auto& input : largest.inputs()) most_kept_bytes_ += in_use * input.bytes();
  most_kept_bytes_ = std::max(most_kept_bytes_, always_kept_bytes);
  for (std::int64_t i = 0; i < count; ++i) NEPH_CHECK(add_lane());
  return {};
}

Status Deployment::add_lane() {
  NEPH_TRY(auto lane, Lane::make(sessions_, signature_, *blocks_, clock_,
                                 [this](Lane& done, const Status& status) { complete(done, status); }));
  idle_lanes_.push_back(lanes_.emplace_back(std::move(lane)).get());
  return {};
}

/// Of a model that is run by the threads which bring its requests, each of them finds a lane of its own.
Status Deployment::add_lanes_for_cheap_model() {
  if (options_.instances > 1 || costs_.front().seconds > worth_handing_over_s) return {};
  while (std::ssize(lanes_) < host::usable_cores()) NEPH_CHECK(add_lane());
  return {};
}

/// The first execution of a session sets things up; the second shows what one costs. With that the server is
/// warm before it says that it is ready.
Status Deployment::try_sizes() {
  for (std::size_t size = 0; size < sessions_.size(); ++size) {
    for (const auto& lane : lanes_) NEPH_CHECK(lane->try_out(size));
    NEPH_TRY(const auto time, lanes_.front()->try_out(size));
    costs_[size].seconds = seconds(time);
  }
  return {};
}

wire::ModelMetadata Deployment::metadata() const {
  wire::ModelMetadata about{.name = name_.name, .versions = {name_.version}, .platform = platform_};
  for (const auto& field : signature_.inputs) about.inputs.push_back(field.metadata());
  for (const auto& field : signature_.outputs) about.outputs.push_back(field.metadata());
  return about;
}

wire::ModelConfig Deployment::config() const {
  wire::ModelConfig config{.name = name_.name,
                           .platform = platform_,
                           .backend = options_.engine,
                           .max_batch_size = options_.max_batch};
  for (const auto& field : signature_.inputs) config.input.push_back(config_port(field));
  for (const auto& field : signature_.outputs) config.output.push_back(config_port(field));
  config.instance_group.push_back({.name = name_.name,
                                   .kind = options_.device == "CPU" ? "KIND_CPU" : "KIND_GPU",
                                   .count = static_cast<std::int64_t>(lanes_.size())});
  if (options_.max_batch > 1) {
    wire::ModelConfig::DynamicBatching batching;
    for (const auto& session : sessions_) batching.preferred_batch_size.push_back(session.rows);
    batching.max_queue_delay_microseconds = static_cast<std::int64_t>(options_.max_wait.value * 1e6);
    config.dynamic_batching = std::move(batching);
  }
  return config;
}

wire::ModelStatistics Deployment::statistics() const {
  std::vector<wire::ModelStatistics> parts{statistics_.snapshot()};
  for (const auto& lane : lanes_) parts.push_back(lane->statistics().snapshot());
  auto all = sum_of(parts);
  all.name = name_.name;
  all.version = name_.version;
  return all;
}

const std::map<std::string, std::string>& Deployment::facts() const {
  return sessions_.back().session->facts();
}

std::int64_t Deployment::pending() const {
  const std::scoped_lock lock(mutex_);
  return waiting_;
}

}  // namespace neph::serve
