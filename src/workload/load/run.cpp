#include "workload/load/run.hpp"

#include <algorithm>
#include <random>
#include <tuple>

#include <fmt/ranges.h>

#include "core/units.hpp"
#include "load/load.hpp"
#include "os/file.hpp"
#include "record/metrics.hpp"
#include "workload/infer/requests.hpp"
#include "workload/load/spec.hpp"

namespace neph::workload {
namespace {

/// spec.model, or the only model that the server has. Errors: invalid_argument (it has none or several, or no
/// list of them), with what can be named.
Result<std::string> model_of(const LoadSpec& spec, wire::Client& client) {
  if (!spec.model.empty()) return spec.model;
  const auto models = client.models();
  if (!models)
    return fail(ErrorCode::invalid_argument,
                "no model given, and {} has no list of its models ({}); name one: --model NAME", spec.url,
                models.error().message);
  if (models->size() == 1) return models->front();
  if (models->empty())
    return fail(ErrorCode::invalid_argument,
                "no model given, and {} lists none that is ready; name one: --model NAME", spec.url);
  return fail(ErrorCode::invalid_argument, "no model given, and {} has {}; name one: --model {}", spec.url,
              fmt::join(*models, ", "), models->front());
}

/// Requests as the description has them: random, of files, or of arrays by the names of inputs, as
/// `infer --inputs` takes them.
Result<load::Payload> payload_of(const LoadSpec& spec, const wire::ModelMetadata& model) {
  const load::PayloadOptions options{.version = spec.version,
                                     .batch = spec.batch,
                                     .input = spec.input,
                                     .shape = spec.shape,
                                     .distinct = spec.distinct,
                                     .seed = static_cast<std::uint64_t>(spec.input_seed)};
  const bool takes_a_file = model.inputs.size() == 1 && model.inputs.front().datatype == "BYTES";
  if (takes_a_file || !holds_arrays(spec.input)) return load::Payload::make(model, options);
  NEPH_TRY(auto made,
           example_requests(model, {.inputs = spec.input, .shape = spec.shape, .batch = spec.batch}));
  return load::Payload::of(std::move(made.requests), made.rows, options);
}

constexpr Nanoseconds progress_interval = std::chrono::milliseconds(200);
/// MLPerf's MultiStream has so many samples in a query.
constexpr std::int64_t multi_stream_samples = 8;
/// Offline without a stated limit: enough to fill any batch, few enough for one machine's sockets.
constexpr std::int64_t offline_in_flight = 256;
/// A probe with so many times the late requests that the promise allows need not go on.
constexpr double late_beyond_doubt = 3;
constexpr std::int64_t least_late = 20;

std::int64_t new_seed() {
  std::random_device source;
  return source() >> 1 | 1U;
}

LoadSpec with_seed(LoadSpec spec) {
  if (spec.arrival_seed == 0) spec.arrival_seed = new_seed();
  return spec;
}

std::function<bool(const std::vector<load::Sample>&)> broken_beyond_doubt(const LoadSpec& spec) {
  const auto promise = promise_of(spec);
  const double expected = spec.rate * spec.duration.value;
  return [promise, expected](const std::vector<load::Sample>& measured) {
    const auto late = load::lateness_of(measured, promise.limit_s).late;
    return late > least_late && static_cast<double>(late) > late_beyond_doubt * (1 - promise.q) * expected;
  };
}

}  // namespace

LoadSpec resolved(LoadSpec spec) {
  using load::Arrival;
  using load::Scenario;
  if (spec.p99.value > 0) {
    spec.limit = spec.p99;
    spec.percentile = 99;
  }
  if (spec.scenario == Scenario::single_stream || spec.scenario == Scenario::multi_stream)
    spec.arrival = Arrival::closed;
  if (spec.scenario == Scenario::single_stream && spec.limit.value == 0) spec.percentile = 90;
  if (spec.scenario == Scenario::multi_stream && spec.batch == 1) spec.batch = multi_stream_samples;
  if (spec.scenario == Scenario::server) spec.arrival = Arrival::poisson;
  if (spec.scenario == Scenario::offline) {
    spec.arrival = Arrival::burst;
    spec.warmup = {0};
    if (spec.in_flight == 0) spec.in_flight = offline_in_flight;
  }
  if (spec.arrival == Arrival::automatic && !spec.trace.empty()) spec.arrival = Arrival::trace;
  if (spec.arrival == Arrival::automatic)
    spec.arrival = spec.rate > 0 || spec.find_max_rate ? Arrival::poisson : Arrival::closed;
  return spec;
}

load::Promise promise_of(const LoadSpec& spec) {
  return {.q = spec.percentile / 100, .limit_s = spec.limit.value};
}

bool is_closed(const LoadSpec& spec) { return spec.arrival == load::Arrival::closed; }

LoadRun::LoadRun(const LoadSpec& spec, const Context& context)
    : spec_(with_seed(resolved(spec))),
      context_(context),
      timeline_(context.clock, context.origin, context.events) {}

Result<RunResult> LoadRun::run() {
  timeline_.add(phase::process_start, 0, timeline_.now());
  NEPH_TRY(const auto telemetry,
           host::Telemetry::start({.rate_hz = spec_.telemetry_hz}, context_.clock, context_.origin));
  NEPH_CHECK(timeline_.during(phase::connect, [&] { return look_at_the_model(); }));
  NEPH_CHECK(timeline_.during(phase::first_request, [&] { return try_one(); }));
  NEPH_CHECK(spec_.find_max_rate ? search() : measure_once());
  add_telemetry(telemetry->stop(), begin_s_, end_s_);
  result_.phases = timeline_.phases();
  return std::move(result_);
}

Result<Target> look_at(const LoadSpec& spec, const Clock& clock, const std::stop_token& stop) {
  Target target;
  NEPH_TRY(target.endpoint, wire::parse_endpoint(spec.url));
  NEPH_TRY(target.client, client_options(spec.credentials, spec.connection));
  target.client.stop = stop;
  NEPH_TRY(const auto client,
           wire::Client::connect(target.endpoint, target.client, clock, [](wire::Call&) {}));
  NEPH_TRY(const auto model, model_of(spec, *client));
  NEPH_TRY(target.model, client->model_metadata(model));
  if (target.model.name.empty()) target.model.name = model;
  NEPH_TRY(target.payload, payload_of(spec, target.model));
  return target;
}

Status LoadRun::look_at_the_model() {
  NEPH_TRY(target_, look_at(spec_, context_.clock, context_.stop));
  set(result_.facts, fact::server, target_->endpoint.text());
  set(result_.facts, fact::model, fmt::format("{} ({})", target_->model.name, target_->model.platform));
  set(result_.facts, fact::what_was_sent,
      fmt::format("{}, {} each", target_->payload.description(),
                  format_bytes(static_cast<double>(target_->payload.bytes()))));
  return {};
}

Status LoadRun::try_one() {
  const auto outcome = load::ask_once(target_->endpoint, target_->client, target_->payload.requests().front(),
                                      spec_.connection.request_timeout.value, context_.clock, context_.stop);
  if (outcome) return {};
  const auto& error = outcome.error();
  if (error.code == ErrorCode::unavailable || error.code == ErrorCode::timeout) return {};  // it may be busy
  return fail(error.code, "{}: the first request failed: {}", target_->endpoint.text(), error.text());
}

Result<load::Schedule> LoadRun::schedule_of(const LoadSpec& spec) const {
  if (is_closed(spec)) return load::Schedule();
  if (spec.scenario == load::Scenario::offline) return load::Schedule(static_cast<std::size_t>(spec.count));
  const load::Course course{.rate_per_s = spec.rate,
                            .warmup_s = spec.warmup.value,
                            .duration_s = spec.duration.value,
                            .count = spec.count};
  if (spec.arrival != load::Arrival::trace)
    return load::make_schedule(spec.arrival, course, spec.burst,
                               static_cast<std::uint64_t>(spec.arrival_seed));
  NEPH_TRY(const auto text, read_file(spec.trace));
  NEPH_TRY(auto schedule, load::read_trace(text, spec.trace, course));
  if (schedule.back() < from_seconds(course.warmup_s))
    return fail(ErrorCode::invalid_argument,
                "{}: the trace ends after {}, within the warm-up; say --warmup 0s", spec.trace,
                format_seconds(seconds(schedule.back())));
  return schedule;
}

load::DrivePlan LoadRun::plan_of(const LoadSpec& spec) const {
  return {.endpoint = target_->endpoint,
          .client = target_->client,
          .threads = spec.threads,
          .course = {.rate_per_s = spec.rate,
                     .warmup_s = spec.warmup.value,
                     .duration_s = spec.count > 0 ? load::no_end_s : spec.duration.value,
                     .count = spec.count},
          .clients = is_closed(spec) ? spec.clients : 0,
          .in_flight = spec.in_flight,
          .deadline_s = spec.connection.request_timeout.value,
          .narrow = {.q = spec.percentile / 100, .width = spec.ci_width},
          // the metadata are the newest version's
          .outputs = spec.version.empty() ? target_->model.outputs : std::vector<wire::TensorMetadata>()};
}

Result<load::Measurement> LoadRun::drive(const LoadSpec& spec, const PhaseKind& phase,
                                         const load::RateSearch* search) {
  auto plan = plan_of(spec);
  NEPH_TRY(plan.schedule, schedule_of(spec));
  if (spec.arrival == load::Arrival::trace && spec.count == 0)
    plan.course.duration_s = load::measured_length_s(plan.schedule, plan.course);
  if (search) plan.settled = broken_beyond_doubt(spec);
  const double driven_s = timeline_.now();
  const auto progress = [&](std::int64_t done, std::int64_t total) {
    if (context_.clock.now() < next_progress_) return;
    next_progress_ = context_.clock.now() + progress_interval;
    context_.events.emit(search
                             ? Progress{fmt::format("{} at {}/s", phase.name, format_number(spec.rate)), done,
                                        total, std::max(0.0, left_s(*search) - (timeline_.now() - driven_s))}
                             : Progress{std::string(phase.name), done, total, {}});
  };
  NEPH_TRY(auto measured,
           load::drive(plan, target_->payload.requests(), context_.clock,
                       spec_.find_max_rate ? search_ends_.get_token() : context_.stop, progress));
  const auto [begin_s, end_s] = measured_part(measured);
  if (measured.begin > 0) timeline_.add(phase::warmup, timeline_.at(measured.start), begin_s);
  timeline_.add(phase, begin_s, end_s);
  timeline_.add(phase::drain, end_s, timeline_.now());
  if (measured.samples.empty() && measured.stopped)
    return fail(ErrorCode::unavailable, "stopped by the user before anything was measured");
  if (measured.samples.empty() && measured.held_back > 0)
    return fail(
        ErrorCode::unavailable,
        "no request was sent after the warm-up: {} were in flight, the most allowed, and no reply came",
        spec.in_flight);
  if (measured.samples.empty())
    return fail(ErrorCode::unavailable, "no request was sent after the warm-up; measure longer");
  const auto last = measured.samples.back().outcome;
  if (measured.stopped || (last != load::Outcome::unavailable && last != load::Outcome::failed))
    return measured;
  const auto there = wire::Client::connect(plan.endpoint, plan.client, context_.clock, [](wire::Call&) {});
  if (there || there.error().code == ErrorCode::timeout) return measured;  // it may only be slow
  auto lost = make_warning(WarningCode::server_lost, spec.url + " was no longer there at the end of the run");
  if (spec_.find_max_rate) return fail(ErrorCode::unavailable, "{}", lost.message);
  result_.warnings.push_back(std::move(lost));
  return measured;
}

std::pair<double, double> LoadRun::measured_part(const load::Measurement& measured) const {
  const double start_s = timeline_.at(measured.start);
  const double begin_s = start_s + static_cast<double>(measured.begin) * 1e-9;
  return {begin_s, std::max(begin_s, start_s + static_cast<double>(measured.end) * 1e-9)};
}

Status LoadRun::measure_once() {
  NEPH_TRY(const auto measured, drive(spec_, phase::measure));
  sum_up(measured, spec_);
  return {};
}

void LoadRun::sum_up(const load::Measurement& measured, const LoadSpec& spec) {
  const bool offline = spec.scenario == load::Scenario::offline;
  const load::Judging judging{.closed = is_closed(spec),
                              .all_at_once = offline,
                              .in_bursts = spec.arrival == load::Arrival::burst,
                              .by_count = spec.count > 0,
                              .batch = target_->payload.batch(),
                              .in_flight = spec.in_flight,
                              .promise = promise_of(spec)};
  load::sum_up(measured, judging, timeline_.at(measured.start), result_);
  std::tie(begin_s_, end_s_) = measured_part(measured);
  auto& facts = result_.facts;
  facts["loop"] = judging.closed
                      ? fmt::format("closed, {} client{}", spec.clients, spec.clients == 1 ? "" : "s")
                      : fmt::format("open, {}", offline ? "all at once" : enum_name(spec.arrival));
  if (!judging.closed) {
    set(facts, fact::in_flight_limit,
        spec.in_flight > 0 ? fmt::format("at most {}", spec.in_flight) : "no limit");
    if (spec.arrival == load::Arrival::poisson) set(facts, fact::arrival_seed, spec.arrival_seed);
  }
  set(facts, fact::workers, std::ssize(measured.workers));
  if (measured.narrow_enough) set(facts, fact::ended, "the interval was narrow enough");
}

void LoadRun::add_telemetry(std::vector<Series> series, double begin_s, double end_s) {
  result_.telemetry = host::summarise(series, begin_s, end_s);
  result_.series = std::move(series);
  for (auto& doubt : host::doubts(result_.telemetry, host::take_fingerprint({.nvml_library = ""})))
    if (doubt.code != WarningCode::busy_machine ||
        !wire::is_loopback(target_->endpoint))  // a server here is what keeps it busy
      result_.warnings.push_back(std::move(doubt));
}

}  // namespace neph::workload
