// The HTTP client against replies that our own server never sends.
#include "wire/client.hpp"

#include <atomic>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>

#include "wire/socket_test.hpp"

namespace neph::wire {
namespace {

using testing::HasSubstr;

const SteadyClock steady_clock;

class HttpClientTest : public testing::Test {
 protected:
  enum class Then { waits, closes, resets };

  void SetUp() override {
    server_ = std::thread([this] { serve(); });
    auto connected = Client::connect({.host = "127.0.0.1", .port = listener_.port()}, {.connect_s = 0.5},
                                     steady_clock, [this](Call&) { ++ended_; });
    ASSERT_TRUE(connected) << connected.error().message;
    client_ = std::move(*connected);
  }
  void TearDown() override {
    client_.reset();
    listener_.stop();
    server_.join();
  }

  void answer(std::vector<std::string> pieces, Then then = Then::waits) {
    const std::lock_guard lock(mutex_);
    pieces_ = std::move(pieces);
    then_ = then;
  }
  /// What becomes of a page of which the server sends these pieces.
  std::string page(std::vector<std::string> pieces, Then then = Then::waits) {
    answer(std::move(pieces), then);
    const auto got = client_->get("/page");
    return got ? *got : std::string(to_string(got.error().code)) + ": " + got.error().message;
  }
  void infer(Call& call) {
    const std::vector<float> values{1, 2.5F};
    InferRequest request{.model = "echo", .binary_outputs = true};
    request.inputs = {
        {.name = "x", .type = DataType::f32, .shape = {1, 2}, .data = std::as_bytes(std::span(values))}};
    const auto outgoing = std::move(*client_->encode(request));
    call.request = outgoing.get();
    const auto before = ended_;
    client_->send(call);
    client_->run_until(steady_clock.now() + std::chrono::seconds(20), [&] { return ended_ > before; });
  }

  static constexpr const char* chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  /// The whole of a reply to an inference, whose connection stays.
  static std::string reply_of(std::string_view body) {
    return fmt::format("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{}", body.size(), body);
  }
  static constexpr const char* right =
      R"({"model_name":"echo","parameters":{"outputs":[]},"outputs":[{"name":"y"}]})";
  /// What becomes of an inference whose reply is not kept: the code of its error, or "answered".
  std::string became(std::vector<std::string> pieces, Then then = Then::waits, Nanoseconds allowed = {}) {
    answer(std::move(pieces), then);
    Call call;
    if (allowed.count() > 0) call.deadline = steady_clock.now() + allowed;
    infer(call);
    return call.outcome ? "answered" : std::string(to_string(call.outcome.error().code));
  }
  std::atomic<int> connections_{0}, inferences_{0};
  std::unique_ptr<Client> client_;

 private:
  void serve() {
    while (auto socket = listener_.accept()) {
      ++connections_;
      for (auto asked = socket->reply(); !asked.empty(); asked = socket->reply())
        if (!answer(*socket, asked)) break;
    }
  }
  /// Whether the connection goes on.
  bool answer(RawSocket& socket, std::string_view asked) {
    if (asked.starts_with("GET /v2")) {  // the client's own, of a server that is to be there
      socket.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
      return true;
    }
    inferences_ += asked.starts_with("POST");
    const std::lock_guard lock(mutex_);
    for (const auto& piece : pieces_) {
      socket.send(piece);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (then_ == Then::resets) socket.reset();
    return then_ == Then::waits;
  }

  RawListener listener_;
  std::mutex mutex_;
  std::vector<std::string> pieces_;
  Then then_ = Then::waits;
  int ended_ = 0;
  std::thread server_;
};

TEST_F(HttpClientTest, ReadsChunksOverOneConnection) {
  EXPECT_EQ(page({std::string(chunked) + "3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"}), "abcde");
  EXPECT_EQ(page({chunked, "3\r\nabc\r\n", "0\r\n\r\n"}), "abc");
  EXPECT_EQ(page({chunked, "3", "\r", "\na", "bc\r", "\n0", "\r\nX: y\r\n\r", "\n"}), "abc");
  EXPECT_EQ(page({std::string(chunked) + "0\r\n\r\n"}), "");
  EXPECT_EQ(page({"HTTP/1.1 100 Continue\r\n\r\n", std::string(chunked) + "1\r\na\r\n0\r\n\r\n"}), "a");
  std::vector<std::string> bytes;
  for (const char byte : std::string(chunked) + "00c\r\nhello world\n\r\n0\r\nX: y\r\n\r\n")
    bytes.emplace_back(1, byte);
  EXPECT_EQ(page(bytes), "hello world\n");
  EXPECT_EQ(page({"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlast"}), "last");
  EXPECT_EQ(connections_, 1);
}

TEST_F(HttpClientTest, ReadsChunksOfManyReads) {
  const std::string large(300'000, 'x');
  std::string body;
  for (int i = 0; i < 3; ++i) body += "493e0\r\n" + large + "\r\n";
  EXPECT_EQ(page({chunked, body + "0\r\n\r\n"}), large + large + large);
}

TEST_F(HttpClientTest, ReadsAnErrorInChunks) {
  EXPECT_EQ(page({"HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n",
                  "9\r\n{\"error\":\r\n6\r\n\"gone\"\r\n", "1\r\n}\r\n0\r\n\r\n"}),
            "not_found: HTTP status 404: gone");
}

TEST_F(HttpClientTest, ReadsAnInferenceInChunks) {
  const std::string json =
      R"({"outputs":[{"name":"y","datatype":"UINT8","shape":[4],"parameters":{"binary_data_size":4}}]})";
  answer(
      {fmt::format("HTTP/1.1 200 OK\r\nInference-Header-Content-Length: {}\r\nServer-Timing: infer;dur=2\r\n"
                   "Transfer-Encoding: chunked\r\n\r\n",
                   json.size()),
       fmt::format("{:x}\r\n{}\r\n", json.size(), json), "2\r\n\1\2\r\n", "2\r\n\3\4\r\n0\r\n\r\n"});
  Call kept{.keeps_reply = true};
  infer(kept);
  ASSERT_TRUE(kept.outcome) << kept.outcome.error().message;
  InferReply reply;
  ASSERT_TRUE(client_->decode(kept, reply));
  ASSERT_EQ(reply.outputs.at(0).data.size(), 4U);
  EXPECT_EQ(reply.outputs[0].data[3], std::byte{4});
  Call counted;
  infer(counted);
  ASSERT_TRUE(counted.outcome);
  EXPECT_EQ(counted.reply, "");
  ASSERT_TRUE(counted.first_byte);
  EXPECT_GE(counted.done - *counted.first_byte, std::chrono::milliseconds(3)) << "the chunks came later";
}

/// As KServe's Python server writes what is optional.
TEST_F(HttpClientTest, ReadsNullAsAbsent) {
  answer({reply_of(
      R"({"model_name":"echo","model_version":null,"id":null,"parameters":null,"outputs":[{"name":"y",
      "datatype":"UINT8","shape":[2],"parameters":null,"data":[1,2]}]})")});
  Call kept{.keeps_reply = true};
  infer(kept);
  InferReply reply;
  const auto read = client_->decode(kept, reply);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(reply.outputs.at(0).data.size(), 2U);
  EXPECT_EQ(reply.id + reply.version, "");
}

TEST_F(HttpClientTest, RefusesWhatAreNoChunks) {
  EXPECT_EQ(page({chunked, "3\r\nab", "cd\r\n"}),
            "corrupt: no reply of HTTP/1.1: a chunk that is longer than its size");
  EXPECT_THAT(page({std::string(chunked) + "nonsense"}),
              HasSubstr("corrupt: no reply of HTTP/1.1: a chunk without"));
  EXPECT_THAT(page({chunked, "40000001\r\n"}), HasSubstr("more than 1073741824 bytes"));
  EXPECT_EQ(page({chunked, "1\r\na\r\n0\r\n\r\n"}), "a") << "of a new connection";
  EXPECT_EQ(connections_, 4);
}

TEST_F(HttpClientTest, WaitsForTheLastChunk) {
  EXPECT_EQ(page({chunked, "3\r\nabc\r\n"}, Then::closes),
            "unavailable: the other side closed the connection");
  EXPECT_EQ(page({chunked, "3\r\nabc\r\n0\r\n"}), "timeout: no reply within the time allowed");
}

TEST_F(HttpClientTest, RefusesMoreThanTheLengthThatWasTold) {
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n";
  EXPECT_EQ(page({head + "abc"}), "corrupt: no reply of HTTP/1.1: more than its Content-Length");
  EXPECT_THAT(page({head + "a", "bc"}), HasSubstr("more than its Content-Length"));
  EXPECT_EQ(page({head + "a", "b"}), "ab");
}

TEST_F(HttpClientTest, RefusesWhatFollowsTheLastChunk) {
  EXPECT_EQ(page({std::string(chunked) + "1\r\na\r\n0\r\n\r\nHTTP/1.1 "}),
            "corrupt: no reply of HTTP/1.1: more than its last chunk");
  EXPECT_EQ(page({std::string(chunked) + "1\r\nb\r\n0\r\n\r\n"}), "b");
}

TEST_F(HttpClientTest, TakesChunksForTheEndWhereALengthIsToldToo) {
  EXPECT_EQ(page({"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n",
                  "3\r\nabc\r\n0\r\n\r\n"}),
            "abc");
  EXPECT_EQ(page({std::string(chunked) + "1\r\na\r\n0\r\n\r\n"}), "a");
  EXPECT_EQ(connections_, 2);
}

TEST_F(HttpClientTest, ReadsToTheEndOfTheConnection) {
  EXPECT_EQ(page({"HTTP/1.0 200 OK\r\n\r\n", "abc", "de"}, Then::closes), "abcde");
  EXPECT_EQ(page({"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc"}, Then::closes), "abc");
  EXPECT_EQ(page({"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"}, Then::closes), "");
  EXPECT_EQ(page({"HTTP/1.0 404 No\r\n\r\n", "gone"}, Then::closes), "not_found: HTTP status 404: gone");
  EXPECT_EQ(page({"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nab"}, Then::closes), "ab");
  EXPECT_THAT(page({"HTTP/1.0 200 OK\r\n\r\n", "abc"}, Then::resets), HasSubstr("unavailable"));
  EXPECT_EQ(page({"HTTP/1.1 200 OK\r\n\r\n", "abc"}), "timeout: no reply within the time allowed");
}

/// Seen: a server that drops every second request was measured without an error.
TEST_F(HttpClientTest, SendsNoInferenceTwice) {
  EXPECT_EQ(became({reply_of(right)}), "answered");
  EXPECT_EQ(became({}, Then::closes), "io");
  EXPECT_EQ(became({reply_of(right)}), "answered");
  EXPECT_EQ(became({}, Then::resets), "io");
  EXPECT_EQ(became({"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"}, Then::closes), "io");
  EXPECT_EQ(inferences_, 5) << "as the server read them";
}

TEST_F(HttpClientTest, LeavesAConnectionThatWasClosedWhileIdle) {
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(became({reply_of(right)}, Then::closes), "answered");
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(connections_, 3);
}

/// Seen: a server that sent each reply twice was measured as twice as fast.
TEST_F(HttpClientTest, TakesNoReplyToNothingForTheNextAnswer) {
  EXPECT_EQ(became({reply_of(right), reply_of("{}")}), "answered");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(became({reply_of(right)}), "answered") << "of a new connection";
  EXPECT_EQ(connections_, 2);
  EXPECT_EQ(client_->stray_replies({}), 1);
  EXPECT_EQ(became({reply_of(right), reply_of("{}")}, Then::closes), "answered");
  EXPECT_EQ(client_->stray_replies(std::chrono::milliseconds(200)), 2) << "nothing more is sent";
  EXPECT_EQ(client_->stray_replies({}), 2) << "each counts once";
  EXPECT_EQ(became({reply_of(right) + reply_of(right)}), "corrupt");
}

/// As load balancers close connections that nobody uses.
TEST_F(HttpClientTest, TakesAFarewellForTheEndOfAnIdleConnection) {
  EXPECT_EQ(
      became({reply_of(right), "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n"}, Then::closes),
      "answered");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(became({reply_of(right)}), "answered");
  EXPECT_EQ(client_->stray_replies({}), 0);
  EXPECT_EQ(connections_, 2);
}

TEST_F(HttpClientTest, TakesNoJsonThatIsCutShortForAReply) {
  const std::string whole = R"({"outputs":[{"name":"y","datatype":"FP32","shape":[2],"data":[1,2.5]}]})";
  for (std::size_t bytes = 1; bytes < whole.size(); ++bytes)
    EXPECT_EQ(became({reply_of(whole.substr(0, bytes))}), "corrupt") << bytes;
  EXPECT_EQ(became({reply_of(whole + whole)}), "corrupt");
  EXPECT_EQ(became({reply_of(whole + "x")}), "corrupt");
  EXPECT_EQ(became({reply_of(whole)}), "answered");
  EXPECT_EQ(became({reply_of(R"({"id":"\\\"}]","outputs":[{"data":["{[","\\"]}]})"
                             "\n")}),
            "answered");
}

TEST_F(HttpClientTest, TakesNoOtherStatusForAnAnswer) {
  for (const auto* status : {"201 Created", "202 Accepted", "206 Partial Content"})
    EXPECT_EQ(became({fmt::format("HTTP/1.1 {}\r\nContent-Length: {}\r\n\r\n{}", status,
                                  std::string_view(right).size(), right)}),
              "invalid_argument");
  EXPECT_EQ(became({"HTTP/1.1 204 No Content\r\n\r\n"}), "invalid_argument");
  EXPECT_EQ(became({"HTTP/1.1 204 No Content\r\n\r\n" + reply_of(right)}), "corrupt");
}

TEST_F(HttpClientTest, ABodyIsBoundedWhateverItsLengthIs) {
  EXPECT_EQ(became({"HTTP/1.1 200 OK\r\nContent-Length: 1099511627776\r\n\r\n{"}), "corrupt");
  const auto error = fmt::format(R"({{"error":"{}"}})", std::string(300'000, 'x'));
  answer({fmt::format("HTTP/1.1 500 No\r\nContent-Length: {}\r\n\r\n{}", error.size(), error)});
  Call call;
  infer(call);
  EXPECT_THAT(call.outcome.error().message, HasSubstr(R"({"error":"xxx)")) << "its end is not there";
}

TEST_F(HttpClientTest, GivesUpItsQuestionsWhenItIsToStop) {
  RawListener silent;
  std::stop_source stop;
  std::thread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  const auto begin = steady_clock.now();
  const auto connected =
      Client::connect({.host = "127.0.0.1", .port = silent.port()},
                      {.connect_s = 60, .stop = stop.get_token()}, steady_clock, [](Call&) {});
  EXPECT_FALSE(connected);
  EXPECT_LT(steady_clock.now() - begin, std::chrono::seconds(30));
  user.join();
}

TEST_F(HttpClientTest, TakesNoOtherBodyForAReply) {
  for (const auto* body : {"{{{{{", "<html>sorry</html>", "", "[]", "{\"a\": 1"})
    EXPECT_EQ(became({reply_of(body)}), "corrupt") << body;
  EXPECT_EQ(became({std::string(chunked) + "3\r\nabc\r\n0\r\n\r\n"}), "corrupt");
  const std::string whole(right);
  EXPECT_EQ(became({std::string(chunked) + fmt::format("14\r\n{}\r\n", whole.substr(0, 20)),
                    fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", whole.size() - 20, whole.substr(20))}),
            "answered");
  EXPECT_EQ(became({reply_of(" " + whole + " \n")}), "answered");
}

TEST_F(HttpClientTest, TakesNoReplyWithoutOutputsForAnAnswer) {
  for (const auto* body : {"{}", R"({"error":"model crashed"})", R"({"outputs":[]})", R"({"outputs":null})",
                           R"({"outputs":[ ]})", R"({"predictions":[[1.0]]})",
                           R"({"id":"outputs","parameters":{"x":"outputs"}})", R"({"outputs":"y"})",
                           R"({"parameters":{"outputs":[]},"outputs":[]})"})
    EXPECT_EQ(became({reply_of(body)}), "corrupt") << body;
  for (const auto* body : {R"({"id":"\"outputs\":[]","x":"outputs","outputs" : [ {}]})", right})
    EXPECT_EQ(became({reply_of(body)}), "answered") << body;
  Call call;
  answer({reply_of(R"({"error":"model crashed"})")});
  infer(call);
  EXPECT_EQ(call.outcome.error().message, R"(the reply has no outputs: '{"error":"model crashed"}')");
}

TEST_F(HttpClientTest, TakesNoTensorThatDoesNotFitItsShapeForAnAnswer) {
  const auto reply = [](int shape, int announced, int bytes, std::string_view type = "UINT8") {
    const auto json = fmt::format(
        R"({{"outputs":[{{"name":"y","datatype":"{}","shape":[{}],"parameters":{{"binary_data_size":{}}}}}]}})",
        type, shape, announced);
    return fmt::format(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nInference-Header-Content-Length: {}\r\n\r\n{}{}",
        json.size() + static_cast<std::size_t>(bytes), json.size(), json,
        std::string(static_cast<std::size_t>(bytes), 'x'));
  };
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(became({reply(4, 4, 4)}), "answered");
    EXPECT_EQ(became({reply(4, 4, 3)}), "corrupt") << "the same JSON, other bytes";
    EXPECT_EQ(became({reply(4, 3, 3)}), "invalid_argument");
    EXPECT_EQ(became({reply(2, 4, 4, "FP16")}), "answered");
    EXPECT_EQ(became({reply(2, 11, 11, "BYTES")}), "answered") << "texts have any length";
  }
  const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nInference-Header-Content-Length: ";
  EXPECT_EQ(became({head + "2\r\n\r\n{}", "\1\2\3"}), "corrupt") << "no outputs";
  EXPECT_EQ(became({head + "6\r\n\r\n{}abc"}), "corrupt") << "more JSON than there is";
  EXPECT_EQ(became({head + "2\r\n\r\nabcde"}), "corrupt");
}

TEST_F(HttpClientTest, TakesNoAnswerAfterTheDeadline) {
  EXPECT_EQ(became({"HTTP/1.1 200 OK\r\n", "Content-Length: 2\r\n\r\n{}"}, Then::waits,
                   std::chrono::milliseconds(1)),
            "timeout");
  EXPECT_EQ(became({reply_of(right)}, Then::waits, std::chrono::seconds(5)), "answered");
}

}  // namespace
}  // namespace neph::wire
