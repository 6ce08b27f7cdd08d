#include "serve/deployment.hpp"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/deployment_fixture_test.hpp"

namespace neph::serve {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

using Deployments = DeploymentTest;

TEST_F(Deployments, AnswerWithTheModelsOutputs) {
  open({});
  TestExchange one(5, 1);
  send(one);
  EXPECT_FALSE(one.answered());
  engine.end_next();
  EXPECT_EQ(one.message(), "ok");
  EXPECT_THAT(one.floats(), ElementsAre(5, 6, 7, 8));
  EXPECT_EQ(one.reply.model, "m");
  EXPECT_EQ(one.reply.version, "7");
  EXPECT_EQ(one.reply.outputs[0].shape, (wire::Shape{1, 4}));
}

TEST_F(Deployments, JoinWhatWaitsUpToTheLargestBatch) {
  open({.max_batch = 4});
  occupy();
  TestExchange two(10, 2), one(20, 1), three(30, 3), last(40, 1);
  for (auto* each : {&two, &one, &three, &last}) send(*each);
  EXPECT_EQ(deployment->pending(), 4);
  engine.end_next();
  EXPECT_THAT(engine.started(2).first_values, ElementsAre(10, 11, 20, testing::_));
  EXPECT_EQ(deployment->pending(), 2);
  engine.end_next();
  EXPECT_THAT(two.floats(), ElementsAre(10, 11, 12, 13, 11, 12, 13, 14));
  EXPECT_THAT(one.floats(), ElementsAre(20, 21, 22, 23));
  EXPECT_THAT(engine.started(3).first_values, ElementsAre(30, 31, 32, 40));
  engine.end_next();
  EXPECT_EQ(last.floats()[0], 40);
  EXPECT_LT(two.place(), one.place());
  EXPECT_LT(one.place(), three.place());
  EXPECT_LT(three.place(), last.place());
}

TEST_F(Deployments, RunWhatFailedTogetherOneByOne) {
  open({.max_batch = 4});
  occupy();
  TestExchange good(10, 1), bad(20, 2), fine(30, 1), busy(40, 4), later(50, 1), last(60, 1);
  for (auto* each : {&good, &bad, &fine}) send(*each);
  engine.end_next();
  EXPECT_EQ(engine.started(2).size, 4);
  engine.end_next(fail(ErrorCode::invalid_argument, "an index is out of range"));
  EXPECT_FALSE(good.answered()) << "nobody knows whose fault it was";
  EXPECT_THAT(engine.started(3).first_values, ElementsAre(10));
  engine.end_next();
  EXPECT_EQ(good.floats()[0], 10);
  EXPECT_THAT(engine.started(4).first_values, ElementsAre(20, 21));
  engine.end_next(fail(ErrorCode::invalid_argument, "an index is out of range"));
  EXPECT_EQ(bad.message(), "an index is out of range");
  EXPECT_THAT(engine.started(5).first_values, ElementsAre(30));
  engine.end_next();
  EXPECT_EQ(fine.floats()[0], 30);
  for (auto* each : {&busy, &later, &last}) send(*each);
  engine.end_next();
  EXPECT_THAT(engine.started(7).first_values, ElementsAre(50, 60)) << "others are joined as before";
  engine.end_next();
  EXPECT_EQ(last.floats()[0], 60);
  EXPECT_EQ(deployment->statistics().inference_stats.fail.count, 1U);
}

TEST_F(Deployments, UseTheSmallestSizeThatHoldsTheRows) {
  open({.max_batch = 8, .batch_sizes = "1,3"});
  for (const auto& [rows, size] : {std::pair{1, 1}, {2, 3}, {3, 3}, {4, 8}, {8, 8}}) {
    TestExchange each(1, rows);
    send(each);
    EXPECT_EQ(engine.started(engine.started_so_far()).size, size) << rows << " rows";
    engine.end_next();
    each.wait();
  }
}

TEST_F(Deployments, RunAsManyAtOnceAsThereAreInstances) {
  open({.instances = 2});
  TestExchange a(1, 1), b(2, 1), c(3, 1);
  for (auto* each : {&a, &b, &c}) send(*each);
  EXPECT_EQ(engine.started_so_far(), 2U);
  EXPECT_EQ(deployment->pending(), 1);
  for (int i = 0; i < 3; ++i) engine.end_next();
  EXPECT_EQ(c.floats()[0], 3);
}

TEST_F(Deployments, TakeAsManyInstancesAsTheEngineAdvises) {
  open({.instances = 0});
  EXPECT_EQ(deployment->config().instance_group.at(0).count, 3);
}

TEST_F(Deployments, RunWhatIsCheapOnTheThreadThatBringsIt) {
  engine.cost = [](std::int64_t) { return 10us; };
  open({.max_batch = 4});
  TestExchange one(5, 2);
  send(one);
  ASSERT_TRUE(one.answered());
  EXPECT_EQ(one.thread(), std::this_thread::get_id());
  EXPECT_EQ(engine.started_so_far(), 0U);
  EXPECT_THAT(one.floats(), ElementsAre(5, 6, 7, 8, 6, 7, 8, 9));
}

TEST_F(Deployments, HandOverOnlyTheSizesThatAreDear) {
  engine.cost = [](std::int64_t size) { return size == 1 ? 10us : 100us; };
  open({.max_batch = 2});
  TestExchange cheap(1, 1), dear(2, 2);
  send(cheap);
  EXPECT_TRUE(cheap.answered());
  send(dear);
  EXPECT_FALSE(dear.answered());
  engine.end_next();
  dear.wait();
}

TEST_F(Deployments, LearnWhatAnExecutionCosts) {
  open({});
  TestExchange first(1, 1), second(2, 1);
  send(first);
  engine.cost = [](std::int64_t) { return 20us; };
  engine.end_next();
  send(second);
  EXPECT_TRUE(second.answered()) << "it has shown to be cheap enough not to be handed over";
}

// ---- Waiting for a fuller batch

TEST_F(Deployments, WaitForOthersNoLongerThanTheyMay) {
  open({.max_batch = 2, .max_wait = {2e-3}});
  TestExchange alone(1, 1);
  send(alone);
  EXPECT_EQ(engine.started_so_far(), 0U);
  clock.advance(1999us);
  EXPECT_EQ(engine.started_so_far(), 0U);
  clock.advance(1us);
  EXPECT_EQ(engine.started(1).size, 1);
  engine.end_next();
  EXPECT_EQ(alone.code(), "ok");
  EXPECT_EQ(alone.stages.queue, 2ms);
}

TEST_F(Deployments, StopWaitingWhenTheBatchIsFull) {
  open({.max_batch = 2, .max_wait = {60}});
  TestExchange a(1, 1), b(2, 1);
  send(a);
  EXPECT_EQ(engine.started_so_far(), 0U);
  send(b);
  EXPECT_THAT(engine.started(1).first_values, ElementsAre(1, 2));
  engine.end_next();
  b.wait();
}

TEST_F(Deployments, DoNotWaitLongerThanADeadlineAllows) {
  open({.max_batch = 2, .max_wait = {60}});
  TestExchange hurried(1, 1);
  hurried.deadline = clock.now() + 4ms;
  send(hurried);
  EXPECT_EQ(engine.started_so_far(), 0U);
  clock.advance(3ms);  // the execution takes the last one
  engine.started(1);
  engine.end_next();
  EXPECT_EQ(hurried.code(), "ok");
}

TEST_F(Deployments, DoNotWaitWhereJoiningDoesNotPay) {
  engine.cost = [](std::int64_t size) { return size * 1ms; };
  open({.max_batch = 4, .max_wait = {60}});
  TestExchange one(1, 1);
  send(one);
  EXPECT_EQ(engine.started_so_far(), 1U);
  engine.end_next();
  one.wait();
}

// ---- Requests that nobody wants any more

TEST_F(Deployments, AnswerADeadlineWhenItPassesAndNotWhenALaneIsFree) {
  open({});
  occupy();
  TestExchange late(1, 1), patient(2, 1);
  late.deadline = clock.now() + 3ms;
  send(late);
  send(patient);
  clock.advance(3ms);
  EXPECT_EQ(late.code(), "timeout");
  EXPECT_EQ(late.message(), "the request timed out before it could be run");
  EXPECT_FALSE(occupant.answered());
  EXPECT_EQ(deployment->pending(), 1);
  engine.end_next();
  engine.end_next();
  EXPECT_EQ(patient.code(), "ok");
}

TEST_F(Deployments, HeedAnEarlierDeadlineThatComesLater) {
  open({});
  occupy();
  TestExchange later(1, 1), sooner(2, 1);
  later.deadline = clock.now() + 1h;
  sooner.deadline = clock.now() + 2ms;
  send(later);
  send(sooner);
  clock.advance(2ms);
  EXPECT_EQ(sooner.code(), "timeout");
  EXPECT_FALSE(later.answered());
  engine.end_next();
  engine.end_next();
  EXPECT_EQ(later.code(), "ok");
}

TEST_F(Deployments, RefuseWhatComesTooLate) {
  open({});
  TestExchange late(1, 1);
  late.deadline = clock.now();
  send(late);
  EXPECT_EQ(late.code(), "timeout");
  EXPECT_EQ(engine.started_so_far(), 0U);
}

TEST_F(Deployments, DoNotRunWhatWasAbandoned) {
  open({.max_batch = 4});
  occupy();
  TestExchange gone(1, 1), here(2, 1), gone_too(3, 2);
  for (auto* each : {&gone, &here, &gone_too}) send(*each);
  gone.abandon();
  gone_too.abandon();
  engine.end_next();
  const auto executed = engine.started(2);
  EXPECT_EQ(executed.size, 1) << "as few rows as are left";
  EXPECT_THAT(executed.first_values, ElementsAre(2));
  EXPECT_EQ(gone.code(), "unavailable");
  EXPECT_THAT(gone.message(), HasSubstr("client has gone"));
  engine.end_next();
  EXPECT_EQ(here.floats()[0], 2);
}

TEST_F(Deployments, GoOnWhenAllOfABatchWasAbandoned) {
  open({});
  occupy();
  TestExchange gone(1, 1), next(2, 1);
  send(gone);
  send(next);
  gone.abandon();
  engine.end_next();
  EXPECT_THAT(engine.started(2).first_values, ElementsAre(2));
  engine.end_next();
  EXPECT_EQ(next.code(), "ok");
}

// ---- Bounds and order

TEST_F(Deployments, BoundTheQueueInRequests) {
  open({.queue_requests = 2});
  occupy();
  TestExchange a(1, 1), b(2, 1), c(3, 1), d(4, 1);
  for (auto* each : {&a, &b, &c}) send(*each);
  EXPECT_EQ(c.code(), "unavailable");
  EXPECT_EQ(
      c.message(),
      "the queue of model 'm' is full (2 requests); try again later, or give it more with --queue-requests");
  EXPECT_EQ(c.retry_after, 2ms) << "two that wait, a millisecond each";
  engine.end_next();
  send(d);
  for (int i = 0; i < 3; ++i) engine.end_next();
  for (auto* each : {&a, &b, &d}) EXPECT_EQ(each->code(), "ok");
}

TEST_F(Deployments, BoundTheQueueInBytes) {
  open({.max_batch = 8, .queue_bytes = 40});
  occupy();
  TestExchange a(1, 2), b(2, 1), huge(3, 8);
  send(a);
  send(b);
  EXPECT_EQ(b.message(),
            "the queue of model 'm' is full (32 bytes); try again later, or give it more with --queue-bytes");
  engine.end_next();
  engine.started(2);
  send(huge);  // alone: a bound that a request can never meet would refuse it for ever
  engine.end_next();
  engine.end_next();
  EXPECT_EQ(a.code(), "ok");
  EXPECT_EQ(huge.code(), "ok");
}

TEST_F(Deployments, ServeUrgentRequestsFirst) {
  open({});
  occupy();
  TestExchange usual(1, 1), urgent(2, 1), most_urgent(3, 1);
  urgent.request.parameters = {{"priority", std::int64_t{2}}};
  most_urgent.request.parameters = {{"priority", std::int64_t{1}}};
  for (auto* each : {&usual, &urgent, &most_urgent}) send(*each);
  for (int i = 0; i < 4; ++i) engine.end_next();
  EXPECT_LT(most_urgent.place(), urgent.place());
  EXPECT_LT(urgent.place(), usual.place());
}

// ---- Failures

TEST_F(Deployments, TellAnEnginesFailureToThoseOfThatExecution) {
  open({.max_batch = 2});
  occupy();
  TestExchange a(1, 1), b(2, 1), c(3, 1);
  for (auto* each : {&a, &b, &c}) send(*each);
  engine.end_next();
  engine.end_next(fail(ErrorCode::internal, "out of registers"));
  engine.end_next();  // c, that is in the queue; then each of the others by itself
  for (int i = 0; i < 2; ++i) engine.end_next(fail(ErrorCode::internal, "out of registers"));
  EXPECT_EQ(a.message(), "out of registers");
  EXPECT_EQ(b.code(), "internal");
  EXPECT_EQ(occupant.code(), "ok");
  EXPECT_EQ(c.code(), "ok");
  const auto statistics = deployment->statistics();
  EXPECT_EQ(statistics.inference_stats.fail.count, 2U);
  EXPECT_EQ(statistics.inference_stats.success.count, 2U);
  EXPECT_EQ(statistics.execution_count, 2U);
}

TEST_F(Deployments, GoOnWhenAnExecutionDoesNotStart) {
  open({});
  engine.cannot_start = true;
  TestExchange a(1, 1), b(2, 1);
  send(a);
  EXPECT_EQ(a.message(), "the engine does not start");
  engine.cannot_start = false;
  send(b);
  engine.end_next();
  EXPECT_EQ(b.code(), "ok");
}

TEST_F(Deployments, RefuseARequestThatTheModelDoesNotTake) {
  open({});
  TestExchange wrong;
  wrong.add_input("q", {1, 4});
  send(wrong);
  EXPECT_EQ(wrong.code(), "invalid_argument");
  EXPECT_EQ(deployment->statistics().inference_stats.fail.count, 1U);
}

TEST_F(Deployments, RefuseBatchSizesThatMakeNoSense) {
  for (const char* sizes : {"0", "9", "1.5", "two", "1,-3"}) {
    const auto opened = try_open({.max_batch = 8, .batch_sizes = sizes}, clock);
    ASSERT_FALSE(opened) << sizes;
    EXPECT_THAT(opened.error().message, HasSubstr("is not a whole number from 1 to max_batch, which is 8"));
  }
}

// ---- What it says of itself

TEST_F(Deployments, DescribeThemselves) {
  open({.runtime = {.engine = "fake"}, .instances = 2, .max_batch = 6, .max_wait = {0.0015}});
  const auto about = deployment->metadata();
  EXPECT_THAT(about.versions, ElementsAre("7"));
  EXPECT_EQ(about.platform, "fake_model");
  EXPECT_THAT(about.inputs.at(0).shape, ElementsAre(-1, 4));
  const auto config = deployment->config();
  EXPECT_EQ(config.backend, "fake");
  EXPECT_EQ(config.max_batch_size, 6);
  EXPECT_EQ(config.input.at(0).data_type, "TYPE_FP32");
  EXPECT_THAT(config.input.at(0).dims, ElementsAre(4));
  EXPECT_THAT(config.dynamic_batching->preferred_batch_size, ElementsAre(1, 2, 4, 6));
  EXPECT_EQ(config.dynamic_batching->max_queue_delay_microseconds, 1500);
  EXPECT_EQ(deployment->facts().at("device"), "fake");
}

TEST_F(Deployments, OfSingleRowsSayThatNothingIsJoined) {
  open({});
  EXPECT_FALSE(deployment->config().dynamic_batching);
  EXPECT_EQ(deployment->config().max_batch_size, 1);
  EXPECT_THAT(deployment->metadata().inputs.at(0).shape, ElementsAre(-1, 4)) << "the batch, as Triton has it";
}

TEST_F(Deployments, MeasureTheStagesOfARequest) {
  open({});
  occupy();
  TestExchange one(1, 1);
  send(one);
  clock.advance(2ms);
  engine.end_next();
  engine.cost = [](std::int64_t) { return 7ms; };
  engine.end_next();
  one.wait();
  EXPECT_EQ(one.stages.queue, 3ms);
  EXPECT_EQ(one.stages.infer, 7ms);
  EXPECT_EQ(one.stages.decode, 0ms);
  EXPECT_EQ(deployment->statistics().inference_stats.success.ns, 13'000'000U);
}

}  // namespace
}  // namespace neph::serve
