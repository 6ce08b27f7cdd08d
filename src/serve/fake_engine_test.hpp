// An engine for tests of what stands around one: its executions cost what the test says, on the test's clock,
// and end when the test ends them.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/clock.hpp"
#include "engine/engine.hpp"

namespace neph::serve {

/// Time that passes when the test says so, seen by all threads.
class TestClock final : public Clock {
 public:
  Moment now() const override { return Moment(Nanoseconds(now_.load())); }
  void sleep_until(Moment moment) const override { now_ = std::max(now_.load(), count(moment)); }
  void advance(Nanoseconds span) { now_ += span.count(); }

 private:
  static std::int64_t count(Moment moment) { return moment.time_since_epoch().count(); }
  mutable std::atomic<std::int64_t> now_{1'000'000'000};
};

/// What an execution was given.
struct Executed {
  std::int64_t size = 0;            ///< rows of the session
  std::vector<float> first_values;  ///< of each row of the first input
};

/// Where the executions of all requests of a fake model meet the test.
class FakeEngine {
 public:
  explicit FakeEngine(TestClock& clock) : clock_(clock) {}
  ~FakeEngine() { EXPECT_TRUE(started_.empty()) << "an execution that nobody ended"; }

  std::vector<engine::Port> inputs{{"x", engine::Element::f32, {-1, 4}}};
  /// Output k of a row whose first value is v holds (k + 1) v, (k + 1) v + 1, ...
  std::vector<engine::Port> outputs{{"y", engine::Element::f32, {-1, 4}}};
  std::function<Nanoseconds(std::int64_t size)> cost = [](std::int64_t) {
    return std::chrono::milliseconds(1);
  };
  std::atomic<bool> ends_at_once = false;  ///< the test does not want to end them
  std::atomic<bool> cannot_start = false;
  std::function<void(const char* call)> at_call = [](const char*) {};  ///< may throw
  std::int64_t optimal_requests = 3;
  bool knows_its_rows = true;  ///< engine::Model::rows_are_independent
  bool mixes_rows = false;     ///< every row of a batch is answered as its first one
  engine::RowFacts row_facts;

  std::unique_ptr<engine::Model> model();

  /// Waits until so many executions have been started since the beginning, and says what the last was given.
  Executed started(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return executed_.size() >= count; });
    EXPECT_EQ(executed_.size(), count);
    return executed_.at(count - 1);
  }
  std::size_t started_so_far() {
    const std::scoped_lock lock(mutex_);
    return executed_.size();
  }
  /// Ends the one that was started first, on this thread, after what it costs.
  void end_next(const Status& status = {});

 private:
  friend class FakeRequest;
  struct Started {
    class FakeRequest* request;
    std::function<void(Status)> done;
  };

  TestClock& clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Started> started_;
  std::vector<Executed> executed_;
};

class FakeSession final : public engine::Session {
 public:
  /// `batch` 0: the ports as they are, which is one row.
  FakeSession(FakeEngine& home, std::int64_t batch,
              const std::map<std::string, std::vector<std::int64_t>>& shapes = {})
      : home_(home),
        size_(std::max<std::int64_t>(1, batch)),
        inputs_(sized(home.inputs, batch)),
        outputs_(sized(home.outputs, batch)) {
    for (auto& port : inputs_)
      if (const auto given = shapes.find(port.name); given != shapes.end()) port.shape = given->second;
  }
  const std::vector<engine::Port>& inputs() const override { return inputs_; }
  const std::vector<engine::Port>& outputs() const override { return outputs_; }
  Result<std::unique_ptr<engine::Request>> make_request() override;
  std::int64_t optimal_requests() const override { return home_.optimal_requests; }
  const std::map<std::string, std::string>& facts() const override { return facts_; }
  FakeEngine& home() const { return home_; }
  std::int64_t size() const { return size_; }

 private:
  static std::vector<engine::Port> sized(std::vector<engine::Port> ports, std::int64_t batch) {
    for (auto& port : ports)
      if (batch > 0 && !port.shape.empty() && port.shape.front() == -1) port.shape.front() = batch;
    return ports;
  }

  FakeEngine& home_;
  std::int64_t size_;
  std::vector<engine::Port> inputs_, outputs_;
  std::map<std::string, std::string> facts_{{"device", "fake"}};
};

class FakeRequest final : public engine::Request {
 public:
  explicit FakeRequest(FakeSession& session)
      : session_(session), inputs_(session.inputs().size()), outputs_(session.outputs().size()) {}
  Status bind_input(std::size_t port, void* data, std::size_t bytes) override {
    session_.home().at_call("bind_input");
    NEPH_CHECK(engine::check_binding("input", session_.inputs(), port, data, bytes));
    inputs_[port] = static_cast<const float*>(data);
    return {};
  }
  Status bind_output(std::size_t port, void* data, std::size_t bytes) override {
    session_.home().at_call("bind_output");
    NEPH_CHECK(engine::check_binding("output", session_.outputs(), port, data, bytes));
    outputs_[port] = static_cast<float*>(data);
    return {};
  }
  Status infer() override {
    session_.home().at_call("infer");
    session_.home().clock_.advance(session_.home().cost(session_.size()));
    fill();
    return {};
  }
  Status start(std::function<void(Status)> done) override {
    auto& home = session_.home();
    home.at_call("start");
    if (home.cannot_start) return fail(ErrorCode::internal, "the engine does not start");
    if (home.ends_at_once) {
      fill();
      done({});
      return {};
    }
    const std::scoped_lock lock(home.mutex_);
    home.executed_.push_back({session_.size(), first_values()});
    home.started_.push_back({this, std::move(done)});
    home.changed_.notify_all();
    return {};
  }
  std::int64_t size() const { return session_.size(); }
  void fill() {
    const auto first = first_values();
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      const auto width = session_.outputs()[k].bytes() / sizeof(float) / first.size();
      for (std::size_t row = 0; row < first.size(); ++row)
        for (std::size_t i = 0; i < width; ++i)
          outputs_[k][row * width + i] =
              static_cast<float>(k + 1) * first[session_.home().mixes_rows ? 0 : row] + static_cast<float>(i);
    }
  }

 private:
  std::vector<float> first_values() const {
    std::vector<float> values;
    const auto width =
        session_.inputs()[0].bytes() / sizeof(float) / static_cast<std::size_t>(session_.size());
    for (std::int64_t row = 0; row < session_.size(); ++row)
      values.push_back(inputs_[0][static_cast<std::size_t>(row) * width]);
    return values;
  }

  FakeSession& session_;
  std::vector<const float*> inputs_;
  std::vector<float*> outputs_;
};

class FakeModel final : public engine::Model {
 public:
  explicit FakeModel(FakeEngine& home) : home_(home) {}
  const std::vector<engine::Port>& inputs() const override { return home_.inputs; }
  const std::vector<engine::Port>& outputs() const override { return home_.outputs; }
  bool rows_are_independent() const override { return home_.knows_its_rows; }
  engine::RowFacts row_facts() const override { return home_.row_facts; }
  Result<std::unique_ptr<engine::Session>> compile(const engine::Options& options) override {
    return std::make_unique<FakeSession>(home_, options.batch, options.shapes);
  }

 private:
  FakeEngine& home_;
};

inline Result<std::unique_ptr<engine::Request>> FakeSession::make_request() {
  return std::make_unique<FakeRequest>(*this);
}
inline std::unique_ptr<engine::Model> FakeEngine::model() { return std::make_unique<FakeModel>(*this); }
inline void FakeEngine::end_next(const Status& status) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !started_.empty(); });
  auto next = std::move(started_.front());
  started_.pop_front();
  lock.unlock();
  clock_.advance(cost(next.request->size()));
  if (status) next.request->fill();
  next.done(status);
}

}  // namespace neph::serve
