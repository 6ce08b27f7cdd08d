// What a service is told of an exchange, over both transports: its deadline, that its client has gone, and
// that its reply has been written.
#include <thread>

#include <gtest/gtest.h>

#include "wire/client.hpp"
#include "wire/echo_service_test.hpp"
#include "wire/grpc_listener.hpp"
#include "wire/http/listener.hpp"

namespace neph::wire {
namespace {

const SteadyClock steady_clock;

class ExchangeTest : public testing::TestWithParam<Protocol> {
 protected:
  void SetUp() override {
    if (grpc_blinds_tsan && GetParam() == Protocol::grpc)
      GTEST_SKIP() << "tsan cannot see into gRPC's library";
    Endpoint endpoint{.protocol = GetParam(), .host = "127.0.0.1"};
    if (GetParam() == Protocol::http) {
      http_ = *HttpListener::start(service_, {.port = 0}, steady_clock);
      endpoint.port = http_->port();
    } else {
      grpc_ = *GrpcListener::start(service_, {.port = 0}, steady_clock);
      endpoint.port = grpc_->port();
    }
    client_ = std::move(*Client::connect(endpoint, {}, steady_clock, [this](Call&) { ++ended_; }));
    request_.model = "echo";
    request_.binary_outputs = true;
    request_.inputs = {
        {.name = "x", .type = DataType::f32, .shape = {1, 2}, .data = std::as_bytes(std::span(values_))}};
  }
  void TearDown() override {
    client_.reset();
    service_.answer_all();
  }
  void stop(Nanoseconds within) {
    if (http_) http_->stop(steady_clock.now() + within);
    if (grpc_) grpc_->stop(steady_clock.now() + within);
  }
  void encode() { outgoing_ = std::move(*client_->encode(request_)); }
  void wait_for(const std::function<bool()>& holds) {
    client_->run_until(steady_clock.now() + std::chrono::seconds(20), [&] {
      client_->wake();  // it is asked again and again
      return holds();
    });
    EXPECT_TRUE(holds());
  }

  EchoService service_;
  std::unique_ptr<HttpListener> http_;
  std::unique_ptr<GrpcListener> grpc_;
  int ended_ = 0;
  std::unique_ptr<Client> client_;
  std::vector<float> values_{1, 2.5F};
  InferRequest request_;
  std::unique_ptr<Outgoing> outgoing_;
};

TEST_P(ExchangeTest, HasTheDeadlineThatWasAskedFor) {
  request_.parameters = {{"timeout", std::uint64_t{3'000'000}}};
  encode();
  Call call{.request = outgoing_.get()};
  client_->send(call);
  wait_for([&] { return ended_ == 1; });
  ASSERT_TRUE(service_.last_deadline());
  EXPECT_NEAR(seconds(*service_.last_deadline()), 3, 0.001) << "of the parameter, from the last byte on";

  call.deadline = steady_clock.now() + std::chrono::seconds(2);
  client_->send(call);
  wait_for([&] { return ended_ == 2; });
  if (GetParam() == Protocol::grpc) {
    EXPECT_NEAR(seconds(*service_.last_deadline()), 2, 0.5) << "the call's own comes first";
  }
  request_.parameters.clear();
  encode();
  Call patient{.request = outgoing_.get()};
  client_->send(patient);
  wait_for([&] { return ended_ == 3; });
  EXPECT_FALSE(service_.last_deadline());
}

TEST_P(ExchangeTest, GivesALeaseBackOnceForEachReply) {
  encode();
  std::vector<Call> calls(20, Call{.request = outgoing_.get()});
  for (auto& call : calls) client_->send(call);
  wait_for([&] { return ended_ == 20; });
  wait_for([&] { return service_.leases.given_back() >= 20; });
  service_.refusal = Error{ErrorCode::internal, "with a lease all the same"};
  client_->send(calls[0]);
  wait_for([&] { return ended_ == 21; });
  stop(std::chrono::seconds(5));
  EXPECT_EQ(service_.leases.given_back(), 21);
  EXPECT_EQ(service_.leases.taken(), 21);
}

TEST_P(ExchangeTest, GivesALeaseBackWhenTheClientHasGone) {
  service_.delay = std::chrono::milliseconds(200);
  encode();
  std::vector<Call> calls(10, Call{.request = outgoing_.get()});
  for (auto& call : calls) client_->send(call);
  wait_for([&] { return service_.taken() == 10; });
  client_->abort();
  service_.answer_all();
  stop(std::chrono::seconds(5));
  EXPECT_EQ(service_.leases.taken(), 10);
  EXPECT_EQ(service_.leases.given_back(), 10);
  EXPECT_EQ(service_.abandoned(), 10);
}

TEST_P(ExchangeTest, ThatIsLeftAtTheEndIsCutOff) {
  service_.delay = std::chrono::milliseconds(600);
  encode();
  Call call{.request = outgoing_.get()};
  client_->send(call);
  wait_for([&] { return service_.taken() == 1; });
  std::thread stopping([&] { stop(std::chrono::milliseconds(50)); });
  wait_for([&] { return ended_ == 1; });
  EXPECT_FALSE(call.outcome) << "it was not answered in time";
  stopping.join();
  service_.answer_all();
  http_.reset();
  grpc_.reset();
  EXPECT_EQ(service_.leases.given_back(), 1);
}

INSTANTIATE_TEST_SUITE_P(Of, ExchangeTest, testing::Values(Protocol::http, Protocol::grpc),
                         [](const auto& tested) { return std::string(enum_name(tested.param)); });

}  // namespace
}  // namespace neph::wire
