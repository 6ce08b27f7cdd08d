// Sources that tests compare.
#pragma once

#include <cmath>
#include <initializer_list>
#include <string>
#include <vector>

#include "compare/source.hpp"

namespace neph::compare {

inline Configuration configuration_of(std::string label, const std::vector<double>& images_per_s) {
  Configuration one{.label = std::move(label), .facts = {{"machine", "this one"}, {"engine", "openvino 1"}}};
  for (const double value : images_per_s)
    one.runs.push_back({.block = std::ssize(one.runs), .metrics = {{"images_per_s", value}}});
  return one;
}

inline Source source_with(std::string name, std::vector<Configuration> configurations) {
  return {.name = std::move(name), .kind = "neph", .configurations = std::move(configurations)};
}

}  // namespace neph::compare
