#include "report/profile/figures.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "core/text.hpp"
#include "core/units.hpp"
#include "report/quantity.hpp"

namespace neph::report {
namespace {

std::optional<double> ratio(const std::optional<double>& above, const std::optional<double>& below) {
  return above && below && *below > 0 ? std::optional(*above / *below) : std::nullopt;
}

/// The peak is that of single precision: what computes in less may pass it.
bool is_single_precision(const Profile& profile, std::string_view kernel) {
  const auto word = lowered(kernel);
  return profile.precision == "f32" &&
         std::ranges::none_of(std::array{"i8", "u8", "bf16", "f16"},
                              [&](const char* less) { return word.ends_with(less); });
}

Speeds speeds(const Profile& profile, const std::optional<double>& flop, double flop_s,
              const std::optional<double>& bytes, double bytes_s, bool is_comparable) {
  Speeds all;
  all.flop_per_s = ratio(flop, flop_s);
  all.bytes_per_s = ratio(bytes, bytes_s);
  if (is_comparable) all.of_peak = ratio(all.flop_per_s, profile.peak_flop_per_s);
  all.is_beyond_peak = all.of_peak.value_or(0) > 1;
  if (all.is_beyond_peak) all.flop_per_s = all.of_peak = std::nullopt;
  all.of_bandwidth = ratio(all.bytes_per_s, profile.peak_bytes_per_s);
  return all;
}

std::string giga(const std::optional<double>& value) { return value ? format_number(*value / 1e9) : "–"; }

std::string percent(const std::optional<double>& share) { return share ? format_percent(*share, 2) : "–"; }

std::string milliseconds(const Estimate& seconds) { return estimate_text(scaled(seconds, 1e3)); }

void add_speeds(const Speeds& speeds, std::vector<std::string>& row) {
  row.insert(row.end(), {giga(speeds.flop_per_s), percent(speeds.of_peak), giga(speeds.bytes_per_s),
                         percent(speeds.of_bandwidth)});
}

std::string where_it_goes(const Profile& profile) {
  const auto& kind = profile.kinds.front();
  auto text = fmt::format("{} of the layers' time goes to {} ({})", format_percent(kind.share), kind.kind,
                          counted(kind.layers, "layer"));
  const auto speeds = speeds_of(profile, kind);
  if (speeds.flop_per_s) text += fmt::format(", at {} GFLOP/s", giga(speeds.flop_per_s));
  if (speeds.of_peak)
    text += fmt::format(", {} of what {} thread{} can do", percent(speeds.of_peak), profile.threads,
                        profile.threads == 1 ? "" : "s");
  return text + ".";
}

std::string cost_of_counters(const Profile& profile) {
  const double more = profile.profiled_s.value / profile.plain_s.value - 1;
  return fmt::format(
      "An inference takes {} ms; with the engine's counters on {} ms, {} {}. All below was counted then.",
      milliseconds(profile.plain_s), milliseconds(profile.profiled_s), format_percent(std::fabs(more)),
      more < 0 ? "less" : "more");
}

std::string what_is_in_layers(const Profile& profile) {
  const double share = profile.layers_s.value / profile.profiled_s.value;
  auto text = fmt::format("The {} that the engine runs take {} ms together, {} of that",
                          counted(std::ssize(profile.layers), "layer"), milliseconds(profile.layers_s),
                          format_percent(share));
  return text + (share < 0.99 ? "; the rest lies between them, or is too short for its counters." : ".");
}

std::string what_was_joined(const Profile& profile) {
  auto text = fmt::format("{} of the layers' time was found in the model's file",
                          format_percent(profile.joined_share));
  if (profile.flop)
    text += fmt::format(", with {} of its {} GFLOP (two for each multiply-accumulate)",
                        format_number(profile.joined_flop / 1e9), format_number(*profile.flop / 1e9));
  return text + ".";
}

/// Where all are alike a column of them says nothing.
bool kernels_differ(const Profile& profile) {
  return std::ranges::any_of(profile.layers, [&](const ProfiledLayer& layer) {
    return layer.kernel != profile.layers.front().kernel;
  });
}

std::string what_the_machine_can(const Profile& profile) {
  auto text =
      fmt::format("With {} this machine does at most {} GFLOP/s ({}, f32), and moves {} GB/s, as measured.",
                  counted(profile.threads, "thread"), giga(profile.peak_flop_per_s), profile.instructions,
                  giga(profile.peak_bytes_per_s));
  const auto beyond = std::ranges::find_if(
      profile.layers, [&](const ProfiledLayer& layer) { return speeds_of(profile, layer).is_beyond_peak; });
  if (beyond != profile.layers.end())
    text += fmt::format(
        " {} would be faster, so it has no rate here: its time is too short for the counter, or the engine "
        "needs fewer multiplications (Winograd), or does some in other layers.",
        beyond->name);
  return text;
}

}  // namespace

Speeds speeds_of(const Profile& profile, const ProfiledLayer& layer) {
  return speeds(profile, layer.flop, layer.self_s.value, layer.bytes, layer.self_s.value,
                is_single_precision(profile, layer.kernel));
}

Speeds speeds_of(const Profile& profile, const KindTime& kind) {
  const bool is_comparable = std::ranges::all_of(profile.layers, [&](const ProfiledLayer& layer) {
    return layer.kind != kind.kind || is_single_precision(profile, layer.kernel);
  });
  return speeds(profile, kind.flop, kind.flop_s, kind.bytes, kind.bytes_s, is_comparable);
}

std::optional<double> flop_per_s(const Profile& profile) {
  if (profile.joined_flop <= 0) return std::nullopt;
  const bool is_comparable = std::ranges::all_of(
      profile.layers, [&](const ProfiledLayer& layer) { return is_single_precision(profile, layer.kernel); });
  return speeds(profile, profile.joined_flop, profile.plain_s.value, {}, 0, is_comparable).flop_per_s;
}

std::string fused_text(const ProfiledLayer& layer) {
  std::vector<std::pair<std::string, int>> counts;
  for (std::size_t i = 0; i < layer.parts.size(); ++i) {
    if (layer.parts[i] == layer.name) continue;
    const auto& op = layer.operators[i];
    const auto known = std::ranges::find(counts, op, &std::pair<std::string, int>::first);
    if (known != counts.end())
      ++known->second;
    else
      counts.emplace_back(op, 1);
  }
  std::string text;
  for (const auto& [op, count] : counts)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", op,
                        count > 1 ? fmt::format(" × {}", count) : std::string());
  return text;
}

std::vector<std::string> sentences(const Profile& profile) {
  if (profile.layers.empty()) return {"The engine told of no layer."};
  std::vector<std::string> said{where_it_goes(profile), cost_of_counters(profile),
                                what_is_in_layers(profile)};
  if (profile.joined_share > 0 || profile.flop) said.push_back(what_was_joined(profile));
  if (profile.peak_flop_per_s) said.push_back(what_the_machine_can(profile));
  return said;
}

PlainTable kinds_table(const Profile& profile) {
  PlainTable table{.caption = "Layers by what they do",
                   .headings = {"kind", "layers", "ms", "share", "GFLOP/s", "of peak", "GB/s", "of peak"}};
  for (const auto& kind : profile.kinds) {
    auto& row = table.rows.emplace_back(std::vector{
        kind.kind, std::to_string(kind.layers), milliseconds(kind.self_s), format_percent(kind.share, 2)});
    add_speeds(speeds_of(profile, kind), row);
  }
  return table;
}

PlainTable layers_table(const Profile& profile, std::size_t limit) {
  PlainTable table{.caption = "Layers as the engine runs them, those that take longest first",
                   .headings = {"layer", "kind", "kernel", "ms", "share", "so far", "GFLOP/s", "of peak",
                                "GB/s", "of peak", "fused"}};
  const bool kernels = kernels_differ(profile);
  if (!kernels) std::erase(table.headings, "kernel");
  double so_far = 0;
  for (const auto& layer : profile.layers) {
    if (limit > 0 && table.rows.size() == limit) break;
    so_far += layer.share;
    auto& row = table.rows.emplace_back(std::vector{layer.name, layer.kind});
    if (kernels) row.push_back(layer.kernel);
    row.insert(row.end(), {milliseconds(layer.self_s), format_percent(layer.share),
                           format_percent(std::min(1.0, so_far))});
    add_speeds(speeds_of(profile, layer), row);
    row.push_back(fused_text(layer));
  }
  return table;
}

}  // namespace neph::report
