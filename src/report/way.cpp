#include "report/way.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/readings.hpp"

namespace neph::report {
namespace {

std::string text_of(const CellSummary& cell, const Experiment& experiment, const std::string& name) {
  const auto value = field_of(cell, experiment, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::string spelled(const std::string& protocol) {
  return protocol == "http" ? "HTTP" : protocol == "grpc" ? "gRPC" : protocol;
}

bool contains(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Of a server that decodes files too.
Json value_of(const CellSummary& cell, const std::string& name) {
  const auto value = factor_of(cell, name);
  return value.is_null() && name == "files" ? Json("on") : value;
}

/// Words that speak for themselves stand without the factor's name.
std::string factor_words(const std::string& name, const Json& value) {
  if (name == "mode") return factor_text(value);
  if (name == "files") return value == "off" ? "without files" : "";
  return fmt::format("{} {}", in_words(name), factor_text(value));
}

}  // namespace

std::string Way::name() const {
  auto text = architecture;
  if (!protocol.empty()) text += " " + spelled(protocol);
  if (!server.empty()) text += " " + server;
  if (docker) text += " in Docker";
  if (files) text += ", JPEG files";
  return independent ? text + ", independent client" : text;
}

std::string Way::in_sentence() const { return served() ? "behind " + name() : name(); }

Way way_of(const CellSummary& cell, const Experiment& experiment) {
  Way way{.architecture = text_of(cell, experiment, "architecture")};
  if (!way.served()) return way;
  const auto address = text_of(cell, experiment, "server");
  if (const auto end = address.find("://"); way.architecture == "remote" && end != std::string::npos)
    way.protocol = address.substr(0, end);
  else
    way.protocol = text_of(cell, experiment, "protocol");
  if (const auto told = get(cell.facts, fact::protocol)) way.protocol = *told;
  if (!factor_of(cell, "server").is_null()) {
    const auto begin = address.find("://");
    way.server = begin == std::string::npos ? address : address.substr(begin + 3);
  }
  way.docker = factor_of(cell, "server_in") == "docker";
  way.files = factor_of(cell, "payload") == "jpeg";
  way.independent = text_of(cell, experiment, "client") == "independent";
  return way;
}

std::vector<Way> ways_of(const Document& document) {
  std::vector<Way> ways;
  for (const auto& cell : document.cells)
    if (auto way = way_of(cell, document.experiment);
        !way.architecture.empty() && std::find(ways.begin(), ways.end(), way) == ways.end())
      ways.push_back(std::move(way));
  return ways;
}

bool alike(const CellSummary& a, const CellSummary& b, const std::vector<std::string_view>& apart) {
  for (const auto* one : {&a, &b}) {
    if (!one->cell.factors.is_object()) continue;
    for (const auto& [name, unused] : one->cell.factors.items()) {
      if (contains(apart, name)) continue;
      const auto left = value_of(a, name), right = value_of(b, name);
      if (!left.is_null() && !right.is_null() && left != right) return false;
    }
  }
  return true;
}

std::string short_label(const CellSummary& cell, const Experiment& experiment,
                        const std::vector<std::string_view>& without) {
  std::string label;
  const auto add = [&](const std::string& words) {
    if (!words.empty()) label += (label.empty() ? "" : ", ") + words;
  };
  const auto& factors = cell.cell.factors;
  if (!factors.is_object()) return "all";
  const bool names_way = std::any_of(std::begin(way_fields), std::end(way_fields), [&](const auto& name) {
    return factors.contains(std::string(name)) && !contains(without, name);
  });
  if (names_way) add(way_of(cell, experiment).name());
  for (const auto& [name, value] : factors.items())
    if (std::find(std::begin(way_fields), std::end(way_fields), name) == std::end(way_fields) &&
        !contains(without, name))
      add(factor_words(name, value));
  return label.empty() ? "all" : label;
}

std::optional<double> in_flight(const CellSummary& cell, const Experiment& experiment) {
  double depth = 0;
  if (get(cell.facts, fact::in_flight_limit)) {
    depth = static_cast<double>(get(cell.facts, fact::in_flight).value_or(0));
  } else if (field_of(cell, experiment, "mode") == "sync") {
    depth = 1;
  } else if (const auto field = field_of(cell, experiment, "depth"); field.is_number()) {
    depth = field.get<double>();
  }
  return depth > 0 ? std::optional(depth) : std::nullopt;
}

}  // namespace neph::report
