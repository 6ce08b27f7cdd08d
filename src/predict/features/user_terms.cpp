#include "predict/features/user_terms.hpp"

#include <algorithm>
#include <cmath>

#include "predict/models/gaussian_process.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr std::size_t most_terms = 200;

Result<std::vector<Formula>> formulas_of(const char* option, const std::vector<std::string>& texts,
                                         const table::Table& columns) {
  std::vector<Formula> all;
  for (const auto& text : texts) {
    auto some = table::parse_formulas(text, columns);
    if (!some) return fail_in(option, some.error());
    std::ranges::move(*some, std::back_inserter(all));
    if (all.size() > most_terms)
      return fail(ErrorCode::invalid_argument, "{}: more than {} terms are given", option, most_terms);
  }
  return all;
}

/// Which rows are fitted to: those whose target is a number above 0.
std::vector<bool> measured_rows(const table::Table& table, const table::Column& target) {
  std::vector<bool> measured(table.rows, true);
  if (!target.is_text())
    for (std::size_t row = 0; row < table.rows; ++row)
      measured[row] = target.numbers[row] > 0 && std::isfinite(target.numbers[row]);
  return measured;
}

}  // namespace

UserTermValues rows_of(const UserTermValues& values, const std::vector<std::size_t>& rows) {
  return {some_rows(values.work, rows), some_rows(values.latency, rows)};
}

Result<UserTerms> UserTerms::parse(const TermTexts& texts, const table::Table& columns) {
  UserTerms terms;
  NEPH_TRY(terms.work_, formulas_of("--term", texts.work, columns));
  NEPH_TRY(terms.latency_, formulas_of("--latency-term", texts.latency, columns));
  if (texts.scale.empty()) return terms;
  if (terms.empty())
    return fail(ErrorCode::invalid_argument, "--scale: there is no --term or --latency-term to multiply");
  auto scale = Formula::parse(texts.scale, columns);
  if (!scale) return fail_in("--scale", scale.error());
  terms.scale_ = std::move(*scale);
  return terms;
}

Result<UserTerms> UserTerms::parse(const TermTexts& texts, const table::Table& table,
                                   const std::string& target) {
  NEPH_TRY(auto terms, parse(texts, table));
  NEPH_TRY(const auto place, table.find(target));
  if (terms.uses(table.columns[place].name))
    return fail(ErrorCode::invalid_argument, "--term: '{}' is the target, and no term can be made of it",
                table.columns[place].name);
  if (!terms.empty()) NEPH_CHECK(terms.values(table, QueryRows(measured_rows(table, table.columns[place]))));
  return terms;
}

Result<UserTermValues> UserTerms::values(const table::Table& rows, const QueryRows& asked) const {
  const auto refuse = [&](const char* option, std::size_t row, const std::string& why) -> Status {
    const auto status = asked.refuse(rows, row, fmt::format("{} in row {}", why, row + 1));
    return status ? status : Status(fail_in(option, status.error()));
  };
  const auto values_of = [&](const char* option, const Formula& formula) -> Result<Eigen::VectorXd> {
    const auto values = formula.values(rows, asked);
    if (!values) return fail_in(option, values.error());
    return Eigen::Map<const Eigen::VectorXd>(values->data(), std::ssize(*values));
  };
  Eigen::VectorXd scales = Eigen::VectorXd::Ones(static_cast<Index>(rows.rows));
  if (scale_) {
    NEPH_TRY(scales, values_of("--scale", *scale_));
    for (std::size_t row = 0; row < rows.rows; ++row)
      if (asked.has(row) && !(scales[static_cast<Index>(row)] > 0))
        NEPH_CHECK(refuse("--scale", row, fmt::format("'{}' is 0", scale_->text())));
  }
  const auto scaled = [&](const char* option, const std::vector<Formula>& terms) -> Result<MatrixXd> {
    MatrixXd matrix(scales.size(), std::ssize(terms));
    for (Index k = 0; k < matrix.cols(); ++k) {
      const auto& term = terms[static_cast<std::size_t>(k)];
      NEPH_TRY(const auto values, values_of(option, term));
      matrix.col(k) = values.cwiseProduct(scales);
      for (Index row = 0; row < matrix.rows(); ++row) {
        if (std::isfinite(matrix(row, k))) continue;
        matrix(row, k) = 0;
        NEPH_CHECK(refuse(option, static_cast<std::size_t>(row),
                          fmt::format("'{}' times the scale is infinite", term.text())));
      }
    }
    return matrix;
  };
  UserTermValues values;
  NEPH_TRY(values.work, scaled("--term", work_));
  NEPH_TRY(values.latency, scaled("--latency-term", latency_));
  return values;
}

std::vector<const Formula*> UserTerms::all() const {
  std::vector<const Formula*> formulas;
  for (const auto* terms : {&work_, &latency_})
    for (const auto& formula : *terms) formulas.push_back(&formula);
  if (scale_) formulas.push_back(&*scale_);
  return formulas;
}

std::vector<std::string> UserTerms::columns() const {
  std::vector<std::string> names;
  for (const auto* formula : all())
    for (const auto& name : formula->columns())
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

bool UserTerms::uses(const std::string& column) const {
  const auto names = columns();
  return std::ranges::find(names, column) != names.end();
}

TermTexts UserTerms::texts() const {
  TermTexts texts;
  for (const auto& formula : work_) texts.work.push_back(formula.text());
  for (const auto& formula : latency_) texts.latency.push_back(formula.text());
  if (scale_) texts.scale = scale_->text();
  return texts;
}

}  // namespace neph::predict
