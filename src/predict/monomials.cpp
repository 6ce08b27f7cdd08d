#include "predict/monomials.hpp"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "predict/kernel_choice.hpp"
#include "predict/linear.hpp"
#include "predict/screening.hpp"
#include "predict/steady_math.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int least_power = -1, most_power = 2;
constexpr int most_factors = 5;
constexpr std::size_t most_compared = 64;  ///< rows, of two terms
constexpr Index most_quantities = 16;      ///< that terms are made of
constexpr double least_gain = 1e-4;        ///< of the squared relative error that is left

int factors_in(const Powers& powers) {
  int count = 0;
  for (const int power : powers) count += power != 0;
  return count;
}

/// Each power of `powers` one more or one less, of some of the quantities.
std::vector<Powers> neighbours(const Powers& powers, const std::vector<Index>& quantities) {
  std::vector<Powers> all;
  for (const auto j : quantities) {
    for (const int step : {-1, 1}) {
      auto other = powers;
      auto& power = other[static_cast<std::size_t>(j)];
      power += step;
      if (power >= least_power && power <= most_power && factors_in(other) <= most_factors)
        all.push_back(other);
    }
  }
  return all;
}

/// Terms that may be chosen, each once.
class Dictionary {
 public:
  Dictionary(const MatrixXd& log_quantities, const VectorXd& log_target, double power)
      : logs_(log_quantities),
        target_(log_target),
        power_(power),
        compared_(drawn_rows(static_cast<std::size_t>(log_target.size()), most_compared)) {}

  void add(const Powers& powers) {
    if (!known_.insert(powers).second) return;
    VectorXd log_term = VectorXd::Zero(target_.size());
    for (std::size_t j = 0; j < powers.size(); ++j)
      if (powers[j] != 0) log_term += powers[j] * logs_.col(static_cast<Index>(j));
    if (!shapes_.insert(shape_of(log_term)).second) return;
    const VectorXd relative = (power_ * (log_term - target_).array()).exp();
    const double length = relative.norm();
    if (!(length > 0) || !std::isfinite(length)) return;
    columns_.push_back(relative / length);
    terms_.push_back(powers);
  }
  std::size_t best_for(const VectorXd& rest) const {
    std::size_t best = 0;
    double most = -1;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const double fit = columns_[i].dot(rest);
      if (fit > most) {
        most = fit;
        best = i;
      }
    }
    return best;
  }
  std::size_t size() const { return columns_.size(); }
  const VectorXd& column(std::size_t i) const { return columns_[i]; }
  const Powers& term(std::size_t i) const { return terms_[i]; }

 private:
  /// The same for terms that differ in a factor alone, as products of columns that depend on each other do.
  std::vector<std::int64_t> shape_of(const VectorXd& log_term) const {
    std::vector<std::int64_t> shape;
    for (const auto row : compared_)
      shape.push_back(std::llround(1e6 * (log_term[static_cast<Index>(row)] - log_term[0])));
    return shape;
  }

  const MatrixXd& logs_;
  const VectorXd& target_;
  double power_;
  std::vector<std::size_t>
      compared_;  ///< a draw: at equal steps a sorted table looks as if a column never differed
  std::set<Powers> known_;
  std::set<std::vector<std::int64_t>> shapes_;
  std::vector<VectorXd> columns_;
  std::vector<Powers> terms_;
};

/// Whole powers nearest to those of a regression of logarithms on some of the quantities.
Powers regressed(const MatrixXd& all_logs, const std::vector<Index>& quantities, const VectorXd& target) {
  const MatrixXd logs = all_logs(Eigen::all, quantities);
  const MatrixXd centred = logs.rowwise() - logs.colwise().mean();
  const VectorXd slopes = ridge(centred, target.array() - target.mean(),
                                VectorXd::Constant(logs.cols(), 1e-3 * static_cast<double>(logs.rows())));
  Powers powers;
  for (const double slope : slopes)
    powers.push_back(std::clamp(static_cast<int>(std::lround(slope)), least_power, most_power));
  while (factors_in(powers) > most_factors) {  // the weakest goes
    std::size_t weakest = 0;
    for (std::size_t j = 0; j < powers.size(); ++j)
      if (powers[j] != 0 && (powers[weakest] == 0 || std::abs(slopes[static_cast<Index>(j)]) <
                                                         std::abs(slopes[static_cast<Index>(weakest)])))
        weakest = j;
    powers[weakest] = 0;
  }
  Powers of_all(static_cast<std::size_t>(all_logs.cols()), 0);
  for (std::size_t j = 0; j < powers.size(); ++j) of_all[static_cast<std::size_t>(quantities[j])] = powers[j];
  return of_all;
}

}  // namespace

std::string monomial_text(const Powers& powers, const std::vector<std::string>& quantities) {
  std::string above, below;
  for (std::size_t j = 0; j < powers.size(); ++j) {
    if (powers[j] == 0) continue;
    auto& side = powers[j] > 0 ? above : below;
    const int power = std::abs(powers[j]);
    side += fmt::format("{}{}{}",
                        side.empty()    ? ""
                        : powers[j] > 0 ? " * "
                                        : " / ",
                        quantities[j], power > 1 ? fmt::format("^{}", power) : "");
  }
  if (above.empty()) above = "1";
  return below.empty() ? above : above + " / " + below;
}

MatrixXd monomials(const MatrixXd& log_quantities, const std::vector<Powers>& terms) {
  MatrixXd all(log_quantities.rows(), static_cast<Index>(terms.size()));
  for (std::size_t k = 0; k < terms.size(); ++k) {
    VectorXd log_term = VectorXd::Zero(all.rows());
    for (std::size_t j = 0; j < terms[k].size(); ++j)
      if (terms[k][j] != 0) log_term += terms[k][j] * log_quantities.col(static_cast<Index>(j));
    for (Index i = 0; i < all.rows(); ++i) all(i, static_cast<Index>(k)) = steady::exp(log_term[i]);
  }
  return all;
}

std::vector<Powers> choose_monomials(const MatrixXd& log_quantities, const VectorXd& log_target,
                                     std::size_t most, double power) {
  Dictionary dictionary(log_quantities, log_target, power);
  const auto quantities = strongest(log_quantities, log_target, most_quantities);
  const Powers none(static_cast<std::size_t>(log_quantities.cols()), 0);
  dictionary.add(none);
  for (const auto& one : neighbours(none, quantities)) {
    dictionary.add(one);
    for (const auto& two : neighbours(one, quantities)) dictionary.add(two);
  }
  const auto main = regressed(log_quantities, quantities, log_target);
  dictionary.add(main);
  for (const auto& near : neighbours(main, quantities)) {
    dictionary.add(near);
    for (const auto& further : neighbours(near, quantities)) dictionary.add(further);
  }

  const VectorXd ones = VectorXd::Ones(log_target.size());
  std::vector<std::size_t> chosen;
  MatrixXd columns(log_target.size(), 0);
  VectorXd coefficients(0), rest = ones;
  while (chosen.size() < most && dictionary.size() > 0) {
    const auto best = dictionary.best_for(rest);
    if (std::find(chosen.begin(), chosen.end(), best) != chosen.end()) break;
    const double before = rest.squaredNorm();
    chosen.push_back(best);
    columns.conservativeResize(Eigen::NoChange, columns.cols() + 1);
    columns.col(columns.cols() - 1) = dictionary.column(best);
    coefficients = non_negative(columns, ones);
    rest = ones - columns * coefficients;
    if (before - rest.squaredNorm() < least_gain * before) break;
    for (const auto& near : neighbours(Powers(dictionary.term(best)), quantities)) dictionary.add(near);
  }
  std::vector<Powers> terms;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    if (coefficients[static_cast<Index>(i)] > 0) terms.push_back(dictionary.term(chosen[i]));
  return terms;
}

}  // namespace neph::predict
