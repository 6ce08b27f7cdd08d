#include "report/quantity.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace neph::report {
namespace {

TEST(Quantity, CarriesItsUnit) {
  EXPECT_EQ(quantity(1.5 * (1 << 30), "bytes"), "1.50 GiB");
  EXPECT_EQ(quantity(42.0, "percent"), "42.0 %");
  EXPECT_EQ(quantity(2.7e9, "hertz"), "2.70 GHz");
  EXPECT_EQ(quantity(1.938, "cores"), "1.94");
  EXPECT_EQ(quantity(1234567.0, "per_s"), "1.23 M/s");
  EXPECT_EQ(quantity(std::nullopt, "cores"), "–");
  EXPECT_EQ(quantity(NAN, "bytes"), "–");
}

TEST(Printable, LeavesNothingThatSteersATerminal) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\uFFFD[31mb");
  EXPECT_EQ(printable("a\nb\tc"), "a b c");
  EXPECT_EQ(printable("a\u202Etxt.exe"), "a\uFFFDtxt.exe");
  EXPECT_EQ(printable("ünï 画像 🌩"), "ünï 画像 🌩");
}

TEST(Printable, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(printable("a\xff"), "a\uFFFD");
  EXPECT_EQ(printable("\xc0\xaf"), "\uFFFD\uFFFD");            // overlong '/'
  EXPECT_EQ(printable("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD");  // a surrogate
  EXPECT_EQ(printable("\xe7\x94"), "\uFFFD\uFFFD");            // cut short
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\uFFFD\uFFFD\uFFFD\uFFFD");
}

TEST(Escape, KeepsTextOutOfMarkup) {
  EXPECT_EQ(escape_html("<b a=\"1\">&'"), "&lt;b a=&quot;1&quot;&gt;&amp;&#39;");
  EXPECT_EQ(escape_html("95 % of"), "95&nbsp;% of");
  EXPECT_EQ(escape_markdown("a|b <i> *c*"), "a\\|b &lt;i> \\*c\\*");
}

TEST(DisplayWidth, CountsColumnsAndNotBytes) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("±ä"), 2u);
  EXPECT_EQ(display_width("画像"), 4u);
  EXPECT_EQ(display_width("e\u0301"), 1u);
  EXPECT_EQ(display_width("🌩"), 2u);
}

TEST(CutToWidth, EndsWithDotsWhereItCuts) {
  EXPECT_EQ(cut_to_width("abcdef", 6), "abcdef");
  EXPECT_EQ(cut_to_width("abcdef", 4), "abc…");
  EXPECT_EQ(cut_to_width("画像画像", 4), "画…");
  EXPECT_EQ(cut_to_width("abc", 0), "");
}

}  // namespace
}  // namespace neph::report
