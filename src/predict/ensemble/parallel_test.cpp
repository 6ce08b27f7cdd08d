#include "predict/ensemble/parallel.hpp"

#include <new>
#include <numeric>

#include <gtest/gtest.h>

namespace neph::predict {
namespace {

TEST(ShareOut, DoesEachJobOnce) {
  for (const std::size_t threads : {1, 3}) {
    std::vector<int> done(100, 0);
    share_out(done.size(), threads, "test", [&](std::size_t job) { ++done[job]; });
    EXPECT_EQ(std::accumulate(done.begin(), done.end(), 0), 100) << threads;
  }
  share_out(0, 2, "test", [](std::size_t) { FAIL(); });
}

/// A thread that nobody catches for ends the program.
TEST(ShareOut, ThrowsWhatAJobThrows) {
  for (const std::size_t threads : {1, 4}) {
    std::atomic<int> begun = 0;
    const auto work = [&](std::size_t job) {
      ++begun;
      if (job >= 2) throw std::bad_alloc();
    };
    EXPECT_THROW(share_out(1000, threads, "test", work), std::bad_alloc);
    EXPECT_LT(begun, 1000);
  }
}

}  // namespace
}  // namespace neph::predict
