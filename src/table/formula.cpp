#include "table/formula.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/text.hpp"
#include "table/formula_words.hpp"
#include "table/numbers_in_text.hpp"

namespace neph::table {
namespace {

using Kind = Formula::Kind;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double most_multiplied = 1024;  ///< exponents that are powers of that by multiplication

/// How closely what a step makes is bound: what is bound less needs brackets in what is bound more.
enum Binding : std::uint8_t { sums, products, signs, powers, atoms };

struct Written {
  std::string text;
  Binding binding = atoms;
  std::string bound(Binding least) const { return binding < least ? "(" + text + ")" : text; }
};

Written written(Kind kind, std::span<const Written> of) {
  switch (kind) {
    case Kind::add:
      return {of[0].bound(sums) + "+" + of[1].bound(products), sums};
    case Kind::subtract:
      return {of[0].bound(sums) + "-" + of[1].bound(products), sums};
    case Kind::multiply:
      return {of[0].bound(products) + "*" + of[1].bound(signs), products};
    case Kind::divide:
      return {of[0].bound(products) + "/" + of[1].bound(signs), products};
    case Kind::negate:
      return {"-" + of[0].bound(signs), signs};
    case Kind::power:
      return {of[0].bound(atoms) + "^" + of[1].bound(signs), powers};
    default:
      break;
  }
  const auto function = std::find_if(functions.begin(), functions.end(),
                                     [&](const Function& candidate) { return candidate.kind == kind; });
  std::string call(function->name);
  for (std::size_t i = 0; i < of.size(); ++i) call += (i == 0 ? "(" : ",") + of[i].text;
  return {call + ")", atoms};
}

/// Exact for powers of two.
double log2_of(double x) {
  if (!(x > 0)) return not_a_number;
  int exponent = 0;
  const double part = std::frexp(x, &exponent);  // 0.5 .. 1
  return part == 0.5 ? exponent - 1 : exponent + std::log(part) / std::log(2);
}

double power_of(double base, double exponent) {
  if (exponent == 0.5) return std::sqrt(base);
  const double size = std::abs(exponent);
  if (size != std::floor(size) || size > most_multiplied)
    return base == 0 && exponent > 0 ? 0 : std::exp(exponent * std::log(base));
  double product = 1;
  for (auto left = static_cast<int>(size); left > 0; left /= 2) {
    if (left % 2 != 0) product *= base;
    base *= left > 1 ? base : 1;
  }
  return exponent < 0 ? 1 / product : product;
}

double applied(Kind kind, std::span<const double> of) {
  switch (kind) {
    case Kind::add:
      return of[0] + of[1];
    case Kind::subtract:
      return of[0] - of[1];
    case Kind::multiply:
      return of[0] * of[1];
    case Kind::divide:
      return of[0] / of[1];
    case Kind::power:
      return power_of(of[0], of[1]);
    case Kind::negate:
      return -of[0];
    case Kind::min:
      return *std::min_element(of.begin(), of.end());
    case Kind::max:
      return *std::max_element(of.begin(), of.end());
    case Kind::log2:
      return log2_of(of[0]);
    case Kind::sqrt:
      return std::sqrt(of[0]);
    case Kind::ceil:
      return std::ceil(of[0]);
    case Kind::floor:
      return std::floor(of[0]);
    case Kind::number:
    case Kind::column:
      break;
  }
  return not_a_number;
}

/// Of one row whose cells are `cells`, with `stack` to work in. What cannot be computed on the way makes the
/// whole no number: min(1, 1/0) is none.
double value_of(const std::vector<Formula::Step>& steps, const std::vector<double>& cells,
                std::vector<double>& stack) {
  stack.clear();
  for (const auto& step : steps) {
    if (step.kind == Kind::number) {
      stack.push_back(step.number);
    } else if (step.kind == Kind::column) {
      stack.push_back(cells[static_cast<std::size_t>(step.count)]);
    } else {
      const auto count = static_cast<std::size_t>(step.count), first = stack.size() - count;
      stack[first] = applied(step.kind, std::span(stack).subspan(first, count));
      stack.resize(first + 1);
    }
    if (!std::isfinite(stack.back())) return stack.back();
  }
  return stack.back();
}

}  // namespace

Status QueryRows::refuse(const Table& rows, std::size_t row, std::string why) const {
  if (!refused_) return fail(ErrorCode::invalid_argument, "{}: {}", rows.source, why);
  refused_->try_emplace(row, std::move(why));
  return {};
}

std::string Formula::text() const {
  std::vector<Written> stack;
  for (const auto& step : steps_) {
    if (step.kind == Kind::number) {
      stack.push_back({fmt::format("{}", step.number)});
    } else if (step.kind == Kind::column) {
      stack.push_back({written_name(columns_[static_cast<std::size_t>(step.count)])});
    } else {
      const auto count = static_cast<std::size_t>(step.count), first = stack.size() - count;
      stack[first] = written(step.kind, std::span(stack).subspan(first, count));
      stack.resize(first + 1);
    }
  }
  return stack.empty() ? "" : stack.back().text;
}

Result<std::vector<std::vector<double>>> Formula::columns_in(const Table& rows) const {
  std::vector<std::vector<double>> columns;
  for (const auto& name : columns_) {
    NEPH_TRY(const auto place, rows.find(name));
    auto numbers = as_numbers(rows.columns[place]);
    if (!numbers)
      return fail(ErrorCode::invalid_argument, "{}: column '{}' has text, as '{}', and numbers are needed",
                  rows.source, name, rows.columns[place].text(0));
    columns.push_back(std::move(*numbers));
  }
  return columns;
}

std::string Formula::fault_of(double value, const std::vector<double>& cells, std::size_t row) const {
  std::string told;
  for (std::size_t i = 0; i < cells.size(); ++i)
    told += fmt::format("{}{} = {}", i == 0 ? ", where " : ", ", columns_[i],
                        std::isnan(cells[i]) ? "(empty)" : fmt::format("{}", cells[i]));
  return fmt::format("'{}' {} in row {}{}", printable(text()),
                     value < 0 && std::isfinite(value) ? fmt::format("is {:.6g}, below 0,", value)
                                                       : "divides by zero or is no finite number",
                     row + 1, printable(told));
}

Result<std::vector<double>> Formula::values(const Table& rows, const QueryRows& asked) const {
  NEPH_TRY(const auto columns, columns_in(rows));
  std::vector<double> values(rows.rows, 0), cells(columns.size()), stack;
  for (std::size_t row = 0; row < rows.rows; ++row) {
    if (!asked.has(row)) continue;
    for (std::size_t i = 0; i < columns.size(); ++i) cells[i] = columns[i][row];
    const double value = value_of(steps_, cells, stack);
    if (value >= 0 && std::isfinite(value))
      values[row] = value;
    else
      NEPH_CHECK(asked.refuse(rows, row, fault_of(value, cells, row)));
  }
  return values;
}

}  // namespace neph::table
