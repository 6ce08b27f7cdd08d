#include "cli/advise_columns.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "cli/advise_headings.hpp"
#include "core/text.hpp"
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
                                    Called{Role::cores, "cpus"},
                                    Called{Role::cores, "n_cores"},
                                    Called{Role::cores, "num_cores"},
                                    Called{Role::cores, "cpu_cores"},
                                    Called{Role::cores, "n_cpus"},
                                    Called{Role::cores, "num_cpus"},
                                    Called{Role::cores, "cpu_count"},
                                    Called{Role::cores, "n_threads"},
                                    Called{Role::cores, "num_threads"},
                                    Called{Role::gpus, "gpus"},
                                    Called{Role::gpus, "gpu_count"},
                                    Called{Role::gpus, "n_gpus"},
                                    Called{Role::gpus, "num_gpus"},
                                    Called{Role::gpus, "n_gpu"},
                                    Called{Role::gpus, "num_gpu"},
                                    Called{Role::gpus, "ngpus"},
                                    Called{Role::gpus, "accelerator_count"},
                                    Called{Role::gpu, "gpu"},
                                    Called{Role::gpu, "gpu_name"},
                                    Called{Role::gpu, "gpu_type"},
                                    Called{Role::gpu, "gpu_model"},
                                    Called{Role::gpu, "accelerator"},
                                    Called{Role::gpu, "accelerator_name"},
                                    Called{Role::gpu, "accelerator_type"},
                                    Called{Role::device, "device"},
                                    Called{Role::memory, "memory_gb"},
                                    Called{Role::memory, "memory_gib"},
                                    Called{Role::place, "in"},
                                    Called{Role::place, "container"},
                                    Called{Role::instance, "instance"},
                                    Called{Role::instance, "instance_type"},
                                    Called{Role::instance, "instance_name"},
                                    Called{Role::provider, "provider"},
                                    Called{Role::arch, "arch"},
                                    Called{Role::arch, "cpu_arch"},
                                    Called{Role::predicted, "predicted"},
                                    Called{Role::refused, "refused"}};

std::optional<std::size_t> called(const table::Table& table, std::string_view plain_name) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (heading::plain(table.columns[i].name) == plain_name) return i;
  return std::nullopt;
}

std::optional<std::size_t> exactly(const table::Table& table, std::string_view name) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (lowered(table.columns[i].name) == lowered(name)) return i;
  return std::nullopt;
}

Places roles_in(const table::Table& table) {
  Places places;
  for (const auto& [role, name] : names_of_roles) {
    const auto place = called(table, name);
    if (!place) continue;
    const bool is_count = name == "gpu" && !table.columns[*place].is_text() && !places.contains(Role::gpus);
    places.try_emplace(is_count ? Role::gpus : role, *place);
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
    if (!table.columns[i].is_text() && heading::is_time(table.columns[i].name)) found.push_back(i);
  if (found.size() == 1) return found.front();
  return fail(ErrorCode::invalid_argument, "which column of {} has the times? --time NAME; there are {}",
              table.source, column_names(table));
}

/// "exp01", "run-2": a word for a run and its number, which tell nothing but which run it was. "threads1" is
/// a configuration.
bool are_numbered(const std::vector<std::string>& levels) {
  const auto word_of = [](std::string_view level) {
    while (!level.empty() && is_digit(level.back())) level.remove_suffix(1);
    while (!level.empty() && std::string_view("_- #").find(level.back()) != std::string_view::npos)
      level.remove_suffix(1);
    return level;
  };
  return !levels.empty() && std::ranges::all_of(levels, [&](const std::string& level) {
    const auto word = word_of(level);
    return word.size() < level.size() && (heading::is_experiment(word) || heading::is_repeat(word));
  });
}

/// What is neither a role nor of the times: it names configurations, tells repeats apart, or is a result.
Status sort_in(const table::Table& table, std::size_t place, Columns& columns) {
  const auto& column = table.columns[place];
  if (heading::is_repeat(column.name) ||
      (heading::is_experiment(column.name) && (!column.is_text() || are_numbered(column.levels)))) {
    columns.runs.push_back(place);
    return {};
  }
  const bool is_known =
      std::ranges::find(names_of_roles, heading::plain(column.name), &Called::name) != names_of_roles.end();
  if (!column.is_text() && !is_known && heading::is_result(column.name))
    columns.results.push_back(place);
  else if (is_known || !heading::is_of_machine(column.name))
    columns.naming.push_back(place);
  else
    return fail(
        ErrorCode::invalid_argument,
        "{}: what does '{}' say of the machine? Call it cores, gpus (how many) or gpu (which), or leave "
        "it out",
        table.source, column.name);
  return {};
}

}  // namespace

Result<Columns> columns_of(const table::Table& table, const std::string& time,
                           const std::vector<std::string>& used) {
  Columns columns{.roles = roles_in(table)};
  for (const auto& name : used) {
    NEPH_TRY(columns.used.emplace_back(), table.find(name));
  }
  NEPH_TRY(columns.time, time_column(table, time));
  const auto& name = table.columns[columns.time].name;
  if (table.columns[columns.time].is_text())
    return fail(ErrorCode::invalid_argument, "{}: '{}' has text, and no times", table.source, name);
  NEPH_CHECK(heading::check_time(name, table.source));
  columns.is_predicted = heading::is_predicted(name);
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
  for (std::size_t i = 0; i < headings.size(); ++i) {
    if (known.contains(i) || std::ranges::find(results, headings[i]) != results.end()) continue;
    if (results.empty() && std::ranges::find(columns.used, i) == columns.used.end())
      NEPH_CHECK(sort_in(table, i, columns));
    else
      columns.naming.push_back(i);  // a factor of an exported table, or what the user says
  }
  return columns;
}

}  // namespace neph::cli
