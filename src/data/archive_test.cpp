#include <gtest/gtest.h>

#include "data/archives_test.hpp"

namespace neph::data {
namespace {

std::string records(int count, int first_label) {
  std::string bytes;
  for (int i = 0; i < count; ++i)
    bytes +=
        static_cast<char>((first_label + i) % 10) + std::string(3072, static_cast<char>(first_label + i));
  return bytes;
}

Files cifar_files() {
  Files files;
  for (int i = 5; i >= 1; --i)  // archives have them in any order
    files.emplace_back("cifar-10-batches-bin/data_batch_" + std::to_string(i) + ".bin",
                       records(2, 2 * i - 2));
  files.emplace_back("cifar-10-batches-bin/batches.meta.txt", "airplane\n");
  files.emplace_back("cifar-10-batches-bin/test_batch.bin", records(3, 4));
  return files;
}

class Archive : public testing::Test {
 protected:
  Result<Set> opened(const std::string& bytes,
                     const Options& options = {.example_shape = {3, 32, 32}, .classes = 10}) {
    write(folder / "set.tar.gz", bytes);
    return open((folder / "set.tar.gz").string(), options);
  }
  Scratch folder;
};

void expect_cifar(const Result<Set>& set) {
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(set->form, "CIFAR-10 binary");
  EXPECT_EQ(set->classes[9], "truck");
  const auto train = contents_of(*set->train, 3072);
  EXPECT_EQ(train.labels, (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(train.inputs[9 * 3072 + 5], 9 / 255.0F);
  EXPECT_EQ(contents_of(*set->test, 3072).labels, (std::vector<std::int64_t>{4, 5, 6}));
}

TEST_F(Archive, OfCifarBatchesIsReadAsItIs) {
  expect_cifar(opened(tar(cifar_files())));
  expect_cifar(opened(zipped(tar(cifar_files()))));
  EXPECT_TRUE(look((folder / "set.tar.gz").string(), {}));
}

TEST_F(Archive, OfCifarBatchesMayBeUnpacked) {
  for (const auto& [name, content] : cifar_files()) write(folder / name, content);
  const auto path = (folder / "cifar-10-batches-bin").string();
  expect_cifar(open(path, {.classes = 10}));
  EXPECT_EQ(code_of(look(path, {.classes = 9})), ErrorCode::invalid_argument);
  write(folder / "cifar-10-batches-bin/data_batch_2.bin", records(2, 2).substr(0, 6000));
  EXPECT_TRUE(
      has(message_of(open(path, {})), "data_batch_2.bin is cut short: 146 of its 6,146 bytes are missing"));
  write(folder / "cifar-10-batches-bin/data_batch_2.bin", records(1, 2));
  EXPECT_TRUE(has(message_of(open(path, {})), "has 1 images and"));
  write(folder / "cifar-10-batches-bin/data_batch_2.bin",
        std::string(1, 10) + std::string(3072, 0) + records(1, 1));
  EXPECT_TRUE(has(message_of(open(path, {})), "label 10 of example 2 is no class: they are 0 to 9"));
}

TEST_F(Archive, EveryCutAndEveryDamagedHeaderIsRefused) {
  const auto whole = tar(cifar_files());
  for (std::size_t size = 0; size + 1024 < whole.size(); size += 511)
    EXPECT_FALSE(opened(whole.substr(0, size)));
  auto damaged = whole;
  damaged[3] ^= 1;
  EXPECT_TRUE(has(message_of(opened(damaged)), "is no tar archive, or damaged"));
  const auto packed = zipped(whole);
  EXPECT_FALSE(opened(packed.substr(0, packed.size() / 2)));
  EXPECT_FALSE(opened("no archive"));
}

TEST_F(Archive, OfPythonsVersionNamesTheOther) {
  EXPECT_TRUE(
      has(message_of(opened(tar({{"cifar-10-batches-py/data_batch_1", "x"}}))), "cifar-10-binary.tar.gz"));
}

TEST_F(Archive, LongNamesAndPaxHeadersAreRead) {
  const std::string far(150, 'd');
  const auto entry = [&](const std::string& half, const std::string& name) {
    const auto path = far + "/" + half + "/" + name;
    const auto line = " path=" + path + "\n";  // its length has three digits
    const auto pax = std::to_string(line.size() + 3) + line;
    return (half == "train" ? tar_entry("pax", pax, 'x') : tar_entry("././@LongLink", path + '\0', 'L')) +
           tar_entry("cut", picture(4, 255, 0, 51));
  };
  const auto set = opened(entry("train", "a/1.bmp") + entry("train", "b/1.bmp") + entry("test", "b/2.bmp") +
                              std::string(1024, '\0'),
                          {.example_shape = {3, 4, 4}});
  ASSERT_TRUE(set) << set.error().text();
  EXPECT_EQ(set->classes, (std::vector<std::string>{"a", "b"}));
  const auto test = contents_of(*set->test, 48);
  EXPECT_EQ(test.labels, std::vector<std::int64_t>{1});
  EXPECT_EQ(test.inputs[0], 1);
  EXPECT_EQ(test.inputs[16], 0);
  EXPECT_EQ(test.inputs[47], 51 / 255.0F);
}

}  // namespace
}  // namespace neph::data
