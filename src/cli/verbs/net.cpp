#include "net/net.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "core/text_table.hpp"
#include "core/units.hpp"

namespace neph::cli {
namespace {

struct NetOptions {
  std::string network;
  std::string onnx, shape;
  net::BuildOptions sizes;
  std::int64_t seed = 1;
  bool json = false, force = false;
};

template <class Visit, Describes<NetOptions> Self>
void describe(Visit&& v, Self& s) {
  v("network", s.network, "a network's name or an ONNX file; none: list the names");
  v("onnx", s.onnx, "ONNX file to write, with weights from the seed");
  describe(v, s.sizes);
  v("shape", s.shape,
    "of a file's inputs, for which the figures are: NAME:1x128+OTHER:1x64, or 1x128 of the only one");
  v("weights_seed", s.seed, "seed of the weights", at_least(0) | once_called("seed"));
}

Status list_networks(bool json) {
  const auto networks = net::known_networks();
  Json array = Json::array();
  TextTable table({"network", "side", "classes", "what it is"});
  for (const auto& known : networks) {
    table.add({known.name, known.side == 0 ? "-" : std::to_string(known.side), std::to_string(known.classes),
               known.title});
    array.push_back({{"name", known.name},
                     {"title", known.title},
                     {"side", known.side},
                     {"classes", known.classes},
                     {"layers", known.layers},
                     {"seq", known.seq},
                     {"width", known.width}});
  }
  fmt::print("{}", json ? dump_json(array, true) + "\n" : table.text());
  return {};
}

std::string shape_text(const std::optional<net::Shape>& shape) {
  return shape ? net::to_string(*shape) : "?";
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

using Figure = std::optional<std::int64_t>;

std::string grouped(const Figure& figure) { return figure ? format_grouped(*figure) : "unknown"; }

/// "at least 57.8 M" where a part of the total is unknown.
std::string bounded(const net::Totals& totals, std::string_view key, const std::string& text) {
  const auto among = [key](const auto& keys) {
    return std::find(keys.begin(), keys.end(), key) != keys.end();
  };
  const bool least = among(totals.at_least), most = among(totals.at_most);
  return (least ? "at least " : most ? "at most " : "") + text;
}

std::string total(const net::Totals& totals, std::string_view key, const Figure& figure) {
  return figure ? bounded(totals, key, format_count(static_cast<double>(*figure))) : "unknown";
}

std::string written(const net::Totals& totals) {
  if (!totals.output_bytes) return "bytes unknown";
  const auto bytes = format_bytes(static_cast<double>(*totals.output_bytes));
  return bounded(totals, "output_bytes", bytes) + " written";
}

/// What may tell the shapes that the file leaves open: " (--shape ids:1x? may tell)". Nothing where it leaves
/// none of an input open.
std::string remedy(const net::Network& network) {
  std::string open;
  bool pictures = true;
  for (const auto& input : network.inputs) {
    const auto shape = shape_text(input.shape);
    if (shape.find('?') == std::string::npos) continue;
    pictures = pictures && input.shape && input.shape->size() == 4;
    open += (open.empty() ? "" : "+") + input.name + ":" + shape;
  }
  if (open.empty()) return "";
  return fmt::format(" (--{} may tell)", pictures ? "side" : "shape " + open);
}

std::string trip_text(const net::Network& network) {
  return fmt::format("one trip{} has {} multiply-accumulates", network.open_loops > 1 ? " of each" : "",
                     total(network.totals, "trip_macs", network.totals.trip_macs));
}

/// What the totals lack, and what was assumed.
void print_limits(const net::Network& network) {
  for (const auto& [name, count] : network.unknown_operators)
    print_lines("  not counted           {} of {}, an operator that is not known here\n",
                counted(count, "layer"), name);
  for (const auto& [name, count] : network.uncounted_operators)
    print_lines("  not counted           {} of {}, in a form of which the work is not counted here\n",
                counted(count, "layer"), name);
  if (network.unsized_layers > 0)
    print_lines("  not counted           {} of which the file leaves a shape open{}\n",
                counted(network.unsized_layers, "layer"), remedy(network));
  if (network.open_loops > 0)
    print_lines("  not counted           trips of {}, as the file does not tell how many there are; {}\n",
                counted(network.open_loops, "loop"), trip_text(network));
  if (network.undecided_branches > 0)
    print_lines(
        "  counted               the larger branch of {}, or the smaller one in a total that says \"at "
        "least\", as the file does not tell which one runs\n",
        counted(network.undecided_branches, "If"));
}

void print_totals(const net::Network& network) {
  const auto& totals = network.totals;
  print_lines("{}: {}, depth {}\n", network.name, counted(totals.layers, "layer"),
              bounded(totals, "depth", std::to_string(totals.depth)));
  for (const auto& input : network.inputs)
    print_lines("  input                 {} {}\n", input.name, shape_text(input.shape));
  print_lines("  parameters            {} ({})\n",
              bounded(totals, "parameters", format_grouped(totals.parameters)),
              format_bytes(static_cast<double>(totals.weight_bytes)));
  print_lines("  multiply-accumulates  {} for this input\n", total(totals, "macs", totals.macs));
  print_lines("  activations           {} for this input ({})\n",
              total(totals, "activations", totals.activations), written(totals));
}

void print_table(const net::Network& network) {
  TextTable table({"layer", "operator", "window", "output", "parameters", "multiply-accumulates"});
  for (const auto& layer : network.layers)
    table.add({layer.name, layer.op, window_text(layer),
               layer.outputs.empty() ? "?" : shape_text(layer.outputs.front()),
               format_grouped(layer.parameters),
               layer.runs ? grouped(layer.macs) : grouped(layer.macs) + " a trip"});
  fmt::print("{}\n", table.text());
  print_totals(network);
  print_limits(network);
}

Result<net::Network> network_of(const NetOptions& options) {
  std::error_code ignored;  // a folder of a network's name does not hide the network
  const bool named = !std::filesystem::is_regular_file(options.network, ignored) &&
                     options.network.find_first_of("./") == std::string::npos;
  if (named && !options.shape.empty())
    return fail(ErrorCode::invalid_argument,
                "--shape is for a file, and {} is a network given by name, which has --side or --seq",
                options.network);
  if (named) return net::build(options.network, options.sizes);
  if (options.sizes != net::BuildOptions{.side = options.sizes.side})
    return fail(ErrorCode::invalid_argument,
                "--classes, --layers, --seq and --width are for a network given by name, and {} is a file",
                options.network);
  if (!options.onnx.empty() && std::filesystem::equivalent(options.network, options.onnx, ignored))
    return fail(ErrorCode::invalid_argument, "--onnx {}: its weights would be lost; give another name",
                options.onnx);
  net::ReadOptions reading{.side = options.sizes.side};
  if (!options.shape.empty()) {
    NEPH_TRY(reading.shapes, parse_shapes(options.shape));
  }
  return net::read_onnx(options.network, reading);
}

Status show_network(const NetOptions& options) {
  if (options.network.empty() && !options.onnx.empty())
    return fail(ErrorCode::invalid_argument, "--onnx {}: of which network? neph net lists them",
                options.onnx);
  if (options.network.empty()) return list_networks(options.json);
  NEPH_TRY(const auto network, network_of(options));
  if (!options.onnx.empty() && !options.force) NEPH_CHECK(check_nothing_is_lost("--onnx", options.onnx));
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
  command.flag("force", options->force, "write over the file of --onnx where there is one");
  command.action([options] { return show_network(*options); });
}

}  // namespace neph::cli
