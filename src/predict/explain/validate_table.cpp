#include "predict/explain/validate_table.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

#include "core/lists.hpp"
#include "core/units.hpp"
#include "predict/explain/learning_curve.hpp"
#include "predict/explain/next_experiments.hpp"
#include "predict/explain/permutation_importance.hpp"
#include "predict/explain/validation.hpp"
#include "predict/profile/run_numbers.hpp"

namespace neph::predict {
namespace {

Result<std::vector<Method>> methods_in(const std::string& text) {
  const auto known = enum_choices<Method>();
  std::vector<Method> methods;
  for (const auto& name : text == "all" ? known : names_in(text)) {
    const auto method = enum_value<Method>(name);
    if (!method)
      return fail(ErrorCode::invalid_argument, "--method: '{}' is none of {}, all", name,
                  fmt::join(known, ", "));
    methods.push_back(*method);
  }
  if (methods.empty())
    return fail(ErrorCode::invalid_argument, "--method names none of {}, all", fmt::join(known, ", "));
  return methods;
}

/// A column that is not found may be one of the table that is no feature.
Error with_reason(Error error, const Profile& profile, const std::string& ignored) {
  if (error.code != ErrorCode::not_found) return error;
  for (const auto& column : profile.columns) {
    if (column.name != error.subject || profile.points.features.find(column.name)) continue;
    error.add_hint(column.kind == ColumnKind::target
                       ? fmt::format("'{}' is the target", column.name)
                       : fmt::format("'{}' is no feature ({}), --use makes it one", column.name,
                                     enum_name(column.kind)));
  }
  for (const auto& name : names_in(ignored))
    if (name == error.subject) error.add_hint(fmt::format("'{}' is not looked at (--ignore)", name));
  return error;
}

Status check_counts(const ValidationOptions& options, std::int64_t points) {
  if (options.keep > 0 && options.leave_out.empty())
    return fail(ErrorCode::invalid_argument, "--keep is of the values of --leave-out, which is missing");
  if (options.draws > 1 && options.keep == 0 && options.sample == 0)
    return fail(ErrorCode::invalid_argument, "--draws is of --keep or --sample, and neither is given");
  if (options.folds > points)
    return fail(ErrorCode::invalid_argument, "--folds {}: there are {}", options.folds,
                counted(points, "different row"));
  if (options.sample >= points)
    return fail(ErrorCode::invalid_argument, "--sample {}: there are {}, and none would be left to predict",
                options.sample, counted(points, "different row"));
  return {};
}

Result<std::vector<Split>> splits_in(const ValidationOptions& options, const table::Table& points) {
  const int ways =
      !options.split.empty() + !options.leave_out.empty() + (options.folds > 0) + (options.sample > 0);
  if (ways > 1)
    return fail(ErrorCode::invalid_argument,
                "--split, --leave-out, --folds and --sample each say what is left out: give one of them");
  NEPH_CHECK(check_counts(options, static_cast<std::int64_t>(points.rows)));
  const auto seed = static_cast<std::uint64_t>(options.seed);
  const auto draws = static_cast<std::size_t>(options.draws);
  if (!options.leave_out.empty())
    return leave_out(points, options.leave_out, static_cast<std::size_t>(options.keep), draws, seed);
  if (options.sample > 0) return samples(points.rows, static_cast<std::size_t>(options.sample), draws, seed);
  std::vector<Split> splits;
  for (const auto text : split_at(options.split, ';')) {
    if (text.empty()) continue;
    NEPH_TRY(auto split, parse_split(text, points));
    splits.push_back(std::move(split));
  }
  if (splits.empty())
    return folds(points.rows, options.folds > 0 ? static_cast<std::size_t>(options.folds) : 5, seed);
  return splits;
}

/// What is predicted, and from what.
Validation begun(const Profile& profile, const std::vector<Split>& splits) {
  Validation validation{.table = profile.points.features.source, .target = profile.target};
  for (const auto& split : splits) validation.splits.push_back(split.name);
  for (const auto& column : profile.points.features.columns)
    validation.features.push_back({column.name, cells_of(column)});
  for (const auto& finding : profile.findings)
    if (finding.code == measured_with_target || finding.code == tells_runs_apart)
      validation.notes.push_back(finding.message);
  return validation;
}

/// What comes of `found` goes into `out`; why nothing does, into a note.
template <class T>
void take(Result<std::vector<T>> found, std::vector<T>& out, std::string_view what, Validation& validation) {
  if (found) {
    out = *std::move(found);
  } else {
    validation.notes.push_back(fmt::format("{}: {}", what, found.error().text()));
  }
}

/// What the first method makes of the table beyond the splits.
void explain(const Profile& profile, FitOptions fit, std::uint64_t seed, const ValidationWork& work,
             Validation& validation) {
  validation.explained = std::string(enum_name(fit.method));
  fit.progress = work.progress("learning curve");
  take(learning_curve(profile, fit, seed), validation.learning_curve, "no learning curve", validation);
  fit.progress = work.progress("contributions");
  take(permutation_importance(profile, fit, seed), validation.contributions, "no contributions", validation);
  fit.progress = work.progress("what to measure next");
  take(next_experiments(profile, fit, {.seed = seed}), validation.proposals, "no measurements to propose",
       validation);
}

}  // namespace

Result<Validation> validate_table(const TableOptions& table, const ValidationOptions& options,
                                  const ValidationWork& work) {
  NEPH_TRY(const auto profile, profile_of(table));
  NEPH_TRY(const auto splits, splits_in(options, profile.points.features).map_error([&](const Error& error) {
    return with_reason(error, profile, table.ignore);
  }));
  FitOptions fit{.threads = work.threads, .progress = work.progress("fitting")};
  NEPH_TRY(fit.roles, roles_in(table, profile));
  NEPH_TRY(const auto methods, methods_in(options.method));
  auto validation = begun(profile, splits);
  std::vector<ValidatedMethod> others;
  if (work.others) {  // first: a package may be missing
    NEPH_TRY(others, work.others(profile, splits));
  }
  NEPH_TRY(validation.methods, validate(profile, splits, methods, fit));
  std::int64_t alone = 0;
  for (const auto& method : validation.methods)
    alone += std::ranges::count_if(
        method.rows, [](const auto& row) { return std::isnan(row.low) && row.refused.empty(); });
  if (alone > 0)
    validation.notes.push_back(fmt::format(
        "{} without an interval: no rows that were fitted on could be left out to show how far off they are",
        counted(alone, "prediction")));
  validation.methods.insert(validation.methods.end(), others.begin(), others.end());
  if (work.explains) {
    fit.method = methods.front();
    explain(profile, fit, static_cast<std::uint64_t>(options.seed), work, validation);
  }
  return validation;
}

}  // namespace neph::predict
