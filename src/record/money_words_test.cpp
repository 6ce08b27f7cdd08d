#include "record/money_words.hpp"

#include <gtest/gtest.h>

namespace neph {
namespace {

TEST(MoneyWords, AreToCentsAndOfLessToThreeDigits) {
  EXPECT_EQ(money_words(0, "USD"), "0 USD");
  EXPECT_EQ(money_words(0.4, "USD"), "0.40 USD");
  EXPECT_EQ(money_words(0.5333333, "USD"), "0.533 USD");
  EXPECT_EQ(money_words(0.03333, "EUR"), "0.0333 EUR");
  EXPECT_EQ(money_words(0.998, "USD"), "1.00 USD");
  EXPECT_EQ(money_words(200, "RUB"), "200.00 RUB");
  EXPECT_EQ(money_words(-0.25, "USD"), "-0.25 USD");
}

}  // namespace
}  // namespace neph
