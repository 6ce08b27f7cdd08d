#include "os/file.hpp"

#include <csignal>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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

TEST_F(File, ADeviceWithoutAnEndIsNotReadForEver) {
  EXPECT_EQ(read_file("/dev/zero").error().code, ErrorCode::invalid_argument);
}

TEST_F(File, ARegularFileIsNoPipeWhichNothingMayEverWrite) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  for (const auto& path : {folder_ / "pipe", std::filesystem::path("/dev/zero")})
    EXPECT_EQ(read_regular_file(path).error().code, ErrorCode::invalid_argument) << path;
  ASSERT_TRUE(write_file(folder_ / "x", "content"));
  EXPECT_EQ(read_regular_file(folder_ / "x"), "content");
  std::filesystem::resize_file(folder_ / "x", std::uintmax_t{1} << 33);  // sparse
  EXPECT_EQ(read_regular_file(folder_ / "x").error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(read_regular_file(folder_ / "absent").error().code, ErrorCode::not_found);
}

TEST_F(File, SaysWhyItCannot) {
  EXPECT_EQ(read_file(folder_ / "absent").error().code, ErrorCode::not_found);
  EXPECT_EQ(read_file(folder_).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(write_file(folder_ / "no" / "x", "a").error().code, ErrorCode::not_found);
}

TEST_F(File, WritesIntoAPipeOrDeviceAndNeverInItsPlace) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const int reader = ::open((folder_ / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  EXPECT_TRUE(write_file(folder_ / "pipe", "said"));
  char heard[8] = {};
  EXPECT_EQ(::read(reader, heard, sizeof heard), 4);
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(folder_ / "pipe"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

/// As of a user without a home folder; nobody can make one there, root neither.
TEST_F(File, ACacheThatCannotBeMadeIsToldWhatToDo) {
  const auto status = make_cache_folder("/proc/nobody/.cache/neph/models");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message.find("cannot make /proc/nobody/.cache/neph/models: "), 0);
  EXPECT_NE(status.error().text().find("; set XDG_CACHE_HOME to a folder that can be written"),
            std::string::npos);
  EXPECT_TRUE(make_cache_folder(folder_ / "a/b"));
  EXPECT_TRUE(std::filesystem::is_directory(folder_ / "a/b"));
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
