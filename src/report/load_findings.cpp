#include "report/load_findings.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/load_readings.hpp"
#include "report/percentile.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"

namespace neph::report {
namespace {

std::string value_of(const CellSummary& cell, const std::string& quantile) {
  const auto* estimate = find_shown(cell.latency_ms, quantile);
  if (!estimate) return {};
  return fmt::format("{} ms ({} to {})", format_number(estimate->value), format_number(*estimate->low),
                     format_number(*estimate->high));
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

std::string slo_text(const Limit& limit) {
  return fmt::format("SLO of {} % of the responses within {} ms: ", plain(limit.percentile), plain(limit.ms));
}

/// Of one search its bracket; of several what they found on the whole.
std::string search_text(const CellSummary& cell) {
  const auto* sustained = find_estimate(cell.figures, "sustained_per_s");
  const bool found = sustained && std::isfinite(sustained->value);
  if (cell.runs_ok > 1)
    return found ? fmt::format("met at {} in {} of {} searches", rate_text(*sustained), sustained->n,
                               cell.runs_ok)
                 : fmt::format("no rate was confirmed in {} searches", cell.runs_ok);
  if (cell.probes.empty())  // of a store that does not keep them
    return found ? fmt::format("met at {} requests/s", format_number(sustained->value)) : std::string();
  return search_words(cell.probes);
}

class Story {
 public:
  explicit Story(const Document& document) : document_(document) {
    for (const auto& one : asked(document)) {
      if (one.cell->verdict == Verdict::invalid) {
        invalid_.push_back(one);
        continue;
      }
      (is_search(one) ? searches_ : one.closed ? closed_ : one.all_at_once ? at_once_ : open_).push_back(one);
    }
  }

  std::vector<std::string> sentences() const {
    std::vector<std::string> all;
    const auto say = [&](std::string sentence) {
      if (!sentence.empty()) all.push_back(std::move(sentence));
    };
    for (const auto& one : searches_) say(search_sentence(*one.cell));
    say(slo_sentence());
    say(highest_kept_sentence());
    say(fell_behind_sentence());
    say(untold_sentence());
    say(closed_sentence());
    say(at_once_sentence());
    say(lost_sentence());
    if (all.empty()) say(invalid_sentence());
    return all;
  }

 private:
  static bool is_search(const Asked& one) {
    return !one.cell->probes.empty() || find_estimate(one.cell->figures, "sustained_per_s");
  }

  std::string search_sentence(const CellSummary& cell) const {
    const auto limit = promised(cell, document_.experiment);
    const auto found = search_text(cell);
    if (!limit || found.empty()) return {};
    const auto whose = searches_.size() > 1 ? cell.cell.label + ": " : "";
    return fmt::format("{}{}{}.", whose, slo_text(*limit), found);
  }

  /// Of rates that were measured one by one.
  std::string slo_sentence() const {
    std::vector<Probe> probes;
    std::optional<Limit> limit;
    for (const auto& one : open_) {
      const auto probe = slo_at(one, document_.experiment);
      if (!probe) return {};
      limit = promised(*one.cell, document_.experiment);
      probes.push_back(*probe);
    }
    return limit ? slo_text(*limit) + slo_words(probes) + "." : std::string();
  }

  /// The last of the rates, which rise, with that pace; nullptr: none.
  const Asked* highest(Pace wanted) const {
    const Asked* found = nullptr;
    for (const auto& one : open_)
      if (pace(one) == wanted) found = &one;
    return found;
  }

  std::string highest_kept_sentence() const {
    const auto* best = highest(Pace::kept_up);
    if (!best) return {};
    return fmt::format("The server kept up with {} requests/s offered{}.", format_number(best->level),
                       times_text(*best->cell));
  }

  std::string fell_behind_sentence() const {
    for (const auto& one : open_)
      if (pace(one) == Pace::fell_behind)
        return fmt::format("The server did not keep up with {} requests/s offered: it answered {}.",
                           format_number(one.level), rate_text(answered_per_s(*one.cell)));
    return {};
  }

  std::string untold_sentence() const {
    const auto* one = highest(Pace::untold);
    if (!one || highest(Pace::kept_up) || highest(Pace::fell_behind)) return {};
    const auto [offered, answered] = in_time(*one);
    return fmt::format(
        "Whether the server kept up with {} requests/s offered is inconclusive: it answered {:.0f} of {:.0f} "
        "in the measured time; a longer --duration tells.",
        format_number(one->level), answered, offered);
  }

  std::string closed_sentence() const {
    const Asked* best = nullptr;
    for (const auto& one : closed_)
      if (!best || answered_per_s(*one.cell).value > answered_per_s(*best->cell).value) best = &one;
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
    for (const auto* all : {&searches_, &open_, &closed_, &at_once_, &invalid_})
      for (const auto& one : *all)
        if (const auto seen = outcomes(*one.cell);
            seen && seen->share_lost() > most && !tells_of_generator(*one.cell)) {
          most = seen->share_lost();
          worst = &one;
        }
    if (!worst) return {};
    return fmt::format("Up to {} % of the requests were not answered ({}).", format_number(100 * most),
                       worst->cell->cell.label);
  }

  /// Nothing else can be said.
  std::string invalid_sentence() const {
    if (invalid_.empty()) return {};
    std::string why;
    for (const auto& warning : invalid_.front().cell->warnings)
      if (warning.weight == Weight::voids) why += (why.empty() ? "" : ", ") + in_words(warning.code);
    return fmt::format("All numbers are invalid ({}), so nothing can be said about the server.", why);
  }

  const Document& document_;
  std::vector<Asked> searches_, open_, closed_, at_once_, invalid_;
};

}  // namespace

std::vector<std::string> load_findings(const Document& document) { return Story(document).sentences(); }

}  // namespace neph::report
