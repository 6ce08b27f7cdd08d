#include "report/sample_validation_test.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/random.hpp"
#include "os/file.hpp"

namespace neph::report {
namespace {

constexpr const char* hostile_text =
    "</script><script>alert('x')</script> & <b>\"|`\x1b[31m\xff 画像.a[0]\n🌩";

Score score_of(double off) {
  return {.rows = 24,
          .refused = 0,
          .mean = off / 2,
          .median = off / 3,
          .p90 = off * 0.9,
          .worst = off,
          .coverage = 0.9,
          .half_width = 1 + off,
          .flagged = 0.1};
}

PredictedPoint point_of(std::size_t place, double off, Random& random) {
  const double measured = 2.0 + 3.0 * static_cast<double>(place);
  const double value = measured * (1 + off * (2 * random.uniform() - 1));
  return {.split = static_cast<std::int64_t>(place % 2),
          .point = static_cast<std::int64_t>(place),
          .measured = measured,
          .value = value,
          .low = value / (1 + off),
          .high = value * (1 + off),
          .extrapolates = place % 10 == 0,
          .refused = {}};
}

ValidatedMethod method_of(const std::string& name, double off, const Validation& validation,
                          std::size_t points) {
  ValidatedMethod method{.method = name, .score = score_of(off)};
  Random random(7);
  for (const auto& split : validation.splits) method.splits.push_back({split, score_of(off)});
  for (const auto& machine : {0, 1})
    method.slices.push_back(
        {validation.features[1].name,
         validation.features[1].values[static_cast<std::size_t>(machine)].get<std::string>(), score_of(off)});
  for (std::size_t i = 0; i < points; ++i) method.rows.push_back(point_of(i, off, random));
  auto& refused = method.rows.back();
  refused.value = refused.low = refused.high = NAN;
  refused.refused = "no row of this machine was measured";
  return method;
}

}  // namespace

Validation sample_validation(const SampleValidationOptions& options) {
  const std::string hostile = options.hostile ? hostile_text : "";
  Validation validation{.table = "runs.csv" + hostile, .target = "time (ms)" + hostile};
  validation.splits = {"fold 1 of 2" + hostile, "fold 2 of 2"};
  validation.features = {{"batch" + hostile, {}}, {"machine" + hostile, {}}, {"side" + hostile, {}}};
  for (std::size_t i = 0; i < options.points; ++i) {
    validation.features[0].values.emplace_back(1 << (i % 6));
    validation.features[1].values.emplace_back((i % 2 == 0 ? "slow" : "fast") + hostile);
    validation.features[2].values.push_back(i == 3 ? Json() : Json(32 + 8 * (i % 4)));
  }
  for (std::size_t i = 0; i < options.methods.size(); ++i)
    validation.methods.push_back(
        method_of(options.methods[i], i == 0 ? 0.05 : 0.4, validation, options.points));
  validation.explained = options.methods.front();
  for (const std::int64_t points : {20, 40, 80})
    validation.learning_curve.push_back(
        {.points = points, .draws = 3, .mean = 2.0 / points, .least = 1.5 / points, .most = 2.5 / points});
  validation.contributions = {
      {.column = validation.features[0].name, .factor = 3.1, .least = 2.4, .most = 4},
      {.column = validation.features[1].name, .factor = 1.01, .least = 0.98, .most = 1.03},
      {.column = validation.features[2].name, .unavailable = "it has no cells" + hostile}};
  for (int i = 0; i < 5; ++i)
    validation.proposals.push_back({.cells = {1 << i, "slow" + hostile, nullptr},
                                    .value = 3.0 + i,
                                    .low = 2.0 + i,
                                    .high = 5.0 + i,
                                    .gain = 0.2 / (1 + i)});
  validation.notes = {"no more can be said" + hostile};
  return validation;
}

/// For tests/e2e, as the pages of sample_document_test.cpp are.
TEST(SampleValidation, IsWrittenForTheBrowser) {
  const auto* build = std::getenv("NEPH_BUILD");
  if (!build) GTEST_SKIP() << "NEPH_BUILD is not set";
  for (const bool hostile : {false, true}) {
    const auto name = fmt::format("report-sample-validation{}.html", hostile ? "-hostile" : "");
    ASSERT_TRUE(
        write_file(std::filesystem::path(build) / name, html(sample_validation({.hostile = hostile}))));
  }
}

}  // namespace neph::report
