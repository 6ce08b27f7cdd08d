#include "core/toml.hpp"

#include <gtest/gtest.h>

#include "core/json.hpp"

namespace neph {
namespace {

TEST(Toml, BecomesItsJsonTwin) {
  const auto json =
      parse_toml("repeat = 20\n[infer]\nbatch = [1, 2]\nrate = 0.5\nfiles = true\nmodel = \"r\"\n", "x.toml");
  ASSERT_TRUE(json);
  EXPECT_EQ(dump_json((*json)["infer"]["batch"]), "[1,2]");
  EXPECT_EQ((*json)["repeat"], 20);
  EXPECT_EQ((*json)["infer"]["files"], true);
  EXPECT_EQ((*json)["infer"]["model"], "r");
}

TEST(Toml, SaysWhereItIsBroken) {
  const auto json = parse_toml("a = 1\nb = = 2\n", "x.toml");
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().code, ErrorCode::corrupt);
  EXPECT_EQ(json.error().message.rfind("x.toml:2:5: not valid TOML: ", 0), 0U) << json.error().message;
}

TEST(Toml, DeepNestingIsRefusedNotFollowed) {
  const auto refused = [](const std::string& text) {
    const auto json = parse_toml(text, "x.toml");
    return !json && json.error().message == "x.toml: not valid TOML: nested more than 8 deep";
  };
  std::string dots = "a";
  for (int i = 0; i < 20000; ++i) dots += ".a";
  EXPECT_TRUE(refused("a = " + std::string(20000, '[')));
  EXPECT_TRUE(refused("[" + dots + "]"));
  EXPECT_TRUE(refused(dots + " = 1"));
  for (const auto* decoy : {R"(""" " """)", R"("""x"""")", R"("\\")", R"('\')", R"(''''x''')", "\"\" # \"\n"})
    EXPECT_TRUE(refused("x = {a = " + std::string(decoy) + ", " + dots + " = 1}")) << decoy;
}

TEST(Toml, BracketsAndDotsInTextAreText) {
  const std::string text = std::string(50, '.') + std::string(50, '[');
  for (const auto* quotes : {"\"", "'", "\"\"\"", "'''"}) {
    const auto json =
        parse_toml("a = " + (quotes + text) + quotes + " # " + text + "\nb = [1.5, 2.5]\n", "x.toml");
    ASSERT_TRUE(json) << json.error().message;
    EXPECT_EQ((*json)["a"], text);
  }
  EXPECT_TRUE(
      parse_toml("a = [" + std::string(9, ' ') + "1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.1]", ""));
}

TEST(Toml, LettersBeyondAsciiAreNoSpace) {
  EXPECT_FALSE(parse_toml("\u00e9t\u00e9 = 1", "x.toml"));
  EXPECT_FALSE(parse_toml("a = 1 \u3042", "x.toml"));
  EXPECT_EQ((*parse_toml("a = \"\"\"\\\n  \u00e9\"\"\"", "x.toml"))["a"], "\u00e9");
}

TEST(Toml, RefusesWhatNoPersonWrites) {
  EXPECT_TRUE(parse_toml("a = '" + std::string(60'000, 'x') + "'", "x.toml"));
  EXPECT_EQ(parse_toml("a = '" + std::string(70'000, 'x') + "'", "x.toml").error().message,
            "x.toml: larger than 64 KiB, too large for a TOML file");
  EXPECT_EQ(dump_json(*parse_toml("a = [nan, -inf, inf]", "x.toml")), R"({"a":["nan","-inf","inf"]})");
}

}  // namespace
}  // namespace neph
