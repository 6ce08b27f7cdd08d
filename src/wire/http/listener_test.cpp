#include "wire/http/listener.hpp"

#include <cstring>
#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <zlib.h>

#include "core/json.hpp"
#include "os/no_threads_test.hpp"
#include "wire/echo_service_test.hpp"
#include "wire/http/gzip.hpp"
#include "wire/socket_test.hpp"

namespace neph::wire {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const SteadyClock steady_clock;

class HttpListenerTest : public testing::Test {
 protected:
  void TearDown() override { service_.answer_all(); }
  void start(HttpOptions options = {}) {
    options.port = 0;
    auto started = HttpListener::start(service_, options, steady_clock);
    ASSERT_TRUE(started) << started.error().message;
    listener_ = std::move(*started);
  }
  RawSocket connect() { return RawSocket(listener_->port()); }
  /// The reply to one request on a connection of its own.
  std::string ask(std::string_view request) {
    auto socket = connect();
    socket.send(request);
    return socket.reply();
  }
  static std::string get(std::string_view target) {
    return fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", target);
  }
  static std::string post(std::string_view target, std::string_view body, std::string_view headers = {}) {
    return fmt::format("POST {} HTTP/1.1\r\nHost: x\r\n{}Content-Length: {}\r\n\r\n{}", target, headers,
                       body.size(), body);
  }
  static constexpr std::string_view infer = "/v2/models/echo/infer";
  static constexpr std::string_view json =
      R"({"id":"9","inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[1,2.5]}]})";

  EchoService service_;
  std::unique_ptr<HttpListener> listener_;
};

TEST_F(HttpListenerTest, AnswersInJson) {
  start();
  const auto reply = ask(post(infer, json));
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(reply, EndsWith(R"({"id":"9","model_name":"echo","model_version":"1","outputs":[)"
                              R"({"name":"y","datatype":"FP32","shape":[1,2],"data":[1,2.5]}]})"));
}

TEST_F(HttpListenerTest, AnswersInBytes) {
  start();
  const std::string head =
      R"({"inputs":[{"name":"x","datatype":"UINT8","shape":[4],"parameters":{"binary_data_size":4}}],)"
      R"("parameters":{"binary_data_output":true}})";
  const auto reply = ask(post(infer, head + "\x01\x02\x03\x04",
                              fmt::format("Inference-Header-Content-Length: {}\r\n", head.size())));
  EXPECT_THAT(reply, HasSubstr("Inference-Header-Content-Length: "));
  EXPECT_THAT(reply, EndsWith("\x01\x02\x03\x04"));
}

TEST_F(HttpListenerTest, KeepsTheConnectionForManyRequestsAlsoWhenTheyComeAtOnce) {
  start();
  auto socket = connect();
  for (int i = 0; i < 20; ++i) {
    socket.send(post(infer, json));
    EXPECT_THAT(socket.reply(), StartsWith("HTTP/1.1 200"));
  }
  socket.send(post(infer, json) + get("/v2") + post(infer, json));
  EXPECT_THAT(socket.reply(), HasSubstr("\"outputs\""));
  EXPECT_THAT(socket.reply(), HasSubstr("\"extensions\""));
  EXPECT_THAT(socket.reply(), HasSubstr("\"outputs\""));
  EXPECT_EQ(listener_->connections(), 1);
}

TEST_F(HttpListenerTest, TakesABodyInChunksAndInSmallPieces) {
  start();
  auto socket = connect();
  const auto half = json.size() / 2;
  socket.send(
      fmt::format("POST {} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
                  "chunked\r\n\r\n{:x}\r\n{}\r\n{:x}\r\n{}\r\n0\r\n\r\n",
                  infer, half, json.substr(0, half), json.size() - half, json.substr(half)));
  EXPECT_THAT(socket.reply(), StartsWith("HTTP/1.1 200"));
  for (const char byte : post(infer, json)) socket.send({&byte, 1});
  EXPECT_THAT(socket.reply(), StartsWith("HTTP/1.1 200"));
  const std::string large(300'000, ' ');  // JSON with much room in it, chunked over many reads
  const auto body = large + std::string(json);
  socket.send(
      fmt::format("POST {} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{}\r\n0\r\n\r\n",
                  infer, body.size(), body));
  EXPECT_THAT(socket.reply(), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpListenerTest, SaysGoOnToThoseWhoAsk) {
  start();
  auto socket = connect();
  socket.send(fmt::format("POST {} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: {}\r\n\r\n",
                          infer, json.size()));
  EXPECT_THAT(socket.some(), StartsWith("HTTP/1.1 100 Continue\r\n\r\n"));
  socket.send(json);
  EXPECT_THAT(socket.reply(), StartsWith("HTTP/1.1 200"));
}

std::string gzipped(std::string_view text) {
  std::string packed;
  const std::array parts{std::as_bytes(std::span(text))};
  pack(parts, Coding::gzip, packed);
  return packed;
}

TEST_F(HttpListenerTest, UnpacksAndPacksWhereAskedTo) {
  start({.max_body_bytes = 100'000});
  EXPECT_THAT(ask(post(infer, gzipped(json), "Content-Encoding: gzip\r\n")), StartsWith("HTTP/1.1 200"));
  std::string numbers = "0";
  for (int i = 1; i < 2000; ++i) numbers += ",0";
  const auto large =
      fmt::format(R"({{"inputs":[{{"name":"x","datatype":"INT8","shape":[2000],"data":[{}]}}]}})", numbers);
  const auto reply = ask(post(infer, large, "Accept-Encoding: br;q=1, gzip;q=0.8\r\n"));
  ASSERT_THAT(reply, HasSubstr("Content-Encoding: gzip\r\n"));
  BodyMemory out;
  auto packed = reply.substr(reply.find("\r\n\r\n") + 4);
  ASSERT_TRUE(unpack(std::as_writable_bytes(std::span(packed)), 1 << 20, out));
  EXPECT_THAT(std::string(reinterpret_cast<const char*>(out.bytes().data()), out.size()),
              HasSubstr("[2000]"));
  EXPECT_THAT(ask(post(infer, large, "Accept-Encoding: gzip;q=0\r\n")), Not(HasSubstr("Content-Encoding")));

  EXPECT_THAT(ask(post(infer, gzipped(std::string(1 << 20, ' ')), "Content-Encoding: gzip\r\n")),
              HasSubstr("larger than 100000 bytes when unpacked"));
  EXPECT_THAT(ask(post(infer, gzipped(json).substr(0, 20), "Content-Encoding: gzip\r\n")),
              HasSubstr("cut short"));
  EXPECT_THAT(ask(post(infer, json, "Content-Encoding: gzip\r\n")), HasSubstr("not well packed"));
  const auto unknown = ask(post(infer, json, "Content-Encoding: br\r\n"));
  EXPECT_THAT(unknown, StartsWith("HTTP/1.1 415 Unsupported Media Type\r\n"));
  EXPECT_THAT(unknown, HasSubstr("known are gzip, deflate"));
  EXPECT_THAT(ask(post(infer, gzipped(json), "Content-Encoding: GZip\r\n")), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask(post(infer, json, "Content-Encoding: Identity\r\n")), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask(post(infer, large, "Accept-Encoding: GZIP\r\n")), HasSubstr("Content-Encoding: gzip\r\n"));
}

TEST_F(HttpListenerTest, AnswersEverythingElse) {
  start();
  EXPECT_THAT(ask(get("/v2/health/live")), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask(get("/v2/health/ready")), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask(get("/v2/models/echo")), HasSubstr(R"("platform":"test")"));
  EXPECT_THAT(ask(get("/v2/models/echo/ready")), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask(get("/v2/models/ecko/ready")), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(ask(get("/v2/models/echo/config")), HasSubstr(R"("max_batch_size":8)"));
  EXPECT_THAT(ask(get("/v2/models/echo/stats")), HasSubstr(R"({"model_stats":[{"name":"echo")"));
  EXPECT_THAT(ask(post("/v2/repository/index", R"({"ready":true})")), HasSubstr(R"("state":"READY")"));
  EXPECT_THAT(ask(post("/v2/repository/models/echo/load", "")), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask(post("/v2/repository/models/no/load", "")), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(ask(post("/v2/repository/models/echo/load", R"({"parameters":{}})")),
              StartsWith("HTTP/1.1 200"));
  const auto brought = ask(post("/v2/repository/models/echo/load", R"({"parameters":{"config":"{}"}})"));
  EXPECT_THAT(brought,
              AllOf(StartsWith("HTTP/1.1 501"), HasSubstr("parameter 'config' of a load is not taken")));
  for (const auto* wrong : {"[]", R"({"parameters":1})", "{"})
    EXPECT_THAT(ask(post("/v2/repository/models/echo/load", wrong)), StartsWith("HTTP/1.1 400")) << wrong;
  EXPECT_THAT(ask(get("/v2/systemsharedmemory/status")), StartsWith("HTTP/1.1 501"));
  EXPECT_THAT(ask(get("/metrics")), HasSubstr("nv_inference_count 0"));
}

TEST_F(HttpListenerTest, TellsTheCauseOfEachFault) {
  start({.max_body_bytes = 1000});
  EXPECT_THAT(ask(get("/v2/nothing")), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(ask(get(infer)), AllOf(StartsWith("HTTP/1.1 405"), HasSubstr("\r\nAllow: POST\r\n")));
  EXPECT_THAT(ask(post("/v2", "")), AllOf(StartsWith("HTTP/1.1 405"), HasSubstr("\r\nAllow: GET, HEAD\r\n")));
  EXPECT_THAT(ask(get("/v2/models/a%zz")), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask(post("/v2/repository/index", std::string(std::size_t{1} << 20, ' ') + " ")),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(
      ask(fmt::format("POST {} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: x\r\nContent-Length: 4\r\n\r\nbody",
                      infer)),
      HasSubstr("Transfer-Encoding"));
  for (const auto* coding : {"gzip, chunked", "identity, chunked", "chunked;a=b"})
    EXPECT_THAT(
        ask(fmt::format("POST {} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: {}\r\n\r\n{:x}\r\n{}\r\n0\r\n\r\n",
                        infer, coding, std::string_view(json).size(), json)),
        AllOf(StartsWith("HTTP/1.1 501"), HasSubstr("a Transfer-Encoding other than chunked")))
        << coding;
  EXPECT_THAT(ask(post(infer, json, "Content-Encoding: identity\r\nContent-Encoding: gzip\r\n")),
              HasSubstr("Content-Encoding is given twice"));
  EXPECT_THAT(ask(post("/v2/models/ecko/infer", json)), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(ask(post(infer, "{")), HasSubstr("not JSON at byte"));
  EXPECT_THAT(ask(post(infer, json, "Inference-Header-Content-Length: x\r\n")),
              HasSubstr("'x' is not a length"));
  EXPECT_THAT(ask(post(infer, json, "Inference-Header-Content-Length: 5000\r\n")), HasSubstr("the body has"));
  EXPECT_THAT(ask("hello\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask("GET /v2 HTTP/1.1\r\nX: " + std::string(20'000, 'x') + "\r\n\r\n"),
              StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(ask(post(infer, std::string(2000, ' '))), StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(ask(fmt::format("POST {} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffff\r\n{}",
                              infer, std::string(5000, ' '))),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(
      ask(fmt::format("POST {} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", infer)),
      StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(ask(post(infer, json)), StartsWith("HTTP/1.1 200")) << "and serves the next one";
}

TEST_F(HttpListenerTest, WantsTheTokenButForHealth) {
  start({.bearer_token = "sesame"});
  auto announced = connect();
  announced.send(fmt::format("POST {} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000000\r\n\r\n", infer));
  EXPECT_THAT(announced.reply(), StartsWith("HTTP/1.1 401")) << "before the body";
  EXPECT_THAT(ask(fmt::format("GET /v2/health/live HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n")),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(ask(post(infer, json)), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(ask(post(infer, json, "Authorization: Bearer sesami\r\n")), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(ask(post(infer, json, "Authorization: Bearer sesame\r\n")), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask(get("/v2/health/ready")), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpListenerTest, SurvivesClientsThatGo) {
  start();
  for (int i = 0; i < 50; ++i) {
    auto socket = connect();
    const auto request = post(infer, json);
    socket.send(std::string_view(request).substr(0, static_cast<std::size_t>(i) * request.size() / 50));
    socket.reset();
  }
  service_.delay = std::chrono::milliseconds(20);
  for (int i = 0; i < 20; ++i) {
    auto socket = connect();
    socket.send(post(infer, json));
    socket.reset();  // while the service has it
  }
  service_.delay = std::chrono::milliseconds(0);
  EXPECT_THAT(ask(post(infer, json)), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpListenerTest, NoticesThatAClientHasGone) {
  start();
  service_.delay = std::chrono::seconds(20);
  std::vector<RawSocket> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(connect());
    clients.back().send(post(infer, json));
    while (service_.taken() <= i) std::this_thread::yield();  // so that they are taken in this order
  }
  clients[0].reset();
  clients[1].close();
  service_.answer_all_but(1);
  EXPECT_EQ(service_.abandoned(), 2);
  clients[2].reset();
  service_.answer_all();
  EXPECT_EQ(service_.abandoned(), 3);
}

TEST_F(HttpListenerTest, AnswersAClientThatOnlySendsNoMore) {
  start();
  service_.delay = std::chrono::milliseconds(50);
  auto socket = connect();
  socket.send(post(infer, json));
  while (service_.taken() == 0) std::this_thread::yield();
  socket.end_sending();
  EXPECT_THAT(socket.reply(), StartsWith("HTTP/1.1 100")) << "whether it reads is asked so";
  EXPECT_THAT(socket.reply(), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(socket.some(), "");
  EXPECT_EQ(service_.abandoned(), 0);
}

TEST_F(HttpListenerTest, TakesTheNextRequestWhileTheFirstIsServed) {
  start();
  service_.delay = std::chrono::milliseconds(50);
  auto socket = connect();
  socket.send(post(infer, json));
  while (service_.taken() == 0) std::this_thread::yield();
  socket.send(post(infer, json) + get("/v2") + "GET /metrics HTTP");
  EXPECT_THAT(socket.reply(), HasSubstr("\"outputs\""));
  EXPECT_THAT(socket.reply(), HasSubstr("\"outputs\""));
  EXPECT_THAT(socket.reply(), HasSubstr("\"extensions\""));
  socket.send("/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(socket.reply(), HasSubstr("nv_inference_count"));
  EXPECT_EQ(service_.abandoned(), 0);
}

TEST_F(HttpListenerTest, SaysWhenToTryAgain) {
  start();
  service_.refusal = Error{ErrorCode::unavailable, "the queue is full"};
  service_.retry_after = std::chrono::milliseconds(1500);
  const auto reply = ask(post(infer, json));
  EXPECT_THAT(reply, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(reply, HasSubstr("Retry-After: 2\r\n"));
}

TEST_F(HttpListenerTest, ServesOnlyThoseWhoWatchWhereItIsToldTo) {
  start({.only_metrics = true});
  EXPECT_THAT(ask(get("/metrics")), HasSubstr("nv_inference_count"));
  EXPECT_THAT(ask(get("/v2/health/ready")), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(ask(post(infer, json)), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(ask(get("/v2")), HasSubstr("/metrics and health, and nothing else"));
}

TEST_F(HttpListenerTest, RepliesToAClientThatHasNoMoreToSay) {
  start();
  auto socket = connect();
  socket.send(post(infer, json));
  socket.end_sending();
  EXPECT_THAT(socket.reply(), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(socket.some(), "") << "and then ends";
}

TEST_F(HttpListenerTest, ClosesThoseWhoTakeTooLong) {
  start({.patience_s = 0.2});
  auto idle = connect(), slow = connect();
  slow.send("POST /v2/models/echo/infer HTTP/1.1\r\nContent-Le");
  EXPECT_EQ(idle.some(), "");
  EXPECT_EQ(slow.some(), "");
}

TEST_F(HttpListenerTest, MakesRoomForNewOnes) {
  start({.max_connections = 10});
  std::vector<RawSocket> idle;
  for (int i = 0; i < 30; ++i) idle.push_back(connect());
  EXPECT_THAT(ask(post(infer, json)), StartsWith("HTTP/1.1 200"));
  for (int i = 0; i < 500 && listener_->connections() > 10; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_LE(listener_->connections(), 10);
}

TEST_F(HttpListenerTest, StopsWhenTheLastAnswerIsOut) {
  start();
  service_.delay = std::chrono::milliseconds(100);
  auto busy = connect(), idle = connect();
  busy.send(post(infer, json));
  while (service_.taken() == 0) std::this_thread::yield();
  listener_->stop(steady_clock.now() + std::chrono::seconds(10));
  EXPECT_THAT(busy.reply(), HasSubstr("Connection: close"));
  EXPECT_EQ(idle.some(), "");
}

TEST_F(HttpListenerTest, SaysThatThePortIsTaken) {
  start();
  const auto second = HttpListener::start(service_, {.port = listener_->port()}, steady_clock);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("cannot listen on 127.0.0.1:"));
  const auto nowhere = HttpListener::start(service_, {.address = "somewhere", .port = 0}, steady_clock);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().code, ErrorCode::invalid_argument);
}

TEST_F(HttpListenerTest, IsNotStartedWhereItsThreadsCannotBe) {
  const NoThreads limit;
  const auto started = HttpListener::start(service_, {.port = 0}, steady_clock);
  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().text(), HasSubstr("ulimit -u"));
}

}  // namespace
}  // namespace neph::wire
