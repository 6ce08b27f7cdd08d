// The literature's way to predict how long training takes (Lattuada, Gianniti, Ardagna, Zhang, Performance
// prediction of deep learning applications training in GPU as a service systems, Cluster Computing 25, 2022;
// their library is aMLLibrary): inverses and products of columns, normalised, of which a sequential forward
// selection by cross-validation takes some for a ridge regression of the time itself.
#pragma once

#include "predict/feature.hpp"

namespace neph::predict {

struct LattuadaSettings {
  int degree = 2;  ///< of products
  int folds = 5;
  std::size_t most_chosen = 30;
  std::vector<double> penalties = {0.01, 0.1, 1, 10};
};

/// The number of features and the penalty are those with the least cross-validated error. All of it is
/// learned from these rows: to learn what the method is worth, leave rows out beforehand. Cost: that of
/// select_forward for each penalty.
FeatureSum fit_lattuada(const Inputs& inputs, const Eigen::VectorXd& log_target,
                        const LattuadaSettings& settings = {});
/// The same with folds that are given: of each row, 0 to one less than there are.
FeatureSum fit_lattuada(const Inputs& inputs, const Eigen::VectorXd& log_target,
                        const std::vector<int>& folds, const LattuadaSettings& settings);

/// Of each row, drawn by lot: as many rows in each as can be.
std::vector<int> drawn_folds(std::size_t rows, int folds);

}  // namespace neph::predict
