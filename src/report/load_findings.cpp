#include "report/load_findings.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/load_readings.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

constexpr double keeps_up = 0.98;  // of what was offered: less is a queue that grows, or requests that fail

std::string value_of(const CellSummary& cell, const std::string& quantile) {
  const auto* estimate = find_estimate(cell.latency_ms, quantile);
  if (!estimate || !std::isfinite(estimate->value)) return {};
  auto text = format_number(estimate->value) + " ms";
  if (estimate->low && estimate->high)
    text += fmt::format(" ({} to {})", format_number(*estimate->low), format_number(*estimate->high));
  return text;
}

/// "half of the responses took 4.1 ms (4.0 to 4.2) or less, 99 % 18 ms (…)"
std::string times_text(const CellSummary& cell) {
  const auto half = value_of(cell, "p50"), most = value_of(cell, "p99");
  if (half.empty()) return {};
  return fmt::format(": half of the responses took {} or less{}", half,
                     most.empty() ? "" : fmt::format(", 99 % {} or less", most));
}

std::string rate_text(const Estimate& rate) {
  if (!rate.low || !rate.high) return fmt::format("{} requests/s", format_number(rate.value));
  return fmt::format("{} requests/s (95 % interval {} to {})", format_number(rate.value),
                     format_number(*rate.low), format_number(*rate.high));
}

bool kept_up(const Asked& one) {
  return one.cell->verdict != Verdict::invalid && answered_per_s(*one.cell).value >= keeps_up * one.level;
}

/// The share that was late may be above what was promised by chance: the interval decides.
bool kept_promise(const Asked& one, const Limit& limit) {
  const auto* late = find_estimate(one.cell->figures, "late_share");
  return late && late->value <= 1 - limit.percentile / 100;
}

std::string sustained_sentence(const CellSummary& cell, const Experiment& experiment) {
  const auto* sustained = find_estimate(cell.figures, "sustained_per_s");
  const auto limit = promised(cell, experiment);
  if (!sustained || !std::isfinite(sustained->value) || !limit) return {};
  auto text = fmt::format("The server sustains {} requests/s with {} % of the responses within {} ms",
                          format_number(sustained->value), plain(limit->percentile), plain(limit->ms));
  if (sustained->high && *sustained->high > sustained->value)
    text += fmt::format("; at {} it was shown to break that promise", format_number(*sustained->high));
  return text + ".";
}

class Story {
 public:
  explicit Story(const Document& document) : document_(document) {
    for (const auto& one : asked(document))
      (one.closed ? closed_ : one.all_at_once ? at_once_ : open_).push_back(one);
  }

  std::vector<std::string> sentences() const {
    std::vector<std::string> all;
    const auto say = [&](std::string sentence) {
      if (!sentence.empty()) all.push_back(std::move(sentence));
    };
    for (const auto& one : open_) say(sustained_sentence(*one.cell, document_.experiment));
    if (all.empty()) {
      say(promise_sentence());
      say(highest_kept_sentence());
    }
    say(fell_behind_sentence());
    say(closed_sentence());
    say(at_once_sentence());
    say(lost_sentence());
    return all;
  }

 private:
  std::string promise_sentence() const {
    const Asked* best = nullptr;
    std::optional<Limit> limit;
    for (const auto& one : open_) {
      limit = promised(*one.cell, document_.experiment);
      if (!limit) return {};
      if (kept_up(one) && kept_promise(one, *limit)) best = &one;
    }
    if (!limit) return {};
    if (!best)
      return fmt::format("At no rate that was tried were {} % of the requests answered within {} ms.",
                         plain(limit->percentile), plain(limit->ms));
    return fmt::format(
        "The highest rate tried at which {} % of the requests were answered within {} ms is {} "
        "requests/s.",
        plain(limit->percentile), plain(limit->ms), plain(best->level));
  }

  std::string highest_kept_sentence() const {
    const Asked* best = nullptr;
    for (const auto& one : open_)
      if (kept_up(one)) best = &one;
    if (!best) return {};
    return fmt::format("At {} requests/s the server kept up{}.", plain(best->level), times_text(*best->cell));
  }

  std::string fell_behind_sentence() const {
    for (const auto& one : open_)
      if (!kept_up(one))
        return fmt::format("At {} requests/s it did not keep up: it answered {}{}.", plain(one.level),
                           rate_text(answered_per_s(*one.cell)),
                           one.cell->verdict == Verdict::invalid ? ", and the numbers are invalid" : "");
    return {};
  }

  std::string closed_sentence() const {
    const Asked* best = nullptr;
    for (const auto& one : closed_)
      if (one.cell->verdict != Verdict::invalid &&
          (!best || answered_per_s(*one.cell).value > answered_per_s(*best->cell).value))
        best = &one;
    if (!best) return {};
    return fmt::format("In a closed loop, where each client waits for its reply, {} client{} got {}{}.",
                       plain(best->level), best->level == 1 ? "" : "s",
                       rate_text(answered_per_s(*best->cell)), times_text(*best->cell));
  }

  std::string at_once_sentence() const {
    if (at_once_.empty()) return {};
    return fmt::format("Of requests that came all at once it answered {}.",
                       rate_text(answered_per_s(*at_once_.front().cell)));
  }

  std::string lost_sentence() const {
    const Asked* worst = nullptr;
    double most = 0;
    for (const auto* all : {&open_, &closed_, &at_once_})
      for (const auto& one : *all)
        if (const auto seen = outcomes(*one.cell); seen && seen->share_lost() > most) {
          most = seen->share_lost();
          worst = &one;
        }
    if (!worst) return {};
    return fmt::format("Up to {} % of the requests were not answered ({}).", format_number(100 * most),
                       worst->cell->cell.label);
  }

  const Document& document_;
  std::vector<Asked> open_, closed_, at_once_;
};

}  // namespace

std::vector<std::string> load_findings(const Document& document) { return Story(document).sentences(); }

}  // namespace neph::report
