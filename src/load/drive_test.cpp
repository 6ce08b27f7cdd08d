// With real threads, sockets and a real clock: what drive() joins. What it decides is tested with the parts.
#include "load/drive.hpp"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "load/payload.hpp"
#include "os/no_threads_test.hpp"
#include "wire/echo_service_test.hpp"

namespace neph::load {
namespace {

using namespace std::chrono_literals;

const SteadyClock steady_clock;

class DriveTest : public testing::Test {
 protected:
  void SetUp() override {
    listener_ = *wire::HttpListener::start(service_, {.port = 0}, steady_clock);
    plan_.endpoint = {.protocol = wire::Protocol::http, .host = "127.0.0.1", .port = listener_->port()};
    plan_.course = {.rate_per_s = 200, .warmup_s = 0.05, .duration_s = 0.2};
    payload_ = *Payload::make(*service_.model_metadata("echo", ""), {.distinct = 3});
  }
  void TearDown() override { service_.answer_all(); }
  Result<Measurement> run() {
    return drive(plan_, payload_.requests(), steady_clock, stop_.get_token(),
                 [this](std::int64_t done, std::int64_t) {
                   progress_ = done;
                   if (done > 100) on_progress_();
                 });
  }

  wire::EchoService service_;
  std::unique_ptr<wire::HttpListener> listener_;
  DrivePlan plan_;
  Payload payload_;
  std::stop_source stop_;
  std::int64_t progress_ = 0;
  std::function<void()> on_progress_ = [] {};
};

TEST_F(DriveTest, WorkersShareAnOpenLoop) {
  plan_.threads = 3;
  plan_.schedule = *make_schedule(Arrival::poisson, plan_.course, 1, 5);
  const auto measured = run();
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(service_.taken(), std::ssize(plan_.schedule));
  EXPECT_EQ(measured->workers.size(), 3U);
  EXPECT_EQ(std::ssize(measured->samples), measured->scheduled);
  std::vector<std::int64_t> planned, sent;
  for (const auto at : plan_.schedule)
    if (at >= 50ms) planned.push_back(at.count());
  for (const auto& sample : measured->samples) {
    sent.push_back(sample.scheduled);
    EXPECT_GE(sample.issued, sample.scheduled);
    EXPECT_GE(sample.sent, sample.issued);
    EXPECT_GE(sample.done, sample.sent);
    EXPECT_EQ(sample.outcome, Outcome::answered);
  }
  EXPECT_EQ(sent, planned);
}

TEST_F(DriveTest, WorkersShareTheClientsOfAClosedLoop) {
  plan_.threads = 2;
  plan_.clients = 5;
  plan_.course.count = 101;
  plan_.course.duration_s = 60;
  const auto measured = run();
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->samples.size(), 101U);
  EXPECT_GT(progress_, 0);
}

TEST_F(DriveTest, HasNoWorkerWithoutWork) {
  plan_.threads = 8;
  plan_.clients = 8;
  plan_.course.count = 3;
  plan_.course.duration_s = 60;
  const auto closed = run();
  EXPECT_EQ(closed->samples.size(), 3U);
  EXPECT_EQ(closed->workers.size(), 3U);
  plan_.schedule = {50ms, 60ms};
  const auto open = run();
  EXPECT_EQ(open->samples.size(), 2U);
  EXPECT_EQ(open->workers.size(), 2U);
  plan_.schedule = {50ms, 51ms, 52ms, 53ms};
  plan_.in_flight = 1;
  EXPECT_EQ(run()->workers.size(), 1U) << "each may have one in flight";
}

TEST_F(DriveTest, EndsWhenNothingNewCanComeOfIt) {
  plan_.clients = 1;
  plan_.course.duration_s = 60;
  plan_.settled = [](const std::vector<Sample>& measured) { return measured.size() > 10; };
  const auto measured = run();
  EXPECT_TRUE(measured->ended_early);
  EXPECT_FALSE(measured->narrow_enough);
}

TEST_F(DriveTest, StopsWhenTheUserSaysSo) {
  plan_.clients = 1;
  plan_.course = {.duration_s = 60};  // without a warm-up, in which it might be stopped
  on_progress_ = [this] { stop_.request_stop(); };
  const auto measured = run();
  EXPECT_TRUE(measured->stopped);
  EXPECT_GT(measured->samples.size(), 0U);
}

TEST_F(DriveTest, WhatTheUserCutsOffIsTheUsers) {
  plan_.clients = 4;
  plan_.course = {.duration_s = 60};
  service_.delay = 1000ms;
  std::jthread user([this] {
    std::this_thread::sleep_for(200ms);
    stop_.request_stop();
  });
  const auto measured = run();
  ASSERT_TRUE(measured);
  EXPECT_EQ(measured->cut_off, 4);
  EXPECT_GT(measured->cut_off_after_s, 0.05);
  EXPECT_EQ(measured->samples.size(), 0U);
}

TEST_F(DriveTest, AClosedLoopLastsAsLongAsItWasTold) {
  plan_.clients = 1;
  plan_.course = {.warmup_s = 0.05, .duration_s = 0.2};
  const auto measured = run();
  EXPECT_GE(measured->end - measured->begin, Nanoseconds(200ms).count());
}

TEST_F(DriveTest, SaysThatNobodyIsThere) {
  plan_.clients = 2;
  plan_.threads = 2;
  listener_.reset();
  const auto measured = run();
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().code, ErrorCode::unavailable);
}

TEST_F(DriveTest, EndsWhereItsThreadsCannotBeStarted) {
  plan_.clients = 2;
  plan_.threads = 2;
  const NoThreads limit;
  const auto measured = run();
  ASSERT_FALSE(measured);
  EXPECT_EQ(measured.error().code, ErrorCode::unavailable);
}

/// In whatever thread: the others end too, long before their time.
TEST_F(DriveTest, EndsWithWhatWasThrown) {
  plan_.clients = 2;
  plan_.threads = 2;
  plan_.course = {.duration_s = 600};
  on_progress_ = [] { throw std::runtime_error("a reason"); };
  const auto measured = run();
  ASSERT_FALSE(measured);
  EXPECT_THAT(measured.error().message, testing::HasSubstr("a reason"));
}

}  // namespace
}  // namespace neph::load
