#include "core/toml.hpp"

#include <gtest/gtest.h>

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
  EXPECT_FALSE(parse_toml("a = " + std::string(100000, '['), "x.toml"));
}

}  // namespace
}  // namespace neph
