#include "report/architecture_findings.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/units.hpp"
#include "report/contenders.hpp"
#include "report/effect.hpp"
#include "report/findings.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/recommendation_findings.hpp"
#include "report/request_parts.hpp"
#include "report/way.hpp"

namespace neph::report {
namespace {

constexpr double meaningless_spread = 4;  // high / low of a ratio: its ends say nothing but "unknown"
constexpr std::size_t named_parts = 3;    // of a request's time, in the sentence

std::optional<double> peak_memory(const Run& run) { return peak_memory_bytes(run, target::application); }

std::string ratio_range_text(const Estimate& ratio) {
  if (*ratio.high > meaningless_spread * *ratio.low) return "a wide interval: --repeat";
  return ratio_ci_text(ratio);
}

class Comparison {
 public:
  explicit Comparison(const Document& document)
      : document_(document), contest_(contest_of(document)), contenders_(contest_.contenders) {}

  bool possible() const { return contenders_.size() > 1; }

  /// The recommended of all, unless another cannot be told from it and takes shown less of the processor;
  /// then that, or what needs no server.
  const Contender& choose() const {
    const Contender* chosen = &*std::find_if(contenders_.begin(), contenders_.end(), [&](const auto& one) {
      return one.best == &contest_.choice.recommended();
    });
    for (const auto& other : contenders_) {
      if (&other == chosen || !is_equal(*other.best) || beats(*chosen, other)) continue;
      const auto cpu = cpu_difference({{chosen->best, other.best}});
      const bool cheaper = shown(cpu, 0) && cpu.value < 0;
      const bool dearer = shown(cpu, 0) && cpu.value > 0;
      if (cheaper || (!dearer && !other.way.served() && chosen->way.served())) chosen = &other;
    }
    return *chosen;
  }

  /// Which one to use, and how it stands to every other.
  std::vector<std::string> recommendation() const {
    const auto& chosen = choose();
    const auto model = model_name(document_.experiment);
    const auto outside = outside_limit_sentence(document_, contest_.candidates);
    std::vector<std::string> sentences{
        outside, differs_in_cpu(chosen) ? "" : nothing_shown_sentence(document_, contest_.choice),
        fmt::format("{} machine should run {} {}: {} ({}).",
                    !outside.empty()                    ? "Without the limit, this"
                    : is_rough(document_, *chosen.best) ? "As far as these runs tell, this"
                                                        : "This",
                    model.empty() ? "the model" : model, with_label(chosen.way.in_sentence(), chosen),
                    speed_text(document_, *chosen.best), ci_and_runs_text(document_, *chosen.best))};
    std::vector<std::string> beaten, equal;
    for (const auto& other : contenders_)
      if (&other != &chosen && !beats(other, chosen))
        (beats(chosen, other) ? beaten : equal).push_back(standing(chosen, other));
    if (!beaten.empty()) sentences.push_back(fmt::format("It is {}.", fmt::join(beaten, "; ")));
    if (!equal.empty())
      sentences.push_back(
          fmt::format("No significant difference in speed to {}{}.", fmt::join(equal, "; "), tie_break()));
    const auto is_named = [&](const auto& one) { return one.best == &contest_.choice.fastest(); };
    if (std::ranges::none_of(contenders_, is_named))
      sentences.push_back(highest_mean_sentence(document_, contest_.choice, *chosen.best));
    for (auto& sentence : limit_findings(document_, contest_.candidates, *chosen.best))
      sentences.push_back(std::move(sentence));
    std::erase(sentences, "");
    return sentences;
  }

  /// What a server adds to an image, in time and in CPU time.
  std::vector<std::string> cost_of_servers() const {
    std::vector<std::string> sentences;
    for (const auto& way : ways()) {
      if (!way.served() || way.independent) continue;
      const auto pairs = matches(document_, in([](const Way& w) { return w.architecture == "in-process"; }),
                                 in([&](const Way& w) { return w == way; }), all_way_fields());
      if (pairs.empty()) continue;
      const auto time =
          difference_of(document_, pairs, [&](const Run& run) { return ms_per_item(document_, run); });
      const auto cpu = cpu_difference(pairs);
      if (!time.low && !cpu.low) continue;
      const auto parts = joined_effects(effect_text(time, "longer", "shorter", "time"), cpu_effect_text(cpu));
      sentences.push_back(fmt::format("{} against in-process, per {}: {} (mean over {}).",
                                      sentence_begin(way.in_sentence()), item(), parts, pairs_text(pairs)));
    }
    return sentences;
  }

  /// What is around a client that only asks: files, making messages, answers.
  std::vector<std::string> cost_of_applications() const {
    std::vector<std::string> sentences;
    for (const auto& way : ways()) {
      if (!way.independent) continue;
      auto application = way;
      application.independent = false;
      const auto pairs = matches(document_, in([&](const Way& w) { return w == application; }),
                                 in([&](const Way& w) { return w == way; }), {"client"});
      const auto [ratio, change] = speed_ratio_of(document_, pairs);
      if (!ratio.low) continue;
      const auto effect = change == stats::Change::not_shown
                              ? "no significant difference to a client that only asks"
                              : fmt::format("a client that only asks gets {} times as many {} per second",
                                            ratio_text(ratio.value), view_of(document_).items);
      sentences.push_back(fmt::format("{}, {} ({}; mean over {}).", sentence_begin(application.in_sentence()),
                                      effect, ratio_range_text(ratio), pairs_text(pairs)));
    }
    return sentences;
  }

  /// Where a request's time goes behind the best server.
  std::string cost_of_a_request() const {
    for (const auto& contender : contenders_) {
      if (!contender.way.served()) continue;
      const auto parts = request_parts(document_.runs, contender.best->cell.index);
      double total = 0;
      std::vector<std::pair<double, std::string>> outside;
      for (const auto& [name, estimate] : parts) {
        if (!std::isfinite(estimate.value)) return {};
        total += estimate.value;
        if (name != infer_part) outside.emplace_back(estimate.value, name);
      }
      const auto infer = parts.find(std::string(infer_part));
      if (infer == parts.end() || total <= 0) continue;
      std::sort(outside.rbegin(), outside.rend());
      if (outside.size() > named_parts) outside.resize(named_parts);
      std::vector<std::string> words;
      for (const auto& [ms, name] : outside)
        words.push_back(fmt::format("{} {}", in_words(name), format_number(ms)));
      return fmt::format(
          "Of the {} ms of a request {}, inference takes {} ms; the largest of the rest: {} ms.",
          format_number(total), with_label(contender.way.in_sentence(), contender),
          format_number(infer->second.value), fmt::join(words, ", "));
    }
    return {};
  }

  std::string protocols() const {
    const auto pairs = matches(document_, in([](const Way& w) { return w.protocol == "http"; }),
                               in([](const Way& w) { return w.protocol == "grpc"; }), {"protocol", "server"});
    if (pairs.empty()) return {};
    const auto [ratio, change] = speed_ratio_of(document_, pairs);
    const auto cpu = cpu_difference(pairs);
    if (!ratio.low) return {};
    const auto fast =
        change == stats::Change::not_shown
            ? fmt::format("no significant difference in speed ({} times, {})", ratio_text(ratio.value),
                          ratio_range_text(ratio))
            : fmt::format("gRPC is {} times as fast ({})", ratio_text(ratio.value), ratio_range_text(ratio));
    const auto effect = cpu_effect_text(cpu);
    return fmt::format("gRPC against HTTP: {}{} (mean over {}).", fast,
                       effect.empty() ? "" : fmt::format("; per {} {}", item(), effect), pairs_text(pairs));
  }

  /// What more requests in flight bring, and what memory they cost.
  std::string asynchrony() const {
    std::vector<std::string> items;
    for (const auto& way : ways())
      for (const auto& depth : depths())
        if (auto item = asynchrony_of(way, depth); !item.empty()) items.push_back(std::move(item));
    return items.empty() ? ""
                         : fmt::format("Asynchronous instead of synchronous: {}.", fmt::join(items, "; "));
  }

  std::string batches() const {
    std::set<double> sizes;
    for (const auto& cell : document_.cells)
      if (const auto size = batch_of(cell)) sizes.insert(*size);
    if (sizes.size() < 2) return {};
    std::vector<std::string> items;
    for (const auto& way : ways())
      if (auto item = batch_of_way(way, sizes); !item.empty()) items.push_back(std::move(item));
    return items.empty()
               ? ""
               : fmt::format("Batches instead of {}: {}.", plain(*sizes.begin()), fmt::join(items, "; "));
  }

 private:
  bool differs_in_cpu(const Contender& chosen) const {
    return std::any_of(contenders_.begin(), contenders_.end(), [&](const auto& other) {
      return shown(cpu_difference({{other.best, chosen.best}}), 0);
    });
  }

  bool is_equal(const CellSummary& cell) const {
    return std::find(contest_.choice.equals.begin(), contest_.choice.equals.end(), &cell) !=
           contest_.choice.equals.end();
  }

  /// In CPU time per item.
  Estimate cpu_difference(const std::vector<Match>& pairs) const {
    return difference_of(document_, pairs, [&](const Run& run) {
      return cpu_ms_per_item(document_, run, target::application);
    });
  }

  std::string_view item() const { return view_of(document_).item; }

  std::vector<Way> ways() const { return ways_of(document_); }
  static std::vector<std::string_view> all_way_fields() {
    return {std::begin(way_fields), std::end(way_fields)};
  }
  /// "local gRPC (batch 8, async)"
  std::string with_label(const std::string& name, const Contender& contender) const {
    const auto label = short_label(*contender.best, document_.experiment, all_way_fields());
    return label == "all" ? name : fmt::format("{} ({})", name, label);
  }
  static std::string sentence_begin(std::string text) {
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
  }

  template <class Is>
  std::function<bool(const CellSummary&)> in(Is is) const {
    return [this, is](const CellSummary& cell) { return is(way_of(cell, document_.experiment)); };
  }

  stats::Ratio faster(const Contender& one, const Contender& other) const {
    return speed_ratio_of(document_, {{other.best, one.best}});
  }
  bool beats(const Contender& one, const Contender& other) const {
    return faster(one, other).change == stats::Change::faster;
  }

  std::string standing(const Contender& chosen, const Contender& other) const {
    const auto [ratio, change] = faster(chosen, other);
    const auto name = with_label(other.way.name(), other);
    if (change == stats::Change::faster)
      return fmt::format("{} times as fast ({}) as {}", ratio_text(ratio.value), ratio_range_text(ratio),
                         name);
    if (!ratio.low)
      return fmt::format("{} (ratio {}, too few runs for an interval)", name, ratio_text(ratio.value));
    auto text = fmt::format("{} (ratio {}, {})", name, ratio_text(ratio.value), ratio_range_text(ratio));
    if (const auto latency = latency_ratio(document_, *chosen.best, *other.best); shown(latency, 1))
      text += fmt::format(", which has {} times the latency ({}{})", ratio_text(latency.value),
                          ratio_range_text(latency), in_flight_words(document_, *chosen.best, *other.best));
    const auto cpu = cpu_difference({{other.best, chosen.best}});
    if (shown(cpu, 0) && cpu.value < 0)
      text += fmt::format(", which takes {} ms more CPU time per {}", format_number(-cpu.value), item());
    return text;
  }

  std::string tie_break() const { return choose().way.served() ? "" : ", and in-process needs no server"; }

  /// "1.3 ms longer (95 % CI 1.1 to 1.5)"; "no significant difference in time (95 % CI -2.0 to 0.7 ms)";
  /// empty: not known. In milliseconds.
  static std::string effect_text(const Estimate& difference, std::string_view more, std::string_view less,
                                 std::string_view what) {
    if (!difference.low || !difference.high) return {};
    if (!shown(difference, 0))
      return fmt::format("no significant difference in {} (95 % CI {} to {} ms)", what,
                         format_number(*difference.low), format_number(*difference.high));
    const double sign = difference.value < 0 ? -1 : 1;
    const double one_end = sign * *difference.low, other_end = sign * *difference.high;
    return fmt::format("{} ms {} (95 % CI {} to {})", format_number(sign * difference.value),
                       sign > 0 ? more : less, format_number(std::min(one_end, other_end)),
                       format_number(std::max(one_end, other_end)));
  }
  static std::string cpu_effect_text(const Estimate& difference) {
    return effect_text(difference, "more CPU time", "less CPU time", "CPU time");
  }

  static std::string joined_effects(const std::string& one, const std::string& other) {
    return one + (one.empty() || other.empty() ? "" : " and ") + other;
  }

  static std::string pairs_text(const std::vector<Match>& pairs) {
    return fmt::format("{} pair{} of configurations alike in all else", pairs.size(),
                       pairs.size() == 1 ? "" : "s");
  }

  /// The depths that asynchronous configurations have; null where the depth is not varied.
  std::vector<Json> depths() const {
    std::vector<Json> all;
    for (const auto& cell : document_.cells) {
      if (field_of(cell, document_.experiment, "mode") != "async") continue;
      const auto depth = factor_of(cell, "depth");
      if (std::find(all.begin(), all.end(), depth) == all.end()) all.push_back(depth);
    }
    return all;
  }

  std::string asynchrony_of(const Way& way, const Json& depth) const {
    const auto has = [&](const char* mode) {
      return [this, &way, mode](const CellSummary& cell) {
        return way_of(cell, document_.experiment) == way &&
               field_of(cell, document_.experiment, "mode") == mode;
      };
    };
    const auto pairs = matches(
        document_, has("sync"),
        [&](const CellSummary& cell) { return has("async")(cell) && factor_of(cell, "depth") == depth; },
        {"mode", "depth"});
    const auto [ratio, change] = speed_ratio_of(document_, pairs);
    if (!ratio.low) return {};
    const auto memory = ratio_of(document_, pairs, peak_memory, stats::Better::lower).ratio;
    auto text = way.in_sentence();
    if (!depth.is_null()) text += depth == -1 ? " without a bound" : ", depth " + factor_text(depth);
    text += change == stats::Change::not_shown ? ", no significant difference in speed"
                                               : fmt::format(", {} times the speed", ratio_text(ratio.value));
    text += fmt::format(" ({})", ratio_range_text(ratio));
    if (memory.low)
      text += shown(memory, 1)
                  ? fmt::format(" for {} times the peak memory ({} to {})", ratio_text(memory.value),
                                ratio_text(*memory.low), ratio_text(*memory.high))
                  : " for no significantly higher memory";
    return text;
  }

  std::optional<double> batch_of(const CellSummary& cell) const {
    const auto batch = field_of(cell, document_.experiment, "batch");
    return batch.is_number() ? std::optional(batch.get<double>()) : std::nullopt;
  }

  /// The batch that brings most, against the smallest.
  std::string batch_of_way(const Way& way, const std::set<double>& sizes) const {
    const auto has = [&](double size) {
      return [this, &way, size](const CellSummary& cell) {
        return way_of(cell, document_.experiment) == way && batch_of(cell) == size;
      };
    };
    stats::Ratio best;
    double best_size = 0;
    for (const double size : sizes) {
      if (size == *sizes.begin()) continue;
      const auto pairs = matches(document_, has(*sizes.begin()), has(size), {"batch"});
      const auto ratio = speed_ratio_of(document_, pairs);
      if (ratio.ratio.low && !(ratio.ratio.value <= best.ratio.value)) {
        best = ratio;
        best_size = size;
      }
    }
    if (best_size == 0) return {};
    const auto name = way.in_sentence();
    if (best.change == stats::Change::not_shown)
      return fmt::format("{}, no significant effect of batch size ({}: {} times, {})", name, plain(best_size),
                         ratio_text(best.ratio.value), ratio_range_text(best.ratio));
    return fmt::format("{}, {} brings most, {} times the speed ({})", name, plain(best_size),
                       ratio_text(best.ratio.value), ratio_range_text(best.ratio));
  }

  const Document& document_;
  const Contest contest_;
  const std::vector<Contender>& contenders_;  ///< the fastest first
};

}  // namespace

const CellSummary* recommended_configuration(const Document& document) {
  const Comparison comparison(document);
  return comparison.possible() ? comparison.choose().best : nullptr;
}

std::vector<std::string> application_findings(const Document& document) {
  return Comparison(document).cost_of_applications();
}

std::vector<std::string> architecture_findings(const Document& document) {
  const Comparison comparison(document);
  if (!comparison.possible()) return {};
  auto sentences = comparison.recommendation();
  const auto costs = comparison.cost_of_servers();
  sentences.insert(sentences.end(), costs.begin(), costs.end());
  for (auto sentence : {comparison.cost_of_a_request(), comparison.protocols(), comparison.asynchrony(),
                        comparison.batches()})
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  return sentences;
}

}  // namespace neph::report
