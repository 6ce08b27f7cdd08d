#include "predict/explain/predictions.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "core/json.hpp"

namespace neph::predict {
namespace {

class NearestPoints : public testing::Test {
 protected:
  Points measured_{.features = *table::parse_table("batch (images),cache,model\n"
                                                   "64,,VGG16\n"
                                                   "32,2,\"a \"\"b\"\"\"\n",
                                                   "measured"),
                   .target = {0.0123, 4},
                   .repeats = {9, 1}};
  table::Table rows_ = *table::parse_table("batch (images),cache,model\n64,2,VGG16\n64,,VGG16\n", "rows");
  Neighbours neighbours_{measured_, rows_, {}, {{0, 1}, {0}}};
};

TEST_F(NearestPoints, AreToldByWhatDiffers) {
  EXPECT_EQ(nearest_in_words(neighbours_, 0), "cache empty: 0.0123");
  EXPECT_EQ(nearest_in_words(neighbours_, 1), "the same: 0.0123");
  EXPECT_EQ(nearest_in_words({measured_, rows_, {}, {{1}}}, 0), "batch 32, model a \"b\": 4.00");
  EXPECT_EQ(nearest_in_words({measured_, rows_, {}, {{}}}, 0), "");
}

TEST(NearestPoint, OfManyColumnsIsToldByTheFirstThatDiffer) {
  std::string names = "c0", ones = "1", twos = "2";
  for (int i = 1; i < 8; ++i) {
    names += fmt::format(",c{}", i);
    ones += ",1";
    twos += ",2";
  }
  const Points measured{
      .features = *table::parse_table(names + "\n" + ones + "\n", "measured"), .target = {3}, .repeats = {1}};
  const auto rows = *table::parse_table(names + "\n" + twos + "\n", "rows");
  EXPECT_EQ(nearest_in_words({measured, rows, {}, {{0}}}, 0),
            "c0 1, c1 1, c2 1, c3 1, c4 1, c5 1 and 2 more columns: 3.00");
}

TEST_F(NearestPoints, AreJsonThatOthersRead) {
  const Extrapolation far{.column = "batch", .how_far = "64, measured up to 32"};
  std::string json;
  write_json("t",
             {{.value = 2, .low = NAN, .high = NAN, .extrapolates = {far}, .no_interval = "not \"tried\""},
              {.value = NAN, .refused = "no"}},
             neighbours_, [&](std::string_view piece) { json += piece; });
  const auto read = parse_json(json, "it");
  ASSERT_TRUE(read) << json;
  EXPECT_EQ(dump_json((*read)["rows"][0]["nearest"]),
            R"x([{"value":0.0123,"repeats":9,"differs":{"cache":null}},)x"
            R"x({"value":4,"repeats":1,"differs":{"batch (images)":32,"model":"a \"b\""}}])x");
  EXPECT_EQ((*read)["rows"][0]["extrapolates"][0]["how_far"], "64, measured up to 32");
  EXPECT_EQ(dump_json((*read)["refused_rows"]), R"([{"row":2,"reason":"no"}])");
  EXPECT_TRUE((*read)["rows"][1]["value"].is_null());
  EXPECT_TRUE((*read)["rows"][0]["low"].is_null() && (*read)["rows"][0]["high"].is_null());
  EXPECT_EQ((*read)["rows"][0]["no_interval"], "not \"tried\"");
}

}  // namespace
}  // namespace neph::predict
