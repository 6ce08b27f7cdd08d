#include "wire/client.hpp"

#include <cstring>
#include <thread>

#include <gmock/gmock.h>

#include "wire/echo_service_test.hpp"
#include "wire/grpc_listener.hpp"
#include "wire/http/listener.hpp"

namespace neph::wire {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const SteadyClock steady_clock;

/// Every test with a server and a client of each protocol.
class ClientTest : public testing::TestWithParam<Protocol> {
 protected:
  void SetUp() override {
    if (grpc_blinds_tsan && GetParam() == Protocol::grpc)
      GTEST_SKIP() << "tsan cannot see into gRPC's library";
  }
  void TearDown() override { service_.answer_all(); }

  void start(ClientOptions options = {}, const std::string& token = {}) {
    serve(0, token);
    auto connected =
        Client::connect(endpoint_, options, steady_clock, [this](Call& call) { ended_.push_back(&call); });
    ASSERT_TRUE(connected) << connected.error().message;
    client_ = std::move(*connected);
    request_.model = "echo";
    request_.binary_outputs = true;
    request_.inputs = {
        {.name = "x", .type = DataType::f32, .shape = {1, 2}, .data = std::as_bytes(std::span(values_))}};
    outgoing_ = std::move(*client_->encode(request_));
  }
  void serve(std::uint16_t port, const std::string& token = {}) {
    endpoint_ = {.protocol = GetParam(), .host = "127.0.0.1"};
    if (GetParam() == Protocol::http) {
      http_ = *HttpListener::start(service_, {.port = port, .bearer_token = token}, steady_clock);
      endpoint_.port = http_->port();
    } else {
      grpc_ = *GrpcListener::start(service_, {.port = port, .bearer_token = token}, steady_clock);
      endpoint_.port = grpc_->port();
    }
  }
  void stop_serving() {
    http_.reset();
    grpc_.reset();
  }
  void run(std::size_t calls) {
    client_->run_until(steady_clock.now() + std::chrono::seconds(20), [&] { return ended_.size() >= calls; });
    ASSERT_EQ(ended_.size(), calls);
  }

  EchoService service_;
  std::unique_ptr<HttpListener> http_;
  std::unique_ptr<GrpcListener> grpc_;
  Endpoint endpoint_;
  std::vector<float> values_{1, 2.5F};
  InferRequest request_;
  std::unique_ptr<Outgoing> outgoing_;
  std::vector<Call*> ended_;
  std::unique_ptr<Client> client_;
};

TEST_P(ClientTest, GetsTheReplyAndItsTimes) {
  start();
  Call call{.request = outgoing_.get(), .keeps_reply = true};
  client_->send(call);
  run(1);
  ASSERT_TRUE(call.outcome) << call.outcome.error().message;
  EXPECT_LE(call.sent, call.first_byte.value_or(call.done));
  EXPECT_LE(call.first_byte.value_or(call.done), call.done);
  EXPECT_EQ(call.first_byte.has_value(), GetParam() == Protocol::http);
  InferReply reply;
  ASSERT_TRUE(client_->decode(call, reply));
  ASSERT_EQ(reply.outputs.size(), 1U);
  EXPECT_EQ(reply.outputs[0].name, "y");
  EXPECT_EQ(0, std::memcmp(reply.outputs[0].data.data(), values_.data(), 8));
}

TEST_P(ClientTest, ListsModelsAndSeesWhichAreReady) {
  start();
  EXPECT_EQ(client_->models().value(), std::vector<std::string>{"echo"});
  EXPECT_TRUE(client_->ready(""));
  EXPECT_TRUE(client_->ready("echo"));
  EXPECT_FALSE(client_->ready("ecko"));
  service_.is_ready = false;
  EXPECT_FALSE(client_->ready(""));
  EXPECT_FALSE(client_->ready("echo"));
}

TEST_P(ClientTest, HasManyInFlight) {
  start();
  service_.delay = std::chrono::milliseconds(20);
  std::vector<Call> calls(50, Call{.request = outgoing_.get()});
  for (int round = 0; round < 2; ++round) {
    ended_.clear();
    for (auto& call : calls) client_->send(call);
    run(50);
    for (const auto& call : calls) EXPECT_TRUE(call.outcome);
  }
  EXPECT_TRUE(!http_ || http_->connections() == 50) << "a connection per request in flight, all kept";
}

TEST_P(ClientTest, TellsWhatTheServerRefuses) {
  start();
  request_.model = "ecko";
  const auto unknown = std::move(*client_->encode(request_));
  Call call{.request = unknown.get()};
  client_->send(call);
  run(1);
  ASSERT_FALSE(call.outcome);
  EXPECT_EQ(call.outcome.error().code, ErrorCode::not_found);
  EXPECT_THAT(call.outcome.error().message, HasSubstr("no model 'ecko'"));
  call.request = outgoing_.get();  // and the connection goes on
  client_->send(call);
  run(2);
  EXPECT_TRUE(call.outcome);
}

TEST_P(ClientTest, GivesUpWhatTakesTooLong) {
  start();
  service_.delay = std::chrono::milliseconds(400);
  Call slow{.request = outgoing_.get(), .deadline = steady_clock.now() + std::chrono::milliseconds(50)};
  Call patient{.request = outgoing_.get(), .deadline = steady_clock.now() + std::chrono::seconds(20)};
  client_->send(slow);
  client_->send(patient);
  run(2);
  EXPECT_EQ(ended_[0], &slow);
  ASSERT_FALSE(slow.outcome);
  EXPECT_EQ(slow.outcome.error().code, ErrorCode::timeout);
  EXPECT_TRUE(patient.outcome);
}

TEST_P(ClientTest, LeavesNothingOfACallCutShortToTheNext) {
  start();
  const std::vector<float> much(4 << 20, 0.25F);
  auto request = request_;
  request.inputs[0].shape = {2 << 20, 2};
  request.inputs[0].data = std::as_bytes(std::span(much));
  const auto large = std::move(*client_->encode(request));
  for (int i = 0; i < 40; ++i) {
    ended_.clear();
    Call cut{.request = large.get(), .deadline = steady_clock.now() + std::chrono::milliseconds(i % 5)};
    client_->send(cut);
    run(1);
    Call next{.request = outgoing_.get()};
    client_->send(next);
    run(2);
    ASSERT_TRUE(next.outcome) << i << ": " << next.outcome.error().message;
  }
}

TEST_P(ClientTest, FindsTheServerAgain) {
  start();
  Call call{.request = outgoing_.get()};
  client_->send(call);
  run(1);
  const auto port = endpoint_.port;
  stop_serving();  // its idle connections end
  serve(port);
  for (int tries = 0; tries < 100; ++tries) {  // gRPC waits a while before it tries again
    client_->send(call);
    run(ended_.size() + 1);
    if (call.outcome) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(call.outcome) << call.outcome.error().message;
  stop_serving();
  client_->send(call);
  run(ended_.size() + 1);
  ASSERT_FALSE(call.outcome);
  const auto code = call.outcome.error().code;  // gRPC may only then see that the connection has ended
  EXPECT_TRUE(code == ErrorCode::unavailable || (GetParam() == Protocol::grpc && code == ErrorCode::io));
}

TEST_P(ClientTest, EndsEveryCallThatIsGivenUp) {
  start();
  service_.delay = std::chrono::milliseconds(100);
  std::vector<Call> calls(5, Call{.request = outgoing_.get()});
  for (auto& call : calls) client_->send(call);
  client_->run_until(steady_clock.now() + std::chrono::milliseconds(30), [] { return false; });
  client_->abort();
  EXPECT_EQ(ended_.size(), 5U);
  for (const auto& call : calls) EXPECT_EQ(call.outcome.error().code, ErrorCode::unavailable);
}

TEST_P(ClientTest, ReadsMetadata) {
  start();
  const auto metadata = client_->model_metadata("echo");
  ASSERT_TRUE(metadata) << metadata.error().message;
  EXPECT_EQ(metadata->platform, "test");
  EXPECT_EQ(metadata->inputs.at(0).shape.at(0), -1);
  EXPECT_EQ(client_->model_metadata("ecko").error().code, ErrorCode::not_found);
}

TEST_P(ClientTest, BringsTheToken) {
  start({.bearer_token = "sesame"}, "sesame");
  Call call{.request = outgoing_.get()};
  client_->send(call);
  run(1);
  EXPECT_TRUE(call.outcome);
}

TEST_P(ClientTest, SaysThatNobodyIsThere) {
  serve(0);
  stop_serving();
  const auto nobody = Client::connect(endpoint_, {.connect_s = 0.3}, steady_clock, [](Call&) {});
  ASSERT_FALSE(nobody);
  EXPECT_EQ(nobody.error().code, ErrorCode::unavailable);
  EXPECT_THAT(nobody.error().message, StartsWith(endpoint_.text() + ": connection refused, nobody listens"));
}

TEST_P(ClientTest, CarriesAPictureInSeveralChannels) {
  start({.channels = 3});
  const std::vector<float> picture(std::size_t{3} * 224 * 224, 0.25F);
  request_.inputs[0].shape = {1, 3, 224, 224};
  request_.inputs[0].data = std::as_bytes(std::span(picture));
  const auto large = std::move(*client_->encode(request_));
  std::vector<Call> calls(9, Call{.request = large.get(), .keeps_reply = true});
  for (auto& call : calls) client_->send(call);
  run(9);
  for (const auto& call : calls) {
    InferReply reply;
    ASSERT_TRUE(call.outcome && client_->decode(call, reply));
    EXPECT_EQ(0,
              std::memcmp(reply.outputs.at(0).data.data(), picture.data(), picture.size() * sizeof(float)));
  }
}

INSTANTIATE_TEST_SUITE_P(Of, ClientTest, testing::Values(Protocol::http, Protocol::grpc),
                         [](const auto& tested) { return std::string(enum_name(tested.param)); });

}  // namespace
}  // namespace neph::wire
