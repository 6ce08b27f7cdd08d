#include "serve/pbtxt.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json.hpp"

namespace neph::serve {
namespace {

std::string read(std::string_view text) {
  const auto json = parse_pbtxt(text, "config.pbtxt");
  return json ? dump_json(*json) : json.error().message;
}

// What protoc --decode gives of the same texts, by Google's specification of the text format.
TEST(Pbtxt, HasFieldsMessagesAndLists) {
  EXPECT_EQ(read("name: \"a\" max_batch_size: 8\ninput [ { dims: [ -1, 3 ] }, { dims: 4 dims: 5 } ]"),
            R"({"name":["a"],"max_batch_size":[8],"input":[{"dims":[-1,3]},{"dims":[4,5]}]})");
  EXPECT_EQ(read("a < b: 1 >; a: { b: 2, },"), R"({"a":[{"b":[1]},{"b":[2]}]})");
  EXPECT_EQ(read("version_policy: { all { }}"), R"({"version_policy":[{"all":[{}]}]})");
  EXPECT_EQ(read("# nothing\n"), "{}");
  EXPECT_EQ(read("dims: []"), R"({"dims":[]})");
  EXPECT_EQ(read("[a.b/c.D] { x: 1 }"), R"({"[a.b/c.D]":[{"x":[1]}]})");
}

TEST(Pbtxt, HasNumbersNamesAndText) {
  EXPECT_EQ(read("a: 0x1F a: 017 a: -9223372036854775808 a: 18446744073709551615"),
            R"({"a":[31,15,-9223372036854775808,18446744073709551615]})");
  EXPECT_EQ(read("a: 1.5 a: -2e-3 a: 3f a: .5"), R"({"a":[1.5,-0.002,3.0,0.5]})");
  EXPECT_EQ(read("a: TYPE_FP32 a: true a: false a: -inf"), R"({"a":["TYPE_FP32",true,false,"-inf"]})");
  EXPECT_EQ(read(R"(a: "x\n\"\x41\102" 'y' # rest
                    "z")"),
            R"({"a":["x\n\"AByz"]})");
}

TEST(Pbtxt, SaysWhereItIsWrong) {
  EXPECT_EQ(read("name: \"a\"\n  input { dims 3 }"),
            "config.pbtxt, line 2, column 16: ':' or '{' is missing behind 'dims'");
  EXPECT_EQ(read("input {\n"), "config.pbtxt, line 2, column 1: '}' is missing at the end of the file");
  EXPECT_EQ(read("a: [1 2]"), "config.pbtxt, line 1, column 7: ',' or ']' is missing in a list");
  EXPECT_EQ(read("a: \"x\n\""), "config.pbtxt, line 1, column 6: \" is missing behind text");
  EXPECT_EQ(read("a: 18446744073709551616x"),
            "config.pbtxt, line 1, column 25: '18446744073709551616x' is no number of 64 bits");
  EXPECT_EQ(read("a: \"\\q\""),
            "config.pbtxt, line 1, column 6: a backslash in text stands before a letter that has no meaning");
  EXPECT_EQ(read("a:"), "config.pbtxt, line 1, column 3: a value is missing");
  EXPECT_EQ(read("}"), "config.pbtxt, line 1, column 1: the name of a field is missing");
}

TEST(Pbtxt, HasBounds) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "a{";
  EXPECT_THAT(read(deep), testing::HasSubstr("nested more than 32 deep"));
  EXPECT_THAT(read(std::string(2 << 20, ' ')), testing::HasSubstr("has at most 1048576"));
}

}  // namespace
}  // namespace neph::serve
