// The solvers against SciPy and scikit-learn: random problems from reference.py, one start of Python.
#include <memory>
#include <numbers>

#include <gtest/gtest.h>

#include "core/python_cases_test.hpp"
#include "predict/models/kernel_fit.hpp"
#include "predict/models/linear.hpp"
#include "predict/models/log_linear.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

class Reference : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    cases_ = std::make_unique<ReferenceCases>("src/predict/models/reference.py");
  }
  static void TearDownTestSuite() { cases_.reset(); }
  static std::vector<Json> cases(const std::string& kind, std::size_t expected) {
    return cases_->of(kind, expected);
  }

  static std::unique_ptr<ReferenceCases> cases_;
};
std::unique_ptr<ReferenceCases> Reference::cases_;

VectorXd vector_of(const Json& json) {
  const auto numbers = json.get<std::vector<double>>();
  return Eigen::Map<const VectorXd>(numbers.data(), static_cast<Index>(numbers.size()));
}

MatrixXd matrix_of(const Json& json) {
  MatrixXd matrix(static_cast<Index>(json.size()), static_cast<Index>(json[0].size()));
  for (Index i = 0; i < matrix.rows(); ++i) matrix.row(i) = vector_of(json[static_cast<std::size_t>(i)]);
  return matrix;
}

void expect_near(const VectorXd& actual, const VectorXd& expected, double tolerance, const Json& in) {
  ASSERT_EQ(actual.size(), expected.size());
  for (Index i = 0; i < actual.size(); ++i)
    EXPECT_NEAR(actual[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << in;
}

/// Nearly dependent columns leave the coefficients open, never the sum of squares.
TEST_F(Reference, NonNegativeLeastSquares) {
  for (const auto& in : cases("nnls", 200)) {
    const auto a = matrix_of(in["a"]);
    const auto b = vector_of(in["b"]);
    const auto x = non_negative(a, b);
    EXPECT_GE(x.minCoeff(), 0) << in;
    const double residual = in["residual"];
    EXPECT_NEAR((a * x - b).norm(), residual, 1e-7 * (1 + residual)) << in;
  }
}

FeatureMatrix rows_in(const Json& in, const char* numbers, const char* levels) {
  const auto of_one = in[levels].get<std::vector<int>>();
  return {matrix_of(in[numbers]), Eigen::Map<const Eigen::VectorXi>(of_one.data(), std::ssize(of_one))};
}

/// With the penalty that predicts each row best from all others.
TEST_F(Reference, LogLinear) {
  for (const auto& in : cases("log-linear", 50)) {
    const auto model = fit_log_linear(rows_in(in, "numbers", "levels"), vector_of(in["target"]));
    expect_near(model.log_mean(rows_in(in, "at", "levels_at")), vector_of(in["mean"]), 1e-6, in);
  }
}

TEST_F(Reference, GaussianProcess) {
  for (const auto& in : cases("process", 30)) {
    const auto numbers = matrix_of(in["places"]);
    const FeatureMatrix places{numbers, Eigen::MatrixXi(numbers.rows(), 0)};
    const Scaling unscaled{Eigen::RowVectorXd::Zero(numbers.cols()),
                           Eigen::RowVectorXd::Ones(numbers.cols())};
    const Kernel kernel{
        in["amplitude"], in["slope"], in["noise"], in["lengths"].get<std::vector<double>>(), {}};
    const auto process = GaussianProcess::with_kernel(unscaled, places, vector_of(in["target"]), kernel);
    ASSERT_TRUE(process) << process.error().message;
    const auto at = matrix_of(in["at"]);
    expect_near(process->mean({at, Eigen::MatrixXi(at.rows(), 0)}), vector_of(in["mean"]), 1e-8, in);
  }
}

/// With the priors taken away, at the kernel that scikit-learn has.
TEST_F(Reference, MarginalLikelihood) {
  for (const auto& in : cases("process", 30)) {
    const auto numbers = matrix_of(in["places"]);
    const KernelPosterior posterior({numbers, Eigen::MatrixXi(numbers.rows(), 0)}, vector_of(in["target"]),
                                    1e-6);
    std::vector<double> logs{std::log(in["amplitude"].get<double>()), std::log(in["slope"].get<double>()),
                             std::log(in["noise"].get<double>())};
    for (const double length : in["lengths"]) logs.push_back(std::log(length));
    const VectorXd at = Eigen::Map<const VectorXd>(logs.data(), std::ssize(logs));
    EXPECT_NEAR(-posterior(at, nullptr) - posterior.log_prior(at), in["log_likelihood"].get<double>(), 1e-4)
        << in;
  }
}

}  // namespace
}  // namespace neph::predict
