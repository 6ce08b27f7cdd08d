#include "net/figures.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <unordered_map>

namespace neph::net {
namespace {

/// A total, and what it is the sum of.
struct Figure {
  std::string_view key;
  std::optional<std::int64_t> Layer::*of_layer;
  std::optional<std::int64_t> Totals::*of_totals;
};
constexpr std::array kFigures{Figure{"macs", &Layer::macs, &Totals::macs},
                              Figure{"activations", &Layer::activations, &Totals::activations},
                              Figure{"input_bytes", &Layer::input_bytes, &Totals::input_bytes},
                              Figure{"output_bytes", &Layer::output_bytes, &Totals::output_bytes}};

using Sums = std::array<std::optional<std::int64_t>, kFigures.size()>;

Result<Sums> sums_of(std::span<const Layer> layers) {
  Sums sums;
  sums.fill(0);
  for (const Layer& layer : layers)
    for (std::size_t f = 0; f < kFigures.size(); ++f)
      NEPH_CHECK(add_to(sums[f], layer.*kFigures[f].of_layer));
  return sums;
}

bool is_unsized(const Layer& layer) {
  const bool figures = layer.activations && layer.input_bytes && layer.output_bytes;
  return !figures || (!layer.macs && layer.kind != Kind::unknown);
}

/// One of the layer's figures is not known in full.
bool is_open(const Layer& layer, const Figure& figure) {
  const auto& value = layer.*figure.of_layer;
  return !value || (!layer.runs && *value > 0);
}

/// Most layers with multiply-accumulates on one path.
std::int64_t depth_of(const std::vector<Layer>& layers) {
  std::unordered_map<std::string, std::int64_t> depths;
  std::int64_t deepest = 0;
  for (const Layer& layer : layers) {
    std::int64_t above = 0;
    for (const auto& input : layer.inputs)
      if (const auto found = depths.find(input); found != depths.end())
        above = std::max(above, found->second);
    auto& own = depths[layer.name];
    own = std::max(own, above + (layer.macs != 0 && layer.kind != Kind::unknown ? 1 : 0));
    deepest = std::max(deepest, own);
  }
  return deepest;
}

/// Which totals are bounds, as the branches of Ifs, the trips of loops or figures of layers are open.
void state_bounds(Network& network, const Openness& open) {
  std::set<std::string, std::less<>> at_least, at_most;
  if (open.unread) at_least = {"parameters", "weight_bytes"};
  if (open.unread || !network.unknown_operators.empty()) at_least.emplace("depth");
  const auto runs = [&network](std::size_t layer) { return network.layers[layer].runs != 0; };
  for (const auto& branch : open.branches) {
    if (!runs(branch.layer) || branch.at_least.size() + branch.at_most.size() == 0) continue;
    at_least.insert(branch.at_least.begin(), branch.at_least.end());
    at_most.insert(branch.at_most.begin(), branch.at_most.end());
    ++network.undecided_branches;
  }
  network.open_loops = std::count_if(open.loops.begin(), open.loops.end(), runs);
  for (const auto& figure : kFigures) {
    if (std::any_of(network.layers.begin(), network.layers.end(),
                    [&figure](const Layer& layer) { return is_open(layer, figure); }))
      at_least.emplace(figure.key);
    auto& total = network.totals.*figure.of_totals;
    if (total != 0 || !at_least.contains(figure.key)) continue;
    total.reset();  // nothing of it is known
    at_least.erase(std::string(figure.key));
    at_most.erase(std::string(figure.key));
  }
  network.totals.at_least.assign(at_least.begin(), at_least.end());
  network.totals.at_most.assign(at_most.begin(), at_most.end());
}

}  // namespace

void Openness::add(const Openness& body, std::size_t first) {
  for (auto branch : body.branches) {
    branch.layer += first;
    branches.push_back(std::move(branch));
  }
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
      if (!runs || !value) continue;
      NEPH_TRY(value, checked_product(*value, *runs));
    }
  }
  return {};
}

Result<OpenBranch> keep_larger(std::span<Layer> a, std::span<Layer> b) {
  NEPH_TRY(const auto of_a, sums_of(a));
  NEPH_TRY(const auto of_b, sums_of(b));
  const auto size = [](const Sums& sums) {  // unknown: may be the larger one
    return std::pair(sums[0].value_or(std::numeric_limits<std::int64_t>::max()), sums[1].value_or(0));
  };
  const bool first = size(of_a) >= size(of_b);
  const auto &kept = first ? of_a : of_b, &left = first ? of_b : of_a;
  OpenBranch branch;
  for (std::size_t f = 0; f < kFigures.size(); ++f) {
    if (kept[f] && left[f] && *kept[f] > *left[f]) branch.at_most.emplace_back(kFigures[f].key);
    if (kept[f] && (!left[f] || *kept[f] < *left[f])) branch.at_least.emplace_back(kFigures[f].key);
  }
  NEPH_CHECK(repeat(first ? b : a, 0));
  return branch;
}

Status sum_up(Network& network, const Openness& open) {
  Totals& totals = network.totals;
  for (const Layer& layer : network.layers) {
    const auto kind = std::string(enum_name(layer.kind));
    auto& macs_of_kind = totals.macs_by_kind[kind];
    NEPH_TRY(macs_of_kind, checked_sum(macs_of_kind, layer.macs.value_or(0)));
    NEPH_TRY(totals.parameters, checked_sum(totals.parameters, layer.parameters));
    NEPH_TRY(totals.weight_bytes, checked_sum(totals.weight_bytes, layer.weight_bytes));
    for (const auto& figure : kFigures) {
      auto& total = totals.*figure.of_totals;
      NEPH_TRY(total, checked_sum(*total, (layer.*figure.of_layer).value_or(0)));
    }
    ++totals.layers_by_kind[kind];
    ++totals.layers;
    if (layer.kind == Kind::unknown && layer.runs != 0) ++network.unknown_operators[layer.op];
    if (is_unsized(layer)) ++network.unsized_layers;
  }
  std::erase_if(totals.macs_by_kind, [](const auto& entry) { return entry.second == 0; });
  totals.depth = depth_of(network.layers);
  state_bounds(network, open);
  return {};
}

}  // namespace neph::net
