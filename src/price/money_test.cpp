#include "price/money.hpp"

#include <gtest/gtest.h>

namespace neph::price {
namespace {

Exact decimal(std::string_view text) { return parse_decimal(text, "it").value(); }

TEST(Decimal, IsExact) {
  EXPECT_EQ(decimal("0.73948") * 100'000, 73948);
  EXPECT_EQ(decimal("0.1") + decimal("0.2"), decimal("0.3"));
  EXPECT_EQ(decimal(".5"), Exact(1, 2));
  EXPECT_EQ(decimal("-2."), -2);
  EXPECT_EQ(decimal("010"), 10);
  EXPECT_EQ(decimal("1e-05"), Exact(1, 100'000));
  EXPECT_EQ(decimal("1.5E+3"), 1500);
  EXPECT_EQ(decimal(" 7 "), 7);
  EXPECT_EQ(decimal("000"), 0);
}

TEST(Decimal, RefusesWhatIsNone) {
  for (const auto* text : {"", ".", "-", "nan", "inf", "1,5", "0x10", "1e", "1e+", "1e999", "1e1e1", "1.2.3",
                           "--1", "12345678901234567890123456789012345678901234"})
    EXPECT_FALSE(parse_decimal(text, "it")) << text;
}

TEST(Decimal, IsRoundedHalfUpOnce) {
  EXPECT_EQ(decimal_text(200), "200.00");
  EXPECT_EQ(decimal_text(0), "0.00");
  EXPECT_EQ(decimal_text(decimal("0.1234565")), "0.123457");
  EXPECT_EQ(decimal_text(decimal("0.1234564999")), "0.123456");
  EXPECT_EQ(decimal_text(Exact(1, 3)), "0.333333");
  EXPECT_EQ(decimal_text(decimal("1.5")), "1.50");
  EXPECT_EQ(decimal_text(decimal("0.0000004")), "0.00");
  EXPECT_EQ(decimal_text(decimal("0.0000005")), "0.000001");
  EXPECT_EQ(decimal_text(decimal("-0.0000004")), "0.00");
  EXPECT_EQ(decimal_text(decimal("-1.2345678")), "-1.234568");
  EXPECT_EQ(decimal_text(decimal("999999.9999995")), "1000000.00");
}

TEST(Price, IsReadAsPeopleWriteIt) {
  const auto read = [](std::string_view text) {
    const auto price = parse_price(text).value();
    return decimal_text(price.per_hour) + " " + price.currency;
  };
  EXPECT_EQ(read("100RUB/h"), "100.00 RUB");
  EXPECT_EQ(read("0.40 USD/h"), "0.40 USD");
  EXPECT_EQ(read("$0.40/hour"), "0.40 USD");
  EXPECT_EQ(read("USD 1.2/min"), "72.00 USD");
  EXPECT_EQ(read("0.0001€/s"), "0.36 EUR");
  EXPECT_EQ(read("24 GBP/day"), "1.00 GBP");
  EXPECT_EQ(read("730USD/month"), "1.00 USD");
  EXPECT_EQ(read("0USD/h"), "0.00 USD");
}

TEST(Price, SaysWhatIsMissing) {
  const auto why = [](std::string_view text) { return parse_price(text).error().text(); };
  EXPECT_EQ(why("100RUB"), "price '100RUB': per what time? Give it as 100RUB/h or $0.40/h");
  EXPECT_EQ(why("100/h"), "price '100/h': in which currency? Give it as 100RUB/h or $0.40/h");
  EXPECT_EQ(why("1USD/week"), "price '1USD/week': 'week' is no unit of time; give s, min, h, day or month");
  EXPECT_EQ(why("-1USD/h"), "price '-1USD/h' is below 0");
  EXPECT_EQ(why("nanUSD/h"), "price 'nanUSD/h': 'nan' is no number");
}

TEST(Cost, IsOfNanoseconds) {
  const auto price = parse_price("3.6USD/h").value();
  EXPECT_EQ(decimal_text(cost(price, std::chrono::seconds(1))), "0.001");
  EXPECT_EQ(cost(price, Nanoseconds(1)) * 1'000'000'000, Exact(1, 1000));
}

}  // namespace
}  // namespace neph::price
