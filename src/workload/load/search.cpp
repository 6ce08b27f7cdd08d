// A run that searches for the highest rate that meets the SLO.
#include <algorithm>
#include <limits>

#include "core/units.hpp"
#include "record/metrics.hpp"
#include "workload/load/run.hpp"

namespace neph::workload {
namespace {

/// How long the closed loop lasts, after the warm-up, from which a search learns where to begin.
constexpr double first_look_s = 1;
/// A search begins at this part of what one client gets alone. At the lowest hardly any request meets
/// another: rates below it would be no easier.
constexpr double first_part = 1.0 / 2, lowest_part = 1.0 / 16;
/// A probe that does not tell of the server is made again; so many in a row, and the generator is at its end.
constexpr int most_spoilt = 3;

std::int64_t next_seed(std::int64_t seed) {
  return seed == std::numeric_limits<std::int64_t>::max() ? 1 : seed + 1;
}

/// Why a probe does not tell of the server; empty: it does.
std::string what_spoilt(const load::Measurement& measured, const LoadSpec& spec) {
  const auto doubts =
      load::generator_doubts(measured, {.in_flight = spec.in_flight, .promise = promise_of(spec)});
  const auto* doubt = load::not_of_the_server(doubts);
  return doubt ? doubt->message : "";
}

/// Those after the warm-up; all, where none was sent then.
std::vector<load::Sample> warm(std::vector<load::Sample> samples, Seconds warmup) {
  const auto is_cold = [&](const load::Sample& one) {
    return static_cast<double>(one.scheduled) * 1e-9 < warmup.value;
  };
  if (!std::ranges::all_of(samples, is_cold)) std::erase_if(samples, is_cold);
  return samples;
}

}  // namespace

/// What the search wants to know next.
LoadSpec LoadRun::probe_of(const load::RateSearch& search) const {
  auto probe = spec_;
  probe.rate = *search.next();
  probe.duration = {
      std::max(spec_.duration.value, static_cast<double>(search.requests_needed()) / probe.rate)};
  return probe;
}

/// A probe is over as soon as the promise is broken in it; only the last one, which confirms, has its whole
/// length, at no higher rate than the lowest that did not do.
double LoadRun::left_s(const load::RateSearch& search) const {
  if (!search.next()) return 0;
  if (!search.candidate()) return spec_.warmup.value;  // it may find none
  const double highest = search.ceiling().value_or(std::numeric_limits<double>::infinity());
  return search.least_left() * spec_.warmup.value +
         std::max(spec_.duration.value, static_cast<double>(search.requests_needed()) / highest);
}

Status LoadRun::search() {
  const auto end = [this] { search_ends_.request_stop(); };  // with what was measured until then
  const std::stop_callback on_stop(context_.stop, end);
  const std::stop_callback on_finish(context_.finish, end);
  auto look = spec_;  // at one patient client, which waits for each reply
  look.arrival = load::Arrival::closed;
  look.clients = 1;
  look.duration = {spec_.warmup.value + first_look_s};
  look.warmup = {0};  // a slow server answers nothing that was sent after it
  NEPH_TRY(auto looked, drive(look, phase::look));
  const auto alone = warm(looked.samples, spec_.warmup);
  const double alone_per_s = static_cast<double>(alone.size()) * 1e9 /
                             static_cast<double>(alone.back().done - alone.front().scheduled);
  std::pair last{std::move(looked), look};  // later the last that tells of the server, where one does
  const double first_per_s = spec_.rate > 0 ? spec_.rate : first_part * alone_per_s;
  load::RateSearch search(
      promise_of(spec_),
      {.start_per_s = first_per_s, .lowest_per_s = std::min(first_per_s, lowest_part * alone_per_s)});
  const auto seen = load::lateness_of(alone, promise_of(spec_).limit_s);
  if (!search_ends_.stop_requested() && search.is_broken_by(seen)) {
    sum_up(last.first, last.second);
    const auto found = fmt::format(
        "missed by the idle server: of one client, who waits for each reply, {} of {} requests were not "
        "answered in time; no rate was tried",
        seen.late, seen.n);
    set(result_.facts, fact::search, found);
    result_.warnings.push_back(make_warning(WarningCode::no_rate_found, "the SLO is " + found));
    return {};
  }
  auto probe = spec_;
  int spoilt = 0;  // in a row
  std::string why;
  while (search.next() && spoilt < most_spoilt && !search_ends_.stop_requested()) {
    const auto seed = next_seed(probe.arrival_seed);  // of arrivals that no probe has seen
    probe = probe_of(search);
    probe.arrival_seed = seed;
    const double end_s = timeline_.now() + probe.warmup.value + probe.duration.value;
    if (spec_.budget.value > 0 && end_s > spec_.budget.value) break;
    auto measured = drive(probe, phase::probe, &search);
    const bool is_cut_short = search_ends_.stop_requested() && (!measured || measured->stopped);
    if (is_cut_short && (!measured || !search.probes().empty())) break;
    if (!measured) return tl::unexpected(measured.error());
    why = what_spoilt(*measured, spec_);
    const bool is_sound = why.empty();
    if (is_sound && !is_cut_short) learn(*measured, search);
    if (is_sound || search.probes().empty()) last = {std::move(*measured), probe};
    if (is_cut_short) break;
    spoilt = is_sound ? 0 : spoilt + 1;
    tell_progress(search, why, probe.rate);
  }
  sum_up(last.first, last.second);
  tell_of(search);
  if (spoilt < most_spoilt) why.clear();
  doubt(search, why, probe);
  return {};
}

void LoadRun::learn(const load::Measurement& measured, load::RateSearch& search) const {
  std::vector<double> response_ms;
  for (const auto& sample : measured.samples)
    if (sample.outcome == load::Outcome::answered) response_ms.push_back(1e3 * sample.response_s());
  search.learn(load::lateness_of(measured.samples, promise_of(spec_).limit_s), response_ms);
}

void LoadRun::tell_progress(const load::RateSearch& search, const std::string& spoilt, double rate_per_s) {
  const auto words = spoilt.empty()
                         ? probe_words(search.probes().back())
                         : fmt::format("{}/s does not count: {}", format_number(rate_per_s), spoilt);
  const auto left = search.next() ? fmt::format(", at least {} left", format_seconds(left_s(search))) : "";
  context_.events.emit(Note{fmt::format("{} · {} elapsed{}", words, format_seconds(timeline_.now()), left)});
}

void LoadRun::tell_of(const load::RateSearch& search) {
  result_.probes = search.probes();
  if (result_.probes.empty()) return;
  set(result_.facts, fact::search, search_words(result_.probes));
  if (const auto rate = search.met_then_violated())
    result_.warnings.push_back(
        make_warning(WarningCode::met_then_violated,
                     fmt::format("{} requests/s met the SLO and violated it when they were probed "
                                 "again: the server or the machine changed meanwhile, or it was luck",
                                 format_number(*rate))));
  if (!search.held()) return;
  Estimate sustained{.value = *search.held()};
  for (const auto& probe : result_.probes) sustained.n += probe.measurements;
  if (search.violated()) {
    sustained.low = search.held();
    sustained.high = search.violated();
  }
  result_.figures.insert(result_.figures.begin(), figure(metric::sustained_per_s, sustained));
}

void LoadRun::doubt(const load::RateSearch& search, const std::string& spoilt, const LoadSpec& last) {
  const bool is_ended = search_ends_.stop_requested();
  const bool is_none = search.probes().empty();
  if (search.held() || (is_none && (is_ended || !spoilt.empty()))) return;
  const auto found = is_none ? "no rate was probed" : search_words(search.probes());
  if (is_none) set(result_.facts, fact::search, found);
  if (!search.next()) {
    result_.warnings.push_back(make_warning(WarningCode::no_rate_found,
                                            fmt::format("no rate was confirmed to meet the SLO: {}", found)));
  } else if (!spoilt.empty()) {
    result_.warnings.push_back(make_warning(
        WarningCode::search_limited,
        fmt::format("the search ended at {} requests/s, where {} probes in a row did not count: {}",
                    format_number(last.rate), most_spoilt, spoilt),
        spec_.in_flight > 0 ? "a higher --in-flight, or 0 for no limit"
                            : "more --threads, or cores of its own for the generator"));
  } else if (is_ended) {
    result_.warnings.push_back(make_warning(WarningCode::stopped_early,
                                            fmt::format("the search was ended by the user: {}", found),
                                            "no rate was confirmed; let the search end by itself"));
    context_.events.emit(Note{"ended: " + found});
  } else {
    result_.warnings.push_back(make_warning(
        WarningCode::search_limited,
        fmt::format(
            "the search ended before a probe of {} requests/s for {}, which would end after --budget {}: {}",
            format_number(last.rate), format_seconds(last.duration.value), seconds_text(spec_.budget), found),
        "a longer --budget, or a lower --percentile, which needs fewer requests"));
  }
}

}  // namespace neph::workload
