#include <gtest/gtest.h>

#include "data/archives_test.hpp"

namespace neph::data {
namespace {

Files keras_files() {
  return {{"x_train.npy", npy("|u1", "(2, 1, 2)", std::string("\x00\xff\x33\x80", 4))},
          {"y_train.npy", npy("<i8", "(2,)", little(1, 8) + little(0, 8))},
          {"x_test.npy", npy("|u1", "(1, 1, 2)", "ab")},
          {"y_test.npy", npy("|u1", "(1, 1)", "\x01")}};
}

class Npz : public testing::TestWithParam<bool> {
 protected:
  Result<Set> opened(const Files& files, const Options& options = {}) {
    return opened(zip(files, GetParam()), options);
  }
  Result<Set> opened(const std::string& bytes, const Options& options = {}) {
    write(folder / "set.npz", bytes);
    return open((folder / "set.npz").string(), options);
  }
  Scratch folder;
};

TEST_P(Npz, GivesFractionsAndLabels) {
  const auto set = opened(keras_files(), {.example_shape = {1, 1, 2}, .classes = 2});
  ASSERT_TRUE(set) << set.error().text();
  const auto train = contents_of(*set->train, 2);
  EXPECT_EQ(train.inputs, (std::vector<float>{0, 1, 51 / 255.0F, 128 / 255.0F}));
  EXPECT_EQ(train.labels, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(contents_of(*set->test, 2).labels, std::vector<std::int64_t>{1});
}

TEST_P(Npz, ColoursBecomePlanes) {
  auto files = keras_files();
  files[0].second = npy("|u1", "(2, 1, 2, 3)", "rgbRGBrgbRGB");
  files[2].second = npy("|u1", "(1, 1, 2, 3)", "rgbRGB");
  const auto set = opened(files);
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(set->example_shape, (std::vector<std::int64_t>{3, 1, 2}));
  std::string planes;
  for (const float value : contents_of(*set->test, 6).inputs)
    planes.push_back(static_cast<char>(value * 255 + 0.5F));
  EXPECT_EQ(planes, "rRgGbB");
}

TEST_P(Npz, RefusesWhatDoesNotFit) {
  const auto with = [&](std::size_t i, const std::string& content) {
    auto files = keras_files();
    files[i].second = content;
    return message_of(opened(files));
  };
  EXPECT_TRUE(has(with(0, npy("|u1", "(2, 1, 2)", "abc")),
                  "x_train.npy in " + (folder / "set.npz").string() + " is cut short: 1 of its "));
  EXPECT_TRUE(has(with(0, npy("|u1", "(2, 1, 2)", "abcde")), "has more bytes"));
  EXPECT_TRUE(has(with(0, npy("|u1", "(2, 1, 2)", "abcd", "True")), "Fortran"));
  EXPECT_TRUE(has(with(0, npy(">f4", "(2, 1, 2)", std::string(16, 0))), "elements '>f4'"));
  EXPECT_TRUE(has(with(0, npy("|u1", "(4294967296, 4294967296, 9)", "")), "more elements than can be"));
  EXPECT_TRUE(has(with(0, npy("|u1", "(2, -1, 2)", "")), "header is damaged"));
  EXPECT_TRUE(has(with(0, "garbage garbage"), "is no .npy"));
  EXPECT_TRUE(has(with(1, npy("|u1", "(3,)", "abc")), "has 2 examples and"));
  EXPECT_TRUE(has(with(1, npy("|u1", "(2, 10)", std::string(20, 0))), "one class each"));
  EXPECT_TRUE(has(with(1, npy("|i1", "(2,)", "\x01\xff")), "label -1 of example 1 is no class"));
  EXPECT_TRUE(has(with(1, npy("<f4", "(2,)", std::string(8, 0))), "floating-point labels"));
  auto files = keras_files();
  files.pop_back();
  EXPECT_TRUE(
      has(message_of(opened(files)), "has no y_test.npy, only: x_train.npy, y_train.npy, x_test.npy"));
}

TEST_P(Npz, EveryCutIsRefusedAndNoChangedByteGoesUnnoticed) {
  const auto whole = zip(keras_files(), GetParam());
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(opened(whole.substr(0, size))) << size;
  const auto at = whole.find("NUMPY");  // in a stored member: its content
  if (!GetParam()) {
    auto damaged = whole;
    damaged[damaged.find("'shape': (2, 1, 2), }\n") + 23] ^= 1;
    ASSERT_NE(at, whole.npos);
    EXPECT_TRUE(has(message_of(opened(damaged)), "checksum differs"));
  }
}

INSTANTIATE_TEST_SUITE_P(StoredAndDeflated, Npz, testing::Bool());

}  // namespace
}  // namespace neph::data
