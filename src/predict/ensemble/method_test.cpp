#include "predict/ensemble/method.hpp"

#include <gmock/gmock.h>

namespace neph::predict {
namespace {

using testing::ElementsAre;

std::vector<std::string> members_of(Method method, const TermTexts& terms) {
  const auto design = Design::learn(*table::parse_table("a,b\n1,x\n2,y\n", "t"), {.terms = terms});
  std::vector<std::string> names;
  for (const auto& spec : specs_of(method, *design)) names.push_back(to_string(spec));
  return names;
}

TEST(Methods, HaveTheMembersThatSuitTheTable) {
  EXPECT_THAT(members_of(Method::automatic, {}),
              ElementsAre("GP", "log-linear + GP", "log-linear + trees", "trees"));
  EXPECT_THAT(members_of(Method::trees, {}), ElementsAre("log-linear + trees"));
  EXPECT_THAT(members_of(Method::terms, {}), ElementsAre("log-linear")) << "there are no terms";
  EXPECT_THAT(members_of(Method::terms, {.work = {"a"}, .latency = {"1"}}), ElementsAre("user terms"));
  EXPECT_THAT(members_of(Method::terms, {.work = {"a", "a^2"}}),
              ElementsAre("user terms", "user terms (smooth maximum 2)", "user terms (smooth maximum 4)"));
  EXPECT_EQ(members_of(Method::automatic, {.work = {"a", "a^2"}}).size(), 10U);
}

}  // namespace
}  // namespace neph::predict
