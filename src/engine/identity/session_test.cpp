#include "engine/identity/session.hpp"

#include <atomic>
#include <cstring>
#include <fstream>
#include <future>
#include <numeric>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/identity/scratch_test.hpp"
#include "os/thread.hpp"

namespace neph::engine {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using IdentitySessions = ScratchFolder;

/// A request with memory of its own: the inputs count up from 1.
struct Bound {
  std::vector<std::vector<std::uint8_t>> inputs, outputs;
  std::unique_ptr<Request> request;  ///< last: it waits for what it started, which uses the others

  explicit Bound(Session& session) {
    auto made = session.make_request();
    if (!made) throw std::runtime_error(made.error().message);
    request = std::move(*made);
    for (std::size_t i = 0; i < session.inputs().size(); ++i) {
      auto& memory = inputs.emplace_back(session.inputs()[i].bytes());
      std::iota(memory.begin(), memory.end(), std::uint8_t{1});
      EXPECT_TRUE(request->bind_input(i, memory.data(), memory.size()));
    }
    for (std::size_t i = 0; i < session.outputs().size(); ++i) {
      auto& memory = outputs.emplace_back(session.outputs()[i].bytes());
      EXPECT_TRUE(request->bind_output(i, memory.data(), memory.size()));
    }
  }
};

/// Starts it and waits for its call.
Status run(Request& request) {
  std::promise<Status> promise;
  auto started = request.start([&](Status status) { promise.set_value(std::move(status)); });
  return started ? promise.get_future().get() : started;
}

TEST_F(IdentitySessions, AnswerWithTheirInput) {
  const auto session = this->session(sixteen_floats, clock_, {.batch = 3});
  EXPECT_THAT(session->inputs()[0].shape, ElementsAre(3, 16));
  EXPECT_THAT(session->outputs()[0].shape, ElementsAre(3, 16));
  Bound bound(*session);
  ASSERT_TRUE(bound.request->infer());
  EXPECT_EQ(bound.outputs, bound.inputs);
  std::fill(bound.outputs[0].begin(), bound.outputs[0].end(), 0);
  ASSERT_TRUE(run(*bound.request));
  EXPECT_EQ(bound.outputs, bound.inputs);
}

TEST_F(IdentitySessions, AShorterOutputHasTheFirstBytesOfEachRow) {
  const auto session = this->session(R"(
[[inputs]]
name = "other"
shape = [-1, 2]
[[inputs]]
name = "x"
element = "u8"
shape = [-1, 5]
[[outputs]]
name = "y"
from = "x"
element = "i16"
shape = [-1]
)",
                                     clock_, {.batch = 3});
  Bound bound(*session);
  ASSERT_TRUE(bound.request->infer());
  EXPECT_THAT(bound.outputs[0], ElementsAre(1, 2, 6, 7, 11, 12));
}

TEST_F(IdentitySessions, TakeTheirTime) {
  const ManualClock clock;
  const auto session =
      this->session(std::string("service_ms = 10\nper_item_ms = 1") + sixteen_floats, clock, {.batch = 4});
  Bound bound(*session);
  for (int i = 1; i <= 3; ++i) {
    ASSERT_TRUE(bound.request->infer());
    EXPECT_EQ(clock.now().time_since_epoch(), i * 14ms);
  }
  ASSERT_TRUE(run(*bound.request));
  EXPECT_EQ(clock.now().time_since_epoch(), 4 * 14ms);
}

TEST_F(IdentitySessions, StallFromLoadingOn) {
  ManualClock clock;
  clock.advance(1h);
  const auto session = this->session(
      std::string("service_ms = 10\nstall_every_s = 5\nstall_ms = 500") + sixteen_floats, clock);
  Bound bound(*session);
  clock.advance(4'995ms);
  ASSERT_TRUE(bound.request->infer());
  EXPECT_EQ(clock.now().time_since_epoch(), 1h + 5'505ms);
}

TEST_F(IdentitySessions, DrawTheSameTimesInEverySessionOfASeed) {
  const auto times = [&](Options options) {
    const ManualClock clock;
    const auto session =
        this->session(std::string("distribution = \"pareto\"\nservice_ms = 1\np99_ms = 9") + sixteen_floats,
                      clock, options);
    Bound bound(*session);
    std::vector<Nanoseconds> ends;
    for (int i = 0; i < 20; ++i) {
      EXPECT_TRUE(bound.request->infer());
      ends.push_back(clock.now().time_since_epoch());
    }
    return ends;
  };
  EXPECT_EQ(times({}), times({}));
  EXPECT_EQ(times({}), times({.batch = 2}));
}

TEST_F(IdentitySessions, RefuseWhatMakesNoSense) {
  const ManualClock clock;
  const auto model = IdentityModel::load(write(sixteen_floats), clock);
  ASSERT_TRUE(model);
  const auto refusal = [&](const Options& options) {
    const auto session = (*model)->compile(options);
    EXPECT_FALSE(session);
    return session ? Error{} : session.error();
  };
  EXPECT_EQ(to_string(refusal({.batch = 0}).code), "unsupported");
  EXPECT_EQ(to_string(refusal({.batch = -1}).code), "invalid_argument");
  EXPECT_THAT(refusal({.batch = std::int64_t{1} << 62}).message,
              HasSubstr("m.identity: batch 4611686018427387904 needs"));
  EXPECT_EQ(to_string(refusal({.device = "GPU"}).code), "not_found");
  EXPECT_EQ(to_string(refusal({.streams = -1}).code), "invalid_argument");
  EXPECT_EQ(to_string(refusal({.threads = 1'000'000}).code), "invalid_argument");
}

TEST_F(IdentitySessions, RefuseWrongAndMissingMemory) {
  const auto session = this->session(sixteen_floats, clock_);
  const auto request = session->make_request();
  ASSERT_TRUE(request);
  std::vector<float> memory(17);
  EXPECT_THAT((*request)->infer().error().message, HasSubstr("'y' or its input 'x' has no memory"));
  EXPECT_THAT(run(**request).error().message, HasSubstr("has no memory"));
  EXPECT_THAT((*request)->bind_input(0, memory.data(), 68).error().message,
              HasSubstr("takes 64 bytes, not 68"));
  EXPECT_FALSE((*request)->bind_output(1, memory.data(), 64));
  EXPECT_FALSE((*request)->bind_output(0, nullptr, 64));
}

TEST_F(IdentitySessions, ServeManyAtOnceFirstComeFirstServed) {
  constexpr int requests = 32, rounds = 50;
  const auto session = this->session(sixteen_floats, clock_, {.streams = 4});
  EXPECT_EQ(session->optimal_requests(), 4);
  EXPECT_EQ(session->facts().at("streams"), "4");
  std::vector<Bound> bound;
  for (int i = 0; i < requests; ++i) bound.emplace_back(*session);
  std::atomic<int> calls = 0;
  std::function<void(Request&, int)> chain = [&](Request& request, int left) {
    if (left == 0) return;
    EXPECT_TRUE(request.start([&, left](Status status) {
      EXPECT_TRUE(status);
      ++calls;
      chain(request, left - 1);  // a request may start itself again from its call
    }));
  };
  for (auto& each : bound) chain(*each.request, rounds);
  bound.clear();  // each waits for its own
  EXPECT_EQ(calls, requests * rounds);
}

/// Time that passes when the test says so, for waiting on any thread.
class GatedClock final : public Clock {
 public:
  Moment now() const override { return {}; }
  void sleep_until(Moment) const override { open_.wait(); }
  std::promise<void> gate;

 private:
  std::shared_future<void> open_ = gate.get_future().share();
};

TEST_F(IdentitySessions, SayWhenTheyAreInFlight) {
  GatedClock clock;
  const auto session = this->session(std::string("service_ms = 1") + sixteen_floats, clock);
  Bound bound(*session);
  std::promise<void> done;
  ASSERT_TRUE(bound.request->start([&](Status) { done.set_value(); }));
  for (const auto& status : {bound.request->infer(), bound.request->start([](Status) {}),
                             bound.request->bind_input(0, bound.inputs[0].data(), 64)}) {
    ASSERT_FALSE(status);
    EXPECT_EQ(to_string(status.error().code), "unavailable");
  }
  clock.gate.set_value();
  done.get_future().wait();
  EXPECT_TRUE(bound.request->infer());
}

/// The names of this process's threads with the engine's role.
std::multiset<std::string> engine_threads() {
  std::multiset<std::string> names;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(task.path() / "comm"), name);
    if (name.starts_with(engine_role)) names.insert(name);
  }
  return names;
}

TEST_F(IdentitySessions, TheirThreadsHaveTheEnginesRole) {
  const auto session = this->session(sixteen_floats, clock_, {.streams = 2});
  std::vector<Bound> bound;
  for (int i = 0; i < 64; ++i) bound.emplace_back(*session);
  for (auto& each : bound) ASSERT_TRUE(run(*each.request));
  while (engine_threads().size() < 2) std::this_thread::yield();  // a thread names itself as it begins
  EXPECT_THAT(engine_threads(), testing::UnorderedElementsAre("engine-0", "engine-1"));
}

TEST_F(IdentitySessions, ThePluginIsAnEngineLikeAnyOther) {
  Registry registry({std::string(std::getenv("NEPH_BUILD")) + "/bin/engines"});
  const auto engine = registry.open("identity");
  ASSERT_TRUE(engine) << engine.error().message;
  EXPECT_THAT((*engine)->formats(), ElementsAre(".identity"));
  const auto devices = (*engine)->devices();
  ASSERT_TRUE(devices);
  EXPECT_EQ(devices->front().name, "CPU");
  EXPECT_THAT((*engine)->device("cpu").error().text(), HasSubstr("did you mean 'CPU'?"));
  auto model = (*engine)->load(write(std::string("busy = true\nservice_ms = 0.01") + sixteen_floats));
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_THAT((*model)->inputs()[0].shape, ElementsAre(-1, 16));
  auto session = (*model)->compile({});
  ASSERT_TRUE(session) << session.error().message;
  EXPECT_EQ((*session)->facts().at("service"), "10.0 µs, spinning");
  Bound bound(**session);
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(bound.request->infer());
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 10us);
  EXPECT_EQ(bound.outputs, bound.inputs);
  EXPECT_EQ(to_string((*engine)->load(folder_ + "/none.identity").error().code), "not_found");
}

}  // namespace
}  // namespace neph::engine
