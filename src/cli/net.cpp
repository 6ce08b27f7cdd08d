#include "net/net.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/table.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "core/units.hpp"

namespace neph::cli {
namespace {

struct NetOptions {
  std::string network;
  std::string onnx;
  std::int64_t classes = 0;
  std::int64_t side = 0;
  std::int64_t seed = 1;
  bool json = false;
};

template <class Visit, Describes<NetOptions> Self>
void describe(Visit&& v, Self& s) {
  v("network", s.network, "a network's name or an ONNX file; none: list the names");
  v("onnx", s.onnx, "write it to this ONNX file, with weights from the seed");
  v("classes", s.classes, "classes told apart; 0: the network's own", between(0, 1e6));
  v("side", s.side, "picture side in pixels; 0: the network's own", between(0, 8192));
  v("seed", s.seed, "of the weights", at_least(0));
}

Status list_networks(bool json) {
  const auto networks = net::known_networks();
  Json array = Json::array();
  Table table({"network", "side", "classes", "what it is"});
  for (const auto& known : networks) {
    table.add({known.name, std::to_string(known.side), std::to_string(known.classes), known.title});
    array.push_back(
        {{"name", known.name}, {"title", known.title}, {"side", known.side}, {"classes", known.classes}});
  }
  fmt::print("{}", json ? dump_json(array, true) + "\n" : table.text());
  return {};
}

std::string shape_text(const net::Layer& layer) {
  if (layer.outputs.empty() || !layer.outputs.front()) return "?";
  return net::to_string(*layer.outputs.front());
}

std::string window_text(const net::Layer& layer) {
  if (!layer.window) return "";
  std::string text;
  for (const auto side : layer.window->kernel) text += (text.empty() ? "" : "x") + std::to_string(side);
  const auto& strides = layer.window->strides;
  if (!strides.empty() && strides.front() != 1) text += fmt::format(" /{}", strides.front());
  if (layer.window->groups > 1) text += fmt::format(" groups {}", layer.window->groups);
  return text;
}

void print_table(const net::Network& network) {
  Table table({"layer", "operator", "window", "output", "parameters", "multiply-accumulates"});
  for (const auto& layer : network.layers)
    table.add({layer.name, layer.op, window_text(layer), shape_text(layer), format_grouped(layer.parameters),
               format_grouped(layer.macs)});
  fmt::print("{}\n", table.text());
  const auto& totals = network.totals;
  fmt::print("{}: {} layers, depth {}\n", network.name, totals.layers, totals.depth);
  fmt::print("  parameters            {} ({})\n", format_grouped(totals.parameters),
             format_bytes(static_cast<double>(totals.weight_bytes)));
  fmt::print("  multiply-accumulates  {} a picture\n", format_count(static_cast<double>(totals.macs)));
  fmt::print("  activations           {} a picture ({} written)\n",
             format_count(static_cast<double>(totals.activations)),
             format_bytes(static_cast<double>(totals.output_bytes)));
  for (const auto& [name, count] : network.unknown_operators)
    fmt::print("  not counted           {} layers of {}, an operator that is not known here\n", count, name);
  if (network.unsized_layers > 0)
    fmt::print("  not counted           {} layers whose shape the file leaves open (--side may tell)\n",
               network.unsized_layers);
}

Result<net::Network> network_of(const NetOptions& options) {
  std::error_code ignored;  // a folder of a network's name does not hide the network
  const bool named = !std::filesystem::is_regular_file(options.network, ignored) &&
                     options.network.find_first_of("./") == std::string::npos;
  if (named) return net::build(options.network, {.classes = options.classes, .side = options.side});
  if (options.classes != 0)
    return fail(ErrorCode::invalid_argument, "--classes is for a network given by name, and {} is a file",
                options.network);
  if (!options.onnx.empty() && std::filesystem::equivalent(options.network, options.onnx, ignored))
    return fail(ErrorCode::invalid_argument, "--onnx {}: its weights would be lost; give another name",
                options.onnx);
  return net::read_onnx(options.network, {.side = options.side});
}

Status show_network(const NetOptions& options) {
  if (options.network.empty() && !options.onnx.empty())
    return fail(ErrorCode::invalid_argument, "--onnx {}: of which network? neph net lists them",
                options.onnx);
  if (options.network.empty()) return list_networks(options.json);
  NEPH_TRY(const auto network, network_of(options));
  if (!options.onnx.empty()) {
    NEPH_CHECK(net::write_onnx(network, static_cast<std::uint64_t>(options.seed), options.onnx));
    talk("wrote {} (weights from seed {})\n", options.onnx, options.seed);
  }
  if (options.json)
    fmt::print("{}\n", dump_json(to_json(network), true));
  else
    print_table(network);
  return {};
}

}  // namespace

void declare_net(Command& command) {
  auto options = std::make_shared<NetOptions>();
  command.fields(*options, "network");
  command.flag("json", options->json, "as JSON on stdout");
  command.action([options] { return show_network(*options); });
}

}  // namespace neph::cli
