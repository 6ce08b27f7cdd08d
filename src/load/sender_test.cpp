#include "load/sender.hpp"

#include <gtest/gtest.h>

#include "load/fake_client_test.hpp"

namespace neph::load {
namespace {

using namespace std::chrono_literals;

class SenderTest : public testing::Test {
 protected:
  void run(Task task) {
    task.requests = {&request_};
    task.drain_timeout = 1s;
    Sender sender(std::move(task), clock_, log_, enough_);
    client_ = std::make_unique<FakeClient>(clock_, [&](wire::Call& call) { sender.ended(call); });
    if (prepare) prepare(*client_);
    sender.run(*client_, clock_.now() + 1ms, stop_.get_token());
    held_back_ = sender.held_back();
    most_in_flight_ = sender.most_in_flight();
    stray_replies_ = sender.stray_replies();
    client_.reset();
  }
  std::vector<Sample> samples() const {
    std::vector<Sample> all;
    for (std::size_t i = 0; i < log_.size(); ++i) all.push_back(log_[i]);
    return all;
  }
  static Schedule every(Nanoseconds gap, std::int64_t count) {
    Schedule schedule;
    for (std::int64_t i = 0; i < count; ++i) schedule.push_back(i * gap);
    return schedule;
  }

  ManualClock clock_;
  wire::Outgoing request_;
  SampleLog log_;
  std::atomic<bool> enough_{false};
  std::stop_source stop_;
  std::unique_ptr<FakeClient> client_;
  std::function<void(FakeClient&)> prepare;
  std::int64_t held_back_ = 0, most_in_flight_ = 0, stray_replies_ = 0;
};

TEST_F(SenderTest, KeepsItsScheduleToTheNanosecond) {
  run({.schedule = every(16ms, 100)});
  ASSERT_EQ(log_.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(log_[i].scheduled, static_cast<std::int64_t>(i) * 16'000'000);
    EXPECT_EQ(log_[i].issued, log_[i].scheduled);
    EXPECT_EQ(log_[i].done - log_[i].scheduled, 10'000'000);
  }
}

TEST_F(SenderTest, WaitsForRepliesToNothingAsLongAsTheSlowestReplyTook) {
  prepare = [](FakeClient& client) {
    client.stray = 3;
    client.service = [](std::int64_t nth) { return nth == 1 ? 300ms : 1ms; };
  };
  run({.schedule = every(1s, 3)});
  EXPECT_EQ(stray_replies_, 3);
  EXPECT_GE(clock_.now() - Moment(), 2s + 300ms);
  stop_.request_stop();
  run({.schedule = every(1s, 3)});
  EXPECT_EQ(stray_replies_, 0) << "the user does not wait";
}

TEST_F(SenderTest, GoesOnSendingWhileTheServerStalls) {
  prepare = [&](FakeClient& client) { client.stalled_until = clock_.now() + 1ms + 500ms; };
  run({.schedule = every(20ms, 50)});
  for (const auto& sample : samples()) EXPECT_EQ(sample.issued, sample.scheduled);
  EXPECT_EQ(log_[0].done, 510'000'000);
  EXPECT_EQ(log_[25].response_s(), 0.260) << "the queue of the stall is still being worked off";
  EXPECT_GE(most_in_flight_, 25);
}

TEST_F(SenderTest, GivesUpAScheduleThatItCannotSend) {
  run({.schedule = every(100us, 100'000), .in_flight = 1, .begin_measure = 1s, .give_up = 3s});
  EXPECT_LE(log_.size(), 301U) << "one every 10 ms";
  EXPECT_LE(samples().back().issued, 3'000'000'000);
  const auto measured =
      std::ranges::count_if(samples(), [](auto& one) { return one.scheduled >= 1'000'000'000; });
  EXPECT_GE(measured, 190) << "what the warm-up could not send does not take their place";
}

TEST_F(SenderTest, HoldsBackWhatIsBeyondTheLimitInFlight) {
  prepare = [&](FakeClient& client) { client.stalled_until = clock_.now() + 500ms; };
  run({.schedule = every(20ms, 20), .in_flight = 4});
  EXPECT_EQ(log_.size(), 20U);
  EXPECT_EQ(most_in_flight_, 4);
  EXPECT_GT(held_back_, 10);
  EXPECT_GT(log_[19].issue_delay_s(), 0.1) << "and the delay counts";
}

TEST_F(SenderTest, AClosedLoopHasItsClientsInFlight) {
  run({.clients = 3, .end = 1s});
  EXPECT_EQ(most_in_flight_, 3);
  EXPECT_NEAR(static_cast<double>(log_.size()), 100, 3) << "one worker, 10 ms each";
  for (const auto& sample : samples()) EXPECT_LT(sample.scheduled, 1'000'000'000);
  EXPECT_NEAR(log_[50].response_s(), 0.030, 1e-6);
}

TEST_F(SenderTest, AClosedLoopEndsWithItsCountAfterTheWarmUp) {
  run({.clients = 2, .count = 10, .begin_measure = 100ms, .end = 100s});
  const auto all = samples();
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const Sample& s) { return s.scheduled >= 100'000'000; }),
            10);
}

TEST_F(SenderTest, AClientThatFindsNobodyRestsBeforeItGoesOn) {
  prepare = [](FakeClient& client) {
    client.service = [](std::int64_t) { return 1us; };
    client.outcome = [](std::int64_t) { return Status(fail(ErrorCode::unavailable, "refused")); };
  };
  run({.clients = 1, .end = 1s});
  EXPECT_NEAR(static_cast<double>(log_.size()), 100, 2);
  for (const auto& sample : samples()) EXPECT_EQ(sample.outcome, Outcome::unavailable);
}

TEST_F(SenderTest, OutputsThatAreNotTheModelsAreNoAnswer) {
  using wire::DataType;
  const std::vector<wire::TensorMetadata> model{{"y", "FP32", {-1, 4}}, {"z", "INT64", {2}}};
  const auto failed = [&](std::vector<wire::Tensor> outputs) {
    prepare = [outputs](FakeClient& client) {
      client.content = [outputs](wire::InferReply& reply) { return reply.outputs = outputs, Status(); };
    };
    run({.schedule = every(20ms, 1), .outputs = model});
    return log_[log_.size() - 1].outcome == Outcome::failed;
  };
  const wire::Tensor y{.name = "y", .shape = {3, 4}}, z{.name = "z", .type = DataType::i64, .shape = {2}};
  EXPECT_FALSE(failed({y, z}));
  EXPECT_FALSE(failed({z})) << "a client may have asked for one";
  EXPECT_FALSE(failed({{.name = "y", .shape = {4}}})) << "some metadata have the batch, some have not";
  EXPECT_FALSE(failed({{.name = "y", .shape = {0, 4}}})) << "nothing was found";
  EXPECT_TRUE(failed({y, z, y})) << "twice";
  EXPECT_TRUE(failed({y, {.name = "x", .shape = {3, 4}}})) << "another's";
  EXPECT_TRUE(failed({{.name = "y", .type = DataType::i64, .shape = {3, 4}}})) << "another type";
  EXPECT_TRUE(failed({{.name = "y", .shape = {3, 5}}})) << "another size";
}

TEST_F(SenderTest, TellsOutcomesApart) {
  prepare = [](FakeClient& client) {
    client.outcome = [](std::int64_t n) -> Status {
      if (n == 1) return fail(ErrorCode::unavailable, "full");
      if (n == 2) return fail(ErrorCode::timeout, "late");
      if (n == 3) return fail(ErrorCode::internal, "broken");
      return {};
    };
  };
  run({.schedule = every(20ms, 5)});
  EXPECT_EQ(log_[0].outcome, Outcome::answered);
  EXPECT_EQ(log_[1].outcome, Outcome::unavailable);
  EXPECT_EQ(log_[2].outcome, Outcome::timed_out);
  EXPECT_EQ(log_[3].outcome, Outcome::failed);
  EXPECT_EQ(log_[4].outcome, Outcome::answered);
}

TEST_F(SenderTest, DecodesUntilAReplyIsRightThenOneInAThousandAndAllAfterAWrongOne) {
  int decoded = 0;
  prepare = [&](FakeClient& client) {
    client.service = [](std::int64_t) { return 1us; };
    client.content = [&](auto&) { return ++decoded < 3 ? Status() : fail(ErrorCode::corrupt, "no JSON"); };
  };
  run({.schedule = every(20us, 2500)});
  for (std::size_t i = 0; i < 2500; ++i)
    EXPECT_EQ(log_[i].outcome, i < 2000 ? Outcome::answered : Outcome::failed) << i;
  EXPECT_EQ(decoded, 2 + 500) << "the first, the thousandth, and all from the first wrong one on";
}

TEST_F(SenderTest, DecodesAllWhereTheFirstIsWrong) {
  prepare = [](FakeClient& client) {
    client.service = [](std::int64_t) { return 1us; };
    client.content = [](auto&) { return Status(fail(ErrorCode::corrupt, "no JSON")); };
  };
  run({.schedule = every(20us, 500)});
  for (const auto& sample : samples()) EXPECT_EQ(sample.outcome, Outcome::failed);
}

/// Seen: 175 of 165.
TEST_F(SenderTest, CountsWhatIsHeldBackOfTheMeasuredRequests) {
  prepare = [&](FakeClient& client) { client.stalled_until = clock_.now() + 1s; };
  run({.schedule = every(20ms, 20), .in_flight = 1, .begin_measure = 300ms});
  EXPECT_EQ(held_back_, 5) << "of 19 that waited";
}

TEST_F(SenderTest, CountsAsHeldBackWhatNoReplyMadeRoomFor) {
  prepare = [&](FakeClient& client) { client.stalled_until = clock_.now() + 1h; };
  run({.schedule = every(20ms, 20), .in_flight = 1, .begin_measure = 300ms, .give_up = 1s});
  EXPECT_EQ(log_.size(), 1U);
  EXPECT_EQ(held_back_, 5) << "of 19 that waited";
}

/// Seen: "1329 of 1280 requests waited".
TEST_F(SenderTest, CountsNothingAsHeldBackThatItNeverSent) {
  prepare = [&](FakeClient& client) {
    client.outcome = [&](std::int64_t n) {
      enough_ = n == 10;
      return Status();
    };
  };
  run({.schedule = every(1ms, 1000), .in_flight = 1});
  EXPECT_EQ(log_.size(), 11U);
  EXPECT_EQ(held_back_, 10) << "all but the first";
}

TEST_F(SenderTest, GivesUpWhatIsNotAnsweredAtTheEnd) {
  prepare = [&](FakeClient& client) { client.stalled_until = clock_.now() + 1h; };
  run({.schedule = every(20ms, 5)});
  ASSERT_EQ(log_.size(), 5U);
  for (const auto& sample : samples()) EXPECT_EQ(sample.outcome, Outcome::abandoned);
  EXPECT_NEAR(static_cast<double>(log_[4].done) * 1e-9, 0.080 + 1, 0.01)
      << "after a drain timeout of a second";
}

TEST_F(SenderTest, StopsWhenItIsToldAndKeepsWhatItHas) {
  prepare = [&](FakeClient& client) {
    client.outcome = [&](std::int64_t n) {
      if (n == 10) stop_.request_stop();
      return Status();
    };
  };
  run({.schedule = every(20ms, 1000)});
  EXPECT_GE(log_.size(), 10U);
  EXPECT_LE(log_.size(), 12U);
}

TEST_F(SenderTest, EndsEarlyWhenItIsEnoughButWaitsForReplies) {
  prepare = [&](FakeClient& client) {
    client.outcome = [&](std::int64_t n) {
      enough_ = n == 10;
      return Status();
    };
  };
  run({.schedule = every(4ms, 1000)});
  EXPECT_EQ(log_.size(), 11U);
  for (const auto& sample : samples()) EXPECT_EQ(sample.outcome, Outcome::answered);
}

}  // namespace
}  // namespace neph::load
