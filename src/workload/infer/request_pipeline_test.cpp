#include "workload/infer/request_pipeline.hpp"

#include <chrono>
#include <thread>

#include <gmock/gmock.h>

#include "wire/socket_test.hpp"
#include "workload/infer/example_source.hpp"

namespace neph::workload {
namespace {

using namespace std::chrono_literals;

/// Seen: it waited for the replies, without --request-timeout for ever.
TEST(RequestPipeline, EndsWhenItIsToldToThoughTheServerHangs) {
  wire::RawListener listener;
  std::stop_source stop;
  std::jthread server([&] {
    while (auto socket = listener.accept())
      for (auto asked = socket->reply(); !asked.empty(); asked = socket->reply()) {
        if (asked.starts_with("POST"))
          stop.request_stop();
        else
          socket->send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
      }
  });
  Examples examples{.names = {"one"}};
  examples.all.emplace_back().push_back({.memory = allocate_floats(4), .bytes = 16, .shape = {1, 4}});
  const RequestForm form{.model = "m",
                         .inputs = {{.name = "x", .element = engine::Element::f32, .shape = {1, 4}}},
                         .outputs = {"y"},
                         .examples = &examples,
                         .timeout = {}};
  const SteadyClock clock;
  const auto pipeline =
      RequestPipeline::make({.host = "127.0.0.1", .port = listener.port()}, {}, form, clock, 1);
  ASSERT_TRUE(pipeline) << pipeline.error().message;
  const auto source = example_source(examples, 3, 1);
  std::string reason;
  const auto finished = [&](const image::Batch& batch, const InferTimes&, Outputs) {
    reason = batch.failed.front().reason;
    return true;
  };
  const auto ended = (*pipeline)->run(*source, finished, stop.get_token());
  EXPECT_EQ(ended.error().message, "stopped before the end");
  EXPECT_THAT(reason, testing::HasSubstr("given up"));
  listener.stop();
}

}  // namespace
}  // namespace neph::workload
