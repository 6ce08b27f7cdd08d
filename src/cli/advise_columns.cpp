#include "cli/advise_columns.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "record/columns.hpp"

namespace neph::cli {
namespace {

struct Called {
  Role role;
  std::string_view name;
};
/// Of several that are there for one role the first is taken, and the others name configurations.
constexpr std::array names_of_roles{Called{Role::cores, "cores"},
                                    Called{Role::cores, "threads"},
                                    Called{Role::cores, "vcpus"},
                                    Called{Role::gpus, "gpus"},
                                    Called{Role::gpus, "gpu_count"},
                                    Called{Role::gpu, "gpu"},
                                    Called{Role::gpu, "gpu_name"},
                                    Called{Role::memory, "memory_gb"},
                                    Called{Role::memory, "memory_gib"},
                                    Called{Role::place, "in"},
                                    Called{Role::place, "container"},
                                    Called{Role::instance, "instance"},
                                    Called{Role::instance, "instance_type"},
                                    Called{Role::instance, "instance_name"},
                                    Called{Role::provider, "provider"},
                                    Called{Role::arch, "arch"},
                                    Called{Role::predicted, "predicted"},
                                    Called{Role::refused, "refused"},
                                    Called{Role::repeat, "repeat"},
                                    Called{Role::repeat, "run"},
                                    Called{Role::repeat, "replicate"}};

std::optional<std::size_t> exactly(const table::Table& table, std::string_view name) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (lower(table.columns[i].name) == lower(name)) return i;
  return std::nullopt;
}

Places roles_in(const table::Table& table) {
  Places places;
  for (const auto& [role, name] : names_of_roles)
    if (const auto place = exactly(table, name)) places.try_emplace(role, *place);
  // "gpu" may count them.
  if (const auto gpu = places.find(Role::gpu);
      gpu != places.end() && !places.contains(Role::gpus) && !table.columns[gpu->second].is_text()) {
    places[Role::gpus] = gpu->second;
    places.erase(gpu);
  }
  return places;
}

std::string column_names(const table::Table& table) {
  std::string names;
  for (const auto& column : table.columns) names += (names.empty() ? "" : ", ") + column.name;
  return names;
}

Result<std::size_t> time_column(const table::Table& table, const std::string& asked) {
  if (!asked.empty()) return table.find(asked);
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (!table.columns[i].is_text() && table.columns[i].name.ends_with("_s")) found.push_back(i);
  if (found.size() == 1) return found.front();
  return fail(ErrorCode::invalid_argument, "which column of {} has the times? --time NAME; there are {}",
              table.source, column_names(table));
}

}  // namespace

Result<Columns> columns_of(const table::Table& table, const std::string& time) {
  Columns columns{.roles = roles_in(table)};
  NEPH_TRY(columns.time, time_column(table, time));
  const auto& name = table.columns[columns.time].name;
  if (table.columns[columns.time].is_text())
    return fail(ErrorCode::invalid_argument, "{}: '{}' has text, and no times", table.source, name);
  std::erase_if(columns.roles, [&](const auto& role) { return role.second == columns.time; });
  columns.low = exactly(table, name + "_low");
  columns.high = exactly(table, name + "_high");
  columns.n = exactly(table, name + "_n");
  std::set<std::size_t> known{columns.time};
  for (const auto& place : {columns.low, columns.high, columns.n})
    if (place) known.insert(*place);
  for (const auto& [role, place] : columns.roles) known.insert(place);
  std::vector<std::string> headings;
  for (const auto& column : table.columns) headings.push_back(column.name);
  const auto results = column::results_in_export(headings);
  for (std::size_t i = 0; i < headings.size(); ++i)
    if (!known.contains(i) && std::ranges::find(results, headings[i]) == results.end())
      columns.naming.push_back(i);
  return columns;
}

double unit_of(const std::string& name) {
  const auto ends = [&](std::string_view ending) {
    return name.ends_with("_" + std::string(ending)) || name.ends_with("(" + std::string(ending) + ")");
  };
  if (ends("ms")) return 1e-3;
  if (ends("min")) return 60;
  if (ends("h")) return 3600;
  return 1;
}

bool says_unit(const std::string& name) {
  return unit_of(name) != 1 || name.ends_with("_s") || name.ends_with("(s)") || name.ends_with("seconds");
}

std::string lower(std::string_view text) {
  std::string small(text);
  for (auto& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

}  // namespace neph::cli
