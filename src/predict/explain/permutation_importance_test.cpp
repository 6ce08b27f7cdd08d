#include "predict/explain/permutation_importance.hpp"

#include <gmock/gmock.h>

#include "predict/models/noisy_work_test.hpp"

namespace neph::predict {
namespace {

std::map<std::string, Contribution> by_column(const std::vector<Contribution>& all) {
  std::map<std::string, Contribution> found;
  for (const auto& each : all) found[each.column] = each;
  return found;
}

TEST(Contributions, AreLargeOfWhatMattersAndNoneOfWhatDoesNot) {
  const auto profile = noisy_work(10);
  for (const auto method : {Method::process, Method::terms}) {
    const auto all = *permutation_importance(profile, {.method = method}, 1);
    auto of = by_column(all);
    EXPECT_EQ(all.front().column, "work") << enum_name(method);
    EXPECT_GT(of["work"].factor, 1.8);
    EXPECT_GT(of["machine"].factor * of["memory"].factor, 1.3);
    EXPECT_NEAR(of["colour"].factor, 1, 0.02);
    for (const auto& each : all) {
      EXPECT_LE(each.least, each.factor);
      EXPECT_GE(each.most, each.factor);
      EXPECT_EQ(each.unavailable, "");
    }
  }
}

TEST(Contributions, AreTheSameForTheSameSeed) {
  const auto profile = noisy_work(6);
  const FitOptions options{.method = Method::process};
  const auto first = *permutation_importance(profile, options, 3),
             second = *permutation_importance(profile, options, 3);
  for (std::size_t i = 0; i < first.size(); ++i) EXPECT_EQ(first[i].factor, second[i].factor);
}

TEST(Contributions, LeaveOutNetworksThatCannotBeBuiltAsShuffled) {
  const FitOptions options{.roles = roles_of_networks, .method = Method::process};
  auto of = by_column(*permutation_importance(steps_of_networks(), options, 1));
  for (const auto* column : {"model", "side", "batch"}) {
    EXPECT_EQ(of[column].unavailable, "");
    EXPECT_GT(of[column].factor, 1.2) << column;
    EXPECT_LT(of[column].factor, 10) << column;
  }
}

TEST(Contributions, SayWhyNothingCouldBeFitted) {
  const auto profile = part_of(noisy_work(2), {0, 1, 2, 3, 4});
  const auto none = permutation_importance(profile, {.method = Method::process}, 1);
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().message, testing::HasSubstr("too few"));
}

}  // namespace
}  // namespace neph::predict
