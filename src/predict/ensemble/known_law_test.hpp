// Random laws that tests know, and tables of measurements of them.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/random.hpp"
#include "predict/profile/profile.hpp"

namespace neph::predict {

struct Row {
  std::vector<double> numbers;
  std::size_t machine = 0;
};

struct Term {
  double size = 1;  ///< where all numbers are 1
  std::vector<int> powers;

  double operator()(const Row& row) const {
    double product = size;
    for (std::size_t i = 0; i < powers.size(); ++i) product *= std::pow(row.numbers[i], powers[i]);
    return product;
  }
};

/// A sum of terms over the speed of a machine; and the grid of the numbers that are measured.
struct Law {
  std::vector<Term> terms;
  std::vector<double> speeds;  ///< of each machine
  std::vector<std::vector<double>> levels;
  double noise = 0;  ///< deviation of the logarithm of one measurement

  double time(const Row& row) const {
    double sum = 0;
    for (const auto& term : terms) sum += term(row);
    return sum / speeds[row.machine];
  }
  double measured(const Row& row, Random& random) const {
    return time(row) * std::exp(noise * random.normal());
  }
};

/// Such that its logarithm is uniform.
inline double drawn_between(double low, double high, Random& random) {
  return low * std::pow(high / low, random.uniform());
}

inline std::size_t drawn_below(std::size_t count, Random& random) {
  return static_cast<std::size_t>(random.below(count));
}

/// Of so many numbers, of which some may be the same; in the middle of the grid between 0.2 and 1.
inline Term drawn_term(const std::vector<std::vector<double>>& levels, std::size_t numbers, Random& random) {
  static constexpr int powers[] = {1, 1, 1, 2, -1};
  Term term{.size = drawn_between(0.2, 1, random), .powers = std::vector<int>(levels.size(), 0)};
  for (std::size_t i = 0; i < numbers; ++i)
    term.powers[drawn_below(levels.size(), random)] = powers[drawn_below(std::size(powers), random)];
  for (std::size_t i = 0; i < levels.size(); ++i)
    term.size *= std::pow(levels[i].front() * levels[i].back(), -0.5 * term.powers[i]);
  return term;
}

/// Two to four numbers of five to seven levels, up to three terms (one may be a constant), and as often as
/// not two to four machines, of which one is up to four times as fast as another; noise of 2 to 10 %.
inline Law drawn_law(Random& random) {
  Law law{.terms = {}, .speeds = {1}, .levels = {}, .noise = drawn_between(0.02, 0.1, random)};
  for (std::size_t i = 0, count = 2 + drawn_below(3, random); i < count; ++i) {
    std::vector<double> levels{std::exp2(static_cast<double>(random.below(6)))};
    for (std::size_t k = 0, more = 4 + drawn_below(3, random); k < more; ++k)
      levels.push_back(2 * levels.back());
    law.levels.push_back(std::move(levels));
  }
  law.terms.push_back(drawn_term(law.levels, 1 + drawn_below(3, random), random));
  for (std::size_t i = 0, more = drawn_below(3, random); i < more; ++i)
    law.terms.push_back(drawn_term(law.levels, drawn_below(4, random), random));
  if (random.below(2) == 0)
    for (std::size_t i = 0, more = 1 + drawn_below(3, random); i < more; ++i)
      law.speeds.push_back(drawn_between(1, 4, random));
  return law;
}

inline Row drawn_row(const Law& law, Random& random) {
  Row row{.numbers = {}, .machine = drawn_below(law.speeds.size(), random)};
  for (const auto& levels : law.levels) row.numbers.push_back(levels[drawn_below(levels.size(), random)]);
  return row;
}

inline std::vector<Row> drawn_rows(const Law& law, std::size_t count, Random& random) {
  std::vector<Row> rows;
  while (rows.size() < count) rows.push_back(drawn_row(law, random));
  return rows;
}

/// Columns x0, x1, ..., machine, and t, measured once for each row.
inline table::Table table_of(const Law& law, const std::vector<Row>& rows, Random& random) {
  std::string text;
  for (std::size_t i = 0; i < law.levels.size(); ++i) text += fmt::format("x{},", i);
  text += "machine,t\n";
  for (const auto& row : rows) {
    for (const double number : row.numbers) text += fmt::format("{},", number);
    text += fmt::format("m{},{}\n", row.machine, law.measured(row, random));
  }
  return *table::parse_table(text, "known");
}

}  // namespace neph::predict
