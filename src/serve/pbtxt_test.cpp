#include "serve/pbtxt.hpp"

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <model_config.pb.h>

namespace neph::serve {
namespace {

using testing::HasSubstr;

/// What was read, as protobuf writes it, with what was passed over; or the error.
std::string read(std::string_view text) {
  triton::ModelConfig config;
  const auto unknown = parse_pbtxt(text, "config.pbtxt", config);
  if (!unknown) return unknown.error().message;
  auto all = config.ShortDebugString();
  if (!unknown->empty()) all += fmt::format("passed over: {}", fmt::join(*unknown, "; "));
  while (all.ends_with(' ')) all.pop_back();
  return all;
}

TEST(Pbtxt, HasTheSpellingsOfTheTextFormat) {
  for (const auto* yes : {"true", "True", "t", "1"})
    EXPECT_EQ(read(fmt::format("input {{ optional: {} }}", yes)), "input { optional: true }") << yes;
  for (const auto* no : {"false", "False", "f", "0"})
    EXPECT_EQ(read(fmt::format("input {{ optional: {} }}", no)), "input { }") << no;
  EXPECT_EQ(read("input { data_type: 11 format: 2 }"),
            read("input { data_type: TYPE_FP32 format: FORMAT_NCHW }"));
  EXPECT_EQ(read("instance_group [ { kind: 2 count: 0x1F } ]"),
            "instance_group { count: 31 kind: KIND_CPU }");
  EXPECT_EQ(read("input < dims: [ -1, 3 ] dims: 017; >, input: { dims: 4 }"),
            "input { dims: -1 dims: 3 dims: 15 } input { dims: 4 }");
  EXPECT_EQ(read("name: \"a\\x41\" 'b' # rest\r\nparameters { key: \"k\" value: { string_value: \"v\" } }"),
            R"(name: "aAb" parameters { key: "k" value { string_value: "v" } })");
  EXPECT_EQ(read("\xEF\xBB\xBFname: 'a'"), R"(name: "a")") << "a byte order mark";
  EXPECT_EQ(read("# nothing, caf\xC3\xA9\n"), "");
}

TEST(Pbtxt, SaysWhereItIsWrongAndWhy) {
  const auto fault = [](std::string_view text) { return read(text).substr(sizeof "config.pbtxt, " - 1); };
  EXPECT_EQ(read("name: 'a'\n  input { dims 3 }"),
            "config.pbtxt, line 2, column 16: expected ':', found '3'");
  EXPECT_EQ(fault("input { optional: no }"),
            "line 1, column 22: invalid value for boolean field 'optional'. Value: 'no'");
  EXPECT_EQ(fault("input { optional: 2 }"), "line 1, column 19: integer out of range (2)");
  EXPECT_EQ(fault("input { data_type: TYPE_FP33 }"),
            "line 1, column 30: unknown enumeration value of 'TYPE_FP33' for field 'data_type'");
  EXPECT_EQ(fault("max_batch_size: 8.5"), "line 1, column 17: expected integer, got: 8.5");
  EXPECT_EQ(fault("max_batch_size: 4294967296"), "line 1, column 17: integer out of range (4294967296)");
  EXPECT_EQ(fault("name: 'a' name: 'b'"),
            "line 1, column 15: non-repeated field 'name' is specified multiple times");
  EXPECT_EQ(fault("input {\n"), "line 2, column 1: expected identifier, got: the end of the file");
  EXPECT_EQ(fault("name: 'x\n'"), "line 1, column 9: string literals cannot cross line boundaries");
  EXPECT_EQ(fault("input: 3"), "line 1, column 8: expected '{', found '3'");
}

TEST(Pbtxt, PassesOverFieldsThatTritonDoesNotHave) {
  EXPECT_EQ(
      read("name: 'a'\ninput { axis: [ 1, 2 ] }\nmax_batch_sise: 8 more { deep { x: 'y' } }"),
      "name: \"a\" input { }passed over: line 2: 'ModelInput' has no field named 'axis'; line 3: "
      "'ModelConfig' has no field named 'max_batch_sise'; line 3: 'ModelConfig' has no field named 'more'");
}

TEST(Pbtxt, HasBounds) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "a{";
  EXPECT_THAT(read(deep), HasSubstr("message is too deep"));
  EXPECT_THAT(read(std::string(2 << 20, ' ')), HasSubstr("has at most 1048576"));
}

}  // namespace
}  // namespace neph::serve
