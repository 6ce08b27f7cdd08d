#include "image/prepare.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "image/decoder.hpp"
#include "image/synth.hpp"
#include "image/testing.hpp"
#include "os/file.hpp"

namespace neph::image {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Prepare : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(synth(source_.path(), {.count = 4, .seed = 5, .threads = 0}));
    set_ = scan(source_.path()).value();
  }

  TestFolder source_, target_;
  PictureSet set_;
};

TEST_F(Prepare, WritesWhatTheDecoderWouldGive) {
  const auto folder = target_ / "prepared";
  const auto result = prepare(set_, Transform{}, folder, {.jpeg_quality = 95}).value();
  EXPECT_EQ(result.prepared.pictures, 4);
  EXPECT_TRUE(result.rejected.empty());
  const auto prepared = read_prepared(folder).value();
  ASSERT_TRUE(prepared);
  EXPECT_EQ(prepared->crop_side, 224);
  const auto set = scan(folder).value();
  ASSERT_EQ(set.usable.size(), 4U);  // without the manifest
  EXPECT_TRUE(set.rejected.empty());
  EXPECT_EQ(set.bytes(), result.bytes);

  const SteadyClock clock;
  Decoder before(Transform{}, clock), after(transform_for_prepared(*prepared, Transform{}).value(), clock);
  std::vector<std::uint8_t> a(224 * 224 * 3), b(a.size());
  for (std::size_t i = 0; i < 4; ++i) {
    const auto original = read_file(set_.usable[i].path).value(),
               copy = read_file(set.usable[i].path).value();
    ASSERT_TRUE(before.decode_rgb(std::as_bytes(std::span(original)), a));
    ASSERT_TRUE(after.decode_rgb(std::as_bytes(std::span(copy)), b));
    double squares = 0;
    for (std::size_t k = 0; k < a.size(); ++k) squares += (a[k] - b[k]) * (a[k] - b[k]);
    EXPECT_LT(std::sqrt(squares / static_cast<double>(a.size())), 6);  // what JPEG at 95 costs
  }
}

TEST_F(Prepare, ReportsWhatCannotBeDecodedAndKeepsNumbersInOrder) {
  write(set_.usable[1].path, "broken since the scan");
  const auto result = prepare(set_, Transform{}, target_ / "p").value();
  EXPECT_EQ(result.prepared.pictures, 3);
  ASSERT_EQ(result.rejected.size(), 1U);
  EXPECT_EQ(result.rejected[0].path, set_.usable[1].path);
  EXPECT_FALSE(fs::exists(target_ / "p/000001.jpg"));
  EXPECT_TRUE(fs::exists(target_ / "p/000003.jpg"));
}

TEST_F(Prepare, RefusesFoldersThatHoldOtherThings) {
  write(target_ / "diary.txt", "dear diary");
  EXPECT_EQ(prepare(set_, Transform{}, target_.path()).error().code, ErrorCode::invalid_argument);
  EXPECT_THAT(prepare(set_, Transform{}, source_.path()).error().message, HasSubstr("into itself"));
  EXPECT_EQ(read_file(target_ / "diary.txt").value(), "dear diary");
}

TEST_F(Prepare, ReplacesAPreparedFolder) {
  ASSERT_TRUE(prepare(set_, Transform{}, target_ / "p"));
  set_.usable.resize(2);
  ASSERT_TRUE(prepare(set_, Transform{}, target_ / "p"));
  EXPECT_EQ(scan(target_ / "p").value().usable.size(), 2U);
}

TEST_F(Prepare, AStoppedFolderIsNotAPreparedOne) {
  std::stop_source stop;
  const auto progress = [&](std::int64_t, std::int64_t) { stop.request_stop(); };
  const auto result = prepare(set_, Transform{}, target_ / "p", {.threads = 0}, progress, stop.get_token());
  EXPECT_EQ(result.error().code, ErrorCode::unavailable);
  EXPECT_FALSE(read_prepared(target_ / "p").value());
}

TEST_F(Prepare, ReadsManifestsStrictly) {
  write(target_ / prepared_manifest, "{\"crop_sid\": 224}");
  EXPECT_THAT(read_prepared(target_.path()).error().text(), HasSubstr("crop_side"));
  EXPECT_EQ(transform_for_prepared({.crop_side = 299}, Transform{}).error().code,
            ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace neph::image
