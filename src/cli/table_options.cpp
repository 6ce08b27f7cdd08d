#include "cli/table_options.hpp"

#include <algorithm>
#include <cctype>

#include "cli/experiment_table.hpp"
#include "core/text.hpp"

namespace neph::cli {
namespace {

/// The only column of numbers whose name speaks of a batch; empty: none, or several.
std::string column_called_batch(const predict::Survey& survey) {
  std::string found;
  for (const auto& column : survey.columns) {
    std::string name = column.name;
    for (auto& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (column.kind != predict::ColumnKind::number || name.find("batch") == std::string::npos) continue;
    if (!found.empty()) return {};
    found = column.name;
  }
  return found;
}

predict::TermTexts terms_in(const TableOptions& options) {
  return {.work = options.term, .latency = options.latency_term, .scale = options.scale};
}

Status check_not_ignored(const predict::GivenTerms& terms, const predict::Table& table,
                         const std::vector<std::string>& ignored) {
  for (const auto& name : ignored) {
    NEPH_TRY(const auto place, table.find(name));
    if (terms.uses(table.columns[place].name))
      return fail(ErrorCode::invalid_argument, "--ignore: a term is made of '{}'", table.columns[place].name);
  }
  return {};
}

/// The columns with a meaning that the user knows, which are features whatever they look like.
Result<std::vector<std::string>> columns_with_roles(const TableOptions& options, const predict::Table& table,
                                                    const std::vector<std::string>& ignored) {
  NEPH_TRY(const auto target, table.find(options.target));
  std::vector<std::string> columns;
  for (const auto& [option, name] : {std::pair{"--network", &options.network},
                                     {"--side", &options.side},
                                     {"--batch", &options.batch},
                                     {"--machine", &options.machine}}) {
    if (name->empty()) continue;
    NEPH_TRY(const auto place, table.find(*name));
    if (place == target)
      return fail(ErrorCode::invalid_argument, "{} {}: it is the --target, which is to be predicted", option,
                  *name);
    for (const auto& other : ignored)
      if (table.find(other) == place)
        return fail(ErrorCode::invalid_argument, "{} {}: it is to be ignored too (--ignore)", option, *name);
    columns.push_back(table.columns[place].name);
  }
  return columns;
}

Result<predict::Table> table_of(const TableOptions& options) {
  if (is_store(options.table)) {
    auto wanted = names_in(options.use);
    wanted.push_back(options.target);
    return experiment_table(options.table, options.experiment, wanted);
  }
  if (options.experiment != 0)
    return fail(ErrorCode::invalid_argument, "--experiment is of a store, and {} is none: give neph.db",
                options.table);
  return predict::read_table(options.table);
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

Result<predict::Survey> survey_of(const TableOptions& options) {
  if (options.target.empty())
    return fail(ErrorCode::invalid_argument, "--target is missing: the column to predict");
  NEPH_TRY(const auto table, table_of(options));
  predict::SurveyOptions wanted{.ignored = names_in(options.ignore),
                                .used = names_in(options.use),
                                .most_points = static_cast<std::size_t>(options.most_points)};
  NEPH_TRY(const auto with_roles, columns_with_roles(options, table, wanted.ignored));
  wanted.used.insert(wanted.used.end(), with_roles.begin(), with_roles.end());
  const auto texts = terms_in(options);
  if (!texts.empty()) {
    NEPH_TRY(const auto terms, predict::GivenTerms::parse(texts, table, options.target));
    NEPH_CHECK(check_not_ignored(terms, table, wanted.ignored));
    for (const auto& name : terms.columns()) wanted.used.push_back(name);
  }
  return predict::survey(table, options.target, wanted);
}

Result<predict::Roles> roles_in(const TableOptions& options, const predict::Survey& survey) {
  predict::Roles roles{.network = options.network,
                       .variants = options.variants,
                       .side = options.side,
                       .batch = options.batch,
                       .machine = options.machine,
                       .terms = terms_in(options)};
  if (!options.machines.empty()) {
    if (roles.network.empty() || roles.machine.empty())
      return fail(
          ErrorCode::invalid_argument,
          "--machines tells how fast a --machine does the work of a --network: give both columns too");
    NEPH_TRY(roles.machines, predict::read_machines(options.machines));
  }
  if (!roles.network.empty() && roles.batch.empty()) roles.batch = column_called_batch(survey);
  return roles;
}

}  // namespace neph::cli
