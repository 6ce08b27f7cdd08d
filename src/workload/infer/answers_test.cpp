#include "workload/infer/answers.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include <gmock/gmock.h>
#include <unistd.h>

#include "core/random.hpp"
#include "os/file.hpp"

namespace neph::workload {
namespace {

TEST(TopClasses, AgreesWithSorting) {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<float> scores(1 + random.below(40));
    for (auto& score : scores) score = static_cast<float>(random.below(12)) - 6;  // many ties
    std::vector<std::int32_t> order(scores.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
      return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
    });
    order.resize(top_count, -1);
    EXPECT_THAT(top_classes(scores).classes, testing::ElementsAreArray(order));
  }
}

TEST(TopClasses, NeverPicksWhatIsNotANumber) {
  const std::vector<float> scores{NAN, 1, NAN, -3, -INFINITY};
  EXPECT_THAT(top_classes(scores).classes, testing::ElementsAre(1, 3, -1, -1, -1));
}

TEST(Checksum, IsFnv1a) {
  EXPECT_EQ(answers_checksum({}), "cbf29ce484222325");  // the published offset basis
  const std::vector<std::int32_t> a{0x64636261};  // "abcd", whose published 64-bit FNV-1a is fc179f83ee0724dd
  EXPECT_EQ(answers_checksum(a), "fc179f83ee0724dd");
}

TEST(AnswersFile, AppearsWholeUnderItsName) {
  const auto path = std::filesystem::temp_directory_path() / fmt::format("neph-answers-{}.csv", ::getpid());
  auto file = AnswersFile::open(path.string());
  ASSERT_TRUE(file);
  EXPECT_FALSE(std::filesystem::exists(path));
  const std::vector<float> scores{0.5F, 2, 1};
  file->add("a,b.jpg", top_classes(scores));
  file->add_failed("c.jpg", "cut short");
  ASSERT_TRUE(file->close());
  EXPECT_EQ(read_file(path),
            "picture,class1,score1,class2,score2,class3,score3,class4,score4,class5,score5\n"
            "\"a,b.jpg\",1,2,2,1,0,0.5,,,,\nc.jpg,failed: cut short\n");
  std::filesystem::remove(path);
}

TEST(AnswersFile, LeavesNothingBehindWhenTheRunFails) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("neph-answers-{}", ::getpid());
  std::filesystem::create_directories(folder);
  {
    auto file = AnswersFile::open((folder / "answers.csv").string());
    ASSERT_TRUE(file);
    const AnswersFile moved = std::move(*file);
    EXPECT_FALSE(std::filesystem::is_empty(folder));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove(folder);
}

TEST(AnswersFile, IsWrittenIntoADeviceAndNotInItsPlace) {
  auto file = AnswersFile::open("/dev/null");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->close());
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(AnswersFile, SaysWhereItCannotWrite) {
  const auto file = AnswersFile::open("/proc/none/x.csv");
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, testing::HasSubstr("/proc/none/x.csv"));
}

}  // namespace
}  // namespace neph::workload
