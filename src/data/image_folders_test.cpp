#include <set>

#include <gtest/gtest.h>

#include "data/archives_test.hpp"

namespace neph::data {
namespace {

class ImageFolders : public testing::TestWithParam<Keep> {
 protected:
  Result<Set> opened(std::vector<std::int64_t> shape = {3, 4, 4}) const {
    return open(folder.text(), {.example_shape = std::move(shape), .keep = GetParam()});
  }
  void add(const std::string& name, int level = 0) const {
    write(folder / name, picture(8, level, level, level));
  }
  Scratch folder;
};

TEST_P(ImageFolders, HaveClassesByNameAndAreScaled) {
  add("train/dog/1.bmp", 51);
  add("train/cat/deeper/1.BMP", 102);
  add("test/dog/9.bmp", 255);
  write(folder / "train/dog/README.txt", "no picture");
  const auto set = opened();
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(set->classes, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(set->test_note, "");
  const auto train = contents_of(*set->train, 48);
  EXPECT_EQ(train.labels, (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(train.inputs[0], 102 / 255.0F);
  EXPECT_EQ(train.inputs[95], 51 / 255.0F);
  EXPECT_EQ(contents_of(*set->test, 48).inputs[0], 1);
}

TEST_P(ImageFolders, WithoutATestHalfSetATenthOfEachClassAside) {
  for (int i = 0; i < 20; ++i) {
    add("a/" + std::to_string(i) + ".bmp", i);
    add("b/" + std::to_string(i) + ".bmp", 100 + i);
  }
  const auto set = opened(), again = opened();
  ASSERT_TRUE(set && again) << set.error().text();
  EXPECT_EQ(set->train->size(), 36);
  EXPECT_EQ(set->test_note, "a tenth of each class, set aside with seed 1");
  const auto test = contents_of(*set->test, 48);
  EXPECT_EQ(std::multiset<std::int64_t>(test.labels.begin(), test.labels.end()),
            (std::multiset<std::int64_t>{0, 0, 1, 1}));
  EXPECT_EQ(test.inputs, contents_of(*again->test, 48).inputs);
  std::set<float> levels;  // every picture has its own: none is in both halves
  for (const auto* half : {set->train.get(), set->test.get()}) {
    const auto contents = contents_of(*half, 48);
    for (std::size_t i = 0; i < contents.labels.size(); ++i) levels.insert(contents.inputs[i * 48]);
  }
  EXPECT_EQ(levels.size(), 40U);
}

TEST_P(ImageFolders, RefuseWhatIsWrongByItsName) {
  add("train/a/1.bmp");
  add("test/b/2.bmp");
  EXPECT_TRUE(has(message_of(opened()), "test/b/2.bmp: the training half has no class 'b'"));
  std::filesystem::remove_all(folder / "test");
  EXPECT_TRUE(has(message_of(opened()), "no class with two images"));
  add("test/a/2.bmp");
  ASSERT_TRUE(opened());
  write(folder / "train/a/3.jpg", "\xff\xd8\xff no JPEG");
  EXPECT_TRUE(has(message_of(opened()), "train/a/3.jpg"));
  EXPECT_EQ(code_of(opened()), ErrorCode::corrupt);
  std::filesystem::remove(folder / "train/a/3.jpg");
  add("train/4.bmp");
  EXPECT_TRUE(has(message_of(opened()), "train/4.bmp in " + folder.text() + " lies in no class folder"));
  std::filesystem::remove(folder / "train/4.bmp");
  add("other/a/4.bmp");
  EXPECT_TRUE(has(message_of(opened()), "neither train/ nor test/"));
  std::filesystem::remove_all(folder / "other");
  EXPECT_EQ(code_of(opened({3, 4, 5})), ErrorCode::unsupported);
  EXPECT_EQ(code_of(opened({})), ErrorCode::invalid_argument);
  std::filesystem::remove_all(folder / "train");
  std::filesystem::remove_all(folder / "test");
  EXPECT_TRUE(has(message_of(opened()), "has no images"));
}

INSTANTIATE_TEST_SUITE_P(InMemoryAndInFiles, ImageFolders, testing::Values(Keep::memory, Keep::files));

TEST(Names, AreAnsweredWithTheNearestAndTheOrigin) {
  Scratch empty;
  ASSERT_EQ(::setenv("NEPH_DATA", empty.text().c_str(), 1), 0);
  ASSERT_EQ(::setenv("XDG_CACHE_HOME", empty.text().c_str(), 1), 0);
  EXPECT_TRUE(has(message_of(open("mnits", {})), "did you mean 'mnist'?"));
  EXPECT_TRUE(has(message_of(open("cifar10", {})), "https://www.cs.toronto.edu/~kriz/cifar.html"));
  EXPECT_TRUE(has(message_of(look("mnist", {})), empty.text() + "/mnist"));
  for (const std::string half : {"train", "t10k"}) {
    write(empty / ("mnist/" + half + "-images-idx3-ubyte"), idx({1, 1, 1}, "a"));
    write(empty / ("mnist/" + half + "-labels-idx1-ubyte"), idx({1}, "\x0a"));
  }
  EXPECT_TRUE(has(message_of(open("mnist", {})), "label 10 of example 0 is no class: they are 0 to 9"));
  ::unsetenv("NEPH_DATA");
  ::unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace neph::data
