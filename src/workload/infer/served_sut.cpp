// The system under test behind a server: one that the run starts on this machine, or one that is there
// already.
#include <algorithm>
#include <optional>

#include <fmt/ranges.h>
#include <unistd.h>

#include "core/text.hpp"
#include "engine/engine.hpp"
#include "host/host.hpp"
#include "load/load.hpp"
#include "os/file.hpp"
#include "record/telemetry.hpp"
#include "workload/infer/input_choice.hpp"
#include "workload/infer/model_batch.hpp"
#include "workload/infer/pixels.hpp"
#include "workload/infer/request_pipeline.hpp"
#include "workload/infer/requests.hpp"
#include "workload/infer/system_under_test.hpp"
#include "workload/infer/vocabulary.hpp"
#include "workload/remote_telemetry.hpp"
#include "workload/server_process.hpp"

namespace neph::workload {
namespace {

/// Requests beyond those that run: one on its way there, one on its way back.
constexpr std::int64_t on_the_way = 2;
/// Where nobody says how many run side by side.
constexpr std::int64_t depth_of_external_servers = 4;

constexpr std::uint16_t usual_metrics_port = 8002;

/// The model's name at the server: what was asked for; of a model file its name without folder and ending.
std::string served_name(const std::string& model) {
  const std::filesystem::path path(model);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return (path.has_filename() ? path : path.parent_path()).stem().string();
  return std::filesystem::is_regular_file(path, ignored) ? path.stem().string() : model;
}

/// Of a model that is not batched a request has just the rows that its file says.
Status check_rows(const wire::TensorMetadata& input, std::int64_t batch) {
  if (input.shape.empty() || input.shape.front() < 0 || input.shape.front() == batch) return {};
  return fail(ErrorCode::invalid_argument,
              "--batch {0}: the server's input '{1}' takes {2} a request, as the model's file fixes it; use "
              "--batch {2}, or export the model with an open first dimension",
              batch, input.name, input.shape.front());
}

class ServedSut final : public SystemUnderTest {
 public:
  ServedSut(const InferSpec& spec, const Context& context) : spec_(spec), context_(context) {}

  Status load(Timeline& timeline) override {
    if (spec_.architecture == Architecture::local)
      NEPH_CHECK(timeline.during(phase::server_start, [&] { return start_server(); }));
    NEPH_CHECK(find_server());
    if (!process_) NEPH_CHECK(scrape_metrics());
    return timeline.during(phase::connect, [&] { return ask_for_model(); });
  }

  Status look() {
    NEPH_CHECK(find_server());
    NEPH_CHECK(ask_for_model());
    tell_of(choice_, spec_, context_.events);
    return {};
  }

  const InputPlan& plan() const override { return choice_.plan; }
  Examples& examples() override { return choice_.examples; }
  const std::vector<engine::Port>& outputs() const override { return outputs_; }

  Status compile(Timeline&) override { return {}; }  // the server has done it before it was ready

  std::int64_t advised_depth() const override {
    if (!process_) return depth_of_external_servers;
    return on_the_way + std::max<std::int64_t>(1, get(process_->facts(), fact::requests).value_or(1));
  }

  Result<std::unique_ptr<BatchRunner>> runner(std::int64_t depth) override {
    return RequestPipeline::make(endpoint_, options_, form_, context_.clock, depth);
  }

  Facts facts() const override {
    auto all = process_ ? process_->facts() : Facts{};
    set(all, fact::protocol, std::string(enum_name(endpoint_.protocol)));
    if (!process_) set(all, fact::server, endpoint_.text());
    if (!platform_.empty()) set(all, fact::platform, platform_);
    return all;
  }

  const ServedModel* served() const override { return &served_; }
  int server_process() const override { return process_ ? process_->id() : 0; }
  bool has_external_server_here() const override { return !process_ && wire::is_loopback(endpoint_); }

  void mark() override {
    for (const auto& telemetry : watchers_) telemetry->mark();
    if (afar_) afar_->mark();
  }

  std::vector<Series> stop() override {
    std::vector<Series> all;
    for (const auto& telemetry : watchers_)
      for (auto& series : telemetry->stop()) all.push_back(std::move(series));
    watchers_.clear();
    if (afar_)
      for (auto& series : afar_->stop()) all.push_back(std::move(series));
    if (process_) process_->stop();
    return all;
  }

 private:
  Status find_server() {
    NEPH_TRY(endpoint_, wire::parse_endpoint(process_ ? process_->address(spec_.protocol) : spec_.server));
    NEPH_TRY(options_, client_options(spec_.credentials, spec_.connection));
    options_.stop = context_.stop;
    return {};
  }

  Status start_server() {
    NEPH_TRY(const auto file, file_of_model(spec_, context_.events));
    NEPH_TRY(process_, ServerProcess::start(spec_, file.string(), served_name(spec_.model), context_.stop));
    NEPH_CHECK(watch(target::server, process_->id()));
    return watch(target::client, ::getpid());
  }

  /// One process, apart from the machine and from its descendants, which the run's own telemetry has.
  Status watch(std::string_view name, int id) {
    NEPH_TRY(auto telemetry, host::Telemetry::start({.rate_hz = spec_.telemetry_hz,
                                                     .pid = id,
                                                     .process = std::string(name),
                                                     .descendants = name == target::server,
                                                     .machine = false},
                                                    context_.clock, context_.origin));
    watchers_.push_back(std::move(telemetry));
    return {};
  }

  /// The server's own figures; where it has none, they are unavailable and the run goes on.
  Status scrape_metrics() {
    auto page = endpoint_;
    page.protocol = wire::Protocol::http;
    page.port = usual_metrics_port;
    if (!spec_.metrics.empty()) {
      NEPH_TRY(page, metrics_endpoint(spec_.metrics));
    }
    auto options = options_;
    if (endpoint_.secure && !page.secure) options.bearer_token.clear();  // it is not said in the clear
    afar_.emplace(page, options, spec_.telemetry_hz, context_.clock, context_.origin);
    NEPH_CHECK(afar_->begin());
    return watch(target::client, ::getpid());
  }

  Status ask_for_model() {
    NEPH_TRY(const auto client,
             wire::Client::connect(endpoint_, options_, context_.clock, [](wire::Call&) {}));
    const auto name = served_name(spec_.model);
    NEPH_TRY(const auto about, client->model_metadata(name));
    served_ = {.endpoint = endpoint_, .options = options_, .model = about};
    served_.model.name = name;
    if (about.inputs.empty() || about.outputs.empty())
      return fail(ErrorCode::unsupported, "model '{}' of {} has {} inputs and {} outputs", name,
                  endpoint_.text(), about.inputs.size(), about.outputs.size());
    platform_ = about.platform;
    form_ = {
        .model = name, .inputs = {}, .outputs = {}, .files = spec_.payload == Payload::jpeg, .timeout = {}};
    NEPH_TRY(form_.inputs, ports_of(about.inputs));
    NEPH_TRY(outputs_, ports_of(about.outputs));
    if (const auto limit = spec_.connection.request_timeout.value; limit > 0)
      form_.timeout = from_seconds(limit);
    const auto& input = about.inputs.front();
    if (spec_.batch != 1 || !spec_.images.empty()) NEPH_CHECK(check_rows(input, spec_.batch));
    NEPH_CHECK(check_most_rows(*client, name));
    form_.fixed_batch = input.shape.empty() ? 0 : std::max<std::int64_t>(0, input.shape.front());
    if (!form_.files) return choose_tensors();
    form_.outputs = {outputs_.front().name};
    choice_.plan = {
        .inputs = form_.inputs, .shapes = {}, .rows = spec_.batch, .item = Item::image, .assumed = {}};
    return check_takes_files(input);
  }

  /// The vocabulary is looked for in the file of spec.model, if it is one.
  Status choose_tensors() {
    const IntegerBounds bounds{.of = vocabularies(spec_.model)};
    NEPH_TRY(choice_, choose_inputs(form_.inputs, bounds, spec_,
                                    [this](const InputChoice& choice) { return ask_once(choice); }));
    const auto& plan = choice_.plan;
    if (!spec_.images.empty())
      NEPH_CHECK(transform_for(plan));
    else
      form_.examples = &choice_.examples;
    form_.inputs = plan.inputs;
    for (const auto& output : outputs_) form_.outputs.push_back(output.name);
    return {};
  }

  /// Whether the server's model takes such inputs.
  Status ask_once(const InputChoice& choice) const {
    wire::InferRequest request{.model = form_.model, .binary_outputs = true};
    NEPH_CHECK(add_example(choice.plan.inputs, choice.examples.all.front(), request));
    return load::ask_once(endpoint_, options_, request, spec_.connection.request_timeout.value,
                          context_.clock, context_.stop);
  }

  /// Only where the server tells. A server that runs a larger batch in parts would not show what one costs.
  Status check_most_rows(wire::Client& client, const std::string& name) const {
    const auto rows = client.max_batch_size(name).value_or(0);
    if (rows <= 0 || spec_.batch <= rows) return {};
    return fail(ErrorCode::invalid_argument,
                "--batch {}: model '{}' of {} takes up to {} a request (its max_batch_size)", spec_.batch,
                name, endpoint_.text(), rows);
  }

  Status check_takes_files(const wire::TensorMetadata& input) const {
    if (input.datatype == "BYTES") return {};
    return fail(ErrorCode::unsupported,
                "the server's input '{}' is {}, and image files are BYTES; send tensors, or serve the model "
                "with --payload jpeg",
                input.name, input.datatype);
  }

  const InferSpec spec_;
  const Context& context_;
  std::unique_ptr<ServerProcess> process_;  ///< none: somebody else's
  wire::Endpoint endpoint_;
  wire::ClientOptions options_;
  std::string platform_;
  ServedModel served_;
  RequestForm form_;
  std::vector<engine::Port> outputs_;
  InputChoice choice_;
  std::vector<std::unique_ptr<host::Telemetry>> watchers_;
  std::optional<RemoteTelemetry> afar_;
};

}  // namespace

std::unique_ptr<SystemUnderTest> sut_behind_server(const InferSpec& spec, const Context& context) {
  return std::make_unique<ServedSut>(spec, context);
}

Status check_server(const InferSpec& spec, const Context& context) { return ServedSut(spec, context).look(); }

}  // namespace neph::workload
