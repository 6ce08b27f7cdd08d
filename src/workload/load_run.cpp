#include "workload/load_run.hpp"

#include <algorithm>
#include <random>

#include "core/file.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace neph::workload {
namespace {

constexpr Nanoseconds progress_interval = std::chrono::milliseconds(200);
/// MLPerf's MultiStream has so many samples in a query.
constexpr std::int64_t multi_stream_samples = 8;
/// Offline without a stated limit: enough to fill any batch, few enough for one machine's sockets.
constexpr std::int64_t offline_in_flight = 256;
/// How long the closed loop lasts from which a search learns where to begin.
constexpr double first_look_s = 1;
/// A probe with so many times the late requests that the promise allows need not go on.
constexpr double broken_beyond_doubt = 3;
constexpr std::int64_t least_late = 20;

std::uint64_t new_seed() {
  std::random_device source;
  return source() >> 1 | 1U;
}

/// A probe that tells of the generator is made again; so many in a row, and the generator is at its end.
constexpr int most_spoilt = 3;
bool is_spoilt(const load::Measurement& measured, std::int64_t in_flight) {
  const auto doubts = load::generator_doubts(measured, {.in_flight = in_flight});
  return std::any_of(doubts.begin(), doubts.end(),
                     [](const Warning& warning) { return warning.weight == Weight::voids; });
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
    spec.arrival = spec.rate > 0 || spec.find_rate ? Arrival::poisson : Arrival::closed;
  return spec;
}

load::Promise promise_of(const LoadSpec& spec) {
  return {.q = spec.percentile / 100, .limit_s = spec.limit.value};
}

bool is_closed(const LoadSpec& spec) { return spec.arrival == load::Arrival::closed; }

LoadRun::LoadRun(const LoadSpec& spec, const Context& context)
    : spec_(resolved(spec)),
      context_(context),
      timeline_(context.clock, context.origin, context.events),
      seed_(spec.arrival_seed > 0 ? static_cast<std::uint64_t>(spec.arrival_seed) : new_seed()) {}

Result<RunResult> LoadRun::run() {
  timeline_.add("process_start", 0, timeline_.now());
  NEPH_TRY(const auto telemetry,
           host::Telemetry::start({.rate_hz = spec_.telemetry_hz}, context_.clock, context_.origin));
  NEPH_CHECK(timeline_.during("connect", [&] { return look_at_the_model(); }));
  NEPH_CHECK(timeline_.during("first_request", [&] { return try_one(); }));
  NEPH_CHECK(spec_.find_rate ? search() : measure_once());
  add_telemetry(telemetry->stop(), begin_s_, end_s_);
  result_.phases = timeline_.phases();
  return std::move(result_);
}

Result<Target> look_at(const LoadSpec& spec, const Clock& clock) {
  Target target;
  NEPH_TRY(target.endpoint, wire::parse_endpoint(spec.url));
  target.client.channels = spec.channels;
  target.client.tls = {.ca = spec.ca, .certificate = spec.certificate, .key = spec.key};
  if (!spec.token_file.empty()) {
    NEPH_TRY(const auto token, read_file(spec.token_file));
    target.client.bearer_token = trimmed(token);
  }
  NEPH_TRY(const auto client,
           wire::Client::connect(target.endpoint, target.client, clock, [](wire::Call&) {}));
  NEPH_TRY(target.model, client->model_metadata(spec.model));
  if (target.model.name.empty()) target.model.name = spec.model;
  NEPH_TRY(target.payload,
           load::Payload::make(target.model, {.version = spec.version,
                                              .batch = spec.batch,
                                              .input = spec.input,
                                              .shape = spec.shape,
                                              .distinct = spec.distinct,
                                              .seed = static_cast<std::uint64_t>(spec.input_seed)}));
  return target;
}

Status LoadRun::look_at_the_model() {
  NEPH_TRY(target_, look_at(spec_, context_.clock));
  result_.facts["server"] = target_->endpoint.text();
  result_.facts["model"] = fmt::format("{} ({})", target_->model.name, target_->model.platform);
  result_.facts["requests"] = fmt::format("{}, {} each", target_->payload.description(),
                                          format_bytes(static_cast<double>(target_->payload.bytes())));
  return {};
}

Status LoadRun::try_one() {
  const auto outcome = load::ask_once(target_->endpoint, target_->client, target_->payload.requests().front(),
                                      spec_.deadline.value, context_.clock, context_.stop);
  if (outcome) return {};
  const auto& error = outcome.error();
  if (error.code == ErrorCode::unavailable || error.code == ErrorCode::timeout) return {};  // it may be busy
  return fail(error.code, "{}: the first request failed: {}", target_->endpoint.text(), error.message);
}

Result<load::Schedule> LoadRun::schedule_of(const LoadSpec& spec) const {
  if (is_closed(spec)) return load::Schedule();
  if (spec.scenario == load::Scenario::offline) return load::Schedule(static_cast<std::size_t>(spec.count));
  const load::Course course{.rate_per_s = spec.rate,
                            .warmup_s = spec.warmup.value,
                            .duration_s = spec.duration.value,
                            .count = spec.count};
  if (spec.arrival != load::Arrival::trace)
    return load::make_schedule(spec.arrival, course, spec.burst, seed_);
  NEPH_TRY(const auto text, read_file(spec.trace));
  return load::read_trace(text, spec.trace, course);
}

Result<load::Measurement> LoadRun::drive(const LoadSpec& spec, const char* phase, bool settles) {
  load::DrivePlan plan{.endpoint = target_->endpoint,
                       .client = target_->client,
                       .threads = spec.threads,
                       .course = {.rate_per_s = spec.rate,
                                  .warmup_s = spec.warmup.value,
                                  .duration_s = spec.count > 0 ? load::no_end_s : spec.duration.value,
                                  .count = spec.count},
                       .clients = is_closed(spec) ? spec.clients : 0,
                       .in_flight = spec.in_flight,
                       .deadline_s = spec.deadline.value,
                       .narrow = {.q = spec.percentile / 100, .width = spec.narrow}};
  NEPH_TRY(plan.schedule, schedule_of(spec));
  const auto promise = promise_of(spec);
  const double expected = spec.rate * spec.duration.value;
  if (settles)
    plan.settled = [promise, expected](const std::vector<load::Sample>& measured) {
      const auto late = load::lateness_of(measured, promise.limit_s).late;
      return late > least_late &&
             static_cast<double>(late) > broken_beyond_doubt * (1 - promise.q) * expected;
    };
  const auto progress = [&](std::int64_t done, std::int64_t total) {
    if (context_.clock.now() < next_progress_) return;
    next_progress_ = context_.clock.now() + progress_interval;
    context_.events.emit(Progress{phase, done, total});
  };
  NEPH_TRY(auto measured,
           load::drive(plan, target_->payload.requests(), context_.clock, context_.stop, progress));
  const double start_s = timeline_.at(measured.start);
  begin_s_ = start_s + static_cast<double>(measured.begin) * 1e-9;
  end_s_ = std::max(begin_s_, start_s + static_cast<double>(measured.end) * 1e-9);
  if (measured.begin > 0) timeline_.add("warmup", start_s, begin_s_);
  timeline_.add(phase, begin_s_, end_s_);
  timeline_.add("drain", end_s_, timeline_.now());
  if (measured.samples.empty() && measured.stopped)
    return fail(ErrorCode::unavailable, "stopped by the user before anything was measured");
  if (measured.samples.empty())
    return fail(ErrorCode::unavailable, "no request was sent after the warm-up; measure longer");
  return measured;
}

Status LoadRun::measure_once() {
  NEPH_TRY(const auto measured, drive(spec_, "measure", false));
  sum_up(measured, spec_);
  return {};
}

/// Half of what one patient client gets.
Result<double> LoadRun::first_rate() {
  if (spec_.rate > 0) return spec_.rate;
  auto look = spec_;
  look.arrival = load::Arrival::closed;
  look.clients = 1;
  look.warmup = {0};
  look.duration = {first_look_s};
  NEPH_TRY(const auto measured, drive(look, "look", false));
  return static_cast<double>(measured.samples.size()) / first_look_s / 2;
}

Status LoadRun::search() {
  NEPH_TRY(const double first, first_rate());
  const auto promise = promise_of(spec_);
  load::RateSearch search(promise, {.start_per_s = first});
  std::optional<load::Measurement> last;
  auto probe = spec_;
  std::int64_t probes = 0;
  int spoilt = 0;  // in a row
  const auto goes_on = [&] {
    const bool asked_to_finish = last && context_.finish.stop_requested();
    return search.next() && spoilt < most_spoilt && !asked_to_finish;
  };
  while (goes_on()) {
    probe.rate = *search.next();
    probe.duration = {
        std::max(spec_.duration.value, static_cast<double>(search.requests_needed()) / probe.rate)};
    ++seed_;  // of arrivals that no probe has seen
    NEPH_TRY(last, drive(probe, "probe", true));
    ++probes;
    if (last->stopped) break;
    if (is_spoilt(*last, spec_.in_flight)) {
      ++spoilt;
      say("{}/s: the load generator was the bottleneck, the probe does not count", format_number(probe.rate));
      continue;
    }
    spoilt = 0;
    search.learn({probe.rate, load::lateness_of(last->samples, promise.limit_s)});
    say("{}", search.verdict());
  }
  sum_up(*last, probe);
  tell_of(search, probes);
  if (!last->stopped && spoilt < most_spoilt) doubt(search);
  return {};
}

void LoadRun::tell_of(const load::RateSearch& search, std::int64_t probes) {
  result_.facts["search"] = search.story();
  if (!search.held()) return;
  result_.figures.insert(
      result_.figures.begin(),
      {"sustained_per_s",
       "requests per second that keep the promise",
       {.value = *search.held(), .low = search.held(), .high = search.broken(), .n = probes}});
}

void LoadRun::doubt(const load::RateSearch& search) {
  if (search.next())
    result_.warnings.push_back({"stopped_early",
                                fmt::format("the search was ended by the user: {}", search.story()),
                                "no rate was confirmed; let the search end by itself"});
  else if (!search.held())
    result_.warnings.push_back({"no_rate_found",
                                fmt::format("no rate was shown to keep the promise: {}", search.story()),
                                "a longer --duration, or a promise that the server can keep", Weight::voids});
}

void LoadRun::sum_up(const load::Measurement& measured, const LoadSpec& spec) {
  const bool offline = spec.scenario == load::Scenario::offline;
  const load::Judging judging{.closed = is_closed(spec),
                              .all_at_once = offline,
                              .by_count = spec.count > 0,
                              .batch = spec.batch,
                              .in_flight = spec.in_flight,
                              .promise = promise_of(spec)};
  load::sum_up(measured, judging, timeline_.at(measured.start), result_);
  auto& facts = result_.facts;
  facts["loop"] = judging.closed ? fmt::format("closed, {} clients", spec.clients)
                                 : fmt::format("open, {}", offline ? "all at once" : enum_name(spec.arrival));
  if (!judging.closed) {
    facts["in_flight"] = spec.in_flight > 0 ? fmt::format("at most {}", spec.in_flight) : "no limit";
    if (spec.arrival == load::Arrival::poisson) facts["arrival_seed"] = std::to_string(seed_);
  }
  facts["workers"] = std::to_string(measured.workers.size());
  if (measured.narrow_enough) facts["ended"] = "the interval was narrow enough";
}

void LoadRun::add_telemetry(std::vector<Series> series, double begin_s, double end_s) {
  result_.telemetry = host::summarise(series, begin_s, end_s);
  result_.series = std::move(series);
  for (auto& doubt : host::doubts(result_.telemetry, host::take_fingerprint({.nvml_library = ""})))
    if (doubt.code != "busy_machine" ||
        !wire::is_loopback(target_->endpoint))  // a server here is what keeps it busy
      result_.warnings.push_back(std::move(doubt));
}

}  // namespace neph::workload
