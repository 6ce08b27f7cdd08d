#include "predict/profile/table_options.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include "core/text.hpp"
#include "core/units.hpp"
#include "predict/features/machines.hpp"
#include "record/columns.hpp"

namespace neph::predict {
namespace {

/// The only column of numbers whose name speaks of a batch; empty: none, or several.
std::string column_called_batch(const Profile& profile) {
  std::string found;
  for (const auto& column : profile.columns) {
    std::string name = column.name;
    for (auto& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (column.kind != ColumnKind::number || name.find("batch") == std::string::npos) continue;
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

/// What an option says of a column.
struct Mention {
  std::string_view option;
  std::size_t column = 0;
};

/// In the order in which one says more than the next. Errors: not_found.
Result<std::vector<Mention>> mentions(const TableOptions& options, const table::Table& table) {
  std::vector<Mention> all;
  for (const auto& [option, names] : {std::pair{"--target", std::vector{options.target}},
                                      {"--ignore", names_in(options.ignore)},
                                      {"--network", {options.network}},
                                      {"--side", {options.side}},
                                      {"--batch", {options.batch}},
                                      {"--machine", {options.machine}},
                                      {"--use", names_in(options.use)}}) {
    for (const auto& name : names) {
      if (name.empty()) continue;
      NEPH_TRY(const auto column, table.find(name));
      all.push_back({option, column});
    }
  }
  return all;
}

/// Why a column cannot be both; empty: it can.
std::string contradiction(const Mention& first, const Mention& second) {
  if (first.column != second.column || first.option == second.option) return {};
  if (first.option == "--target") return "it is the --target, which is to be predicted";
  if (first.option == "--ignore") return "it is to be ignored too (--ignore)";
  return second.option == "--use" ? "" : fmt::format("it is the {} too", first.option);
}

/// The columns that are features whatever they look like: the user wants them, or knows what they mean.
Result<std::vector<std::string>> wanted_columns(const TableOptions& options, const table::Table& table) {
  NEPH_TRY(const auto all, mentions(options, table));
  std::vector<std::string> wanted;
  for (auto second = all.begin(); second != all.end(); ++second) {
    const auto& name = table.columns[second->column].name;
    for (auto first = all.begin(); first != second; ++first)
      if (const auto why = contradiction(*first, *second); !why.empty())
        return fail(ErrorCode::invalid_argument, "{} {}: {}", second->option, name, why);
    if (second->option != "--target" && second->option != "--ignore") wanted.push_back(name);
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
  for (std::size_t begin = 0; begin < list.size();) {
    const auto end = std::min(list.find(',', begin), list.size());
    if (const auto name = trimmed(std::string_view(list).substr(begin, end - begin)); !name.empty())
      names.emplace_back(name);
    begin = end + 1;
  }
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
              .machine = options.machine,
              .terms = terms_in(options)};
  if (roles.network.empty() && !roles.variants.empty())
    return fail(ErrorCode::invalid_argument, "--variants is of the networks of --network, which is missing");
  if (!options.machines.empty()) {
    if (roles.network.empty() || roles.machine.empty())
      return fail(
          ErrorCode::invalid_argument,
          "--machines tells how fast a --machine does the work of a --network: give both columns too");
    NEPH_TRY(roles.machines, read_machines(options.machines));
  }
  if (!roles.network.empty() && roles.batch.empty()) roles.batch = column_called_batch(profile);
  return roles;
}

}  // namespace neph::predict
