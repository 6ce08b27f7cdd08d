#include "wire/tls.hpp"

#include <thread>

#include <gmock/gmock.h>

#include "wire/certificates_test.hpp"
#include "wire/client.hpp"
#include "wire/echo_service_test.hpp"
#include "wire/grpc_listener.hpp"
#include "wire/http/listener.hpp"
#include "wire/socket_test.hpp"

namespace neph::wire {
namespace {

using testing::HasSubstr;

const SteadyClock steady_clock;

/// One set for all tests: making it takes a while.
const Certificates& certificates() {
  static const auto* made = [] {
    auto* all = new Certificates();  // NOLINT: left to the end of the process
    all->sign("elsewhere", "DNS:elsewhere.example", "ca");
    all->sign("client", "DNS:client", "ca");
    all->sign("stranger", "DNS:client", "other-ca");
    return all;
  }();
  return *made;
}

// ---- Files

TEST(TlsFiles, ThatAreWrongAreNamed) {
  Certificates files;
  files.sign("expired", "DNS:localhost", "ca", -1);
  const auto fault = [](const auto& options) {
    const auto read = read_tls(options);
    return read ? "taken" : std::string(to_string(read.error().code)) + ": " + read.error().message;
  };
  EXPECT_EQ(fault(files.server()), "taken");
  EXPECT_EQ(fault(TlsServer{}), "taken") << "in the clear";
  EXPECT_THAT(fault(files.server("expired")), HasSubstr("expired.pem: the certificate expired on "));
  EXPECT_THAT(fault(files.server("nothing")),
              testing::StartsWith("not_found: cannot read " + files.file("nothing.pem")));
  EXPECT_THAT(fault(TlsServer{.certificate = files.file("server.pem"), .key = files.file("ca.key")}),
              HasSubstr("ca.key is not the key of " + files.file("server.pem")));
  EXPECT_THAT(fault(TlsServer{.certificate = files.file("server.pem")}),
              HasSubstr("a key for it is wanted too"));
  EXPECT_THAT(fault(TlsServer{.certificate = files.file("server.key"), .key = files.file("server.key")}),
              HasSubstr("server.key: no certificate in it"));
  EXPECT_THAT(fault(TlsServer{.certificate = files.file("server.pem"), .key = files.file("server.pem")}),
              HasSubstr("server.pem: no private key in it"));
  EXPECT_THAT(fault(TlsServer{.client_ca = files.file("ca.pem")}),
              HasSubstr("only by a server that has one"));
  std::ofstream(files.file("broken.pem")) << "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
  EXPECT_THAT(fault(TlsClient{.ca = files.file("broken.pem")}),
              HasSubstr("corrupt: " + files.file("broken.pem")));
}

// ---- Server and client

class TlsTest : public testing::TestWithParam<Protocol> {
 protected:
  void SetUp() override {
    if (grpc_blinds_tsan && GetParam() == Protocol::grpc)
      GTEST_SKIP() << "tsan cannot see into gRPC's library";
  }
  void serve(const TlsServer& tls, const std::string& token = {}) {
    endpoint_ = {.protocol = GetParam(), .host = "127.0.0.1", .secure = true};
    if (GetParam() == Protocol::http) {
      auto started =
          HttpListener::start(service_, {.port = 0, .bearer_token = token, .tls = tls}, steady_clock);
      ASSERT_TRUE(started) << started.error().message;
      http_ = std::move(*started);
      endpoint_.port = http_->port();
    } else {
      auto started =
          GrpcListener::start(service_, {.port = 0, .bearer_token = token, .tls = tls}, steady_clock);
      ASSERT_TRUE(started) << started.error().message;
      grpc_ = std::move(*started);
      endpoint_.port = grpc_->port();
    }
  }
  /// "" if a client connects, and is answered over the same connection, small and large; else why not.
  std::string fault(const TlsClient& tls, const std::string& token = {}) {
    const ClientOptions options{.bearer_token = token, .connect_s = 5, .tls = tls};
    int ended = 0;
    auto client = Client::connect(endpoint_, options, steady_clock, [&](Call&) { ++ended; });
    if (!client) return client.error().message;
    const std::vector<float> large(std::size_t{3} * 224 * 224, 0.25F);
    std::string failed;
    for (const std::size_t count : {std::size_t{2}, large.size(), std::size_t{1}}) {
      InferRequest request;
      request.model = "echo";
      request.binary_outputs = true;
      request.inputs = {{.name = "x",
                         .type = DataType::f32,
                         .shape = {1, static_cast<std::int64_t>(count)},
                         .data = std::as_bytes(std::span(large).first(count))}};
      const auto outgoing = std::move(*(*client)->encode(request));
      Call call{.request = outgoing.get(), .keeps_reply = true};
      ended = 0;
      (*client)->send(call);
      (*client)->run_until(steady_clock.now() + std::chrono::seconds(20), [&] { return ended == 1; });
      InferReply reply;
      if (!call.outcome)
        failed += call.outcome.error().message;
      else if (!(*client)->decode(call, reply) || reply.outputs.at(0).data.size() != count * sizeof(float))
        failed += "not the same";
    }
    return failed;
  }

  EchoService service_;
  std::unique_ptr<HttpListener> http_;
  std::unique_ptr<GrpcListener> grpc_;
  Endpoint endpoint_;
};

TEST_P(TlsTest, CarriesRequests) {
  serve(certificates().server());
  EXPECT_EQ(fault(certificates().client()), "");
  endpoint_.host = "localhost";
  EXPECT_EQ(fault(certificates().client()), "");
}

TEST_P(TlsTest, WantsTheTokenToo) {
  serve(certificates().server(), "sesame");
  EXPECT_EQ(fault(certificates().client(), "sesame"), "");
  EXPECT_THAT(fault(certificates().client()), HasSubstr("a bearer token is wanted"));
}

TEST_P(TlsTest, DoesNotBelieveAServerOfAnotherCa) {
  serve(certificates().server());
  EXPECT_THAT(fault(certificates().client("other-ca")),
              testing::AnyOf(HasSubstr("not believed"), HasSubstr("certificate verify failed")));
  EXPECT_NE(fault({}), "") << "nor one that the system does not know";
}

TEST_P(TlsTest, ChecksTheName) {
  serve(certificates().server("elsewhere"));
  EXPECT_NE(fault(certificates().client()), "");
  auto told = certificates().client();
  told.server_name = "elsewhere.example";
  EXPECT_EQ(fault(told), "");
}

TEST_P(TlsTest, DemandsACertificateOfTheClient) {
  auto server = certificates().server();
  server.client_ca = certificates().file("ca.pem");
  serve(server);
  auto client = certificates().client();
  EXPECT_NE(fault(client), "") << "none";
  client.certificate = certificates().file("stranger.pem");
  client.key = certificates().file("stranger.key");
  EXPECT_NE(fault(client), "") << "of another CA";
  client.certificate = certificates().file("client.pem");
  client.key = certificates().file("client.key");
  EXPECT_EQ(fault(client), "");
}

TEST_P(TlsTest, DoesNotSpeakInTheClear) {
  serve(certificates().server());
  endpoint_.secure = false;
  EXPECT_NE(fault({}), "");
}

/// The other protocol, with TLS and without, and this one the other way round.
TEST_P(TlsTest, NamesTheAddressThatWouldHaveWorked) {
  for (const bool secure : {true, false}) {
    serve(secure ? certificates().server() : TlsServer{});
    endpoint_.secure = secure;
    const auto right = endpoint_;
    for (const auto protocol : {Protocol::http, Protocol::grpc})
      for (const bool tls : {true, false}) {
        endpoint_.protocol = protocol;
        endpoint_.secure = tls;
        const auto said = fault(certificates().client());
        if (endpoint_.text() == right.text())
          EXPECT_EQ(said, "");
        else
          EXPECT_THAT(said, HasSubstr("its address is " + right.text())) << endpoint_.text();
      }
    http_.reset();
    grpc_.reset();
  }
}

TEST_P(TlsTest, SaysWhichFileIsWrong) {
  const TlsServer wrong{.certificate = certificates().file("none.pem"),
                        .key = certificates().file("none.key")};
  const auto http = HttpListener::start(service_, {.port = 0, .tls = wrong}, steady_clock);
  ASSERT_FALSE(http);
  EXPECT_THAT(http.error().message, HasSubstr("none.pem"));
  const auto grpc = GrpcListener::start(service_, {.port = 0, .tls = wrong}, steady_clock);
  ASSERT_FALSE(grpc);
  EXPECT_THAT(grpc.error().message, HasSubstr("none.pem"));
  const auto client =
      Client::connect({.protocol = GetParam(), .host = "127.0.0.1", .port = 1, .secure = true},
                      {.tls = {.ca = certificates().file("none.pem")}}, steady_clock, [](Call&) {});
  ASSERT_FALSE(client);
  EXPECT_THAT(client.error().message, HasSubstr("none.pem"));
}

TEST_P(TlsTest, ServesOthersWhileSomeDoNotShakeHands) {
  serve(certificates().server());
  std::vector<RawSocket> silent;
  for (int i = 0; i < 20; ++i) silent.emplace_back(endpoint_.port).send(i % 2 == 0 ? "\x16\x03\x01" : "");
  EXPECT_EQ(fault(certificates().client()), "");
  silent.front().reset();
  RawSocket noise(endpoint_.port);
  noise.send("GET / HTTP/1.1\r\n\r\n");
  EXPECT_EQ(fault(certificates().client()), "");
}

INSTANTIATE_TEST_SUITE_P(Of, TlsTest, testing::Values(Protocol::http, Protocol::grpc),
                         [](const auto& tested) { return std::string(enum_name(tested.param)); });

}  // namespace
}  // namespace neph::wire
