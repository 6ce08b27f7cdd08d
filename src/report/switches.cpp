#include "report/switches.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/ranges.h>

#include "core/units.hpp"
#include "record/metrics.hpp"
#include "report/quantity.hpp"
#include "report/readings.hpp"
#include "report/scaling.hpp"
#include "report/training_limits.hpp"
#include "report/way.hpp"

namespace neph::report {
namespace {

constexpr std::string_view framework_field = "framework";
constexpr std::array<std::string_view, 5> switches{"compile", "layout", "precision", "fused_optimizer",
                                                   "loaders"};

/// What they are where nothing is set, the first that was measured; then any other.
constexpr std::array<std::string_view, 6> by_themselves{"auto", "off", "nchw", "f32", "-1", "0"};
constexpr std::array<std::string_view, 6> by_themselves_in_keras{"auto", "off", "nhwc", "f32", "-1", "0"};

bool is_keras(const Document& document, const CellSummary& cell) {
  const auto framework = field_of(cell, document.experiment, "framework");
  return framework.is_string() && framework.get<std::string>().starts_with("keras");
}

/// The line of a script that sets it; empty: it is left out there.
std::string line_of(std::string_view field, const std::string& value, bool keras,
                    const std::string& optimizer) {
  using Lines = std::map<std::pair<std::string_view, std::string_view>, std::string_view>;
  static const Lines of_pytorch{
      {{"compile", "on"}, "model.compile()"},
      {{"layout", "nhwc"}, "model.to(memory_format=torch.channels_last)"},
      {{"precision", "bf16"}, "with torch.autocast(device, torch.bfloat16):"},
      {{"precision", "f16"}, "with torch.autocast(device, torch.float16): and torch.amp.GradScaler(device)"},
  };
  static const Lines of_keras{
      {{"compile", "on"}, "model.compile(..., jit_compile=True)"},
      {{"compile", "off"}, "model.compile(..., jit_compile=False)"},
      {{"layout", "nchw"}, R"(keras.config.set_image_data_format("channels_first"))"},
      {{"precision", "bf16"}, R"(keras.mixed_precision.set_global_policy("mixed_bfloat16"))"},
      {{"precision", "f16"}, R"(keras.mixed_precision.set_global_policy("mixed_float16"))"},
  };
  if (field == "loaders")
    return fmt::format("{}={})", keras ? "keras.utils.PyDataset(workers" : "DataLoader(..., num_workers",
                       value);
  if (field == "fused_optimizer")
    return fmt::format("torch.optim.{}(..., fused={})", optimizer == "sgd" ? "SGD" : "AdamW",
                       value == "on" ? "True" : "False");
  const auto& lines = keras ? of_keras : of_pytorch;
  const auto found = lines.find({field, value});
  return found == lines.end() ? std::string() : std::string(found->second);
}

std::string text_of(const CellSummary& cell, std::string_view field) {
  const auto value = factor_of(cell, std::string(field));
  return value.is_null() ? std::string() : factor_text(value);
}

/// The values of a switch, what frameworks have by themselves first; empty: it is not varied.
std::vector<std::string> values_of(const Cells& cells, std::string_view field, bool keras) {
  std::vector<std::string> values;
  for (const auto* cell : cells)
    if (auto value = text_of(*cell, field);
        !value.empty() && std::ranges::find(values, value) == values.end())
      values.push_back(std::move(value));
  std::ranges::sort(values);
  const auto& first = keras ? by_themselves_in_keras : by_themselves;
  const auto rank = [&](const std::string& value) { return std::ranges::find(first, value) - first.begin(); };
  std::ranges::stable_sort(values, {}, rank);
  return values;
}

/// Cells that stand for a network, a framework and a device, with what names them.
std::map<std::string, Cells> groups_of(const Document& document) {
  std::map<std::string, Cells> groups;
  for (const auto& group : training_groups(document))
    for (const auto* cell : group.cells) {
      auto name = group.name;
      for (const char* field : {"framework", "device"})
        if (const auto value = text_of(*cell, field); !value.empty())
          name += (name.empty() ? "" : ", ") + value;
      groups[name].push_back(cell);
    }
  return groups;
}

std::string effect_text(const SwitchEffect& effect) {
  const auto name = fmt::format("{} {}", in_words(effect.field), effect.value);
  const auto& speedup = effect.speedup;
  if (!speedup.low || !speedup.high)
    return fmt::format("{} is {} times as fast as {} (no interval)", name, ratio_text(speedup.value),
                       effect.baseline);
  const auto pairs = counted(std::ssize(effect.pairs), "pair");
  if (is_inconclusive(speedup))
    return fmt::format("whether {} pays is inconclusive ({}, {})", name, ratio_ci_text(speedup), pairs);
  if (!shown(speedup, 1))
    return fmt::format("{} makes no significant difference to {} ({}, {})", name, effect.baseline,
                       ratio_ci_text(speedup), pairs);
  return fmt::format("{} {}, {} times as fast as {} ({}, {})", name, *speedup.low > 1 ? "pays" : "costs time",
                     ratio_text(speedup.value), effect.baseline, ratio_ci_text(speedup), pairs);
}

using Values = std::map<std::string, std::string>;  ///< of switches, by their fields

/// The usable cell with these values that is alike in all else; nullptr: there is none.
const CellSummary* with_values(const Cells& cells, const CellSummary& alike_to, const Values& values) {
  std::vector<std::string_view> fields;
  for (const auto& [field, value] : values) fields.push_back(field);
  const auto found = std::ranges::find_if(cells, [&](const CellSummary* cell) {
    return alike(*cell, alike_to, fields) && std::ranges::all_of(values, [&](const auto& each) {
             return text_of(*cell, each.first) == each.second;
           });
  });
  return found == cells.end() ? nullptr : *found;
}

/// The values that pay together, or the fastest combination where that is shown to be faster, against those
/// that frameworks have by themselves. Empty: none pays.
std::string together(const Document& document, const Cells& cells, const std::vector<SwitchEffect>& effects) {
  Values plain, paying;
  std::map<std::string, double> gains;
  for (const auto& effect : effects) {
    plain[effect.field] = effect.baseline;
    paying.try_emplace(effect.field, effect.baseline);
    auto& gain = gains.try_emplace(effect.field, 1).first->second;
    if (!effect.speedup.low || *effect.speedup.low <= 1 || effect.speedup.value <= gain) continue;
    gain = effect.speedup.value;
    paying[effect.field] = effect.value;
  }
  const auto& fastest = *cells.front();
  const auto* without = with_values(cells, fastest, plain);
  const auto* chosen = with_values(cells, fastest, paying);
  if (chosen == nullptr) return {};
  if (const auto lead = times_as_fast(document, *chosen, fastest); lead.low && *lead.low > 1)
    chosen = &fastest;
  if (without == nullptr || chosen == without) return {};
  const auto optimizer = field_of(*chosen, document.experiment, "optimizer");
  std::vector<std::string> names, lines;
  for (const auto& [field, value] : plain) {
    const auto its = text_of(*chosen, field);
    if (its == value) continue;
    names.push_back(fmt::format("{} {}", in_words(field), its));
    if (auto line = line_of(field, its, is_keras(document, *chosen),
                            optimizer.is_string() ? optimizer.get<std::string>() : "");
        !line.empty())
      lines.push_back("`" + std::move(line) + "`");
  }
  const auto gain = times_as_fast(document, *without, *chosen);
  std::vector<std::string_view> left_out;
  for (const auto& [field, value] : plain) left_out.push_back(field);
  const auto rest = short_label(*chosen, document.experiment, left_out);
  return fmt::format("with {}{} it is {} times as fast as without ({}){}", fmt::join(names, ", "),
                     rest == "all" ? "" : fmt::format(" ({})", rest), ratio_text(gain.value),
                     gain.low && gain.high ? ratio_ci_text(gain) : "no interval",
                     lines.empty() ? "" : fmt::format("; in a script: {}", fmt::join(lines, ", ")));
}

/// Of each network, each framework against the first.
std::vector<std::string> framework_findings(const Document& document) {
  std::vector<std::string> sentences;
  for (const auto& group : training_groups(document)) {
    const auto has = [&](const std::string& value) {
      return [&](const CellSummary& cell) {
        return std::ranges::find(group.cells, &cell) != group.cells.end() &&
               text_of(cell, framework_field) == value;
      };
    };
    std::map<std::int64_t, std::string> in_order;  // of the configurations
    for (const auto* cell : group.cells)
      if (auto value = text_of(*cell, framework_field); !value.empty())
        in_order[cell->cell.index] = std::move(value);
    std::vector<std::string> values;
    for (const auto& [index, value] : in_order)
      if (std::ranges::find(values, value) == values.end()) values.push_back(value);
    for (std::size_t i = 1; i < values.size(); ++i) {
      SwitchEffect effect{.field = std::string(framework_field), .value = values[i], .baseline = values[0]};
      effect.pairs = matches(document, has(values[0]), has(values[i]), {framework_field});
      effect.speedup = speed_ratio_of(document, effect.pairs).ratio;
      if (effect.speedup.value < 1) {  // the faster is named first
        std::swap(effect.value, effect.baseline);
        for (auto& match : effect.pairs) std::swap(match.baseline, match.candidate);
        effect.speedup = speed_ratio_of(document, effect.pairs).ratio;
      }
      if (!std::isfinite(effect.speedup.value)) continue;
      const auto& speedup = effect.speedup;
      const bool has_interval = speedup.low && speedup.high;
      const auto what = is_inconclusive(speedup) ? fmt::format("whether {} or {} is faster is inconclusive",
                                                               effect.baseline, effect.value)
                        : has_interval && !shown(speedup, 1)
                            ? fmt::format("{} and {} show no significant difference in speed",
                                          effect.baseline, effect.value)
                            : fmt::format("{} is {} times as fast as {}", effect.value,
                                          ratio_text(speedup.value), effect.baseline);
      sentences.push_back(fmt::format("{}{} ({}, {}).", group.name.empty() ? "" : group.name + ": ", what,
                                      has_interval ? ratio_ci_text(speedup) : "no interval",
                                      counted(std::ssize(effect.pairs), "pair")));
    }
  }
  return sentences;
}

}  // namespace

std::vector<SwitchEffect> switch_effects(const Document& document, const Cells& cells) {
  const auto is_here = [&](const CellSummary& cell) {
    return std::ranges::find(cells, &cell) != cells.end();
  };
  std::vector<SwitchEffect> effects;
  for (const auto field : switches) {
    const auto values = values_of(cells, field, !cells.empty() && is_keras(document, *cells.front()));
    for (std::size_t i = 1; i < values.size(); ++i) {
      const auto has = [&](const std::string& value) {
        return [&](const CellSummary& cell) { return is_here(cell) && text_of(cell, field) == value; };
      };
      SwitchEffect effect{.field = std::string(field), .value = values[i], .baseline = values[0]};
      effect.pairs = matches(document, has(values[0]), has(values[i]), {field});
      effect.speedup = speed_ratio_of(document, effect.pairs).ratio;
      if (!std::isfinite(effect.speedup.value)) continue;
      effects.push_back(std::move(effect));
    }
  }
  return effects;
}

std::vector<std::string> switch_findings(const Document& document) {
  auto sentences = framework_findings(document);
  for (const auto& [name, cells] : groups_of(document)) {
    const auto effects = switch_effects(document, cells);
    if (effects.empty()) continue;
    std::vector<std::string> parts;
    for (const auto& effect : effects) parts.push_back(effect_text(effect));
    if (auto all = together(document, cells, effects); !all.empty()) parts.push_back(std::move(all));
    sentences.push_back(
        fmt::format("{}{}.", name.empty() ? "Switches: " : name + ": ", fmt::join(parts, "; ")));
  }
  return sentences;
}

}  // namespace neph::report
