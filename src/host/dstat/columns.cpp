#include "host/dstat/columns.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace neph::host {
namespace {

constexpr Metric share(const Metric& quantity) { return {quantity.name, unit::percent}; }

enum class Kind { none, cpu, memory, disk, requests, network, paging, system, processes };

struct Known {
  Kind kind;
  std::string_view column;
  Metric quantity;
  bool is_state = false;
};

constexpr std::array known_columns{
    Known{Kind::cpu, "usr", share(telemetry::cpu_user)},
    Known{Kind::cpu, "sys", share(telemetry::cpu_system)},
    Known{Kind::cpu, "hiq", share(telemetry::cpu_system)},  // of 0.7: interrupts apart
    Known{Kind::cpu, "siq", share(telemetry::cpu_system)},
    Known{Kind::cpu, "idl", share(telemetry::cpu_idle)},
    Known{Kind::cpu, "wai", share(telemetry::cpu_iowait)},
    Known{Kind::cpu, "stl", share(telemetry::cpu_steal)},
    Known{Kind::memory, "used", telemetry::memory_occupied, true},
    Known{Kind::memory, "free", telemetry::memory_free, true},
    Known{Kind::memory, "buff", telemetry::memory_buffers, true},
    Known{Kind::memory, "cach", telemetry::memory_cached, true},
    Known{Kind::memory, "avai", telemetry::memory_available, true},
    Known{Kind::disk, "read", telemetry::disk_read},
    Known{Kind::disk, "writ", telemetry::disk_write},
    Known{Kind::requests, "read", telemetry::disk_read_requests},
    Known{Kind::requests, "writ", telemetry::disk_write_requests},
    Known{Kind::network, "recv", telemetry::network_received},
    Known{Kind::network, "send", telemetry::network_sent},
    Known{Kind::paging, "in", telemetry::swap_in},
    Known{Kind::paging, "out", telemetry::swap_out},
    Known{Kind::system, "csw", telemetry::context_switches},
    Known{Kind::processes, "run", telemetry::run_queue, true},
};

struct Group {
  std::string title;
  Kind kind = Kind::none;
  bool is_total = true;  ///< else one of the parts: a disk, a device, a processor
  std::vector<std::pair<std::size_t, std::string>> columns;
};

Group group_of(const std::string& title) {
  static const std::map<std::string_view, Kind> totals{
      {"total cpu usage", Kind::cpu}, {"total usage", Kind::cpu},   {"memory usage", Kind::memory},
      {"dsk/total", Kind::disk},      {"io/total", Kind::requests}, {"net/total", Kind::network},
      {"paging", Kind::paging},       {"system", Kind::system},     {"procs", Kind::processes}};
  if (const auto total = totals.find(title); total != totals.end()) return {title, total->second, true, {}};
  const std::string_view text = title;
  if (text == "net/lo") return {title, Kind::none, false, {}};  // what goes over it stays in the machine
  for (const auto& [begin, kind] :
       {std::pair{"dsk/", Kind::disk}, {"io/", Kind::requests}, {"net/", Kind::network}})
    if (text.starts_with(begin)) return {title, kind, false, {}};
  if (text.starts_with("cpu") && text.ends_with(" usage")) return {title, Kind::cpu, false, {}};
  return {title, Kind::none, false, {}};
}

std::vector<Group> groups_of(const std::vector<std::string>& titles,
                             const std::vector<std::string>& columns) {
  std::vector<Group> groups;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i < titles.size() && !titles[i].empty()) groups.push_back(group_of(titles[i]));
    if (groups.empty()) groups.push_back(group_of(""));
    auto name = columns[i];
    if (const auto prefix = groups.back().title + ":"; name.starts_with(prefix)) name.erase(0, prefix.size());
    groups.back().columns.emplace_back(i, std::move(name));
  }
  return groups;
}

/// Those of a kind that count: the first total, else all parts.
std::vector<const Group*> counting(const std::vector<Group>& groups, Kind kind) {
  std::vector<const Group*> parts;
  for (const auto& group : groups) {
    if (group.kind != kind) continue;
    const bool has_time_only = group.columns.size() == 1 && group.columns[0].second == "time";
    if (group.is_total && !has_time_only) return {&group};
    if (!group.is_total) parts.push_back(&group);
  }
  return parts;
}

void add(ColumnPlan& plan, const Known& known, std::size_t column, double scale) {
  auto found = std::find_if(plan.series.begin(), plan.series.end(),
                            [&](const auto& series) { return series.quantity.name == known.quantity.name; });
  if (found == plan.series.end())
    found = plan.series.insert(found, {known.quantity, known.is_state, {}, scale});
  found->columns.push_back(column);
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 12;
  if (names.size() <= most) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + most, ", "),
                     names.size() - most);
}

/// The groups that give something.
std::set<const Group*> take_groups(const std::vector<Group>& groups, ColumnPlan& plan) {
  std::set<const Group*> used;
  for (const auto& known : known_columns) {
    const auto all = counting(groups, known.kind);
    const double scale =
        known.kind == Kind::cpu ? 1.0 / static_cast<double>(std::max<std::size_t>(all.size(), 1)) : 1;
    for (const auto* group : all)
      for (const auto& [column, name] : group->columns)
        if (name == known.column) {
          add(plan, known, column, scale);
          used.insert(group);
        }
  }
  return used;
}

void note_groups(const std::vector<Group>& groups, const std::set<const Group*>& used, ColumnPlan& plan) {
  std::vector<std::string> summed, left;
  for (const auto& group : groups) {
    if (used.contains(&group)) {
      if (!group.is_total) summed.push_back(group.title);
      continue;
    }
    const bool is_time = plan.time == group.columns[0].first || plan.epoch == group.columns[0].first;
    const bool is_part_of_total = group.kind != Kind::none && !counting(groups, group.kind).empty();
    if (!is_time && !is_part_of_total)
      left.push_back(group.title.empty() ? "columns without a group" : group.title);
  }
  if (!summed.empty())
    plan.notes.push_back(fmt::format("added up, since there is no total: {}", listed(summed)));
  if (!left.empty()) plan.notes.push_back(fmt::format("left out: {}", listed(left)));
}

}  // namespace

ColumnPlan plan_columns(const std::vector<std::string>& titles, const std::vector<std::string>& columns) {
  ColumnPlan plan;
  const auto groups = groups_of(titles, columns);
  for (const auto& group : groups)
    for (const auto& [column, name] : group.columns) {
      if (!plan.time && name == "time" && group.kind == Kind::system) plan.time = column;
      if (!plan.epoch && name == "epoch") plan.epoch = column;
    }
  note_groups(groups, take_groups(groups, plan), plan);
  return plan;
}

const std::vector<WrittenColumn>& written_columns() {
  static const std::vector<WrittenColumn> columns{{"total cpu usage", "usr", share(telemetry::cpu_user)},
                                                  {"", "sys", share(telemetry::cpu_system)},
                                                  {"", "idl", share(telemetry::cpu_idle)},
                                                  {"", "wai", share(telemetry::cpu_iowait)},
                                                  {"", "stl", share(telemetry::cpu_steal)},
                                                  {"memory usage", "used", telemetry::memory_occupied},
                                                  {"", "free", telemetry::memory_free},
                                                  {"", "buff", telemetry::memory_buffers},
                                                  {"", "cach", telemetry::memory_cached},
                                                  {"dsk/total", "read", telemetry::disk_read},
                                                  {"", "writ", telemetry::disk_write},
                                                  {"io/total", "read", telemetry::disk_read_requests},
                                                  {"", "writ", telemetry::disk_write_requests},
                                                  {"net/total", "recv", telemetry::network_received},
                                                  {"", "send", telemetry::network_sent}};
  return columns;
}

}  // namespace neph::host
