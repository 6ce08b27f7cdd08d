// Copies of the target are told from features that it is proportional to.
#include <cmath>

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "predict/profile/profile.hpp"

namespace neph::predict {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Profile surveyed(const std::string& text, const ProfileOptions& options = {}) {
  const auto found = profile(*table::parse_table(text, "t"), "ms", options);
  EXPECT_TRUE(found) << found.error().message;
  return found ? *found : Profile{};
}

std::vector<std::string> outcomes(const Profile& profile) {
  std::vector<std::string> names;
  for (const auto& column : profile.columns)
    if (column.kind == ColumnKind::outcome) names.push_back(column.name);
  return names;
}

/// 48 runs with 3 % of noise, and what a program writes beside the time. Nothing was repeated.
std::string measured_table() {
  Random random(3);
  std::string text = "batch,layers,machine,steps,ms,seconds,per_second,total_s,low,high,gflop,power\n";
  int row = 0;
  for (const int batch : {1, 2, 4, 8, 16, 32})
    for (const int layers : {4, 6, 8, 12})
      for (const int machine : {1, 3}) {
        const int steps = std::array{100, 200, 500}[static_cast<std::size_t>(row++ % 3)];
        const double ms = (2 + 0.1 * batch * layers) / machine * std::exp(0.03 * random.normal());
        text += fmt::format("{},{},m{},{},{:.3f},{:.6f},{:.1f},{:.3f},{:.3f},{:.3f},{},{:.1f}\n", batch,
                            layers, machine, steps, ms, ms / 1000, 1000 / ms, ms * steps / 1000,
                            ms * (0.97 + 0.01 * random.uniform()), ms * (1.02 + 0.02 * random.uniform()),
                            0.317 * batch * layers, 80 + 10 * machine + random.normal());
      }
  return text;
}

TEST(TargetCopies, OfWhatAProgramWritesBesideATimeAreNoFeatures) {
  const auto found = surveyed(measured_table());
  EXPECT_THAT(outcomes(found), UnorderedElementsAre("seconds", "per_second", "total_s", "low", "high"));
  EXPECT_THAT(found.findings,
              Contains(AllOf(Field(&Finding::code, measured_with_target),
                             Field(&Finding::message, HasSubstr("'seconds' is 'ms' times 0.001")))));
  EXPECT_THAT(found.findings, Contains(Field(&Finding::message, HasSubstr("--use makes it one"))));
}

TEST(TargetCopies, AreFeaturesWhereTheUserSaysSo) {
  EXPECT_THAT(outcomes(surveyed(measured_table(), {.used = {"low", "seconds"}})),
              testing::Not(Contains(testing::AnyOf("low", "seconds"))));
}

TEST(TargetCopies, AreFoundInARoundedUnitWithoutAnotherColumnThatSaysThem) {
  Random random(4);
  std::string text = "kind,ms,s\n";
  for (int i = 0; i < 30; ++i) {
    const double ms = 100 + 890 * random.uniform();
    text += fmt::format("k{},{:.0f},{:.3f}\n", i % 6, ms, ms / 1000);
  }
  EXPECT_THAT(outcomes(surveyed(text)), ElementsAre("s"));
}

/// What a prediction lives from: a time that is proportional to something that is known before.
std::string proportional_table(int rows, double noise, const std::function<std::string(Random&, int)>& size) {
  Random random(5);
  std::string text = "size,machine,ms\n";
  for (int i = 0; i < rows; ++i) {
    const auto cell = size(random, i);
    text += fmt::format("{},m{},{:.4f}\n", cell, i % 2,
                        0.37 * std::stod(cell) * std::exp(noise * random.normal()));
  }
  return text;
}

TEST(TargetCopies, AreNoneOfWhatIsSetThoughATimeIsProportionalToIt) {
  const auto counted_images = [](Random& random, int) { return std::to_string(100 + random.below(9900)); };
  const auto hundreds = [](Random&, int i) { return std::to_string(100 * (1 + i)); };
  const auto doubled = [](Random&, int i) { return std::to_string(1 << i % 12); };
  const auto megabytes = [](Random& random, int) { return fmt::format("{:.6f}", 1 + 99 * random.uniform()); };
  for (const double noise : {0.005, 0.02}) {
    EXPECT_THAT(outcomes(surveyed(proportional_table(60, noise, counted_images))), IsEmpty());
    EXPECT_THAT(outcomes(surveyed(proportional_table(40, noise, hundreds))), IsEmpty());
    EXPECT_THAT(outcomes(surveyed(proportional_table(36, noise, doubled))), IsEmpty());
    EXPECT_THAT(outcomes(surveyed(proportional_table(60, noise, megabytes))), IsEmpty());
  }
  EXPECT_THAT(outcomes(surveyed(proportional_table(40, 0, hundreds))), IsEmpty()) << "a simulated time";
  EXPECT_THAT(outcomes(surveyed(proportional_table(36, 0, doubled))), IsEmpty());
}

/// A fit computes with logarithms, and would find the target in each of them.
TEST(TargetCopies, AreItsNegativeItsLogarithmAndItsExponential) {
  Random random(6);
  std::string text = "batch,ms,loss,rate,ln,log2,dB,back,power\n";
  for (int i = 0; i < 60; ++i) {
    const int batch = 1 + i % 6;
    const double ms = (0.4 + 0.1 * batch) * std::exp(0.03 * random.normal());
    text += fmt::format("{},{:.5f},{:.6f},{:.5f},{:.5f},{:.5f},{:.4f},{:.5f},{:.2f}\n", batch, ms, -ms / 10,
                        -7 / ms, std::log(ms), std::log2(1000 * ms), 10 * std::log10(ms), -std::log(ms),
                        -80 + random.normal());
  }
  const auto found = surveyed(text);
  EXPECT_THAT(outcomes(found), UnorderedElementsAre("loss", "rate", "ln", "log2", "dB", "back"));
  EXPECT_THAT(found.findings, Contains(Field(&Finding::message, HasSubstr("'loss' is 'ms' times -0.1"))));
  EXPECT_THAT(found.findings,
              Contains(Field(&Finding::message, HasSubstr("'log2' is log2 of 'ms' times 1000"))));
}

TEST(TargetCopies, AreWhatTheTargetIsTheLogarithmOf) {
  Random random(7);
  std::string text = "batch,ms,exp,ten\n";
  for (int i = 0; i < 60; ++i) {
    const double ms = (1 + 0.1 * (1 + i % 6)) * std::exp(0.03 * random.normal());
    text += fmt::format("{},{:.6f},{:.6f},{:.5f}\n", 1 + i % 6, ms, std::exp(ms), std::pow(10, -ms));
  }
  EXPECT_THAT(outcomes(surveyed(text)), UnorderedElementsAre("exp", "ten"));
}

TEST(TargetCopies, OfATableOfNothingElseAreSaidInTheError) {
  std::string text = "ms,s\n";
  for (int i = 0; i < 20; ++i)
    text += fmt::format("{:.3f},{:.6f}\n", 10.123 + 1.7171 * i, 0.010123 + 0.0017171 * i);
  const auto found = profile(*table::parse_table(text, "t"), "ms");
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message,
              AllOf(HasSubstr("nothing to predict it from"), HasSubstr("'s' is 'ms' times 0.001")));
}

}  // namespace
}  // namespace neph::predict
