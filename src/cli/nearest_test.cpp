#include "cli/nearest.hpp"

#include <gtest/gtest.h>

namespace neph::cli {
namespace {

class NearestPoints : public testing::Test {
 protected:
  predict::Points measured_{.features = *table::parse_table("batch (images),cache,model\n"
                                                              "64,,VGG16\n"
                                                              "32,2,\"a \"\"b\"\"\"\n",
                                                              "measured"),
                            .target = {0.0123, 4},
                            .repeats = {9, 1}};
  table::Table rows_ = *table::parse_table("batch (images),cache,model\n64,2,VGG16\n64,,VGG16\n", "rows");
  predict::Neighbours neighbours_{measured_, rows_, {}, {{0, 1}, {0}}};
};

TEST_F(NearestPoints, AreToldByWhatDiffers) {
  EXPECT_EQ(nearest_words(neighbours_, 0), "cache empty: 0.0123");
  EXPECT_EQ(nearest_words(neighbours_, 1), "the same: 0.0123");
  EXPECT_EQ(nearest_words({measured_, rows_, {}, {{1}}}, 0), "batch 32, model a \"b\": 4.00");
  EXPECT_EQ(nearest_words({measured_, rows_, {}, {{}}}, 0), "");
}

TEST(NearestPoint, OfManyColumnsIsToldByTheFirstThatDiffer) {
  std::string names = "c0", ones = "1", twos = "2";
  for (int i = 1; i < 8; ++i) {
    names += fmt::format(",c{}", i);
    ones += ",1";
    twos += ",2";
  }
  const predict::Points measured{.features = *table::parse_table(names + "\n" + ones + "\n", "measured"),
                                 .target = {3},
                                 .repeats = {1}};
  const auto rows = *table::parse_table(names + "\n" + twos + "\n", "rows");
  EXPECT_EQ(nearest_words({measured, rows, {}, {{0}}}, 0),
            "c0 1, c1 1, c2 1, c3 1, c4 1, c5 1 and 2 more columns: 3.00");
}

TEST_F(NearestPoints, AreJsonThatOthersRead) {
  fmt::memory_buffer json;
  append_nearest(neighbours_, 0, json);
  EXPECT_EQ(fmt::to_string(json),
            R"x([{"value":0.0123,"repeats":9,"differs":{"cache":null}},)x"
            R"x({"value":4,"repeats":1,"differs":{"batch (images)":32,"model":"a \"b\""}}])x");
}

}  // namespace
}  // namespace neph::cli
