#include "os/thread.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <stdexcept>
#include <system_error>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/no_threads_test.hpp"

namespace neph {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* what_to_do = "raise the limit of processes (ulimit -u, --pids-limit)";

std::string own_name() {
  std::array<char, 16> name{};
  pthread_getname_np(pthread_self(), name.data(), name.size());
  return name.data();
}

/// A body of which the system refuses the copy that the thread of this number takes.
class RefusedAt {
 public:
  RefusedAt(int number, std::atomic<int>& runs) : left_(std::make_shared<int>(number)), runs_(&runs) {}
  RefusedAt(const RefusedAt& other) : left_(other.left_), runs_(other.runs_) {
    if (armed_ && --*left_ == 0)
      throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  }
  RefusedAt(RefusedAt&&) = default;
  void operator()(std::int64_t, const std::stop_token&) const { ++*runs_; }
  static inline bool armed_ = false;

 private:
  std::shared_ptr<int> left_;
  std::atomic<int>* runs_;
};

TEST(Thread, HasItsName) {
  std::string name;
  ASSERT_TRUE(start_thread(
      "queue", [&](const std::stop_token&) { name = own_name(); }, end_process));
  EXPECT_EQ(name, "queue");
  std::array<std::string, 3> names;
  ASSERT_TRUE(
      on_threads("loader", 3, [&](std::int64_t i) { names.at(static_cast<std::size_t>(i)) = own_name(); }));
  EXPECT_THAT(names, testing::ElementsAre("loader-0", "loader-1", "loader-2"));
}

TEST(Thread, ThatCannotBeStartedIsAnError) {
  const NoThreads limit;
  const auto started = start_threads("loader", 4, [](std::int64_t, const std::stop_token&) {});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, ErrorCode::unavailable);
  EXPECT_THAT(started.error().text(),
              AllOf(HasSubstr("cannot start thread 1 of 4"), HasSubstr("Resource temporarily unavailable"),
                    HasSubstr(what_to_do)));
  EXPECT_FALSE(start_thread(
      "queue", [](const std::stop_token&) {}, end_process));
  EXPECT_FALSE(on_threads("x", 1, [](std::int64_t) {}));
}

/// A body that waits for others, or for its owner, would wait for ever.
TEST(Thread, NoBodyBeginsWhereNotAllStart) {
  std::atomic<int> runs = 0;
  const std::function<void(std::int64_t, const std::stop_token&)> body = RefusedAt(3, runs);
  RefusedAt::armed_ = true;
  const auto started = start_threads("loader", 4, body);
  RefusedAt::armed_ = false;
  EXPECT_FALSE(started);
  EXPECT_EQ(runs, 0);
}

TEST(Thread, TellsWhatItsBodyThrew) {
  Status seen;
  ASSERT_TRUE(start_thread(
      "queue", [](const std::stop_token&) { throw std::runtime_error("a reason"); },
      [&](const Error& error) { seen = tl::unexpected(error); }));
  ASSERT_FALSE(seen);
  EXPECT_THAT(seen.error().message, HasSubstr("a reason"));

  std::atomic<int> runs = 0;
  const auto done = on_threads("loader", 3, [&](std::int64_t i) {
    ++runs;
    if (i == 1) throw std::bad_alloc();
  });
  EXPECT_EQ(runs, 3);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::unavailable);
  EXPECT_EQ(done.error().message, "out of memory");
}

TEST(Guarded, GivesWhatIsReturnedOrThrown) {
  EXPECT_TRUE(guarded([] {}));
  EXPECT_EQ(guarded([]() -> Result<int> { return 7; }).value(), 7);
  EXPECT_EQ(guarded([]() -> Status { return fail(ErrorCode::timeout, "late"); }).error().code,
            ErrorCode::timeout);
  EXPECT_EQ(guarded([]() -> Result<int> { throw std::bad_alloc(); }).error().code, ErrorCode::unavailable);
  EXPECT_EQ(guarded([] { throw std::out_of_range("at"); }).error().code, ErrorCode::internal);
  EXPECT_EQ(guarded([] { throw 7; }).error().code, ErrorCode::internal);
}

/// Of libraries' threads, which nobody guards.
TEST(ThreadDeathTest, WhatNobodyCatchesEndsTheProcessWithItsReason) {
  const auto throws = [](auto thrown) {
    end_by_uncaught();
    std::thread([thrown] { throw thrown; }).join();
  };
  EXPECT_EXIT(throws(std::bad_alloc()), testing::ExitedWithCode(exit_code(ErrorCode::unavailable)),
              "neph: out of memory");
  EXPECT_EXIT(throws(std::runtime_error("a reason")), testing::ExitedWithCode(exit_code(ErrorCode::internal)),
              "a reason");
}

}  // namespace
}  // namespace neph
