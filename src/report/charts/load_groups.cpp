#include "report/charts/load_groups.hpp"

#include <algorithm>

#include "core/units.hpp"
#include "report/way.hpp"

namespace neph::report {

std::string LoadGroup::axis() const {
  return closed ? "clients, each with one request in flight" : "requests per second offered";
}

std::string LoadGroup::caption() const {
  std::string text;
  if (closed) text += ", closed loop";
  if (name != "all") text += ", " + name;
  return text;
}

std::set<double> LoadGroup::levels() const {
  std::set<double> all;
  for (const auto& one : members) all.insert(std::stod(format_number(one.level)));  // offered rates are odd
  return all;
}

std::vector<LoadGroup> load_groups(const Document& document, std::size_t most) {
  std::vector<LoadGroup> groups;
  for (const auto& one : asked(document)) {
    const auto name = short_label(*one.cell, document.experiment, {"rate", "clients", "arrival"});
    auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return group.closed == one.closed && group.name == name;
    });
    if (found == groups.end()) found = groups.insert(groups.end(), {one.closed, name, {}});
    found->members.push_back(one);
  }
  std::erase_if(groups, [](const auto& group) { return group.levels().size() < 2; });
  if (groups.size() > most) groups.resize(most);
  return groups;
}

}  // namespace neph::report
