#include "report/quantity.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace neph::report {
namespace {

TEST(Quantity, CarriesItsUnit) {
  EXPECT_EQ(quantity(1.5 * (1 << 30), "bytes"), "1.50 GiB");
  EXPECT_EQ(quantity(std::nullopt, "cores"), "–");
  EXPECT_EQ(quantity(NAN, "bytes"), "–");
  EXPECT_EQ(quantity(1.234e-6, "cores"), "0") << "seven digits of dust";
  EXPECT_EQ(quantity(0.0012, "cores"), "0.00120");
  EXPECT_EQ(quantity(1e-5, "percent"), "0 %");
  EXPECT_EQ(quantity(1.23e-6, "s"), "1.23 µs");
}

TEST(Escape, KeepsTextOutOfMarkup) {
  EXPECT_EQ(escape_html("<b a=\"1\">&'"), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;");
  EXPECT_EQ(escape_html("95 % of"), "95&nbsp;% of");
  EXPECT_EQ(escape_markdown("a|b <i> *c*"), "a\\|b &lt;i> \\*c\\*");
}

}  // namespace
}  // namespace neph::report
