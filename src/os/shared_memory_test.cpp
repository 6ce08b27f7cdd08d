#include "os/shared_memory.hpp"

#include <cstring>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace neph {
namespace {

constexpr std::size_t page = 4096;

TEST(SharedMemory, IsTheSameForAllWhoOpenIt) {
  auto made = SharedMemory::make("test");
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_TRUE(made->grow(2 * page));
  const auto opened = SharedMemory::open(made->path());
  ASSERT_TRUE(opened) << opened.error().message;
  const auto here = made->map(page, page);
  const auto there = opened->map(page, page);
  ASSERT_TRUE(here && there);
  EXPECT_NE(here->begin(), there->begin());
  std::strcpy(static_cast<char*>(here->begin()), "written here");
  EXPECT_STREQ(static_cast<const char*>(there->begin()), "written here");
}

TEST(SharedMemory, IsReadByAnotherProcess) {
  auto made = SharedMemory::make("test");
  ASSERT_TRUE(made && made->grow(page));
  const auto here = made->map(0, page);
  ASSERT_TRUE(here);
  const auto path = made->path();
  const pid_t child = ::fork();
  if (child == 0) {
    const auto opened = SharedMemory::open(path);
    const auto there = opened ? opened->map(0, page) : tl::unexpected(opened.error());
    if (!there) ::_exit(1);
    *static_cast<int*>(there->begin()) = 42;
    ::_exit(0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*static_cast<int*>(here->begin()), 42);
}

TEST(SharedMemory, SaysThatItIsGone) {
  std::string path;
  {
    auto made = SharedMemory::make("test");
    ASSERT_TRUE(made);
    path = made->path();
  }
  const auto opened = SharedMemory::open(path);
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().message.find(path), std::string::npos);
}

TEST(SharedMemory, DoesNotGrowBeyondWhatThereIs) {
  auto made = SharedMemory::make("test");
  ASSERT_TRUE(made);
  EXPECT_FALSE(made->grow(std::size_t{1} << 63));
}

}  // namespace
}  // namespace neph
