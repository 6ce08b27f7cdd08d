#include "data/idx.hpp"

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "data/scratch_test.hpp"

namespace neph::data {
namespace {

/// Two pictures of 1 x 2 to learn from, one to verify with.
class IdxFolder : public testing::Test {
 protected:
  IdxFolder() {
    write(folder / "train-images-idx3-ubyte", idx({2, 1, 2}, std::string("\x00\xff\x33\x80", 4)));
    write(folder / "train-labels-idx1-ubyte", idx({2}, std::string("\x01\x00", 2)));
    write(folder / "t10k-images-idx3-ubyte", idx({1, 1, 2}, std::string("\x01\x02", 2)));
    write(folder / "t10k-labels-idx1-ubyte", idx({1}, std::string("\x02", 1)));
  }
  Result<Set> opened(const Options& options = {}) const { return open(folder.text(), options); }

  Scratch folder;
};

TEST_F(IdxFolder, GivesFractionsAndLabels) {
  const auto set = opened({.example_shape = {1, 1, 2}, .classes = 3});
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(set->form, "IDX");
  EXPECT_EQ(set->example_shape, (std::vector<std::int64_t>{1, 1, 2}));
  EXPECT_EQ(set->classes, (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_EQ(set->bytes, 16 + 4 + 8 + 2 + 16 + 2 + 8 + 1);
  const auto train = contents_of(*set->train, 2);
  EXPECT_EQ(train.inputs, (std::vector<float>{0, 1, 51 / 255.0F, 128 / 255.0F}));
  EXPECT_EQ(train.labels, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(contents_of(*set->test, 2).labels, (std::vector<std::int64_t>{2}));
}

TEST_F(IdxFolder, GivesRowsInAnyOrderAndAgain) {
  const auto set = opened();
  ASSERT_TRUE(set);
  std::vector<float> inputs(6);
  std::vector<std::int64_t> labels(3);
  ASSERT_TRUE(set->train->fill(std::vector<std::int64_t>{1, 0, 1}, inputs, labels));
  EXPECT_EQ(labels, (std::vector<std::int64_t>{0, 1, 0}));
  EXPECT_EQ(inputs[0], inputs[4]);
  EXPECT_FALSE(
      set->train->fill(std::vector<std::int64_t>{2}, std::span(inputs).first(2), std::span(labels).first(1)));
  EXPECT_FALSE(set->train->fill(std::vector<std::int64_t>{-1}, std::span(inputs).first(2),
                                std::span(labels).first(1)));
  EXPECT_FALSE(set->train->fill(std::vector<std::int64_t>{0}, inputs, labels));
}

TEST_F(IdxFolder, MayBeFlatToTheNetwork) {
  const auto set = opened({.example_shape = {2}});
  ASSERT_TRUE(set);
  EXPECT_EQ(set->example_shape, std::vector<std::int64_t>{2});
}

TEST_F(IdxFolder, MayBeCompressed) {
  std::filesystem::remove(folder / "train-images-idx3-ubyte");
  write(folder / "train-images-idx3-ubyte.gz", zipped(idx({2, 1, 2}, "abcd")));
  const auto set = opened();
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(contents_of(*set->train, 2).inputs[3], 'd' / 255.0F);
}

TEST_F(IdxFolder, CutShortTellsHowMuchIsMissing) {
  write(folder / "train-images-idx3-ubyte", idx({2, 1, 2}, "a"));
  EXPECT_TRUE(
      has(message_of(opened()), "train-images-idx3-ubyte is cut short: 3 of its 20 bytes are missing"));
  EXPECT_EQ(code_of(opened()), ErrorCode::corrupt);
  write(folder / "train-images-idx3-ubyte", std::string("\0\0\x08\x03\0\0", 6));
  EXPECT_TRUE(has(message_of(opened()), "10 of its 16 bytes are missing"));
  write(folder / "train-images-idx3-ubyte", idx({0xffffffff, 28, 28}, "a"));
  EXPECT_TRUE(has(message_of(opened()), "3,367,254,359,279 of its 3,367,254,359,296 bytes are missing"));
}

TEST_F(IdxFolder, CompressedAndCutShortOrDamagedIsRefused) {
  std::filesystem::remove(folder / "t10k-images-idx3-ubyte");
  std::string noise;
  Random random(1);
  for (int i = 0; i < 4096; ++i) noise.push_back(static_cast<char>(random.bits()));
  const auto whole = zipped(idx({2048, 1, 2}, noise));
  std::string labels(2048, '\0');
  write(folder / "t10k-labels-idx1-ubyte", idx({2048}, labels));
  const auto path = folder / "t10k-images-idx3-ubyte.gz";
  write(path, whole);
  EXPECT_TRUE(opened());
  for (const std::size_t kept : {whole.size() - 1, whole.size() - 8}) {
    write(path, whole.substr(0, kept));
    EXPECT_TRUE(has(message_of(opened()), "cut short")) << kept << message_of(opened());
  }
  write(path, whole.substr(0, whole.size() / 2));
  EXPECT_TRUE(has(message_of(opened()), " of its 4,112 bytes are missing")) << message_of(opened());
  auto damaged = whole;
  damaged[whole.size() / 2] ^= 1;
  write(path, damaged);
  EXPECT_TRUE(has(message_of(opened()), "damaged")) << message_of(opened());
}

TEST_F(IdxFolder, GarbageIsRefused) {
  write(folder / "train-labels-idx1-ubyte", "<html>404</html>");
  EXPECT_TRUE(has(message_of(opened()), "is no IDX file: it begins with 3c 68 74 6d"));
  write(folder / "train-labels-idx1-ubyte", std::string("\0\0\x0d\x01\0\0\0\x01", 8));
  EXPECT_EQ(code_of(opened()), ErrorCode::unsupported);
  write(folder / "train-labels-idx1-ubyte", idx({2}, std::string(3, '\0')));
  EXPECT_TRUE(has(message_of(opened()), "has more bytes than its header tells of"));
  write(folder / "train-labels-idx1-ubyte", idx({0}, ""));
  EXPECT_TRUE(has(message_of(opened()), "is empty"));
  write(folder / "train-labels-idx1-ubyte", idx({0xffffffff, 0xffffffff, 0xffffffff}, ""));
  EXPECT_TRUE(has(message_of(opened()), "more elements than can be"));
}

TEST_F(IdxFolder, CountsLabelsAndShapesMustAgree) {
  write(folder / "train-labels-idx1-ubyte", idx({3}, std::string(3, '\0')));
  EXPECT_TRUE(has(message_of(opened()), "has 2 images and"));
  EXPECT_FALSE(look(folder.text(), {}));  // the headers show it
  write(folder / "train-labels-idx1-ubyte", idx({2}, std::string("\x00\x07", 2)));
  EXPECT_TRUE(has(message_of(opened({.classes = 7})), "label 7 of example 1 is no class of the network"));
  EXPECT_TRUE(opened({.classes = 8}));
  EXPECT_EQ(code_of(opened({.example_shape = {3, 1, 2}})), ErrorCode::invalid_argument);
  EXPECT_EQ(code_of(look(folder.text(), {.example_shape = {3, 1, 2}})), ErrorCode::invalid_argument);
  write(folder / "t10k-images-idx3-ubyte", idx({1, 2, 1}, "ab"));
  EXPECT_TRUE(has(message_of(opened()), "has examples of [1, 1, 2] and"));
}

TEST_F(IdxFolder, AMissingFileIsNamed) {
  std::filesystem::remove(folder / "t10k-labels-idx1-ubyte");
  EXPECT_EQ(code_of(opened()), ErrorCode::not_found);
  EXPECT_TRUE(has(message_of(opened()), "t10k-labels-idx1-ubyte is missing"));
  EXPECT_FALSE(look(folder.text(), {}));
}

TEST(Idx, AnyArrayComesBackAsItWasWritten) {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint32_t> shape(1 + random.below(4));
    std::size_t count = 1;
    for (auto& size : shape) count *= size = static_cast<std::uint32_t>(1 + random.below(9));
    std::string values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<char>(random.bits()));
    const auto file = idx(shape, values);
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
    MemoryBytes source(bytes);
    const auto array = read_idx(source, "array");
    ASSERT_TRUE(array) << array.error().text();
    EXPECT_EQ(array->shape, std::vector<std::int64_t>(shape.begin(), shape.end()));
    EXPECT_EQ(std::string(array->values.begin(), array->values.end()), values);
    MemoryBytes cut(bytes.first(random.below(bytes.size())));
    EXPECT_FALSE(read_idx(cut, "array"));
  }
}

TEST(ToFloats, IsTheDivisionToTheBit) {
  std::vector<std::uint8_t> values(256);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::uint8_t>(i);
  Scratch folder;
  const std::string all(values.begin(), values.end()), label(1, '\0');
  for (const std::string half : {"train", "t10k"}) {
    write(folder / (half + "-images.idx3-ubyte"), idx({1, 16, 16}, all));
    write(folder / (half + "-labels.idx1-ubyte"), idx({1}, label));
  }
  const auto set = open(folder.text(), {});
  ASSERT_TRUE(set) << set.error().text();
  const auto inputs = contents_of(*set->train, 256).inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_EQ(inputs[i], static_cast<float>(i) / 255.0F) << i;
}

}  // namespace
}  // namespace neph::data
