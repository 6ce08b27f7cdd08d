#include <array>
#include <deque>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/repository_test.hpp"
#include "serve/serve.hpp"
#include "wire/wire.hpp"

namespace neph::serve {
namespace {

using testing::HasSubstr;
using wire::Protocol;

const SteadyClock steady_clock;

class Servers : public testing::Test {
 protected:
  Result<std::unique_ptr<Server>> try_start(ServerOptions options, const ModelOptions& model = {}) {
    return Server::start({.path = folder / "m.identity", .name = ""}, model, options, "0", steady_clock);
  }
  /// HTTP on any port. What serve does is the same for gRPC, whose library takes time to load, and hides from
  /// tsan how a call goes from thread to thread.
  static ServerOptions any_port() { return {.http_port = 0, .grpc_port = -1, .metrics_port = -1}; }
  void start(const ServerOptions& options = any_port(), double service_ms = 0,
             const ModelOptions& model = {}) {
    folder.write("m.identity", Repository::identity(service_ms));
    auto started = try_start(options, model);
    ASSERT_TRUE(started) << started.error().message;
    server = std::move(*started);
  }

  Repository folder;
  std::unique_ptr<Server> server;
};

/// Requests to a server and what became of them.
class Asking {
 public:
  Asking(Protocol protocol, std::uint16_t port, const std::string& token = {}) {
    auto connected =
        wire::Client::connect({.protocol = protocol, .host = "127.0.0.1", .port = port},
                              {.bearer_token = token}, steady_clock, [this](wire::Call&) { ++ended_; });
    EXPECT_TRUE(connected) << connected.error().message;
    client = std::move(*connected);
    wire::InferRequest request{.model = "m", .binary_outputs = true};
    request.inputs = {{.name = "x", .shape = {1, 4}, .data = std::as_bytes(std::span(values_))}};
    outgoing_ = std::move(*client->encode(request));
  }
  void send(int count) {
    for (int i = 0; i < count; ++i)
      client->send(calls.emplace_back(wire::Call{.request = outgoing_.get(), .keeps_reply = true}));
  }
  void run_until_ended(std::size_t count) {
    client->run_until(steady_clock.now() + std::chrono::seconds(20), [&] { return ended_ >= count; });
    ASSERT_GE(ended_, count);
  }
  void run_to_the_end() { run_until_ended(calls.size()); }
  int answered() const {
    int count = 0;
    for (const auto& call : calls) count += call.outcome ? 1 : 0;
    return count;
  }

  std::unique_ptr<wire::Client> client;
  std::deque<wire::Call> calls;

 private:
  const std::array<float, 4> values_{4, 3, 2, 1};
  std::unique_ptr<wire::Outgoing> outgoing_;
  std::size_t ended_ = 0;
};

TEST_F(Servers, AnswerOnEveryPort) {
#ifdef NEPH_TSAN
  GTEST_SKIP() << "tsan cannot see into gRPC's library";
#endif
  start({.http_port = 0, .grpc_port = 0, .metrics_port = 0});
  const auto ports = server->ports();
  const auto answered = [&](Protocol protocol, std::uint16_t port) {
    Asking asking(protocol, port);
    asking.send(3);
    asking.run_to_the_end();
    return asking.answered();
  };
  EXPECT_EQ(answered(Protocol::http, ports.http), 3);
  EXPECT_EQ(answered(Protocol::grpc, ports.grpc), 3);
  EXPECT_EQ(answered(Protocol::http, ports.metrics), 0) << "this port is for /metrics only";
  auto taken = any_port();
  taken.grpc_port = ports.grpc;
  const auto second = try_start(taken);
  ASSERT_FALSE(second);
  EXPECT_EQ(to_string(second.error().code), "unavailable");
  EXPECT_TRUE(server->stop());
}

TEST_F(Servers, AnswerWithTheModelsOutputs) {
  start();
  Asking asking(Protocol::http, server->ports().http);
  asking.send(1);
  asking.run_to_the_end();
  wire::InferReply reply;
  ASSERT_TRUE(asking.client->decode(asking.calls[0], reply));
  ASSERT_EQ(reply.outputs.at(0).data.size(), 16U);
  EXPECT_EQ(reply.model, "m");
  EXPECT_EQ(server->facts().at("m").at("engine"), "identity");
}

TEST_F(Servers, ListenOnlyWhereTheyAreTold) {
  start({.http_port = 0, .grpc_port = -1, .metrics_port = -1});
  EXPECT_NE(server->ports().http, 0);
  EXPECT_EQ(server->ports().grpc, 0);
  EXPECT_EQ(server->ports().metrics, 0);
}

TEST_F(Servers, SayWhatKeepsThemFromStarting) {
  start();
  const auto refusal = [&](const ServerOptions& options) {
    const auto started = try_start(options);
    return started ? "started"
                   : std::string(to_string(started.error().code)) + ": " + started.error().message;
  };
  EXPECT_THAT(refusal({.http_port = server->ports().http, .grpc_port = -1, .metrics_port = -1}),
              HasSubstr("unavailable: "));
  EXPECT_THAT(refusal({.http_port = server->ports().http, .grpc_port = -1, .metrics_port = -1}),
              HasSubstr(std::to_string(server->ports().http)));
  EXPECT_THAT(refusal({.http_port = -1, .grpc_port = -1, .metrics_port = 0}),
              HasSubstr("invalid_argument: a server without a port for requests"));
  EXPECT_THAT(refusal({.listen = "not an address", .http_port = 0, .grpc_port = -1, .metrics_port = -1}),
              HasSubstr("not an address"));
  folder.write("m.identity", "service_ms = -1");
  EXPECT_THAT(refusal(any_port()), HasSubstr("m.identity"));
  std::filesystem::remove(folder / "m.identity");
  EXPECT_THAT(refusal(any_port()), HasSubstr("not_found: no model and no folder "));
}

TEST_F(Servers, WantTheTokenOfTheirFile) {
  folder.write("token", "  sesame\n");
  auto options = any_port();
  options.token_file = (folder / "token").string();
  start(options);
  const auto port = server->ports().http;
  Asking with(Protocol::http, port, "sesame"), without(Protocol::http, port),
      wrong(Protocol::http, port, "open");
  for (auto* each : {&with, &without, &wrong}) {
    each->send(1);
    each->run_to_the_end();
  }
  EXPECT_EQ(with.answered(), 1);
  EXPECT_EQ(without.answered(), 0);
  EXPECT_EQ(wrong.answered(), 0);
}

TEST_F(Servers, RefuseATokenFileWithoutAToken) {
  folder.write("token", " \n");
  folder.write("m.identity", Repository::identity());
  auto options = any_port();
  options.token_file = (folder / "token").string();
  EXPECT_EQ(try_start(options).error().message,
            options.token_file + " is empty; it should hold the bearer token");
  options.token_file = (folder / "none").string();
  EXPECT_EQ(to_string(try_start(options).error().code), "not_found");
}

TEST_F(Servers, AnswerWhatWasAcceptedWhenToldToStop) {
  start(any_port(), 20);
  Asking asking(Protocol::http, server->ports().http);
  asking.send(8);
  asking.run_until_ended(4);  // by then the server has long read the others
  auto stopped = std::async(std::launch::async, [&] { return server->stop(); });
  asking.run_to_the_end();
  EXPECT_EQ(asking.answered(), 8);
  EXPECT_TRUE(stopped.get());
  asking.send(1);
  asking.run_to_the_end();
  EXPECT_EQ(asking.answered(), 8) << "nobody listens any more";
}

TEST_F(Servers, StopWithinTheirLimit) {
  auto options = any_port();
  options.stop_limit.value = 0.05;
  start(options, 40);
  Asking asking(Protocol::http, server->ports().http);
  asking.send(50);  // two seconds of work
  asking.run_until_ended(1);
  const auto begin = steady_clock.now();
  auto stopped = std::async(std::launch::async, [&] { return server->stop(); });
  asking.run_to_the_end();
  EXPECT_FALSE(stopped.get());
  EXPECT_LT(steady_clock.now() - begin, std::chrono::seconds(1));
  EXPECT_GT(asking.answered(), 0);
  EXPECT_LT(asking.answered(), 50);
}

TEST_F(Servers, TakeOptionsThatAreNotOptions) {
  folder.write("m.identity", Repository::identity());
  EXPECT_THAT(try_start(any_port(), {.runtime = {.engine = "nimbus"}}).error().message, HasSubstr("nimbus"));
  EXPECT_THAT(try_start(any_port(), {.runtime = {.device = "XPU"}}).error().message, HasSubstr("XPU"));
  EXPECT_THAT(try_start(any_port(), {.payload = Payload::jpeg}).error().message, HasSubstr("rank 2"));
}

}  // namespace
}  // namespace neph::serve
