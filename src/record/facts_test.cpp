#include "record/facts.hpp"

#include <gtest/gtest.h>

namespace neph {
namespace {

TEST(Facts, AreTextWithAType) {
  Facts facts;
  set(facts, fact::loaders, 4);
  set(facts, fact::kernel, "jit_avx2");
  EXPECT_EQ(facts, (Facts{{"loaders", "4"}, {"kernel", "jit_avx2"}}));
  EXPECT_EQ(get(facts, fact::loaders), 4);
  EXPECT_EQ(get(facts, fact::kernel), "jit_avx2");
  EXPECT_EQ(get(facts, fact::hint), std::nullopt);
}

TEST(Facts, OfAnotherTypeAreNotTold) {
  for (const auto* text : {"", "at most 8", "8 of them", "99999999999999999999"})
    EXPECT_EQ(get(Facts{{"in_flight", text}}, fact::in_flight), std::nullopt) << text;
  EXPECT_EQ(get(Facts{{"in_flight", "at most 8"}}, fact::in_flight_limit), "at most 8");
}

}  // namespace
}  // namespace neph
