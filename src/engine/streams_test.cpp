#include "engine/streams.hpp"

#include <future>
#include <new>

#include <gtest/gtest.h>

#include "os/no_threads_test.hpp"

namespace neph::engine {
namespace {

class WithoutMemory final : public Job {
 public:
  Status work() override { throw std::bad_alloc(); }
};

TEST(Streams, TellWhatWorkThrewAndGoOn) {
  Streams streams(1);
  ASSERT_TRUE(streams.begin());
  WithoutMemory job;
  for (int i = 0; i < 2; ++i) {
    std::promise<Status> done;
    ASSERT_TRUE(streams.start(job, [&](Status status) { done.set_value(std::move(status)); }));
    const auto status = done.get_future().get();
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message, "out of memory");
    streams.wait_for(job);
  }
}

TEST(Streams, AreNotBegunWhereTheirThreadsCannotBeStarted) {
  const NoThreads limit;
  Streams streams(2);
  EXPECT_EQ(streams.begin().error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace neph::engine
