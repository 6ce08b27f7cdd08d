#include "predict/profile/table_options.hpp"

#include <map>
#include <set>

#include "core/lists.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "record/columns.hpp"

namespace neph::predict {
namespace {

/// The only column of numbers whose name speaks of a batch; empty: none, or several.
std::string column_called_batch(const Profile& profile) {
  std::string found;
  for (const auto& column : profile.columns) {
    if (column.kind != ColumnKind::number || lowered(column.name).find("batch") == std::string::npos)
      continue;
    if (!found.empty()) return {};
    found = column.name;
  }
  return found;
}

TermTexts terms_in(const TableOptions& options) {
  return {.work = options.term, .latency = options.latency_term, .scale = options.scale};
}

Status check_not_ignored(const UserTerms& terms, const table::Table& table,
                         const std::vector<std::string>& ignored) {
  for (const auto& name : ignored) {
    NEPH_TRY(const auto place, table.find(name));
    if (terms.uses(table.columns[place].name))
      return fail(ErrorCode::invalid_argument, "--ignore: a term is made of '{}'", table.columns[place].name);
  }
  return {};
}

/// Why a column that one option names cannot be named by a later one too; empty: it can.
std::string contradiction(std::string_view first, std::string_view second) {
  if (first == second) return {};
  if (first == "--target") return "it is the --target, which is to be predicted";
  if (first == "--ignore") return "it is to be ignored too (--ignore)";
  return second == "--use" ? "" : fmt::format("it is the {} too", first);
}

/// The columns that are features whatever they look like: the user wants them, or knows what they mean.
Result<std::vector<std::string>> wanted_columns(const TableOptions& options, const table::Table& table) {
  std::vector<std::string> wanted;
  std::map<std::size_t, std::string_view> named;  // by which option first; the order tells which says more
  for (const auto& [option, names] : {std::pair{"--target", std::vector{options.target}},
                                      {"--ignore", names_in(options.ignore)},
                                      {"--network", {options.network}},
                                      {"--side", {options.side}},
                                      {"--batch", {options.batch}},
                                      {"--machine", {options.machine}},
                                      {"--use", names_in(options.use)}})
    for (const auto& name : names) {
      if (name.empty()) continue;
      NEPH_TRY(const auto place, table.find(name));
      const auto& column = table.columns[place].name;
      const auto first = named.try_emplace(place, option).first->second;
      if (const auto why = contradiction(first, option); !why.empty())
        return fail(ErrorCode::invalid_argument, "{} {}: {}", option, column, why);
      if (first != "--target" && first != "--ignore") wanted.push_back(column);
    }
  return wanted;
}

/// Columns of a table that `neph export` wrote which only the runs gave, but for those that the user
/// mentions.
std::vector<std::string> results_of_export(const table::Table& table, const ProfileOptions& wanted,
                                           std::size_t target) {
  std::vector<std::string> headings;
  for (const auto& column : table.columns) headings.push_back(column.name);
  auto results = column::results_in_export(headings);
  std::set<std::size_t> mentioned{target};
  for (const auto* names : {&wanted.used, &wanted.ignored})
    for (const auto& name : *names) mentioned.insert(*table.find(name));
  std::erase_if(results, [&](const auto& name) { return mentioned.contains(*table.find(name)); });
  return results;
}

Finding told_of_export(const Profile& profile, std::size_t results) {
  return {
      std::string(measured_with_target),
      fmt::format("{} is a table of neph export: {} of results that its runs gave together with '{}' are no "
                  "features; --use makes one of them a feature",
                  profile.points.features.source, counted(static_cast<std::int64_t>(results), "column"),
                  profile.target),
      profile.rows};
}

Result<table::Table> table_of(const TableOptions& options) {
  if (table::is_store(options.table)) {
    auto wanted = names_in(options.use);
    wanted.push_back(options.target);
    return table::experiment_table(options.table, options.experiment, wanted);
  }
  if (options.experiment != 0)
    return fail(ErrorCode::invalid_argument, "--experiment is of a store, and {} is none: give neph.db",
                options.table);
  return table::read_table(options.table);
}

}  // namespace

std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names;
  for (const auto name : split_at(list, ','))
    if (!name.empty()) names.emplace_back(name);
  return names;
}

Result<Profile> profile_of(const TableOptions& options) {
  if (options.target.empty())
    return fail(ErrorCode::invalid_argument, "--target is missing: the column to predict");
  NEPH_TRY(const auto table, table_of(options));
  ProfileOptions wanted{.ignored = names_in(options.ignore),
                        .used = {},
                        .outcomes = {},
                        .most_points = static_cast<std::size_t>(options.most_points)};
  NEPH_TRY(wanted.used, wanted_columns(options, table));
  const auto texts = terms_in(options);
  if (!texts.empty()) {
    NEPH_TRY(const auto terms, UserTerms::parse(texts, table, options.target));
    NEPH_CHECK(check_not_ignored(terms, table, wanted.ignored));
    for (const auto& name : terms.columns()) wanted.used.push_back(name);
  }
  NEPH_TRY(const auto target, table.find(options.target));
  wanted.outcomes = results_of_export(table, wanted, target);
  NEPH_TRY(auto profile, profile(table, options.target, wanted));
  if (!wanted.outcomes.empty())
    profile.findings.insert(profile.findings.begin(), told_of_export(profile, wanted.outcomes.size()));
  return profile;
}

Result<Roles> roles_in(const TableOptions& options, const Profile& profile) {
  Roles roles{.network = options.network,
              .variants = options.variants,
              .side = options.side,
              .batch = options.batch,
              .hardware = {.machine = options.machine},
              .terms = terms_in(options)};
  if (roles.network.empty() && !roles.variants.empty())
    return fail(ErrorCode::invalid_argument, "--variants is of the networks of --network, which is missing");
  if (!options.machines.empty()) {
    NEPH_TRY(roles.sheets, device::read_sheets(options.machines));
  }
  roles.hardware =
      machine_columns_in(profile.points.features, options.machine, device::built_in_and(roles.sheets));
  if (!options.machines.empty() && roles.hardware.machine.empty())
    return fail(ErrorCode::invalid_argument,
                "--machines has data sheets of machines, and no column names any: give --machine COLUMN");
  if (!roles.network.empty() && roles.batch.empty()) roles.batch = column_called_batch(profile);
  return roles;
}

}  // namespace neph::predict
