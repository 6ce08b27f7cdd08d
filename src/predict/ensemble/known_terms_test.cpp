// Two hundred random tables of a law whose terms are given: whether their coefficients are what they should
// be.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "predict/ensemble/known_law_test.hpp"
#include "predict/explain/fit_summary.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t tables = 200, measured_rows = 48;
constexpr double well_determined = 0.25;  ///< of a coefficient: four deviations from 0, which bounds it

std::string text_of(const Term& term) {
  std::string text = "1";
  for (std::size_t i = 0; i < term.powers.size(); ++i) text += fmt::format("*x{}^({})", i, term.powers[i]);
  return text;
}

/// On one machine, each term once.
Law law_of_terms(Random& random) {
  auto law = drawn_law(random);
  law.speeds = {1};
  const auto powers = [](const Term& term) { return term.powers; };
  std::ranges::sort(law.terms, {}, powers);
  const auto [first, last] = std::ranges::unique(law.terms, {}, powers);
  law.terms.erase(first, last);
  return law;
}

/// Deviation of each coefficient over itself, where times are fitted whose logarithms have the law's noise.
VectorXd sampling_errors(const Law& law, const std::vector<Row>& rows) {
  MatrixXd shares(std::ssize(rows), std::ssize(law.terms));
  for (Index i = 0; i < shares.rows(); ++i)
    for (Index k = 0; k < shares.cols(); ++k) {
      const auto& row = rows[static_cast<std::size_t>(i)];
      shares(i, k) = law.terms[static_cast<std::size_t>(k)](row) / law.time(row);
    }
  return law.noise * (shares.transpose() * shares).inverse().diagonal().cwiseSqrt();
}

/// Few random rows may look like repeats that a number counts: said is that all are features.
ProfileOptions of_numbers(const Law& law) {
  ProfileOptions options{.ignored = {"machine"}, .used = {}};
  for (std::size_t i = 0; i < law.levels.size(); ++i) options.used.push_back(fmt::format("x{}", i));
  return options;
}

/// The first term is work, the others always add.
FitOptions given(const Law& law) {
  FitOptions options{.method = Method::terms};
  for (const auto& term : law.terms)
    (options.roles.terms.work.empty() ? options.roles.terms.work : options.roles.terms.latency)
        .push_back(text_of(term));
  return options;
}

/// Of each coefficient, in deviations of its sampling error. Least squares of errors relative to what was
/// measured give exp(-1.5 noise^2) of each coefficient, 1.5 % less at 10 % of noise: that is known, and taken
/// out.
std::vector<double> deviations(std::uint64_t seed) {
  Random random(seed);
  const auto law = law_of_terms(random);
  const auto rows = drawn_rows(law, measured_rows, random);
  const auto errors = sampling_errors(law, rows);
  if (!(errors.maxCoeff() < well_determined)) return {};
  const auto model = Model::fit(*profile(table_of(law, rows, random), "t", of_numbers(law)), given(law));
  EXPECT_TRUE(model) << seed << ": " << model.error().message;
  if (!model) return {};
  const auto fitted = fitted_terms(*model)->terms;
  std::vector<double> found;
  for (std::size_t k = 0; k < fitted.size(); ++k) {
    const double expected = law.terms[k].size * std::exp(-1.5 * law.noise * law.noise);
    found.push_back((fitted[k].coefficient / expected - 1) / errors[static_cast<Index>(k)]);
  }
  return found;
}

TEST(KnownTerms, CoefficientsAreRecoveredWithinTheirSamplingError) {
  std::vector<double> all;
  for (std::size_t table = 0; table < tables; ++table) {
    const auto some = deviations(1 + table);
    all.insert(all.end(), some.begin(), some.end());
  }
  const auto count = static_cast<double>(all.size());
  ASSERT_GE(count, 200);
  double sum = 0;
  for (const double each : all) sum += each;
  const auto near = std::ranges::count_if(all, [](double each) { return std::abs(each) < 1.96; });
  EXPECT_NEAR(sum / count, 0, 0.25) << "neither too large nor too small";
  EXPECT_GE(static_cast<double>(near) / count, 0.9) << "92 to 95 % of six sets of tables";
}

}  // namespace
}  // namespace neph::predict
