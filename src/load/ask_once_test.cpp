#include "load/ask_once.hpp"

#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "wire/socket_test.hpp"

namespace neph::load {
namespace {

using namespace std::chrono_literals;

/// Seen: the call that was given up ended after its life.
TEST(AskOnce, IsGivenUpWhereTheServerNeverAnswers) {
  wire::RawListener listener;
  std::stop_source stop;
  std::jthread server([&] {
    auto socket = listener.accept();
    for (auto asked = socket->reply(); !asked.empty(); asked = socket->reply()) {
      if (asked.starts_with("POST"))
        stop.request_stop();
      else
        socket->send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    }
  });
  const float value = 1;
  wire::InferRequest request{.model = "m"};
  request.inputs = {{.name = "x", .shape = {1}, .data = std::as_bytes(std::span(&value, 1))}};
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(ask_once({.host = "127.0.0.1", .port = listener.port()}, {}, request, 0, SteadyClock(),
                       stop.get_token()));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
}

}  // namespace
}  // namespace neph::load
