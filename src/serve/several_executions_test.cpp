// Requests of more rows than an execution takes.
#include <chrono>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/deployment_fixture_test.hpp"

namespace neph::serve {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class SeveralExecutions : public DeploymentTest {
 protected:
  /// The first value of each row of an answer.
  static std::vector<float> firsts(TestExchange& exchange, std::size_t output = 0) {
    const auto all = exchange.floats(output);
    std::vector<float> values;
    for (std::size_t i = 0; i < all.size(); i += 4) values.push_back(all[i]);
    return values;
  }
};

TEST_F(SeveralExecutions, AnswerAllRowsInTheirOrder) {
  open({.max_batch = 4});
  TestExchange many(10, 11);
  send(many);
  EXPECT_THAT(engine.started(1).first_values, ElementsAre(10, 11, 12, 13));
  engine.end_next();
  EXPECT_THAT(engine.started(2).first_values, ElementsAre(14, 15, 16, 17));
  engine.end_next();
  EXPECT_FALSE(many.answered());
  EXPECT_THAT(engine.started(3).first_values, ElementsAre(18, 19, 20, testing::_)) << "in the smallest size";
  engine.end_next();
  EXPECT_EQ(many.message(), "ok");
  EXPECT_THAT(firsts(many), ElementsAre(10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20));
  EXPECT_EQ(many.reply.outputs[0].shape, (wire::Shape{11, 4}));
}

TEST_F(SeveralExecutions, AreOfOneRowWithoutABatch) {
  open({});
  TestExchange two(5, 2);
  send(two);
  engine.end_next();
  EXPECT_THAT(engine.started(2).first_values, ElementsAre(6));
  engine.end_next();
  EXPECT_THAT(firsts(two), ElementsAre(5, 6));
}

TEST_F(SeveralExecutions, BindLargeRowsWhereTheyLie) {
  engine.inputs = engine.outputs = {{"x", engine::Element::f32, {-1, 8192}}};
  engine.outputs[0].name = "y";
  open({.max_batch = 2});
  TestExchange three(1, 3, 8192);
  send(three);
  engine.end_next();
  engine.end_next();
  const auto values = three.floats();
  ASSERT_EQ(values.size(), 3U * 8192);
  EXPECT_THAT((std::vector{values[0], values[8192], values[16384], values[16385]}), ElementsAre(1, 2, 3, 4));
  three.written();
}

TEST_F(SeveralExecutions, RunHereWhereAllOfThemAreCheap) {
  engine.cost = [](std::int64_t) { return 10us; };
  open({});
  TestExchange few(1, 3), many(1, 8);
  send(few);
  ASSERT_TRUE(few.answered());
  EXPECT_EQ(few.thread(), std::this_thread::get_id());
  EXPECT_THAT(firsts(few), ElementsAre(1, 2, 3));
  send(many);
  EXPECT_FALSE(many.answered()) << "together they are worth handing over";
  for (int i = 0; i < 8; ++i) engine.end_next();
  EXPECT_EQ(firsts(many).back(), 8);
}

TEST_F(SeveralExecutions, ShareNoneWithOthers) {
  open({.max_batch = 4});
  occupy();
  TestExchange before(10, 1), many(20, 5), after(30, 1);
  for (auto* each : {&before, &many, &after}) send(*each);
  engine.end_next();
  EXPECT_THAT(engine.started(2).first_values, ElementsAre(10));
  engine.end_next();
  EXPECT_THAT(engine.started(3).first_values, ElementsAre(20, 21, 22, 23));
  engine.end_next();
  EXPECT_THAT(engine.started(4).first_values, ElementsAre(24));
  engine.end_next();
  EXPECT_THAT(firsts(many), ElementsAre(20, 21, 22, 23, 24));
  EXPECT_THAT(engine.started(5).first_values, ElementsAre(30));
  engine.end_next();
  EXPECT_THAT(firsts(after), ElementsAre(30));
}

TEST_F(SeveralExecutions, EndWithTheFirstThatFails) {
  open({.max_batch = 2});
  TestExchange many(1, 6), next(9, 2);
  send(many);
  engine.end_next();
  send(next);
  engine.end_next(fail(ErrorCode::invalid_argument, "an index is out of range"));
  EXPECT_EQ(many.message(), "an index is out of range");
  EXPECT_THAT(engine.started(3).first_values, ElementsAre(9, 10)) << "the instance is free";
  engine.end_next();
  EXPECT_THAT(firsts(next), ElementsAre(9, 10));
  EXPECT_EQ(deployment->statistics().inference_stats.fail.count, 1U);
}

TEST_F(SeveralExecutions, EndWhenNobodyWantsThemAnyMore) {
  open({});
  TestExchange gone(1, 3), late(4, 3), next(9, 1);
  send(gone);
  gone.abandon();
  engine.end_next();
  EXPECT_EQ(gone.code(), "unavailable");
  late.deadline = clock.now() + 1500us;
  send(late);
  engine.end_next();
  EXPECT_FALSE(late.answered());
  engine.end_next();
  EXPECT_EQ(late.code(), "timeout");
  EXPECT_EQ(engine.started_so_far(), 3U);
  send(next);
  engine.end_next();
  EXPECT_EQ(next.code(), "ok");
}

TEST_F(SeveralExecutions, AreCountedOneByOne) {
  open({.max_batch = 4});
  TestExchange many(1, 9);
  send(many);
  for (int i = 0; i < 3; ++i) {
    clock.advance(1ms);
    engine.end_next();
  }
  many.wait();
  const auto told = deployment->statistics();
  EXPECT_EQ(told.execution_count, 3U);
  EXPECT_EQ(told.inference_count, 9U);
  EXPECT_EQ(told.inference_stats.success.count, 1U);
  ASSERT_EQ(told.batch_stats.size(), 2U);
  EXPECT_EQ(told.batch_stats[0].batch_size, 1U);
  EXPECT_EQ(told.batch_stats[1].compute_infer.count, 2U);
  EXPECT_EQ(many.stages.infer, 6ms);
  EXPECT_EQ(many.stages.queue, 0ms);
}

TEST_F(SeveralExecutions, LeaveLargeAnswersWhereTheyWereGathered) {
  engine.outputs[0].shape = {-1, 16384};
  open({});
  TestExchange three(1, 3);
  send(three);
  for (int i = 0; i < 3; ++i) engine.end_next();
  three.wait();
  ASSERT_NE(three.lease, nullptr) << "192 KB are lent";
  TestExchange other(50, 3);
  send(other);
  for (int i = 0; i < 3; ++i) engine.end_next();
  other.wait();
  EXPECT_EQ(three.floats()[0], 1) << "no other request writes there";
  EXPECT_EQ(three.floats()[std::size_t{2} * 16384], 3);
  EXPECT_EQ(other.floats()[0], 50);
  three.written();
  other.written();
}

TEST_F(SeveralExecutions, ClassifyEachRow) {
  open({.max_batch = 2});
  TestExchange three(7, 3);
  three.request.outputs = {{.name = "y", .classification = 1}};
  send(three);
  engine.end_next();
  engine.end_next();
  three.wait();
  const auto& output = three.reply.outputs.at(0);
  EXPECT_EQ(output.shape, (wire::Shape{3, 1}));
  std::vector<std::string> texts;
  wire::for_each_bytes(output.data, [&](auto text) {
    texts.emplace_back(reinterpret_cast<const char*>(text.data()), text.size());
  });
  EXPECT_THAT(texts, ElementsAre("10.000000:3", "11.000000:3", "12.000000:3"));
}

TEST_F(SeveralExecutions, TakeNoMoreThanMayWait) {
  open({.queue_bytes = 200});
  TestExchange many(1, 7), most(1, 6);  // of a row 16 bytes come, and 17 are kept for its answer
  send(many);
  EXPECT_EQ(many.message(),
            "a request that takes 231 bytes, as it came, decoded and answered; this server takes up to 200 "
            "(--queue-bytes)");
  send(most);
  for (int i = 0; i < 6; ++i) engine.end_next();
  EXPECT_EQ(most.code(), "ok");
}

TEST_F(SeveralExecutions, AreNoneWhereAConfigurationLimitsRequests) {
  ModelOptions options{.max_batch = 2};
  options.declared = {.file = "config.pbtxt", .max_batch_size = 4};
  open(options);
  TestExchange five(1, 5), four(1, 4);
  send(five);
  EXPECT_EQ(five.message(), "5 rows in one request; this model takes up to 4 (its max_batch_size)");
  send(four);
  engine.end_next();
  engine.end_next();
  EXPECT_THAT(firsts(four), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(deployment->config().max_batch_size, 4);
}

}  // namespace
}  // namespace neph::serve
