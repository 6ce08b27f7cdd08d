#include "profile/join.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "core/lists.hpp"
#include "core/text.hpp"

namespace neph::profile {
namespace {

constexpr std::size_t nobody = static_cast<std::size_t>(-1);
using Places = std::vector<std::size_t>;

/// Whether it multiplies and adds.
bool is_product(const net::Layer& layer) {
  using net::Kind;
  constexpr std::array kinds{Kind::convolution, Kind::depthwise, Kind::dense, Kind::product, Kind::recurrent};
  return std::find(kinds.begin(), kinds.end(), layer.kind) != kinds.end();
}

bool has_any(std::string_view kind, const std::vector<std::string_view>& words) {
  return std::ranges::any_of(
      words, [text = lowered(kind)](std::string_view word) { return text.find(word) != std::string::npos; });
}

/// The same, by the engine's word for it.
bool is_product(const engine::LayerTime& layer) {
  return has_any(layer.kind,
                 {"conv", "matmul", "gemm", "lstm", "gru", "rnn", "fullyconnected", "attention"}) &&
         !lowered(layer.kind).starts_with("convert");
}

/// It brings numbers into another order or type, and computes nothing.
bool only_moves(const engine::LayerTime& layer) {
  return !is_product(layer) &&
         has_any(layer.kind, {"transpose", "reshape", "reorder", "concat", "split", "slice", "gather",
                              "convert", "cast", "squeeze", "broadcast"});
}

/// It depends on nothing that comes in, so that an engine computes it once, beforehand.
bool is_constant(const net::Layer& layer) { return layer.activations == 0 && layer.macs == 0; }

class Joiner {
 public:
  Joiner(const std::vector<engine::LayerTime>& ran, const net::Network& network,
         const std::vector<LayerAsRun>& as_run)
      : ran_(ran),
        layers_(network.layers),
        as_run_(as_run),
        owners_(layers_.size(), nobody),
        with_(ran_.size()),
        readers_(layers_.size()) {
    std::iota(with_.begin(), with_.end(), std::size_t{0});
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      by_layer_.try_emplace(layers_[i].name, i);
      for (const auto& tensor : layers_[i].tensors) by_tensor_.try_emplace(tensor, i);
    }
    name_by_place();
    for (std::size_t i = 0; i < layers_.size(); ++i)
      for (const auto from : inputs_of(i)) readers_[from].push_back(i);
  }

  Join result() && {
    take_names([this](std::string_view name) { return find(name); });
    take_names([this](std::string_view name) { return find_within(name); });
    take_tensors();
    while (take_products()) {
    }
    take_bodies();
    take_rest();
    Join join{.parts = std::vector<Places>(ran_.size()), .with = {}, .removed = {}};
    for (std::size_t i = 0; i < layers_.size(); ++i)
      (owners_[i] == nobody ? join.removed : join.parts[first_with(owners_[i])]).push_back(i);
    for (std::size_t run = 0; run < ran_.size(); ++run) join.with.push_back(first_with(run));
    return join;
  }

 private:
  /// ONNX Runtime calls a node without a name after its operator and its place in the file: "Gather_12". With
  /// layers of bodies among the network's that place is not known here.
  void name_by_place() {
    if (std::any_of(layers_.begin(), layers_.end(),
                    [](const net::Layer& layer) { return layer.kind == net::Kind::control; }))
      return;
    for (std::size_t i = 0; i < layers_.size(); ++i)
      by_place_.emplace(fmt::format("{}_{}", layers_[i].op, i), i);
  }

  Places inputs_of(std::size_t layer) const {
    Places places;
    for (const auto& name : layers_[layer].inputs)
      if (const auto found = by_layer_.find(name); found != by_layer_.end()) places.push_back(found->second);
    return places;
  }

  std::size_t find(std::string_view name) const {
    const std::string text(name);
    if (const auto found = by_layer_.find(text); found != by_layer_.end()) return found->second;
    if (const auto found = by_tensor_.find(text); found != by_tensor_.end()) return found->second;
    if (const auto found = by_place_.find(text); found != by_place_.end()) return found->second;
    return nobody;
  }

  /// Of "fused conv1" or "relu1_nchwc": the longest beginning of the last word that is a name.
  std::size_t find_within(std::string_view name) const {
    if (const auto space = name.rfind(' '); space != std::string_view::npos) name.remove_prefix(space + 1);
    for (auto place = find(name);; place = find(name)) {
      if (place != nobody) return place;
      const auto mark = name.find_last_of("_/");
      if (mark == std::string_view::npos || mark == 0) return nobody;
      name = name.substr(0, mark);
    }
  }

  /// Layers that are called by `name`, or by a part of it between commas.
  template <class Find>
  static Places all_in(std::string_view name, Find find) {
    if (const auto whole = find(name); whole != nobody) return {whole};
    Places places;
    for (const auto part : split_at(name, ','))
      if (const auto place = find(part); place != nobody) places.push_back(place);
    return places;
  }

  /// Of layers that have no parts yet. Of several with one name the one that takes longest has it: the others
  /// are what the engine needs around it. A product is in what computes products, and best that one alone.
  template <class Find>
  void take_names(Find find) {
    std::vector<Places> named(ran_.size()), called(layers_.size());
    for (std::size_t run = 0; run < ran_.size(); ++run) {
      if (has_parts(run)) continue;
      named[run] = all_in(ran_[run].name, find);
      for (const auto place : named[run])
        if (owners_[place] == nobody && (called[place].empty() || called[place].back() != run))
          called[place].push_back(run);
    }
    for (std::size_t place = 0; place < layers_.size(); ++place) {
      const bool is_whole = is_product(layers_[place]);
      auto& runs = called[place];
      if (is_whole) std::erase_if(runs, [&](auto run) { return only_moves(ran_[run]); });
      if (runs.empty()) continue;
      const auto is_other = [&](auto other) { return other != place && is_product(layers_[other]); };
      const auto fit = [&](auto run) {
        return is_whole
                   ? (is_product(ran_[run]) ? 2 : 0) + (std::ranges::any_of(named[run], is_other) ? 0 : 1)
                   : 0;
      };
      const auto owner = *std::ranges::max_element(
          runs, {}, [&](auto run) { return std::pair(fit(run), ran_[run].self_s); });
      owners_[place] = owner;
      if (!is_whole || !is_product(ran_[owner])) continue;
      for (const auto run : runs)
        if (fit(run) == fit(owner)) with_[first_with(run)] = first_with(owner);
    }
  }

  /// Of those that compute one layer together.
  std::size_t first_with(std::size_t run) const {
    while (with_[run] != run) run = with_[run];
    return run;
  }

  bool has_parts(std::size_t run) const {
    return with_[run] != run || std::find(owners_.begin(), owners_.end(), run) != owners_.end();
  }

  /// Of a layer that is called after none, what makes the tensors that it gives, and what stands before that,
  /// is read nowhere else and is given by none. Bringing into another order is not the work of what was
  /// computed before.
  void take_tensors() {
    std::vector<bool> is_made_of(ran_.size()), is_given(layers_.size());
    for (std::size_t run = 0; run < as_run_.size(); ++run) {
      const bool is_named = has_parts(run);
      for (const auto& tensor : as_run_[run].tensors) {
        const auto found = by_tensor_.find(tensor);
        if (found == by_tensor_.end()) continue;
        is_given[found->second] = true;
        if (is_named || owners_[found->second] != nobody) continue;
        if (as_run_[run].only_moves && layers_[found->second].kind != net::Kind::movement) continue;
        owners_[found->second] = run;
        is_made_of[run] = true;
      }
    }
    for (std::size_t i = layers_.size(); i-- > 0;) {
      if (owners_[i] != nobody || is_given[i] || readers_[i].empty() || is_constant(layers_[i])) continue;
      const auto owner = owners_[readers_[i].front()];
      const bool is_inside =
          owner != nobody && is_made_of[owner] &&
          std::ranges::all_of(readers_[i], [&](auto reader) { return owners_[reader] == owner; });
      if (is_inside) owners_[i] = owner;
    }
  }

  /// Whether a layer that computes products, but was not named after any, got one.
  bool take_products() {
    bool is_any_taken = false;
    for (std::size_t run = 0; run < ran_.size(); ++run) {
      if (!is_product(ran_[run])) continue;
      Places own;
      for (std::size_t i = 0; i < layers_.size(); ++i)
        if (owners_[i] == run) own.push_back(i);
      if (own.empty() ||
          std::any_of(own.begin(), own.end(), [this](auto place) { return is_product(layers_[place]); }))
        continue;
      is_any_taken |= take_product_before(own, run);
    }
    return is_any_taken;
  }

  /// The only product among the layers before `own` that nobody has, with those between.
  bool take_product_before(const Places& own, std::size_t run) {
    Places products;
    std::set<std::size_t> seen;
    std::vector<Places> open;
    for (const auto place : own) open.push_back({place});
    Places way;
    while (!open.empty()) {
      const auto path = std::move(open.back());
      open.pop_back();
      for (const auto from : inputs_of(path.back())) {
        if (owners_[from] != nobody || !seen.insert(from).second) continue;
        auto longer = path;
        longer.push_back(from);
        if (is_product(layers_[from])) {
          products.push_back(from);
          way = std::move(longer);
        } else {
          open.push_back(std::move(longer));
        }
      }
    }
    if (products.size() != 1) return false;
    for (const auto place : way) owners_[place] = run;
    return true;
  }

  /// Layers in the bodies of a loop or function that the engine runs as one.
  void take_bodies() {
    std::unordered_map<std::string, std::size_t> control;
    for (std::size_t i = 0; i < layers_.size(); ++i)
      if (layers_[i].kind == net::Kind::control && owners_[i] != nobody)
        control.emplace(layers_[i].name, owners_[i]);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const std::string_view name = layers_[i].name;
      for (auto slash = name.find('/'); owners_[i] == nobody && slash != std::string_view::npos;
           slash = name.find('/', slash + 1))
        if (const auto found = control.find(std::string(name.substr(0, slash))); found != control.end())
          owners_[i] = found->second;
    }
  }

  /// What is left, into the layers before it; what stands at the beginning, into the one behind it.
  void take_rest() {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (!is_left(i)) continue;
      for (const auto from : inputs_of(i))
        if (const auto owner = owners_[from]; owner != nobody && (owners_[i] == nobody || owners_[i] < owner))
          owners_[i] = owner;
    }
    for (std::size_t i = layers_.size(); i-- > 0;) {
      if (!is_left(i)) continue;
      for (const auto reader : readers_[i]) owners_[i] = std::min(owners_[i], owners_[reader]);
    }
  }

  bool is_left(std::size_t place) const {
    return owners_[place] == nobody && !is_product(layers_[place]) && !is_constant(layers_[place]);
  }

  const std::vector<engine::LayerTime>& ran_;
  const std::vector<net::Layer>& layers_;
  const std::vector<LayerAsRun>& as_run_;
  Places owners_;  ///< by the network's layers: place among those that ran
  Places with_;    ///< by those that ran: another that computes the same layer, at last itself
  std::vector<Places> readers_;
  std::unordered_map<std::string, std::size_t> by_layer_, by_tensor_, by_place_;
};

}  // namespace

Join join(const std::vector<engine::LayerTime>& ran, const net::Network& network,
          const std::vector<LayerAsRun>& as_run) {
  return Joiner(ran, network, as_run).result();
}

std::optional<double> flop_of(const net::Network& network, const std::vector<std::size_t>& parts) {
  double sum = 0;
  for (const auto place : parts) {
    const auto& layer = network.layers[place];
    if (!layer.macs || !layer.runs) return std::nullopt;
    sum += 2 * static_cast<double>(*layer.macs);
  }
  return sum > 0 ? std::optional(sum) : std::nullopt;
}

std::optional<double> bytes_of(const net::Network& network, const std::vector<std::size_t>& parts) {
  if (parts.empty()) return std::nullopt;
  std::unordered_map<std::string_view, std::size_t> inside;
  for (const auto place : parts) inside.emplace(network.layers[place].name, place);
  std::set<std::size_t> read_outside;
  for (const auto& layer : network.layers)
    if (!inside.contains(layer.name))
      for (const auto& name : layer.inputs)
        if (const auto found = inside.find(name); found != inside.end()) read_outside.insert(found->second);
  for (const auto& port : network.outputs)
    if (const auto found = inside.find(port.layer); found != inside.end()) read_outside.insert(found->second);
  double bytes = 0;
  std::set<std::size_t> read_inside;
  for (const auto place : parts) {
    const auto& layer = network.layers[place];
    if (!layer.input_bytes || !layer.output_bytes || !layer.runs) return std::nullopt;
    bytes += static_cast<double>(layer.weight_bytes + *layer.input_bytes);
    for (const auto& name : layer.inputs)
      if (const auto found = inside.find(name); found != inside.end()) {
        read_inside.insert(found->second);
        bytes -= static_cast<double>(network.layers[found->second].output_bytes.value_or(0));
      }
  }
  for (const auto place : parts)
    if (read_outside.contains(place) || !read_inside.contains(place))
      bytes += static_cast<double>(*network.layers[place].output_bytes);
  return std::max(0.0, bytes);
}

}  // namespace neph::profile
