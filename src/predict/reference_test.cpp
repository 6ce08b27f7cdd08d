// The solvers against SciPy and scikit-learn: random problems from reference.py, one start of Python.
#include <memory>
#include <numbers>

#include <gmock/gmock.h>

#include "core/python_cases_test.hpp"
#include "predict/kernel_choice.hpp"
#include "predict/linear.hpp"

namespace neph::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

class Reference : public testing::Test {
 protected:
  static void SetUpTestSuite() { cases_ = std::make_unique<ReferenceCases>("src/predict/reference.py"); }
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

TEST_F(Reference, NonNegativeLeastSquaresFromProducts) {
  for (const auto& in : cases("nnls", 200)) {
    const auto a = matrix_of(in["a"]);
    const auto b = vector_of(in["b"]);
    const VectorXd lengths = a.colwise().norm();
    const MatrixXd scaled = a * lengths.cwiseInverse().asDiagonal();
    const auto x = non_negative_normal(scaled.transpose() * scaled, scaled.transpose() * b);
    const double residual = in["residual"];
    EXPECT_NEAR((scaled * x - b).norm(), residual, 1e-5 * (1 + residual)) << in;
  }
}

TEST_F(Reference, Ridge) {
  for (const auto& in : cases("ridge", 50)) {
    const auto a = matrix_of(in["a"]);
    expect_near(ridge(a, vector_of(in["b"]), VectorXd::Constant(a.cols(), in["penalty"])), vector_of(in["x"]),
                1e-8, in);
  }
}

TEST_F(Reference, Process) {
  for (const auto& in : cases("process", 30)) {
    const auto numbers = matrix_of(in["places"]);
    const Places places{numbers, Eigen::MatrixXi(numbers.rows(), 0)};
    const Scaling unscaled{Eigen::RowVectorXd::Zero(numbers.cols()),
                           Eigen::RowVectorXd::Ones(numbers.cols())};
    const Kernel kernel{
        in["amplitude"], in["slope"], in["noise"], in["lengths"].get<std::vector<double>>(), {}};
    const auto process = Process::with_kernel(unscaled, places, vector_of(in["target"]), kernel);
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
    EXPECT_NEAR(-posterior(logs, nullptr) - posterior.log_prior(logs), in["log_likelihood"].get<double>(),
                1e-4)
        << in;
  }
}

}  // namespace
}  // namespace neph::predict
