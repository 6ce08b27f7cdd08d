#include "predict/ernest.hpp"

#include "predict/non_negative_sum.hpp"

namespace neph::predict {

using Eigen::Index;

constexpr std::size_t most_quotients = most_features / 2;  ///< and what stands before them: levels need room

std::vector<Feature> ernest_features(const Inputs& inputs) {
  const auto quantities = static_cast<std::size_t>(inputs.log_quantities.cols());
  const Feature one{.powers = std::vector<int>(quantities, 0),
                    .plain_powers = std::vector<int>(static_cast<std::size_t>(inputs.plain.cols()), 0),
                    .levels = std::vector<int>(static_cast<std::size_t>(inputs.places.levels.cols()), -1)};
  std::vector<Feature> all;
  const auto add = [&](const auto& set) {
    if (all.size() + 1 >= most_features) return;
    all.push_back(one);
    set(all.back());
  };
  for (std::size_t j = 0; j < one.plain_powers.size(); ++j)
    add([&](Feature& feature) { feature.plain_powers[j] = 1; });
  for (std::size_t q = 0; q < quantities; ++q) {
    for (const int power : {1, -1}) add([&](Feature& feature) { feature.powers[q] = power; });
    add([&](Feature& feature) {
      feature.logarithm = static_cast<int>(q);
      if (inputs.rows() > 0) feature.log_origin = inputs.log_quantities.col(static_cast<Index>(q)).minCoeff();
    });
  }
  for (std::size_t above = 0; above < quantities && all.size() < most_quotients; ++above)
    for (std::size_t below = 0; below < quantities; ++below)
      if (above != below)
        add([&](Feature& feature) {
          feature.powers[above] = 1;
          feature.powers[below] = -1;
        });
  all.push_back(one);  // for the levels: a constant of each
  return by_level(all, inputs);
}

FeatureSum fit_ernest(const Inputs& inputs, const Eigen::VectorXd& log_target) {
  return fit_non_negative(ernest_features(inputs), inputs, log_target);
}

}  // namespace neph::predict
