// Real files of the bad-input list.
#include "image/picture_set.hpp"

#include <map>

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "image/jpeg_writer.hpp"
#include "image/prepare.hpp"
#include "image/testing.hpp"

namespace neph::image {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// Noise, so that the file is not small.
std::string noise_jpeg(int width = 120, int height = 90) {
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(width * height * 3));
  std::uint32_t state = 1;
  for (auto& level : rgb) level = static_cast<std::uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  return write_jpeg(rgb, width, height, {.quality = 90}).value();
}

std::vector<std::string> names(const PictureSet& set) {
  std::vector<std::string> result;
  for (const auto& picture : set.usable)
    result.push_back(fs::path(picture.path).lexically_relative(set.folder));
  return result;
}

std::map<std::string, std::string> reasons(const PictureSet& set) {
  std::map<std::string, std::string> result;
  for (const auto& rejected : set.rejected)
    result[fs::path(rejected.path).lexically_relative(set.folder)] = rejected.reason;
  return result;
}

TEST(Scan, FindsPicturesByContentInOrderOfTheirPaths) {
  const TestFolder folder;
  fs::create_directories(folder / "b/deep");
  write(folder / "z.jpg", noise_jpeg());
  write(folder / "b/deep/picture", noise_jpeg());
  write(folder / "b/wrong.png", noise_jpeg());
  write(folder / "a.txt", noise_jpeg());
  const auto set = scan(folder.path()).value();
  EXPECT_THAT(names(set), ElementsAre("a.txt", "b/deep/picture", "b/wrong.png", "z.jpg"));
  EXPECT_TRUE(set.rejected.empty());
  EXPECT_EQ(set.usable[0].format, Format::jpeg);
  EXPECT_EQ(set.usable[0].width, 120);
  EXPECT_EQ(set.usable[0].height, 90);
  EXPECT_EQ(set.bytes(), 4 * static_cast<std::int64_t>(noise_jpeg().size()));
}

TEST(Scan, SaysWhyAFileIsNotUsed) {
  const TestFolder folder;
  const auto whole = noise_jpeg();
  auto bomb = whole;
  const auto frame = bomb.find("\xFF\xC0");
  for (const std::size_t at : {5U, 7U}) bomb.replace(frame + at, 2, "\xFF\xDC");
  write(folder / "empty.jpg", "");
  write(folder / "small.jpg", whole.substr(0, 2051));
  write(folder / "cut.jpg", whole.substr(0, whole.size() / 2));
  write(folder / "text.jpg", std::string(5000, 'x'));
  write(folder / "animation.jpg", "GIF89a" + std::string(5000, 'x'));
  write(folder / "bomb.jpg", bomb);
  write(folder / "narrow.jpg", noise_jpeg(9, 900));
  write(folder / "png_bomb.png",
        std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\x02\0\0\0", 29) +
            std::string(5000, 'x'));
  fs::create_directory(folder / "x.jpg");
  ::mkfifo((folder / "pipe.jpg").c_str(), 0600);
  fs::create_symlink("nowhere", folder / "dangling.jpg");
  const auto set = scan(folder.path()).value();
  EXPECT_TRUE(set.usable.empty());
  const auto why = reasons(set);
  EXPECT_EQ(why.at("empty.jpg"), "empty");
  EXPECT_EQ(why.at("small.jpg"), "too small a file: 2051 bytes, 2052 are the least");
  EXPECT_THAT(why.at("cut.jpg"), HasSubstr("cut short"));
  EXPECT_THAT(why.at("text.jpg"), HasSubstr("not an image"));
  EXPECT_THAT(why.at("animation.jpg"), HasSubstr("a GIF file"));
  EXPECT_THAT(why.at("bomb.jpg"), HasSubstr("65500 x 65500"));
  EXPECT_THAT(why.at("png_bomb.png"), HasSubstr("2147483647 x 2147483647"));
  EXPECT_THAT(why.at("narrow.jpg"), HasSubstr("too small an image: 9 x 900"));
  EXPECT_THAT(why.at("x.jpg"), HasSubstr("a folder"));
  EXPECT_EQ(why.at("pipe.jpg"), "not a regular file");
  EXPECT_EQ(why.at("dangling.jpg"), "a link to nothing");
  EXPECT_EQ(why.size(), 11U);
}

/// The superuser may read everything: the test becomes nobody for a while.
class AsNobody {
 public:
  AsNobody() : changed_(::geteuid() == 0 && ::seteuid(65534) == 0) {}
  ~AsNobody() {
    if (changed_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool changed_;
};

TEST(Scan, NotesWhatMayNotBeRead) {
  const TestFolder folder;
  fs::create_directory(folder / "locked");
  write(folder / "secret.jpg", noise_jpeg());
  write(folder / "open.jpg", noise_jpeg());
  fs::permissions(folder.path(), fs::perms::all);
  fs::permissions(folder / "secret.jpg", fs::perms::none);
  fs::permissions(folder / "locked", fs::perms::none);
  {
    const AsNobody nobody;
    const auto set = scan(folder.path()).value();
    EXPECT_THAT(names(set), ElementsAre("open.jpg"));
    EXPECT_THAT(reasons(set).at("secret.jpg"), HasSubstr("ermission denied"));
    EXPECT_THAT(reasons(set).at("locked"), HasSubstr("cannot be listed"));
    EXPECT_EQ(scan(folder / "locked").error().code, ErrorCode::unavailable);
  }
  fs::permissions(folder / "locked", fs::perms::all);
}

TEST(Scan, FollowsLinksButNotInCircles) {
  const TestFolder folder;
  fs::create_directory(folder / "a");
  write(folder / "a/one.jpg", noise_jpeg());
  fs::create_directory_symlink(folder.path(), folder / "a/up");
  fs::create_directory_symlink(folder / "a", folder / "b");
  fs::create_symlink(folder / "a/one.jpg", folder / "two.jpg");
  fs::create_directory_symlink("self", folder / "self");
  const auto set = scan(folder.path()).value();
  EXPECT_EQ(set.usable.size(),
            2U);  // the picture once in whichever of a and b came first, and through its own link
  EXPECT_EQ(reasons(set).size(), 1U);
}

TEST(Scan, WantsAFolder) {
  const TestFolder folder;
  write(folder / "file", "x");
  EXPECT_EQ(scan(folder / "missing").error().code, ErrorCode::not_found);
  EXPECT_EQ(scan(folder / "file").error().code, ErrorCode::invalid_argument);
  EXPECT_TRUE(scan(folder.path()).value().usable.empty());
}

TEST(Scan, LimitsAreTheCallers) {
  const TestFolder folder;
  write(folder / "a.jpg", noise_jpeg(12, 12));
  EXPECT_TRUE(scan(folder.path()).value().usable.empty());
  EXPECT_EQ(scan(folder.path(), {.min_file_bytes = 0, .min_side = 12}).value().usable.size(), 1U);
  EXPECT_TRUE(
      scan(folder.path(), {.min_file_bytes = 0, .min_side = 12, .max_pixels = 143}).value().usable.empty());
  EXPECT_TRUE(scan(folder.path(), {.min_file_bytes = 0, .max_file_bytes = 100, .min_side = 12})
                  .value()
                  .usable.empty());
}

TEST(Scan, FindsAHeaderBehindALongComment) {
  const TestFolder folder;
  std::string file = noise_jpeg();
  std::string comments;
  for (int i = 0; i < 5; ++i) comments += std::string("\xFF\xFE\xFF\xFF", 4) + std::string(65533, 'c');
  file.insert(2, comments);
  write(folder / "a.jpg", file);
  EXPECT_EQ(scan(folder.path()).value().usable.at(0).width, 120);
}

TEST(Check, DecodesEachPictureToItsEnd) {
  const TestFolder folder;
  const auto whole = noise_jpeg();
  write(folder / "whole.jpg", whole);
  std::string bmp = "BM" + std::string(5000, '\0');
  bmp[10] = 54, bmp[14] = 40, bmp[18] = 100, bmp[22] = 100, bmp[26] = 1, bmp[28] = 24;
  write(folder / "cut.bmp", bmp);
  std::int64_t last = 0;
  const auto set = check(folder.path(), {}, 2, [&](std::int64_t done, std::int64_t) { last = done; }).value();
  EXPECT_THAT(names(set), ElementsAre("whole.jpg"));
  EXPECT_THAT(reasons(set).at("cut.bmp"), HasSubstr("cut short"));
  EXPECT_EQ(last, 2);
  EXPECT_EQ(scan(folder.path()).value().usable.size(), 2U);
}

}  // namespace
}  // namespace neph::image
