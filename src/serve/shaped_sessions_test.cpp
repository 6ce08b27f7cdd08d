#include "serve/shaped_sessions.hpp"

#include <atomic>
#include <chrono>
#include <cstring>
#include <numeric>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/fake_engine_test.hpp"

namespace neph::serve {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

/// What the sessions of a model did, and are to do.
struct Doings {
  std::atomic<int> compiled = 0, gone = 0;
  std::atomic<bool> answers_otherwise = false, cannot_compile = false, stays_open = false;
  std::vector<std::vector<std::int64_t>> shapes;  ///< that were compiled for
};

/// Answers with its input, of any length.
class Request final : public engine::Request {
 public:
  explicit Request(float added) : added_(added) {}
  Status bind_input(std::size_t, void* data, std::size_t bytes) override {
    in_ = {static_cast<const float*>(data), bytes / sizeof(float)};
    return {};
  }
  Status bind_open_input(std::size_t, void* data, std::span<const std::int64_t> shape) override {
    in_ = {static_cast<const float*>(data), static_cast<std::size_t>(shape[0] * shape[1])};
    return {};
  }
  Status bind_output(std::size_t, void* data, std::size_t) override {
    out_ = static_cast<float*>(data);
    return {};
  }
  Result<engine::OpenOutput> open_output(std::size_t) override {
    return engine::OpenOutput{reinterpret_cast<const std::byte*>(own_.data()),
                              own_.size() * sizeof(float),
                              {1, static_cast<std::int64_t>(own_.size())}};
  }
  Status infer() override {
    own_.assign(in_.begin(), in_.end());
    for (auto& value : own_) value += added_;
    if (out_ != nullptr) std::memcpy(out_, own_.data(), own_.size() * sizeof(float));
    return {};
  }
  Status start(std::function<void(Status)>) override { return infer(); }

 private:
  const float added_;
  std::span<const float> in_;
  float* out_ = nullptr;
  std::vector<float> own_;
};

class Session final : public engine::Session {
 public:
  Session(Doings& doings, std::vector<std::int64_t> shape, float added)
      : doings_(doings),
        inputs_{{"x", engine::Element::f32, shape}},
        outputs_{{"y", engine::Element::f32, std::move(shape)}},
        added_(added) {}
  ~Session() override { ++doings_.gone; }
  const std::vector<engine::Port>& inputs() const override { return inputs_; }
  const std::vector<engine::Port>& outputs() const override { return outputs_; }
  Result<std::unique_ptr<engine::Request>> make_request() override {
    return std::make_unique<Request>(added_);
  }
  std::int64_t optimal_requests() const override { return 1; }
  const Facts& facts() const override { return facts_; }

 private:
  Doings& doings_;
  std::vector<engine::Port> inputs_, outputs_;
  float added_;
  Facts facts_;
};

class Model final : public engine::Model {
 public:
  explicit Model(Doings& doings) : doings_(doings) {}
  const std::vector<engine::Port>& inputs() const override { return ports_; }
  const std::vector<engine::Port>& outputs() const override { return ports_; }
  Result<std::unique_ptr<engine::Session>> compile(const engine::Options& options) override {
    if (doings_.cannot_compile) return fail(ErrorCode::unsupported, "not this shape");
    doings_.shapes.push_back(options.shapes.at("x"));
    ++doings_.compiled;
    EXPECT_FALSE(options.trials) << "of made-up inputs, beside clients' requests";
    const std::vector<std::int64_t> open{-1, -1};
    return std::make_unique<Session>(doings_, doings_.stays_open ? open : options.shapes.at("x"),
                                     doings_.answers_otherwise ? 1.0F : 0.0F);
  }

 private:
  Doings& doings_;
  std::vector<engine::Port> ports_{{"x", engine::Element::f32, {-1, -1}}};
};

class ShapesOfRequests : public testing::Test {
 protected:
  void watch(std::size_t most = 4, std::size_t instances = 1, double compile_s = 0) {
    watched.emplace(ShapedSessions::Home{.model = model,
                                         .any = any,
                                         .options = {},
                                         .signature = signature,
                                         .instances = instances,
                                         .most = most,
                                         .compile_s = compile_s,
                                         .clock = clock});
  }
  static void shape(Job& job, std::int64_t length) {
    static std::vector<float> values(4096);
    std::iota(values.begin(), values.end(), 0.0F);
    job.shapes = {{1, length}};
    job.inputs = {std::as_bytes(std::span(values).first(static_cast<std::size_t>(length)))};
  }
  /// An execution of a request of that length, of which the session of any shape takes `any_s`, one of its
  /// own `own_s`. Whether it ran in its own.
  bool run(std::int64_t length, double any_s, double own_s) {
    Job job;
    shape(job, length);
    auto* const session = watched->choose(job);
    watched->ended(job, {.session = session, .infer = from_seconds(session != nullptr ? own_s : any_s)});
    return session != nullptr;
  }
  /// Until one ran in a session of its own; false: none does.
  bool run_until_own(std::int64_t length, double any_s, double own_s) {
    for (int i = 0; i < 2000; ++i) {
      if (run(length, any_s, own_s)) return true;
      std::this_thread::yield();
    }
    return false;
  }
  /// So many that a session on trial is judged.
  void judge(std::int64_t length, double any_s, double own_s) {
    for (int i = 0; i < 40; ++i) run(length, any_s, own_s);
  }
  std::vector<std::string> told() const {
    std::vector<std::string> all;
    for (const auto& each : watched->told()) all.push_back(fmt::format("{} {:.2f}", each.shapes, each.gain));
    return all;
  }
  template <class Condition>
  static void wait_for(Condition condition) {
    while (!condition()) std::this_thread::yield();
  }

  TestClock clock;
  Doings doings;
  Model model{doings};
  Session any{doings, {-1, -1}, 0};
  Signature signature{.inputs = {{.name = "x", .shape = {-1, -1}, .open = true}},
                      .outputs = {{.name = "y", .shape = {-1, -1}, .open = true}},
                      .batched = false};
  std::optional<ShapedSessions> watched;
};

TEST_F(ShapesOfRequests, GetASessionThatIsFaster) {
  watch();
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(run(128, 0.1, 0.08)) << "not often yet";
  EXPECT_EQ(doings.compiled, 0);
  ASSERT_TRUE(run_until_own(128, 0.1, 0.08));
  EXPECT_THAT(doings.shapes, ElementsAre(ElementsAre(1, 128)));
  EXPECT_THAT(told(), IsEmpty()) << "it is being tried";
  EXPECT_FALSE(run(128, 0.1, 0.08)) << "in turn with the other";
  EXPECT_TRUE(run(128, 0.1, 0.08));
  judge(128, 0.1, 0.08);
  EXPECT_THAT(told(), ElementsAre("1x128 1.25"));
  EXPECT_TRUE(run(128, 0.1, 0.08) && run(128, 0.1, 0.08)) << "always";
  EXPECT_FALSE(run(64, 0.1, 0.08)) << "another shape";
}

TEST_F(ShapesOfRequests, KeepNoneThatIsNot) {
  watch();
  ASSERT_TRUE(run_until_own(128, 0.1, 0.098));
  judge(128, 0.1, 0.098);
  EXPECT_THAT(told(), IsEmpty());
  wait_for([&] { return doings.gone == 1; });
  EXPECT_FALSE(run(128, 0.1, 0.098));
  for (int i = 0; i < 70; ++i) EXPECT_FALSE(run(64, 0.1, 0.05)) << "others wait for longer, too";
  EXPECT_EQ(doings.compiled, 1);
}

TEST_F(ShapesOfRequests, KeepNoneThatAnswersOtherwise) {
  watch();
  doings.answers_otherwise = true;
  for (int i = 0; i < 15; ++i) run(128, 0.1, 0.05);
  wait_for([&] { return doings.gone == 1; });
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(run(128, 0.1, 0.05));
  EXPECT_EQ(doings.compiled, 1) << "it is not tried again";
}

TEST_F(ShapesOfRequests, KeepNoneThatStaysOpen) {
  watch();
  doings.stays_open = true;
  for (int i = 0; i < 15; ++i) run(128, 0.1, 0.05);
  wait_for([&] { return doings.gone == 1; });
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(run(128, 0.1, 0.05));
}

TEST_F(ShapesOfRequests, KeepNoneThatFailsWhatTheOtherAnswers) {
  watch();
  ASSERT_TRUE(run_until_own(128, 0.1, 0.05));
  judge(128, 0.1, 0.05);
  ASSERT_THAT(told(), ElementsAre("1x128 2.00"));
  Job job;
  shape(job, 128);
  auto* session = watched->choose(job);
  watched->ended(job, {.failed = session});
  EXPECT_THAT(told(), ElementsAre("1x128 2.00")) << "the request's fault: the other failed it, too";
  session = watched->choose(job);
  watched->ended(job, {.failed = session, .infer = from_seconds(0.1)});
  EXPECT_THAT(told(), IsEmpty());
  EXPECT_FALSE(run(128, 0.1, 0.05));
  wait_for([&] { return doings.gone == 1; });
}

TEST_F(ShapesOfRequests, WaitForSoLongAsCompilingTakes) {
  watch(4, 1, 2);
  for (int i = 0; i < 99; ++i) EXPECT_FALSE(run(128, 0.1, 0.05)) << "five times two seconds";
  EXPECT_EQ(doings.compiled, 0);
  ASSERT_TRUE(run_until_own(128, 0.1, 0.05));
}

TEST_F(ShapesOfRequests, AreServedWithoutWhereTheEngineRefuses) {
  watch();
  doings.cannot_compile = true;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(run(128, 0.1, 0.05));
}

TEST_F(ShapesOfRequests, AreNoMoreThanAllowed) {
  watch(2);
  for (const std::int64_t length : {10, 20, 30}) {
    run_until_own(length, 0.1, 0.05);
    judge(length, 0.1, 0.05);
  }
  EXPECT_THAT(told(), ElementsAre("1x10 2.00", "1x20 2.00"));
  EXPECT_EQ(doings.compiled, 2);
}

TEST_F(ShapesOfRequests, AreForgottenWhereThereAreMany) {
  watch();
  for (std::int64_t length = 1; length <= 2000; ++length) run(1 + length % 500, 0.01, 0.01);
  EXPECT_EQ(doings.compiled, 0) << "none of them comes often";
  for (int i = 0; i < 100 && doings.compiled == 0; ++i) {
    run(900, 0.1, 0.05);
    run(1000 + i, 0.1, 0.05);
    std::this_thread::yield();
  }
  wait_for([&] { return doings.compiled == 1; });
  EXPECT_THAT(doings.shapes, ElementsAre(ElementsAre(1, 900))) << "one that does is seen between others";
}

TEST_F(ShapesOfRequests, KeepASessionWhileAnExecutionIsInIt) {
  watch(4, 2);
  ASSERT_TRUE(run_until_own(128, 0.1, 0.2));
  Job held;
  shape(held, 128);
  auto* session = watched->choose(held);
  if (session == nullptr) session = watched->choose(held);
  ASSERT_NE(session, nullptr);
  judge(128, 0.1, 0.2);
  EXPECT_FALSE(run(128, 0.1, 0.2)) << "it has lost";
  EXPECT_EQ(doings.gone, 0) << "and stays until it is left";
  EXPECT_EQ(session->requests.size(), 2U) << "one for each instance";
  watched->ended(held, {.session = session});
  run(128, 0.1, 0.2);
  wait_for([&] { return doings.gone == 1; });
}

TEST_F(ShapesOfRequests, MatterOnlyWhereTensorsAreOpen) {
  EXPECT_TRUE(ShapedSessions::are_for(signature));
  auto other = signature;
  other.batched = true;
  EXPECT_FALSE(ShapedSessions::are_for(other));
  other = signature;
  other.inputs[0].open = false;
  EXPECT_FALSE(ShapedSessions::are_for(other));
  other = signature;
  other.inputs[0].type = wire::DataType::bytes;
  EXPECT_FALSE(ShapedSessions::are_for(other));
}

}  // namespace
}  // namespace neph::serve
