#include <gtest/gtest.h>

#include "data/scratch_test.hpp"

namespace neph::data {
namespace {

const std::string two_floats = std::string("\0\0\x80\x3f\0\0\0\x40", 8);  // 1 and 2

TEST(Arrays, AreThoseOfAnArchiveByName) {
  const Scratch folder;
  for (const bool deflated : {false, true}) {
    write(folder / "a.npz", zip({{"mask.npy", npy("|b1", "(2,)", std::string("\1\0", 2))},
                                 {"ids.npy", npy("<i8", "(1, 1)", little(7, 8))},
                                 {"half.npy", npy("<f2", "()", little(0x3c00, 2))}},
                                deflated));
    const auto arrays = read_arrays(folder / "a.npz");
    ASSERT_TRUE(arrays) << arrays.error().text();
    ASSERT_EQ(arrays->size(), 3U);
    EXPECT_EQ(arrays->at(0).name, "half");
    EXPECT_EQ(arrays->at(0).shape, std::vector<std::int64_t>{});
    EXPECT_EQ(arrays->at(1).shape, (std::vector<std::int64_t>{1, 1}));
    EXPECT_EQ(arrays->at(1).bytes, (std::vector<std::uint8_t>{7, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(arrays->at(2).kind, 'b');
    EXPECT_EQ(arrays->at(2).width, 1U);
  }
}

TEST(Arrays, AreReadAsTheyWereWritten) {
  const Scratch folder;
  const std::vector<Array> written{
      {.name = "a", .shape = {2}, .bytes = {0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}},
      {.name = "b.c", .kind = 'i', .width = 8, .bytes = std::vector<std::uint8_t>(8, 1)},
      {.name = "empty", .shape = {0, 3}}};
  ASSERT_TRUE(write_arrays(folder / "a.npz", written));
  const auto arrays = read_arrays(folder / "a.npz");
  ASSERT_TRUE(arrays) << arrays.error().text();
  ASSERT_EQ(arrays->size(), written.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    EXPECT_EQ(arrays->at(i).name, written[i].name);
    EXPECT_EQ(arrays->at(i).shape, written[i].shape);
    EXPECT_EQ(arrays->at(i).kind, written[i].kind);
    EXPECT_EQ(arrays->at(i).bytes, written[i].bytes);
  }
}

TEST(Arrays, AreFilesOfAFolderOrOneOfThem) {
  const Scratch folder;
  write(folder / "y.npy", npy("<f4", "(1, 2)", two_floats));
  write(folder / "x.npy", npy("<f4", "(2,)", two_floats));
  write(folder / "notes.txt", "not an array");
  const auto all = read_arrays(folder.text());
  ASSERT_TRUE(all) << all.error().text();
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ(all->front().name, "x");
  EXPECT_EQ(read_arrays(folder / "y.npy")->front().shape, (std::vector<std::int64_t>{1, 2}));
}

TEST(Arrays, AreRefusedWithFileAndPlace) {
  const Scratch folder;
  EXPECT_EQ(code_of(read_arrays(folder / "none.npz")), ErrorCode::not_found);
  EXPECT_TRUE(has(message_of(read_arrays(folder.text())), "has no .npy file"));
  write(folder / "a.npz", "PK\3\4 and nothing more");
  EXPECT_EQ(code_of(read_arrays(folder / "a.npz")), ErrorCode::corrupt);
  write(folder / "a.npz", zip({{"x.npy", npy("<f4", "(3,)", two_floats)}}, false));
  EXPECT_TRUE(has(message_of(read_arrays(folder / "a.npz")), "x.npy in "));
  EXPECT_TRUE(has(message_of(read_arrays(folder / "a.npz")), "is cut short: 4 of its "));
  write(folder / "a.npz", zip({{"x.npy", npy("<f4", "(1,)", two_floats)}}, false));
  EXPECT_TRUE(has(message_of(read_arrays(folder / "a.npz")), "has more bytes"));
  auto damaged = zip({{"x.npy", npy("<f4", "(2,)", two_floats)}}, false);
  damaged[damaged.find(two_floats) + 2] ^= 1;
  write(folder / "a.npz", damaged);
  EXPECT_TRUE(has(message_of(read_arrays(folder / "a.npz")), "checksum differs"));
  write(folder / "a.npz", zip({{"x.npy", npy("<U3", "(1,)", std::string(12, 'a'))}}, false));
  EXPECT_TRUE(has(message_of(read_arrays(folder / "a.npz")), "elements '<U3'"));
  write(folder / "a.npz", zip({{"x.npy", npy("<f4", "(4294967296, 4294967296, 9)", "")}}, false));
  EXPECT_TRUE(has(message_of(read_arrays(folder / "a.npz")), "more elements than can be"));
  write(folder / "a.npz", zip({{"readme.txt", "hello"}}, false));
  EXPECT_TRUE(has(message_of(read_arrays(folder / "a.npz")), "numpy.savez"));
}

}  // namespace
}  // namespace neph::data
