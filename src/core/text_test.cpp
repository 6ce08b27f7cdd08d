#include "core/text.hpp"

#include <gtest/gtest.h>

namespace neph {
namespace {

TEST(Printable, LeavesNothingThatSteersATerminal) {
  EXPECT_EQ(printable("a\x1b[31mb"), "a\uFFFD[31mb");
  EXPECT_EQ(printable("a\nb\tc"), "a b c");
  EXPECT_EQ(printable("seconds\r"), "seconds\\r");
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

TEST(IsUtf8, TakesTheReplacementCharacterAndNoBrokenSequence) {
  EXPECT_TRUE(is_utf8("ünï 画像 🌩 \uFFFD"));
  for (const auto* broken : {"a\xff", "\xc0\xaf", "\xed\xa0\x80", "\xe7\x94", "\xf4\x90\x80\x80"})
    EXPECT_FALSE(is_utf8(broken)) << broken;
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

TEST(Trimmed, LosesBlanksAtItsEndsOnly) {
  EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(SmallLetters, AreOfAsciiAlone) {
  EXPECT_EQ(lowered("eu-WEST-1 Ä"), "eu-west-1 Ä");
  EXPECT_TRUE(same_words("V100", "v100"));
  EXPECT_FALSE(same_words("V100", "v10"));
  EXPECT_FALSE(same_words("Ä", "ä"));
}

}  // namespace
}  // namespace neph
