// Clients that behave badly over HTTP: they must not hold up others, nor what the server needs.
#include <atomic>
#include <thread>

#include <gmock/gmock.h>
#include <malloc.h>
#include <sys/resource.h>

#include "wire/echo_service_test.hpp"
#include "wire/http/gzip.hpp"
#include "wire/http/listener.hpp"
#include "wire/socket_test.hpp"

namespace neph::wire {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

#if defined(__SANITIZE_ADDRESS__) || defined(NEPH_TSAN)
constexpr bool own_malloc = false;  // the sanitizer's, which keeps what is freed
#else
constexpr bool own_malloc = true;
#endif

/// Real time, put forward by the test.
class ForwardClock final : public Clock {
 public:
  Moment now() const override { return real_.now() + Nanoseconds(ahead_.load()); }
  void sleep_until(Moment moment) const override { real_.sleep_until(moment - Nanoseconds(ahead_.load())); }
  void put_forward(Nanoseconds span) { ahead_ += span.count(); }

 private:
  SteadyClock real_;
  std::atomic<std::int64_t> ahead_{0};
};

class HttpFaults : public testing::Test {
 protected:
  void TearDown() override {
    listener_.reset();
    service_.answer_all();
  }
  void start(HttpOptions options = {}) {
    options.port = 0;
    auto started = HttpListener::start(service_, options, clock_);
    ASSERT_TRUE(started) << started.error().message;
    listener_ = std::move(*started);
  }
  RawSocket connect() { return RawSocket(listener_->port()); }
  static std::string post(std::string_view body, std::string_view headers = {}) {
    return fmt::format("POST /v2/models/echo/infer HTTP/1.1\r\nHost: x\r\n{}Content-Length: {}\r\n\r\n{}",
                       headers, body.size(), body);
  }
  /// A request of so many UINT8 behind a small JSON.
  static std::string binary(std::size_t bytes, bool binary_reply) {
    const auto head = fmt::format(
        R"({{"inputs":[{{"name":"x","datatype":"UINT8","shape":[{}],"parameters":{{"binary_data_size":{}}}}}],)"
        R"("parameters":{{"binary_data_output":{}}}}})",
        bytes, bytes, binary_reply);
    return post(head + std::string(bytes, 'x'),
                fmt::format("Inference-Header-Content-Length: {}\r\n", head.size()));
  }
  std::string ask(std::string_view request) {
    auto socket = connect();
    socket.send(request);
    return socket.reply();
  }
  static std::string get(std::string_view target) {
    return fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", target);
  }
  void expect_service() {
    auto other = connect();
    other.send(post(json));
    EXPECT_THAT(other.reply(), StartsWith("HTTP/1.1 200"));
  }
  /// Until it holds, for as long as a test may take.
  static bool soon(const std::function<bool()>& holds) {
    for (int i = 0; i < 1000; ++i) {
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  static constexpr std::string_view infer = "/v2/models/echo/infer";
  static constexpr std::string_view json =
      R"({"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[1,2.5]}]})";

  ForwardClock clock_;
  EchoService service_;
  std::unique_ptr<HttpListener> listener_;
};

TEST_F(HttpFaults, TenThousandIdleConnections) {
  constexpr rlim_t wanted = 20'600;  // both ends are in this process
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  if (files.rlim_max < wanted) files.rlim_max = wanted;  // root may
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  ::getrlimit(RLIMIT_NOFILE, &files);
  const auto count = std::min<std::size_t>(10'000, (files.rlim_cur - 500) / 2);
  RecordProperty("connections", static_cast<int>(count));
  start();
  const auto before = mallinfo2();
  std::vector<RawSocket> idle;
  idle.reserve(count);
  for (std::size_t i = 0; i < count; ++i) idle.push_back(connect());
  EXPECT_TRUE(soon([&] { return listener_->connections() == static_cast<std::int64_t>(count); }));
  if (own_malloc) {
    const auto after = mallinfo2();
    EXPECT_LT((after.uordblks + after.hblkhd - before.uordblks - before.hblkhd) / count, 16'000U)
        << "bytes a connection that waits";
  }
  expect_service();
  idle.back().send(post(json));
  EXPECT_THAT(idle.back().reply(), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpFaults, AByteASecond) {
  start({.patience_s = 60});
  auto header = connect(), body = connect();
  const auto request = post(std::string(1000, ' '), "X: " + std::string(1000, 'x') + "\r\n");
  body.send(std::string_view(request).substr(0, request.find("\r\n\r\n") + 4));
  EXPECT_TRUE(soon([&] { return listener_->connections() == 2; }));
  // Bytes that come do not buy time: each request has its own, and a body a second per megabyte more.
  for (int second = 0; second < 80; ++second) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    header.send(std::string_view(request).substr(static_cast<std::size_t>(second), 1));
    body.send(" ");
    clock_.put_forward(std::chrono::seconds(1));
  }
  expect_service();
  EXPECT_EQ(header.some(), "") << "closed";
  EXPECT_EQ(body.some(), "") << "closed";
}

TEST_F(HttpFaults, ChunksThatComeTooSlowly) {
  start({.patience_s = 60});
  auto slow = connect();
  slow.send("POST /v2/models/echo/infer HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (int chunk = 0; chunk < 4; ++chunk) {  // no single one is late
    slow.send("10000\r\n" + std::string(1 << 16, ' ') + "\r\n");
    expect_service();
    clock_.put_forward(std::chrono::seconds(30));
  }
  expect_service();
  EXPECT_EQ(slow.some(), "") << "closed";
}

TEST_F(HttpFaults, AClientThatNeverReads) {
  start();
  auto deaf = connect();
  constexpr std::size_t bytes = std::size_t{24} << 20;  // more than the kernel holds for it
  deaf.send(binary(bytes, true));
  EXPECT_TRUE(soon([&] { return service_.taken() == 1; }));
  expect_service();
  EXPECT_TRUE(soon([&] { return service_.leases.given_back() == 1; })) << "that of the other";
  clock_.put_forward(std::chrono::seconds(100));
  EXPECT_TRUE(soon([&] { return listener_->connections() == 0; })) << "60 s, and one a megabyte";
  EXPECT_EQ(service_.leases.given_back(), 2);
}

TEST_F(HttpFaults, AResetInTheMiddleOfABody) {
  start();
  for (const auto part : {std::size_t{200}, std::size_t{100'000}, std::size_t{4'000'000}}) {
    auto socket = connect();
    socket.send(std::string_view(binary(5'000'000, true)).substr(0, part));
    socket.reset();
  }
  EXPECT_TRUE(soon([&] { return listener_->connections() == 0; }));
  EXPECT_EQ(service_.taken(), 0);
  expect_service();
}

TEST_F(HttpFaults, AnEndInTheMiddleOfABody) {
  start();
  auto socket = connect();
  socket.send(std::string_view(binary(5000, true)).substr(0, 1000));
  socket.end_sending();
  EXPECT_EQ(socket.some(), "");
  expect_service();
}

TEST_F(HttpFaults, LargeMessagesLeaveNothingWithIdleConnections) {
  if (!own_malloc) GTEST_SKIP() << "the sanitizer keeps what is freed";
  start();
  const auto held = [] {
    const auto now = mallinfo2();
    return now.uordblks + now.hblkhd;
  };
  const auto before = held();
  std::vector<RawSocket> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(connect());
    clients.back().send(binary(4'000'000, i % 2 == 0));
    ASSERT_THAT(clients.back().reply(), StartsWith("HTTP/1.1 200"));
  }
  EXPECT_GT(held(), before + 40'000'000) << "kept for the next request";
  clock_.put_forward(std::chrono::seconds(3));
  EXPECT_TRUE(soon([&] { return held() < before + 1'000'000; }))
      << held() - before << " bytes are still held";
  clients[0].send(post(json));
  EXPECT_THAT(clients[0].reply(), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpFaults, LargeJsonDoesNotHoldUpOthers) {
  start({.threads = 1});
  std::string numbers = "0";
  numbers.reserve(32 << 20);
  std::size_t count = 1;
  for (; numbers.size() < std::size_t{16} << 20; ++count) numbers += ",1.25";
  const auto large = post(fmt::format(
      R"({{"inputs":[{{"name":"x","datatype":"FP32","shape":[{}],"data":[{}]}}]}})", count, numbers));
  auto other = connect();
  auto socket = connect();
  std::atomic<bool> done{false};
  std::thread sending([&] {
    socket.send(large);
    EXPECT_THAT(socket.reply().substr(0, 12), StartsWith("HTTP/1.1 200"));
    done = true;
  });
  int answered = 0;
  double longest_s = 0, whole_s = 0;
  const auto begin = clock_.now();
  while (!done) {
    const auto sent = clock_.now();
    other.send(post(json));
    EXPECT_THAT(other.reply(), StartsWith("HTTP/1.1 200"));
    longest_s = std::max(longest_s, seconds(clock_.now() - sent));
    ++answered;
  }
  sending.join();
  whole_s = seconds(clock_.now() - begin);
  EXPECT_LT(longest_s, whole_s / 3) << answered << " answered meanwhile, in " << whole_s << " s";
}

TEST_F(HttpFaults, PackedBodiesBeyondTheLimit) {
  start({.max_body_bytes = std::size_t{1} << 20});
  std::string packed;
  const std::string spaces(std::size_t{64} << 20, ' ');
  const std::array parts{std::as_bytes(std::span(spaces))};
  pack(parts, Coding::gzip, packed);
  ASSERT_LT(packed.size(), std::size_t{1} << 20) << "it passes the limit of what is sent";
  auto socket = connect();
  socket.send(post(packed, "Content-Encoding: gzip\r\n"));
  EXPECT_THAT(socket.reply(), HasSubstr("larger than 1048576 bytes when unpacked"));
  expect_service();
}

TEST_F(HttpFaults, ManyRequestsAtOnceOnOneConnection) {
  start();
  service_.delay = std::chrono::milliseconds(1);
  auto socket = connect();
  std::thread sending([&] {
    std::string many;
    for (int i = 0; i < 200; ++i) many += post(json);
    socket.send(many);
  });
  for (int i = 0; i < 200; ++i) ASSERT_THAT(socket.reply(), StartsWith("HTTP/1.1 200")) << i;
  sending.join();
  EXPECT_EQ(service_.taken(), 200);
}

/// RFC 9110, 9.3.2.
TEST_F(HttpFaults, HeadOnAKeptConnection) {
  start();
  const auto head_of = [&](const std::string& request) {
    auto socket = connect();
    socket.send(request);
    socket.end_sending();
    std::string all;
    for (auto some = socket.some(); !some.empty(); some = socket.some()) all += some;
    return all;
  };
  for (const auto* target : {"/v2", "/v2/health/ready", "/metrics", "/v2/nothing"}) {
    const auto full = head_of(get(target));
    const auto end = full.find("\r\n\r\n") + 4;
    const auto request = "HEAD" + get(target).substr(3);
    EXPECT_EQ(head_of(request), full.substr(0, end)) << target;
    EXPECT_EQ(head_of(request + get(target)), full.substr(0, end) + full)
        << "the next reply, on the same connection";
  }
  EXPECT_THAT(head_of("HEAD /v2/models/echo/infer HTTP/1.1\r\nHost: x\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 405"), HasSubstr("\r\nAllow: POST\r\n"), EndsWith("\r\n\r\n")));
  EXPECT_THAT(head_of("HEAD /v2 HTTP/1.1\r\nno header\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 400"), EndsWith("\r\n\r\n")));
}

/// RFC 9112, 3.2.
TEST_F(HttpFaults, NoHostOrTwo) {
  start();
  for (const auto* hosts :
       {"", "Host: x\r\nHost: x\r\n", "Host: a b\r\n", "Host: a,b\r\n", "Host: http://x/\r\n"})
    EXPECT_THAT(ask(fmt::format("GET /v2 HTTP/1.1\r\n{}\r\n", hosts)), StartsWith("HTTP/1.1 400")) << hosts;
  for (const auto* hosts : {"Host: x\r\n", "Host: [::1]:8000\r\n", "host:\r\n"})
    EXPECT_THAT(ask(fmt::format("GET /v2 HTTP/1.1\r\n{}\r\n", hosts)), StartsWith("HTTP/1.1 200")) << hosts;
  EXPECT_THAT(ask("GET /v2 HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpFaults, PagesOfOtherOriginsThatLoadModels) {
  start();
  const auto control = [](std::string_view path, std::string_view headers) {
    return fmt::format("POST {} HTTP/1.1\r\nHost: x\r\n{}Content-Length: 0\r\n\r\n", path, headers);
  };
  const auto controlled = {"/v2/repository/models/echo/load", "/v2/repository/models/echo/unload",
                           "/v2/systemsharedmemory/region/r/register", "/v2/systemsharedmemory/unregister"};
  for (const auto* path : controlled) {
    for (const auto* headers :
         {"Origin: http://evil.example\r\n", "Origin: null\r\n", "Origin: http://x:8000\r\n",
          "Sec-Fetch-Site: cross-site\r\n", "Sec-Fetch-Site: same-site\r\n"})
      EXPECT_THAT(ask(control(path, headers)), StartsWith("HTTP/1.1 403")) << path << headers;
    for (const auto* headers : {"", "Origin: http://X\r\n", "Sec-Fetch-Site: same-origin\r\n"})
      EXPECT_THAT(ask(control(path, headers)), Not(StartsWith("HTTP/1.1 403"))) << path << headers;
  }
  EXPECT_THAT(ask(post(json, "Origin: http://evil.example\r\n")), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpFaults, HalfRequestsWhenItStops) {
  start();
  service_.delay = std::chrono::milliseconds(300);
  auto busy = connect(), half = connect(), chunked = connect(), header = connect();
  half.send(fmt::format("POST {} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n{{",
                        infer));
  chunked.send(fmt::format(
      "POST {} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{{",
      infer));
  header.send("POST ");
  for (auto* socket : {&half, &chunked}) EXPECT_THAT(socket->some(), StartsWith("HTTP/1.1 100"));
  busy.send(post(json));
  while (service_.taken() == 0) std::this_thread::yield();
  std::thread stopping([&] { listener_->stop(clock_.now() + std::chrono::hours(1)); });
  for (auto* socket : {&half, &chunked}) {
    EXPECT_THAT(socket->reply(), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("the server is stopping")));
    socket->close();
  }
  EXPECT_EQ(header.some(), "");
  EXPECT_THAT(busy.reply(), StartsWith("HTTP/1.1 200")) << "it was accepted";
  stopping.join();
}

}  // namespace
}  // namespace neph::wire
