// A request of a test, as a transport would hold it, and the answer that it gets.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "wire/wire.hpp"

namespace neph::serve {

class TestExchange final : public wire::Exchange {
 public:
  TestExchange() = default;
  /// Asks model "m" with the input x of so many rows, each `width` floats; the first of row i is `first` + i.
  TestExchange(float first, std::int64_t rows, std::int64_t width = 4) {
    request.model = "m";
    add_input("x", {rows, width}, first);
  }

  void add_input(const std::string& name, wire::Shape shape, float first = 0) {
    auto& values = memory_.emplace_back(static_cast<std::size_t>(*wire::elements(shape)));
    const auto rows = static_cast<std::size_t>(shape[0]);
    for (std::size_t row = 0; row < rows; ++row)
      values[row * values.size() / rows] = first + static_cast<float>(row);
    request.inputs.push_back({.name = name, .shape = shape, .data = std::as_bytes(std::span(values))});
  }

  void finish(Status status) override {
    static std::atomic<std::int64_t> answers{0};
    const std::scoped_lock lock(mutex_);
    place_ = ++answers;
    thread_ = std::this_thread::get_id();
    status_ = std::move(status);
    done_.notify_all();  // under the lock: the test may end as soon as it is free
  }

  /// Waits for the answer.
  Status wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return status_.has_value(); });
    return *status_;
  }
  bool answered() {
    const std::scoped_lock lock(mutex_);
    return status_.has_value();
  }
  /// The kind of the error it got, as text; "ok".
  std::string code() {
    const auto status = wait();
    return status ? "ok" : std::string(to_string(status.error().code));
  }
  std::string message() {
    const auto status = wait();
    return status ? "ok" : status.error().message;
  }
  /// Answers of all exchanges are counted in the order in which they come.
  std::int64_t place() {
    wait();
    return place_;
  }
  std::thread::id thread() const { return thread_; }

  /// An output of the reply, as floats.
  std::vector<float> floats(std::size_t output = 0) {
    wait();
    const auto data = reply.outputs.at(output).data;
    std::vector<float> values(data.size() / sizeof(float));
    std::memcpy(values.data(), data.data(), values.size() * sizeof(float));
    return values;
  }

  void abandon() { abandoned_ = true; }
  /// As a transport does when the reply has left.
  void written() {
    if (lease != nullptr) std::exchange(lease, nullptr)->written(*this);
  }
  /// For the next request like it.
  void again() {
    status_.reset();
    reply.clear();
    stages = {};
  }

 private:
  std::vector<std::vector<float>> memory_;
  std::mutex mutex_;
  std::condition_variable done_;
  std::optional<Status> status_;
  std::int64_t place_ = 0;
  std::thread::id thread_;
};

}  // namespace neph::serve
