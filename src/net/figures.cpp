#include "net/figures.hpp"

#include <algorithm>
#include <unordered_map>

namespace neph::net {
namespace {

/// A total, and what it is the sum of.
struct Figure {
  std::string_view key;
  std::optional<std::int64_t> Layer::*of_layer;
  std::optional<std::int64_t> Totals::*of_totals;
  bool of_trips = false;  ///< only of the layers of which it is open how often they run, for once
};
constexpr std::array kFigures{Figure{"macs", &Layer::macs, &Totals::macs},
                              Figure{"trip_macs", &Layer::macs, &Totals::trip_macs, true},
                              Figure{"activations", &Layer::activations, &Totals::activations},
                              Figure{"input_bytes", &Layer::input_bytes, &Totals::input_bytes},
                              Figure{"output_bytes", &Layer::output_bytes, &Totals::output_bytes}};

/// What a figure is at least and at most; nothing: no more is known.
struct Bounds {
  std::int64_t low = 0;
  std::optional<std::int64_t> high = 0;
  bool operator==(const Bounds&) const = default;
};
using Sums = std::array<Bounds, kFigures.size()>;

/// A loop of which the trips are not told may make none.
Bounds bounds_of(const Layer& layer, const Figure& figure) {
  const auto& value = layer.*figure.of_layer;
  if (value == 0 || (figure.of_trips && layer.runs)) return {};
  if (!value || (!figure.of_trips && !layer.runs)) return {.high = std::nullopt};
  return {*value, *value};
}

std::vector<Sums> sums_of(std::span<const Layer> layers) {
  std::vector<Sums> sums(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i)
    for (std::size_t f = 0; f < kFigures.size(); ++f) sums[i][f] = bounds_of(layers[i], kFigures[f]);
  return sums;
}

Result<Sums> sum_of(std::span<const Sums> parts) {
  Sums sum;
  for (const Sums& part : parts)
    for (std::size_t f = 0; f < kFigures.size(); ++f) {
      NEPH_TRY(sum[f].low, checked_sum(sum[f].low, part[f].low));
      NEPH_CHECK(add_to(sum[f].high, part[f].high));
    }
  return sum;
}

Sums either(const Sums& a, const Sums& b) {
  Sums common;
  for (std::size_t f = 0; f < kFigures.size(); ++f) {
    common[f].low = std::min(a[f].low, b[f].low);
    common[f].high = a[f].high && b[f].high ? std::max(a[f].high, b[f].high) : std::nullopt;
  }
  return common;
}

/// The two branches of an If.
using Branches = std::pair<Sums, Sums>;

/// Replaces the branches of open Ifs, the inner ones first, by what is common to both.
Result<std::vector<Branches>> settle(std::vector<Sums>& sums, const Openness& open) {
  std::vector<Branches> all;
  const auto all_sums = std::span(sums);
  for (const auto& branch : open.branches) {
    const auto yes = all_sums.subspan(branch.first, branch.second - branch.first);
    const auto no = all_sums.subspan(branch.second, branch.layer - branch.second);
    NEPH_TRY(const auto of_yes, sum_of(yes));
    NEPH_TRY(const auto of_no, sum_of(no));
    std::fill(yes.begin(), yes.end(), Sums{});
    std::fill(no.begin(), no.end(), Sums{});
    sums[branch.layer] = either(of_yes, of_no);
    all.emplace_back(of_yes, of_no);
  }
  return all;
}

/// The work is not known though all that goes in is.
bool is_uncounted(const Layer& layer) {
  return !layer.macs && layer.input_bytes && (layer.kind == Kind::unknown || layer.runs != 0);
}

bool is_unsized(const Layer& layer) {
  const bool figures = layer.activations && layer.input_bytes && layer.output_bytes;
  return !figures || (!layer.macs && layer.kind != Kind::unknown && !is_uncounted(layer));
}

/// Most layers with multiply-accumulates on one path, of those that `counts` tells by their place.
template <class Counts>
std::int64_t depth_of(const std::vector<Layer>& layers, Counts counts) {
  std::unordered_map<std::string, std::int64_t> depths;
  std::int64_t deepest = 0;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Layer& layer = layers[i];
    std::int64_t above = 0;
    for (const auto& input : layer.inputs)
      if (const auto found = depths.find(input); found != depths.end())
        above = std::max(above, found->second);
    auto& own = depths[layer.name];
    own = std::max(own, above + (layer.macs != 0 && layer.kind != Kind::unknown && counts(i) ? 1 : 0));
    deepest = std::max(deepest, own);
  }
  return deepest;
}

/// Layers in open Ifs and loops may be on the path or not.
Bounds depth_bounds(const Network& network, const Openness& open) {
  std::vector<bool> certain;
  for (const Layer& layer : network.layers) certain.push_back(layer.runs.has_value());
  for (const auto& branch : open.branches)
    for (std::size_t i = branch.first; i < branch.layer; ++i) certain[i] = false;
  Bounds depth;
  depth.low = depth_of(network.layers, [&certain](std::size_t i) { return certain[i]; });
  depth.high = depth_of(network.layers, [](std::size_t) { return true; });
  if (open.unread || !network.unknown_operators.empty()) depth.high.reset();
  return depth;
}

/// Notes which bound it is. The figure is the largest there may be, or what it is at least where that is not
/// known.
std::int64_t bound_of(std::string_view key, const Bounds& bounds, Totals& totals) {
  if (!bounds.high) totals.at_least.emplace_back(key);
  if (bounds.high && bounds.low != *bounds.high) totals.at_most.emplace_back(key);
  return bounds.high.value_or(bounds.low);
}

void state_totals(Network& network, const Sums& sums, const Openness& open) {
  Totals& totals = network.totals;
  for (std::size_t f = 0; f < kFigures.size(); ++f) {
    auto& total = totals.*kFigures[f].of_totals;
    total.reset();  // nothing of it is known
    if (sums[f].high || sums[f].low > 0) total = bound_of(kFigures[f].key, sums[f], totals);
  }
  totals.depth = bound_of("depth", depth_bounds(network, open), totals);
  if (open.unread) totals.at_least.insert(totals.at_least.end(), {"parameters", "weight_bytes"});
  std::sort(totals.at_least.begin(), totals.at_least.end());
  std::sort(totals.at_most.begin(), totals.at_most.end());
}

/// What the file leaves open, in branches that may not run too.
void count_open(Network& network, const Openness& open) {
  for (const Layer& layer : network.layers) {
    if (layer.kind == Kind::unknown && layer.runs != 0) ++network.unknown_operators[layer.op];
    if (layer.kind != Kind::unknown && is_uncounted(layer)) ++network.uncounted_operators[layer.op];
    if (is_unsized(layer)) ++network.unsized_layers;
  }
  network.open_loops = std::count_if(open.loops.begin(), open.loops.end(), [&network](std::size_t layer) {
    return network.layers[layer].runs != 0;
  });
}

/// Of the branch that does not stay: what is not known of it is not 0 for that.
void leave_out(std::span<Layer> layers) {
  for (Layer& layer : layers) {
    layer.runs = 0;
    for (const auto& figure : kFigures)
      if (auto& value = layer.*figure.of_layer) value = 0;
  }
}

/// Of each open If one branch stays, so that the layers add up to the total of multiply-accumulates: the
/// larger one, or the smaller one for a total that is a least one.
void choose_branches(Network& network, const std::vector<Branches>& branches, const Openness& open,
                     bool largest) {
  const auto size = [largest](const Sums& sums) {  // macs, those of trips, activations
    const auto of = [largest](const Bounds& bounds) {
      return largest ? bounds.high.value_or(bounds.low) : bounds.low;
    };
    return std::array{of(sums[0]), of(sums[1]), of(sums[2])};
  };
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const auto& [yes, no] = branches[i];
    const auto& [first, second, layer] = open.branches[i];
    const bool keep_yes = largest ? size(yes) >= size(no) : size(yes) <= size(no);
    const auto layers = std::span(network.layers);
    leave_out(keep_yes ? layers.subspan(second, layer - second) : layers.subspan(first, second - first));
  }
  for (std::size_t i = 0; i < branches.size(); ++i)
    if (network.layers[open.branches[i].layer].runs != 0 && branches[i].first != branches[i].second)
      ++network.undecided_branches;
}

Status count_layers(Network& network) {
  Totals& totals = network.totals;
  for (const Layer& layer : network.layers) {
    const auto kind = std::string(enum_name(layer.kind));
    auto& macs_of_kind = totals.macs_by_kind[kind];
    NEPH_TRY(macs_of_kind, checked_sum(macs_of_kind, layer.runs ? layer.macs.value_or(0) : 0));
    NEPH_TRY(totals.parameters, checked_sum(totals.parameters, layer.parameters));
    NEPH_TRY(totals.weight_bytes, checked_sum(totals.weight_bytes, layer.weight_bytes));
    ++totals.layers_by_kind[kind];
    ++totals.layers;
  }
  std::erase_if(totals.macs_by_kind, [](const auto& entry) { return entry.second == 0; });
  return {};
}

}  // namespace

void Openness::add(const Openness& body, std::size_t first) {
  for (const auto& branch : body.branches)
    branches.push_back({first + branch.first, first + branch.second, first + branch.layer});
  for (const auto loop : body.loops) loops.push_back(first + loop);
  unread = unread || body.unread;
}

Status add_to(std::optional<std::int64_t>& figure, const std::optional<std::int64_t>& more) {
  if (!figure || !more) {
    figure.reset();
    return {};
  }
  NEPH_TRY(figure, checked_sum(*figure, *more));
  return {};
}

Status repeat(std::span<Layer> layers, std::optional<std::int64_t> runs) {
  for (Layer& layer : layers) {
    if (runs == 0 || layer.runs == 0) {
      layer.runs = 0;
      for (const auto& figure : kFigures) layer.*figure.of_layer = 0;
    } else if (!runs || !layer.runs) {
      layer.runs.reset();
    } else {
      NEPH_TRY(layer.runs, checked_product(*layer.runs, *runs));
    }
    for (const auto& figure : kFigures) {
      auto& value = layer.*figure.of_layer;
      if (!runs || !value || figure.of_trips) continue;  // which is of a number that is another figure's too
      NEPH_TRY(value, checked_product(*value, *runs));
    }
  }
  return {};
}

Status sum_up(Network& network, const Openness& open) {
  count_open(network, open);
  auto sums = sums_of(network.layers);
  NEPH_TRY(const auto branches, settle(sums, open));
  NEPH_TRY(const auto total, sum_of(sums));
  state_totals(network, total, open);
  choose_branches(network, branches, open, total[0].high.has_value());
  return count_layers(network);
}

}  // namespace neph::net
