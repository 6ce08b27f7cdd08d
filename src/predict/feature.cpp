#include "predict/feature.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/random.hpp"
#include "predict/kernel_choice.hpp"
#include "predict/level_factors.hpp"
#include "predict/steady_math.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t most_cells = std::size_t{1} << 24;  ///< of a matrix of features: 128 MiB

std::size_t place(Index index) { return static_cast<std::size_t>(index); }

Feature one(const Inputs& inputs) {
  return {.powers = std::vector<int>(place(inputs.log_quantities.cols()), 0),
          .plain_powers = std::vector<int>(place(inputs.plain.cols()), 0),
          .levels = std::vector<int>(place(inputs.places.levels.cols()), -1)};
}

/// Each level of each category that was seen, as the one row of `levels` that asks for it.
std::vector<Feature> level_features(const Inputs& inputs) {
  std::vector<Feature> all;
  const auto& levels = inputs.places.levels;
  for (Index c = 0; c < levels.cols(); ++c) {
    const int last = levels.rows() == 0 ? -1 : levels.col(c).maxCoeff();
    for (int level = 0; level <= last && last < most_levels_with_factors; ++level) {
      all.push_back(one(inputs));
      all.back().levels[place(c)] = level;
    }
  }
  return all;
}

/// What products are made of: numbers, levels, inverses.
std::vector<Feature> factors_of(const Inputs& inputs) {
  std::vector<Feature> all;
  const auto add_quantities = [&](int power) {
    for (Index q = 0; q < inputs.log_quantities.cols(); ++q) {
      all.push_back(one(inputs));
      all.back().powers[place(q)] = power;
    }
  };
  add_quantities(1);
  for (Index j = 0; j < inputs.plain.cols(); ++j) {
    all.push_back(one(inputs));
    all.back().plain_powers[place(j)] = 1;
  }
  add_quantities(-1);
  for (auto& level : level_features(inputs)) all.push_back(std::move(level));
  return all;
}

/// Nothing: no row has two levels of one category.
std::optional<Feature> product(Feature a, const Feature& b) {
  for (std::size_t i = 0; i < a.powers.size(); ++i) a.powers[i] += b.powers[i];
  for (std::size_t i = 0; i < a.plain_powers.size(); ++i) a.plain_powers[i] += b.plain_powers[i];
  for (std::size_t c = 0; c < a.levels.size(); ++c) {
    if (b.levels[c] < 0) continue;
    if (a.levels[c] >= 0 && a.levels[c] != b.levels[c]) return std::nullopt;
    a.levels[c] = b.levels[c];
  }
  return a;
}

/// A column's sign and size are a choice: the same for all that differ in those alone.
double fingerprint(const VectorXd& column, const VectorXd& direction) {
  return std::abs(column.dot(direction)) / static_cast<double>(column.size());
}

/// Columns that were kept, found by a number that equal ones share.
class Kept {
 public:
  explicit Kept(Index rows) : direction_(rows) {
    Random random(1);
    for (auto& part : direction_) part = random.uniform();
  }
  /// False: it is there already.
  bool add(const VectorXd& column) {
    constexpr double same = 1e-7;
    const double print = fingerprint(column, direction_);
    for (auto near = by_print_.lower_bound(print - same);
         near != by_print_.end() && near->first <= print + same; ++near) {
      const auto& other = columns_[near->second];
      if ((column - other).cwiseAbs().maxCoeff() < same || (column + other).cwiseAbs().maxCoeff() < same)
        return false;
    }
    by_print_.emplace(print, columns_.size());
    columns_.push_back(column);
    return true;
  }
  MatrixXd columns() const {
    MatrixXd all(direction_.size(), static_cast<Index>(columns_.size()));
    for (std::size_t j = 0; j < columns_.size(); ++j) all.col(static_cast<Index>(j)) = columns_[j];
    return all;
  }

 private:
  VectorXd direction_;
  std::multimap<double, std::size_t> by_print_;
  std::vector<VectorXd> columns_;
};

}  // namespace

std::string feature_text(const Feature& feature, const Design& design) {
  std::string above, below;
  const auto multiply = [](std::string& side, const std::string& by) {
    side += (side.empty() ? "" : " * ") + by;
  };
  const auto factor = [&](const std::string& name, int power) {
    if (power == 0) return;
    const int size = std::abs(power);
    multiply(power > 0 ? above : below, size == 1 ? name : fmt::format("{}^{}", name, size));
  };
  for (std::size_t q = 0; q < feature.powers.size(); ++q) factor(design.quantities()[q], feature.powers[q]);
  const auto plain = design.plain();
  for (std::size_t j = 0; j < plain.size(); ++j) factor(plain[j], feature.plain_powers[j]);
  if (feature.logarithm >= 0)
    multiply(above, fmt::format("log({})", design.quantities()[static_cast<std::size_t>(feature.logarithm)]));
  auto text = below.empty() ? above : fmt::format("{} / {}", above.empty() ? "1" : above, below);
  for (std::size_t c = 0; c < feature.levels.size(); ++c)
    if (const auto& category = design.categories()[c]; feature.levels[c] >= 0)
      multiply(text, fmt::format("[{} is {}]", category.column,
                                 category.levels[static_cast<std::size_t>(feature.levels[c])]));
  return text.empty() ? "1" : text;
}

VectorXd feature_values(const Feature& feature, const Inputs& inputs) {
  VectorXd values(inputs.rows());
  for (Index i = 0; i < values.size(); ++i) {
    values[i] = 0;
    bool has_levels = true;
    for (std::size_t c = 0; c < feature.levels.size(); ++c)
      has_levels &=
          feature.levels[c] < 0 || inputs.places.levels(i, static_cast<Index>(c)) == feature.levels[c];
    if (!has_levels) continue;
    double exponent = 0, value = 1;
    for (std::size_t q = 0; q < feature.powers.size(); ++q)
      if (feature.powers[q] != 0)
        exponent += feature.powers[q] * inputs.log_quantities(i, static_cast<Index>(q));
    for (std::size_t j = 0; j < feature.plain_powers.size(); ++j)
      for (int power = 0; power < feature.plain_powers[j]; ++power)
        value *= inputs.plain(i, static_cast<Index>(j));
    if (feature.logarithm >= 0) value *= inputs.log_quantities(i, feature.logarithm) - feature.log_origin;
    values[i] = exponent == 0 ? value : value * steady::exp_within(exponent);
  }
  return values;
}

MatrixXd feature_values(const std::vector<Feature>& features, const Inputs& inputs) {
  MatrixXd all(inputs.rows(), static_cast<Index>(features.size()));
  for (Index j = 0; j < all.cols(); ++j) all.col(j) = feature_values(features[place(j)], inputs);
  return all;
}

std::vector<Feature> products_up_to(int degree, const Inputs& inputs) {
  const auto factors = factors_of(inputs);
  std::set<Feature> known{one(inputs)};
  std::vector<Feature> all;
  struct Product {
    Feature value;
    std::size_t last;  ///< factor; the next ones are not before it
  };
  std::vector<Product> shorter{{one(inputs), 0}};
  for (int count = 1; count <= degree; ++count) {
    std::vector<Product> longer;
    for (const auto& [value, last] : shorter) {
      for (std::size_t next = last; next < factors.size(); ++next) {
        if (all.size() == most_features) return all;
        const auto made = product(value, factors[next]);
        if (!made) continue;
        if (known.insert(*made).second) all.push_back(*made);
        longer.push_back({*made, next});
      }
    }
    shorter = std::move(longer);
  }
  return all;
}

std::vector<Feature> by_level(const std::vector<Feature>& features, const Inputs& inputs) {
  auto all = features;
  const auto levels = level_features(inputs);
  for (const auto& feature : features)
    for (const auto& level : levels)
      if (auto made = product(feature, level); made && all.size() < most_features)
        all.push_back(std::move(*made));
  return all;
}

std::vector<std::size_t> rows_for(const std::vector<Feature>& features, const Inputs& inputs) {
  return drawn_rows(place(inputs.rows()), most_cells / std::max<std::size_t>(1, features.size()));
}

Standardised standardised(const std::vector<Feature>& features, const Inputs& inputs) {
  Standardised result;
  Kept kept(inputs.rows());
  std::vector<double> centers, widths;
  for (const auto& feature : features) {
    constexpr double rounding = 1e-12;
    VectorXd column = feature_values(feature, inputs);
    const double size = column.size() == 0 ? 0 : column.cwiseAbs().maxCoeff();
    if (!(size > 0) || !std::isfinite(size)) continue;
    column /= size;  // so that no square overflows
    const double center = column.mean();
    column.array() -= center;
    const double width = std::sqrt(column.squaredNorm() / static_cast<double>(column.size()));
    if (!(width > rounding) || !(width * size > 0)) continue;
    column /= width;
    if (!kept.add(column)) continue;
    result.features.push_back(feature);
    centers.push_back(center * size);
    widths.push_back(width * size);
  }
  result.columns = kept.columns();
  result.centers = Eigen::Map<const VectorXd>(centers.data(), static_cast<Index>(centers.size()));
  result.widths = Eigen::Map<const VectorXd>(widths.data(), static_cast<Index>(widths.size()));
  return result;
}

VectorXd FeatureSum::log_mean(const Inputs& at) const {
  VectorXd sum = VectorXd::Constant(at.rows(), level);
  for (std::size_t j = 0; j < features.size(); ++j) {
    const auto values = feature_values(features[j], at);
    const double center = centers[static_cast<Index>(j)], slope = slopes[static_cast<Index>(j)];
    for (Index i = 0; i < sum.size(); ++i) sum[i] += slope * (values[i] - center);
  }
  for (auto& value : sum) {
    const double log =
        value > 0 ? steady::log(std::min(value, std::numeric_limits<double>::max())) + log_unit : log_least;
    value = std::max(log, log_least);
  }
  return sum;
}

Times times_of(const VectorXd& log_target) {
  Times times;
  if (log_target.size() == 0) return times;
  times.mean.log_unit = log_target.maxCoeff();
  times.mean.log_least = log_target.minCoeff();
  times.values = (log_target.array() - times.mean.log_unit).exp();
  times.mean.level = times.values.mean();
  return times;
}

}  // namespace neph::predict
