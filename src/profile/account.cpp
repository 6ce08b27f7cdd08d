#include "profile/account.hpp"

#include <algorithm>
#include <functional>
#include <map>

#include "profile/join.hpp"
#include "stats/stats.hpp"

namespace neph::profile {
namespace {

using Layers = std::vector<engine::LayerTime>;

Layers run_of(const Layers& layers) {
  Layers run;
  std::copy_if(layers.begin(), layers.end(), std::back_inserter(run),
               [](const auto& layer) { return layer.is_run; });
  return run;
}

/// Names that an engine makes itself may have a number in them that differs from time to time.
bool are_alike(const Layers& one, const Layers& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const auto& a, const auto& b) { return a.kind == b.kind; });
}

/// The part that costs most: the first with the most multiply-accumulates, and of those without any the first
/// of the kind that the engine runs.
const net::Layer& main_part(const net::Network& network, const std::vector<std::size_t>& parts,
                            std::string_view kind) {
  const auto weight = [&](std::size_t place) {
    const auto& layer = network.layers[place];
    return std::pair(layer.macs.value_or(0), enum_name(layer.kind) == kind);
  };
  return network.layers[*std::max_element(parts.begin(), parts.end(),
                                          [&](auto a, auto b) { return weight(a) < weight(b); })];
}

void add_parts(const net::Network& network, const std::vector<std::size_t>& parts, ProfiledLayer& layer) {
  if (parts.empty()) return;
  const auto& main = main_part(network, parts, layer.kind);
  layer.name = main.name;
  layer.kind = std::string(enum_name(main.kind));
  for (const auto place : parts) {
    layer.parts.push_back(network.layers[place].name);
    layer.operators.push_back(network.layers[place].op);
  }
  layer.flop = flop_of(network, parts);
  layer.bytes = bytes_of(network, parts);
}

using Samples = std::vector<double>;

void add(Samples& sums, const Samples& more) {
  sums.resize(more.size());
  std::transform(sums.begin(), sums.end(), more.begin(), sums.begin(), std::plus<>());
}

/// Sums over the layers of each kind.
class Kinds {
 public:
  void add_layer(const ProfiledLayer& layer, const Samples& samples) {
    auto& [kind, sums] = kinds_[layer.kind];
    kind.kind = layer.kind;
    ++kind.layers;
    kind.share += layer.share;
    add(sums, samples);
    add_figure(kind.flop, kind.flop_s, layer.flop, layer.self_s.value);
    add_figure(kind.bytes, kind.bytes_s, layer.bytes, layer.self_s.value);
  }
  /// Those that take longest first.
  std::vector<KindTime> sorted() && {
    std::vector<KindTime> all;
    for (auto& [name, each] : kinds_) {
      each.first.self_s = stats::mean_estimate(each.second);
      all.push_back(std::move(each.first));
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.self_s.value > b.self_s.value; });
    return all;
  }

 private:
  static void add_figure(std::optional<double>& sum, double& seconds, const std::optional<double>& figure,
                         double layer_s) {
    if (!figure) return;
    sum = sum.value_or(0) + *figure;
    seconds += layer_s;
  }

  std::map<std::string, std::pair<KindTime, Samples>> kinds_;
};

}  // namespace

Times times_of(const std::vector<Layers>& repeats) {
  Times times;
  std::vector<Layers> run;
  for (const auto& repeat : repeats) run.push_back(run_of(repeat));
  times.layers = run.front();
  times.are_alike =
      std::all_of(run.begin(), run.end(), [&](const auto& layers) { return are_alike(layers, run.front()); });
  if (!times.are_alike) run.resize(1);
  for (std::size_t i = 0; i < times.layers.size(); ++i) {
    auto& samples = times.self_s.emplace_back();
    for (const auto& layers : run) samples.push_back(layers[i].self_s);
  }
  return times;
}

void account(const Times& times, const Known& known, Profile& profile) {
  const auto* network = known.network;
  const auto joined = network ? join(times.layers, *network, known.as_run) : Join{};
  Samples sums;
  for (const auto& samples : times.self_s) add(sums, samples);
  profile.layers_s = stats::mean_estimate(sums);
  auto self_s = times.self_s;
  for (std::size_t i = 0; i < joined.with.size(); ++i)
    if (joined.with[i] != i) add(self_s[joined.with[i]], times.self_s[i]);
  Kinds kinds;
  for (std::size_t i = 0; i < times.layers.size(); ++i) {
    if (network && joined.with[i] != i) continue;
    const auto& ran = times.layers[i];
    ProfiledLayer layer{.name = ran.name,
                        .kind = ran.kind,
                        .engine_name = ran.name,
                        .engine_kind = ran.kind,
                        .kernel = ran.kernel,
                        .self_s = stats::mean_estimate(self_s[i])};
    if (!known.as_run.empty() && known.as_run[i].kind != net::Kind::unknown)
      layer.kind = std::string(enum_name(known.as_run[i].kind));
    if (profile.layers_s.value > 0) layer.share = layer.self_s.value / profile.layers_s.value;
    if (network) add_parts(*network, joined.parts[i], layer);
    if (!layer.parts.empty()) profile.joined_share += layer.share;
    profile.joined_flop += layer.flop.value_or(0);
    kinds.add_layer(layer, self_s[i]);
    profile.layers.push_back(std::move(layer));
  }
  std::stable_sort(profile.layers.begin(), profile.layers.end(),
                   [](const auto& a, const auto& b) { return a.self_s.value > b.self_s.value; });
  profile.kinds = std::move(kinds).sorted();
  if (!network) return;
  if (network->totals.macs) profile.flop = 2 * static_cast<double>(*network->totals.macs);
  for (const auto place : joined.removed) profile.removed.push_back(network->layers[place].name);
}

}  // namespace neph::profile
