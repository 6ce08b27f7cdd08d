#include "report/load_findings.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/units.hpp"
#include "record/metrics.hpp"
#include "report/load_readings.hpp"
#include "report/percentile.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/way.hpp"

namespace neph::report {
namespace {

std::string value_of(const CellSummary& cell, std::string_view quantile) {
  const auto* estimate = find_shown(cell.latency_ms, quantile);
  if (!estimate) return {};
  return fmt::format("{} ms ({} to {})", format_number(estimate->value), format_number(*estimate->low),
                     format_number(*estimate->high));
}

/// "half of the responses took 4.1 ms (4.0 to 4.2) or less, 99 % 18 ms (…)"
std::string times_text(const CellSummary& cell) {
  const auto half = value_of(cell, statistic::p50), most = value_of(cell, statistic::p99);
  if (half.empty()) return {};
  return fmt::format(": half of the responses took {} or less{}", half,
                     most.empty() ? "" : fmt::format(", 99 % {} or less", most));
}

std::string rate_text(const Estimate& rate) {
  if (!rate.low || !rate.high) return fmt::format("{} requests/s", format_number(rate.value));
  return fmt::format("{} requests/s ({})", format_number(rate.value), ci_text(rate));
}

std::string slo_text(const Limit& limit) {
  return fmt::format("SLO of {} % of the responses within {} ms: ", plain(limit.percentile), plain(limit.ms));
}

/// Searches that found a rate.
std::int64_t found_by(const CellSummary& cell, const Document& document) {
  return std::count_if(document.runs.begin(), document.runs.end(), [&](const Run& run) {
    const auto& figures = run.result.figures;
    return run.cell == cell.cell.index && run.status == RunStatus::ok &&
           std::any_of(figures.begin(), figures.end(), [](const Figure& figure) {
             return figure.name == metric::sustained_per_s.name && std::isfinite(figure.estimate.value);
           });
  });
}

/// Of one search its bracket; of several what they found on the whole, with an interval only over several.
std::string search_text(const CellSummary& cell, const Document& document) {
  const auto* sustained = find_estimate(cell.figures, metric::sustained_per_s);
  const bool found = sustained && std::isfinite(sustained->value);
  if (cell.runs_ok > 1 && !found) return fmt::format("no rate was confirmed in {} searches", cell.runs_ok);
  if (cell.runs_ok > 1) {
    const auto finders = found_by(cell, document);
    const auto rate = finders > 1 ? *sustained : Estimate{.value = sustained->value};
    return fmt::format("met at {} in {} of {} searches", rate_text(rate), finders, cell.runs_ok);
  }
  if (cell.probes.empty() && found)  // of a store that does not keep them
    return fmt::format("met at {} requests/s", format_number(sustained->value));
  if (cell.probes.empty()) return get(cell.facts, fact::search).value_or("");
  return search_words(cell.probes);
}

/// What one group says. `whose`: which group it is; empty: there is no other.
class GroupStory {
 public:
  GroupStory(std::vector<Asked> members, std::string whose, const Experiment& experiment)
      : members_(std::move(members)), whose_(std::move(whose)), experiment_(experiment) {}

  std::vector<std::string> open() const {
    return {slo_sentence(), highest_kept_sentence(), fell_behind_sentence(), untold_sentence()};
  }

  std::string closed() const {
    const auto& best = *std::max_element(members_.begin(), members_.end(), [](const auto& a, const auto& b) {
      return answered_per_s(*a.cell).value < answered_per_s(*b.cell).value;
    });
    return fmt::format("{}In a closed loop, where each client waits for its reply, {} client{} got {}{}.",
                       whose_, plain(best.level), best.level == 1 ? "" : "s",
                       rate_text(answered_per_s(*best.cell)), times_text(*best.cell));
  }

  std::string all_at_once() const {
    return fmt::format("{}Of requests that came all at once it answered {}.", whose_,
                       rate_text(answered_per_s(*members_.front().cell)));
  }

 private:
  /// Of rates that were measured one by one.
  std::string slo_sentence() const {
    std::vector<Probe> probes;
    for (const auto& one : members_) {
      const auto probe = slo_at(one, experiment_);
      if (!probe) return {};
      probes.push_back(*probe);
    }
    return whose_ + slo_text(*slo_of(*members_.front().cell, experiment_)) + slo_words(probes) + ".";
  }

  /// The last of the rates, which rise, with that pace; nullptr: none.
  const Asked* highest(Pace wanted) const {
    const Asked* found = nullptr;
    for (const auto& one : members_)
      if (pace(one) == wanted) found = &one;
    return found;
  }

  std::string highest_kept_sentence() const {
    const auto* best = highest(Pace::kept_up);
    if (!best) return {};
    return fmt::format("{}The server kept up with {} requests/s offered{}.", whose_,
                       format_number(best->level), times_text(*best->cell));
  }

  /// Of a higher rate as much was answered: this one is not more than it can do.
  bool is_outdone(const Asked& one) const {
    return std::ranges::any_of(members_, [&](const Asked& other) {
      return other.level > one.level &&
             (pace(other) == Pace::kept_up || answered_per_s(*other.cell).value >= one.level);
    });
  }

  std::string fell_behind_sentence() const {
    for (const auto& one : members_)
      if (pace(one) == Pace::fell_behind && !is_outdone(one))
        return fmt::format("{}The server did not keep up with {} requests/s offered: it answered {}.", whose_,
                           format_number(one.level), rate_text(answered_per_s(*one.cell)));
    return {};
  }

  std::string untold_sentence() const {
    const auto* one = highest(Pace::untold);
    if (!one || highest(Pace::kept_up) || highest(Pace::fell_behind)) return {};
    const auto [offered, answered] = in_time(*one);
    if (offered < fewest_for_pace)
      return fmt::format(
          "{}Whether the server keeps up with {} requests/s is not told by {:.0f} request{}{}.", whose_,
          format_number(one->level), offered, std::llround(offered) == 1 ? "" : "s", times_text(*one->cell));
    return fmt::format(
        "{}Whether the server kept up with {} requests/s offered is inconclusive: it answered {:.0f} of "
        "{:.0f} "
        "in the measured time; a longer --duration tells.",
        whose_, format_number(one->level), answered, offered);
  }

  const std::vector<Asked> members_;
  const std::string whose_;
  const Experiment& experiment_;
};

class Story {
 public:
  explicit Story(const Document& document) : document_(document) {
    for (const auto& one : asked(document)) {
      if (one.cell->verdict == Verdict::invalid) {
        invalid_.push_back(one);
        continue;
      }
      if (!is_search(one) && !one.closed && was_held_back(*one.cell)) {
        held_back_.push_back(one);
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
    for (const auto& story : stories(open_))
      for (auto& sentence : story.open()) say(std::move(sentence));
    for (const auto& story : stories(closed_)) say(story.closed());
    for (const auto& story : stories(at_once_)) say(story.all_at_once());
    say(held_back_sentence());
    say(lost_sentence());
    if (all.empty()) say(invalid_sentence());
    return all;
  }

 private:
  static bool is_search(const Asked& one) {
    return !one.cell->probes.empty() || find_estimate(one.cell->figures, metric::sustained_per_s) ||
           get(one.cell->facts, fact::search);
  }

  std::vector<GroupStory> stories(const std::vector<Asked>& all) const {
    std::vector<GroupStory> each;
    const auto groups = grouped(all, document_.experiment, {"rate", "clients"});
    for (const auto& group : groups)
      each.emplace_back(group.members, groups.size() > 1 ? group.name + ": " : "", document_.experiment);
    return each;
  }

  std::string search_sentence(const CellSummary& cell) const {
    const auto limit = slo_of(cell, document_.experiment);
    const auto found = search_text(cell, document_);
    if (!limit || found.empty()) return {};
    const auto whose = searches_.size() > 1 ? cell.cell.label + ": " : "";
    return fmt::format("{}{}{}.", whose, slo_text(*limit), found);
  }

  std::string held_back_sentence() const {
    if (held_back_.empty()) return {};
    std::vector<std::string> labels;
    for (const auto& one : held_back_)
      if (document_.cells.size() > 1) labels.push_back(one.cell->cell.label);
    return fmt::format(
        "The limit --in-flight held requests back{}: that limit was measured, not what the server can do.",
        labels.empty() ? "" : fmt::format(" ({})", fmt::join(labels, "; ")));
  }

  std::string lost_sentence() const {
    const Asked* worst = nullptr;
    double most = 0;
    for (const auto* all : {&searches_, &open_, &closed_, &at_once_, &held_back_, &invalid_})
      for (const auto& one : *all)
        if (const auto seen = outcomes(*one.cell);
            seen && seen->share_lost() > most && !tells_of_generator(*one.cell)) {
          most = seen->share_lost();
          worst = &one;
        }
    if (!worst) return {};
    if (document_.cells.size() == 1)
      return fmt::format("{} % of the requests were not answered.", format_number(100 * most));
    return fmt::format("Up to {} % of the requests were not answered ({}).", format_number(100 * most),
                       worst->cell->cell.label);
  }

  /// Nothing else can be said.
  std::string invalid_sentence() const {
    if (invalid_.empty()) return {};
    std::string why;
    for (const auto& warning : invalid_.front().cell->warnings)
      if (warning.weight == Weight::voids)
        why += (why.empty() ? "" : ", ") + in_words(enum_name(warning.code));
    return fmt::format("All numbers are invalid ({}), so nothing can be said about the server.", why);
  }

  const Document& document_;
  std::vector<Asked> searches_, open_, closed_, at_once_, held_back_, invalid_;
};

}  // namespace

std::vector<std::string> load_findings(const Document& document) { return Story(document).sentences(); }

}  // namespace neph::report
