#include "core/file.hpp"

#include <csignal>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace neph {
namespace {

class File : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / fmt::format("neph-file-test-{}", ::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(File, ReadsWhatItWrote) {
  const std::string content(200000, 'a');
  ASSERT_TRUE(write_file(folder_ / "x", content));
  EXPECT_EQ(read_file(folder_ / "x"), content);
}

TEST_F(File, ReadsFilesThatClaimToBeEmpty) { EXPECT_FALSE(read_file("/proc/self/status")->empty()); }

TEST_F(File, SaysWhyItCannot) {
  EXPECT_EQ(read_file(folder_ / "absent").error().code, ErrorCode::not_found);
  EXPECT_EQ(read_file(folder_).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(write_file(folder_ / "no" / "x", "a").error().code, ErrorCode::not_found);
}

TEST_F(File, AFullDiskLeavesTheOldFileAndNoPart) {
  ASSERT_TRUE(write_file(folder_ / "x", "old"));
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1000, before.rlim_max};
  std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto status = write_file(folder_ / "x", std::string(5000, 'b'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::io);
  EXPECT_EQ(read_file(folder_ / "x"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace neph
