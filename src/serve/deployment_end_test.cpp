// How a deployment ends, what it keeps, and many threads at once.
#include <chrono>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/deployment_fixture_test.hpp"

namespace neph::serve {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

using DeploymentEnds = DeploymentTest;

TEST_F(DeploymentEnds, RefuseWhatComesAfterClosingAndAnswerTheRest) {
  open({});
  occupy();
  TestExchange before(1, 1), after(2, 1);
  send(before);
  deployment->close();
  send(after);
  EXPECT_EQ(after.code(), "unavailable");
  EXPECT_EQ(after.message(), "model 'm' is being unloaded; it answers only what came before");
  EXPECT_FALSE(deployment->drain(clock.now()));
  engine.end_next();
  EXPECT_FALSE(deployment->drain(clock.now()));
  engine.end_next();
  EXPECT_TRUE(deployment->drain(clock.now()));
  EXPECT_EQ(before.code(), "ok");
}

TEST_F(DeploymentEnds, AnEnginesErrorHasNoPathsOfTheServer) {
  open({});
  deployment->set_files({}, "/srv/models");
  TestExchange request(1, 1);
  send(request);
  engine.end_next(fail(ErrorCode::internal, "/srv/models/m/1/w.bin: cut short (/proc/self/maps)"));
  EXPECT_EQ(request.message(), "m/1/w.bin: cut short (maps)");
}

TEST_F(DeploymentEnds, AnswerWhatWasAcceptedBeforeClosingAndIsCheckedAfterIt) {
  open({});
  TestExchange between(1, 1);
  auto& job = deployment->accept(between);
  deployment->close();
  deployment->run(job);
  engine.end_next();
  EXPECT_EQ(between.code(), "ok") << between.message();
}

TEST_F(DeploymentEnds, GiveUpWhatHasNotBegun) {
  open({});
  occupy();
  TestExchange waiting(1, 1), later(2, 1);
  send(waiting);
  deployment->abort();
  EXPECT_EQ(waiting.code(), "unavailable");
  EXPECT_EQ(waiting.message(), "model 'm' is stopping, and there is no time left");
  send(later);
  EXPECT_EQ(later.code(), "unavailable");
  EXPECT_FALSE(occupant.answered()) << "what runs cannot be cut short";
  engine.end_next();
  EXPECT_EQ(occupant.code(), "ok");
  EXPECT_EQ(engine.started_so_far(), 1U);
}

TEST_F(DeploymentEnds, WaitForWhatRuns) {
  open({});
  occupy();
  std::thread end([&] { deployment.reset(); });
  engine.end_next();
  end.join();
  EXPECT_EQ(occupant.code(), "ok");
}

TEST_F(DeploymentEnds, LeaveRepliesThatAreStillBeingWritten) {
  engine.outputs = {{"y", engine::Element::f32, {-1, 20'000}}};
  open({});
  TestExchange slow(5, 1);
  send(slow);
  engine.end_next();
  deployment.reset();
  ASSERT_NE(slow.lease, nullptr);
  EXPECT_EQ(slow.floats()[19'999], 20'004);  // asan sees where it lies
  slow.written();
}

TEST_F(DeploymentEnds, LendEachReplyItsOwnMemory) {
  engine.outputs = {{"y", engine::Element::f32, {-1, 20'000}}};
  open({});
  TestExchange first(1, 1), second(2, 1), third(3, 1);
  for (auto* each : {&first, &second}) {
    send(*each);
    engine.end_next();
  }
  EXPECT_NE(first.reply.outputs[0].data.data(), second.reply.outputs[0].data.data());
  EXPECT_EQ(first.floats()[1], 2);
  EXPECT_EQ(second.floats()[1], 3);
  first.written();
  second.written();
  send(third);
  engine.end_next();
  EXPECT_EQ(third.floats()[1], 4);
  third.written();
}

/// Requests of several threads to an engine that answers at once, some with deadlines, some given up.
void ask_many(Deployment& deployment, const Clock& clock, std::uint64_t seed,
              std::atomic<std::int64_t>& rows_answered) {
  std::mt19937_64 random(seed);
  for (int i = 0; i < 400; ++i) {
    const auto rows = static_cast<std::int64_t>(1 + random() % 4);
    const auto first = static_cast<float>(random() % 10'000);
    TestExchange exchange(first, rows);
    exchange.received = clock.now();
    const auto kind = random() % 8;
    if (kind == 0) exchange.deadline = clock.now() + std::chrono::microseconds(random() % 100);
    if (kind == 1) exchange.abandon();
    if (kind == 2) exchange.request.parameters = {{"priority", static_cast<std::int64_t>(1 + random() % 16)}};
    deployment.run(deployment.accept(exchange));
    if (!exchange.wait()) {
      EXPECT_LT(kind, 2U) << exchange.message();
      continue;
    }
    rows_answered += rows;
    const auto values = exchange.floats();
    ASSERT_EQ(values.size(), static_cast<std::size_t>(rows) * 4);
    for (std::size_t at = 0; at < values.size(); ++at)
      ASSERT_EQ(values[at], first + static_cast<float>(at / 4 + at % 4)) << "seed " << seed;
  }
}

TEST_F(DeploymentEnds, AnswerManyThreadsEachWithItsOwn) {
  const SteadyClock steady;
  for (const auto cost : {1us, 1000us}) {  // run where they come in, and handed over
    engine.cost = [&](std::int64_t) { return cost; };
    engine.ends_at_once = true;
    for (const double max_wait_s : {0.0, 1e-4}) {
      auto opened = try_open({.instances = 3, .max_batch = 8, .max_wait = {max_wait_s}}, steady);
      ASSERT_TRUE(opened);
      std::atomic<std::int64_t> rows{0};
      std::vector<std::thread> threads;
      for (std::uint64_t seed = 1; seed <= 6; ++seed)
        threads.emplace_back([&, seed] { ask_many(**opened, steady, seed, rows); });
      for (auto& thread : threads) thread.join();
      const auto statistics = (*opened)->statistics();
      EXPECT_EQ(statistics.inference_count, static_cast<std::uint64_t>(rows));
      EXPECT_EQ(statistics.inference_stats.success.count + statistics.inference_stats.fail.count, 6U * 400);
      EXPECT_EQ((*opened)->pending(), 0);
    }
  }
}

TEST_F(DeploymentEnds, AnswerAllThatWasAcceptedWhileThreadsStillCome) {
  const SteadyClock steady;
  engine.ends_at_once = true;
  for (int round = 0; round < 20; ++round) {
    auto opened = try_open({.instances = 2, .max_batch = 4}, steady);
    ASSERT_TRUE(opened);
    std::atomic<int> ok{0}, refused{0};
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) {
          TestExchange exchange(1, 1);
          (*opened)->run((*opened)->accept(exchange));
          ++(exchange.wait() ? ok : refused);
        }
      });
    if (round % 2 == 0) std::this_thread::yield();
    (*opened)->close();
    EXPECT_TRUE((*opened)->drain(Moment::max()));
    for (auto& thread : threads) thread.join();
    EXPECT_EQ(ok + refused, 200);
  }
}

// ---- Picture payloads

class PictureDeployments : public DeploymentTest {
 protected:
  PictureDeployments() { engine.inputs = {{"x", engine::Element::f32, {-1, 1, 2, 2}}}; }
  /// Rows of 2 x 2 levels.
  void send_pixels(TestExchange& exchange, std::span<const std::byte> pixels) {
    const auto rows = static_cast<std::int64_t>(pixels.size() / 4);
    exchange.request.inputs = {
        {.name = "x", .type = wire::DataType::u8, .shape = {rows, 2, 2, 1}, .data = pixels}};
    send(exchange);
  }
};

TEST_F(PictureDeployments, NormalisePixelsOnTheServer) {
  open({.payload = Payload::uint8, .max_batch = 2});
  const std::array<std::byte, 8> pixels{std::byte{51}, {}, {}, {}, std::byte{255}};
  TestExchange two;
  send_pixels(two, pixels);
  const auto executed = engine.started(1);
  EXPECT_NEAR(executed.first_values.at(0), 0.2, 1e-6);
  EXPECT_NEAR(executed.first_values.at(1), 1.0, 1e-6);
  engine.end_next();
  EXPECT_EQ(two.code(), "ok");
}

TEST_F(PictureDeployments, AnswerABrokenPictureAndServeTheOthers) {
  open({.payload = Payload::jpeg, .max_batch = 2});
  const auto file = wire::bytes_of("no picture at all");
  TestExchange broken;
  broken.request.raw = true;
  broken.request.inputs = {{.data = file}};
  send(broken);
  EXPECT_THAT(broken.message(), HasSubstr("image 0 of input 'x': "));
  EXPECT_EQ(broken.code(), "invalid_argument");
  EXPECT_EQ(engine.started_so_far(), 0U);
  EXPECT_EQ(deployment->pending(), 0);
}

TEST_F(PictureDeployments, CountWhatPicturesBecomeInTheQueuesBytes) {
  open({.payload = Payload::uint8, .queue_bytes = 39});
  const std::array<std::byte, 4> pixels{};
  TestExchange running, a, b;
  send_pixels(running, pixels);
  engine.started(1);
  send_pixels(a, pixels);
  send_pixels(b, pixels);
  EXPECT_THAT(b.message(), HasSubstr("is full (20 bytes)"));
  engine.end_next();
  engine.end_next();
  EXPECT_EQ(a.code(), "ok");
}

}  // namespace
}  // namespace neph::serve
