#include "workload/load/load.hpp"

#include <map>
#include <new>

#include "os/file.hpp"
#include "record/metrics.hpp"
#include "workload/command_line.hpp"
#include "workload/files.hpp"
#include "workload/load/run.hpp"

namespace neph::workload {
namespace {

Result<LoadSpec> parse(const Json& json) { return from_json<LoadSpec>(json, ""); }

template <class... Args>
tl::unexpected<Error> refuse(fmt::format_string<Args...> format, Args&&... args) {
  return fail(ErrorCode::invalid_argument, format, std::forward<Args>(args)...);
}

Status check_arrival(const LoadSpec& spec) {
  const auto arrival = resolved(spec).arrival;
  const bool timed = arrival != load::Arrival::closed && arrival != load::Arrival::trace;
  if (arrival == load::Arrival::closed && spec.rate > 0)
    return refuse("a closed loop has no --rate; say --arrival poisson, or leave the rate out");
  if (arrival == load::Arrival::closed && spec.in_flight > 0)
    return refuse("--in-flight is of an open loop; a closed one has its --clients in flight");
  if (arrival != load::Arrival::closed && spec.clients != 1)
    return refuse("--clients are of a closed loop, and {} arrivals make an open one", enum_name(arrival));
  if ((spec.scenario == load::Scenario::single_stream || spec.scenario == load::Scenario::multi_stream) &&
      spec.clients != 1)
    return refuse("--scenario {} has one request in flight; leave --clients out", enum_name(spec.scenario));
  if (spec.scenario == load::Scenario::offline)
    return spec.count > 0 ? Status() : refuse("--scenario offline sends all at once: --count says how many");
  if (timed && spec.rate <= 0 && !spec.find_max_rate)
    return refuse("{} arrivals need a --rate", enum_name(arrival));
  if (arrival == load::Arrival::trace && spec.trace.empty())
    return refuse("--arrival trace needs a file: --trace FILE");
  if (spec.burst != LoadSpec{}.burst &&
      (arrival != load::Arrival::burst || spec.scenario == load::Scenario::offline))
    return refuse("--burst is of --arrival burst");
  if (arrival != load::Arrival::trace && !spec.trace.empty()) return refuse("--trace is of --arrival trace");
  if (timed && spec.count == 0 && spec.rate * (spec.warmup.value + spec.duration.value) > load::most_arrivals)
    return refuse("{} requests per second for {} are more than {} requests", spec.rate,
                  seconds_text(spec.duration), load::most_arrivals);
  return {};
}

Status check_promise(const LoadSpec& spec) {
  if (spec.p99.value > 0 && spec.limit.value > 0) return refuse("--p99 and --limit say the same; give one");
  if (spec.p99.value > 0 && spec.percentile != 99)
    return refuse("--p99 is of 99 % and not of --percentile {}; say --limit for that", spec.percentile);
  if (!spec.find_max_rate && spec.budget != LoadSpec{}.budget)
    return refuse("--budget is of --find-max-rate");
  if (!spec.find_max_rate) return {};
  if (spec.p99.value <= 0 && spec.limit.value <= 0) return refuse("--find-max-rate needs an SLO: --p99 50ms");
  const auto arrival = resolved(spec).arrival;
  if (arrival == load::Arrival::closed || arrival == load::Arrival::trace ||
      spec.scenario == load::Scenario::offline)
    return refuse("--find-max-rate needs arrivals that have a rate: --arrival poisson, constant or burst");
  if (spec.count > 0)
    return refuse("--find-max-rate chooses how many requests a probe has; leave --count out");
  return {};
}

/// One that shows that the first rate holds, and one that confirms it.
constexpr double probes_of_shortest_search = 2;

/// As asked for, or as the search or the trace had it.
double rate_of(const LoadSpec& spec, const CellSummary& cell) {
  const auto offered = cell.figures.find(std::string(metric::offered_per_s.name));
  return (spec.rate > 0 && !spec.find_max_rate) || offered == cell.figures.end() ? spec.rate
                                                                                 : offered->second.value;
}

}  // namespace

namespace load_server {

Status check(const Json& json) {
  NEPH_TRY(const auto spec, parse(json));
  if (spec.url.empty()) return refuse("no server given; neph load grpc://HOST:PORT");
  NEPH_CHECK(wire::parse_endpoint(spec.url));
  NEPH_CHECK(check_arrival(spec));
  return check_promise(spec);
}

/// Nothing is prepared; but a server that is not there, a model that it does not have, and inputs that do not
/// fit are found before anything runs.
PreparedCells prepare(std::span<const Json> specs, EventSink&) {
  const SteadyClock clock;
  std::map<std::string, Status> seen;
  const auto of = [&](const Json& json) -> Result<launch::Files> {
    NEPH_TRY(const auto spec, parse(json));
    if (!spec.trace.empty()) NEPH_CHECK(read_file(spec.trace));
    auto files = files_of_credentials(spec.credentials);
    if (!spec.trace.empty()) files.push_back({.field = "trace", .path = spec.trace});
    if (!spec.input.empty()) files.push_back({.field = "input", .path = spec.input});
    const auto what =
        dump_json({spec.url, spec.model, spec.batch, spec.input, spec.shape, spec.credentials.token_file});
    const auto [known, is_new] = seen.try_emplace(what);
    if (is_new) known->second = look_at(resolved(spec), clock).map([](const Target&) {});
    NEPH_CHECK(known->second);
    return files;
  };
  PreparedCells all;
  for (const auto& json : specs) all.push_back(of(json));
  return all;
}

Result<RunResult> run(const Json& json, const Context& context) {
  NEPH_CHECK(check(json));
  NEPH_TRY(const auto spec, parse(json));
  try {
    return LoadRun(spec, context).run();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::unavailable, "not enough memory; take a lower rate, duration or --distinct");
  }
}

std::string command(const Json& spec) { return command_line<LoadSpec>("load", "url", spec); }

/// Where requests have no rate, or replies decide, a bound is all that is known before.
RuntimeEstimate estimate_runtime(const Json& json) {
  using Bound = RuntimeEstimate::Bound;
  const auto parsed = parse(json);
  if (!parsed) return {.bound = Bound::at_least};
  const auto spec = resolved(*parsed);
  const double once_s = spec.warmup.value + spec.duration.value;
  if (spec.find_max_rate) return {probes_of_shortest_search * once_s, Bound::at_least};
  if (spec.count > 0 && spec.rate > 0 && spec.arrival != load::Arrival::trace)
    return {spec.warmup.value + static_cast<double>(spec.count) / spec.rate};
  if (spec.count > 0) return {spec.warmup.value, Bound::at_least};
  if (spec.ci_width > 0 || spec.arrival == load::Arrival::trace) return {once_s, Bound::at_most};
  return {once_s};
}

}  // namespace load_server

std::vector<load::Tested> tested_cells(const std::vector<CellSummary>& cells) {
  std::vector<load::Tested> all;
  for (const auto& cell : cells) {
    const auto parsed = parse(cell.cell.spec);
    if (!parsed) continue;
    const auto spec = resolved(*parsed);
    const bool closed = is_closed(spec);
    const bool is_count_alone = spec.count > 0 && !cell.cell.spec.contains("duration");
    all.push_back({.cell = &cell,
                   .server = spec.url,
                   .scenario = spec.scenario,
                   .closed = closed,
                   .level = closed ? static_cast<double>(spec.clients) : rate_of(spec, cell),
                   .target_per_s = spec.rate,
                   .batch = spec.batch,
                   .count = spec.count,
                   .duration_s = is_count_alone ? 0 : spec.duration.value,
                   .promise = promise_of(spec)});
  }
  return all;
}

}  // namespace neph::workload
