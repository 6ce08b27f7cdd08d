#include "report/scaling_findings.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

#include <fmt/format.h>

#include "core/units.hpp"
#include "report/machines.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/scaling.hpp"

namespace neph::report {
namespace {

/// More cores pay as long as each of those that are added does at least half of what the fewest do each.
constexpr double paying_share = 0.5;
constexpr std::size_t most_groups = 2;

enum class Pays { yes, no, undecided };

/// Whether the cores that `level` has more than `last` pay.
Pays do_pay(const Document& document, const Scaling& scaling, const ScalingLevel& last,
            const ScalingLevel& level) {
  const auto ratio = times_as_fast(document, *last.cell, *level.cell);
  const double needed = 1 + paying_share * (level.cores - last.cores) / scaling.fewest() / last.speedup.value;
  if (!ratio.low || !ratio.high) return Pays::undecided;
  // Where both ends are on one side, or it is shown to be faster at all, the value is the best guess.
  const bool is_known = *ratio.low > 1 || *ratio.high < needed;
  return !is_known ? Pays::undecided : ratio.value >= needed ? Pays::yes : Pays::no;
}

struct Judged {
  const ScalingLevel* last;  ///< the most cores that pay
  const ScalingLevel* next;  ///< where that ends; nullptr: all pay
  Pays why = Pays::yes;      ///< of `next`
};

Judged judge(const Document& document, const Scaling& scaling) {
  Judged judged{.last = &scaling.levels.front(), .next = nullptr};
  for (auto level = scaling.levels.begin() + 1; level != scaling.levels.end(); ++level) {
    judged.why = do_pay(document, scaling, *judged.last, *level);
    if (judged.why != Pays::yes) {
      judged.next = &*level;
      break;
    }
    judged.last = &*level;
  }
  return judged;
}

/// "2 cores are 1.85 times as fast as 1 (95 % CI 1.80 to 1.90), an efficiency of 92 %"
std::string level_text(const Scaling& scaling, const ScalingLevel& level) {
  return fmt::format("{} cores are {} times as fast as {} ({}), an efficiency of {:.0f} %",
                     plain(level.cores), ratio_text(level.speedup.value), plain(scaling.fewest()),
                     ratio_ci_text(level.speedup), 100 * scaling.efficiency(level));
}

std::string cores_sentence(const Document& document, const Scaling& scaling, const std::string& whose) {
  const auto [last, next, why] = judge(document, scaling);
  const bool is_first = last == &scaling.levels.front();
  const auto& told = is_first ? *next : *last;
  if (is_first && why == Pays::undecided)
    return fmt::format("{}hether more cores than {} pay is inconclusive: {} are {} times as fast ({}).",
                       whose.empty() ? "W" : whose + "w", plain(last->cores), plain(told.cores),
                       ratio_text(told.speedup.value), ratio_ci_text(told.speedup));
  auto text = whose + level_text(scaling, told);
  if (!next) return text + ": all of them pay.";
  if (why == Pays::undecided)
    return fmt::format("{}. Whether {} cores pay is inconclusive: {}.", text, plain(next->cores),
                       level_text(scaling, *next));
  if (is_first)
    return fmt::format(
        "{}: more than {} do not pay, as each that is added does less than half of what it could.", text,
        plain(last->cores));
  return fmt::format("{}; beyond that more do not pay: {}.", text, level_text(scaling, *next));
}

/// Digits that tell the ends of an interval apart.
int digits_of(const Estimate& estimate) {
  return estimate.high && *estimate.high - *estimate.low < 0.1 * estimate.value ? 3 : 2;
}

/// "12 % of the time on one core does not scale (95 % CI 9.1 to 15 %)"
std::string serial_text(const Estimate& share) {
  const int digits = digits_of(share);
  return fmt::format("{} of the time on one core does not scale (95 % CI {} to {})",
                     format_percent(share.value, digits), format_number(100 * *share.low, digits),
                     format_percent(*share.high, digits));
}

/// "9 cores (95 % CI 8 to 11)"; what is more than what was measured is told as such.
std::string cores_text(const Estimate& cores, double most_measured) {
  const bool is_exact = cores.high && *cores.high - *cores.low < 2;
  const auto text = [&](double value) {
    return is_exact ? format_number(value) : format_grouped(std::llround(value));
  };
  const auto range = cores.high ? fmt::format("95 % CI {} to {}", text(*cores.low), text(*cores.high))
                                : fmt::format("95 % CI from {} on", text(*cores.low));
  return fmt::format("{} cores ({}{})", text(cores.value), range,
                     cores.value > 1.05 * most_measured ? "; extrapolated" : "");
}

std::string amdahl_text(const stats::ScalingFit& fit) {
  auto text = "Amdahl's law: " + serial_text(fit.serial());
  const auto half = fit.half_used_at();
  if (std::isfinite(half.value) && half.value < 1000)
    text += fmt::format("; beyond {} less than half of each is used", cores_text(half, fit.most_cores()));
  return text + ".";
}

std::string universal_text(const stats::ScalingFit& fit) {
  const auto text = "Universal Scalability Law: " + serial_text(fit.serial());
  const auto fastest = fit.fastest_at();
  if (!std::isfinite(fastest.value)) return text + "; no number of cores is seen beyond which it is slower.";
  return text + fmt::format(", and cores cost each other time: it is fastest near {}, and slower beyond.",
                            cores_text(fastest, fit.most_cores()));
}

std::string law_sentence(const Document& document, const Scaling& scaling, const std::string& whose) {
  const auto laws = laws_of(document, scaling);
  if (!laws.are_fitted()) return {};
  const auto* told = laws.told();
  if (!told) {
    const auto& nearer =
        laws.universal->worst_miss() < laws.amdahl->worst_miss() ? *laws.universal : *laws.amdahl;
    return fmt::format(
        "{}Neither Amdahl's law nor the Universal Scalability Law describes these times: the better misses "
        "by up to {}, more than the repeats explain.",
        whose, format_percent(nearer.worst_miss(), 2));
  }
  return whose + (told->law() == stats::ScalingLaw::amdahl ? amdahl_text(*told) : universal_text(*told));
}

/// Configurations of which nothing is said, as they did not get their cores.
std::string short_sentence(const Document& document) {
  std::string named;
  for (const auto& cell : document.cells)
    if (const auto used = short_of_cores(document, cell))
      named += fmt::format("{}{} kept {} of {} busy", named.empty() ? "" : "; ", cell.cell.label,
                           format_number(*used), counted_cores(factor_of(cell, "threads").get<double>()));
  return named.empty() ? "" : "What more cores do is left open where they were not to be had: " + named + ".";
}

}  // namespace

std::vector<std::string> scaling_findings(const Document& document) {
  auto all = scalings(document);
  std::vector<std::string> sentences{short_sentence(document)};
  for (auto& scaling : all)
    if (std::erase_if(scaling.levels,
                      [&](const auto& level) {
                        return level.cores > scaling.fewest() && (!level.speedup.low || !level.speedup.high);
                      }) > 0 &&
        sentences.size() == 1)
      sentences.emplace_back("What more cores do is left open, as one run each has no interval: --repeat 5.");
  std::erase_if(all, [](const auto& scaling) { return scaling.levels.size() < 2; });
  std::erase(sentences, "");
  std::size_t most_levels = 0;
  for (const auto& scaling : all) most_levels = std::max(most_levels, scaling.levels.size());
  const bool is_only = all.size() == 1;
  const auto best = ranked(document);
  std::ranges::stable_sort(all, {}, [&](const Scaling& scaling) {  // the fastest configuration's first
    return std::ranges::min(scaling.levels | std::views::transform([&](const ScalingLevel& level) {
                              return std::ranges::find(best, level.cell) - best.begin();
                            }));
  });
  const auto groups = std::ssize(all);
  if (all.size() > most_groups) all.resize(most_groups);
  for (const auto& scaling : all) {
    const auto whose = is_only || scaling.name == "all" ? "" : scaling.name + ": ";
    sentences.push_back(cores_sentence(document, scaling, whose));
    sentences.push_back(law_sentence(document, scaling, whose));
  }
  if (groups > std::ssize(all))
    sentences.push_back(
        fmt::format("Of what cores do, the chart shows {} more.", counted(groups - std::ssize(all), "line")));
  if (!all.empty() && most_levels < stats::fewest_core_counts)
    sentences.push_back(fmt::format(
        "With {} numbers of cores no law of scaling is fitted: it takes {}, as --threads 1,2,4,8 gives.",
        most_levels, stats::fewest_core_counts));
  return sentences;
}

}  // namespace neph::report
