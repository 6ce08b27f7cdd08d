#include "wire/http/reply_head.hpp"

#include <utility>

#include <gmock/gmock.h>

namespace neph::wire {
namespace {

using testing::HasSubstr;

TEST(ReplyHead, OfAnInference) {
  const auto head = parse_reply_head(
      "HTTP/1.1 200 OK\r\ncontent-LENGTH:  4096 \r\nInference-Header-Content-Length: 96\r\nServer-Timing: "
      "infer;dur=2\r\n"
      "Connection: close\r\n\r\n");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(head->content_length, 4096U);
  EXPECT_EQ(head->json_bytes, 96U);
  EXPECT_FALSE(head->keep_alive);
  EXPECT_EQ(head->timing, "infer;dur=2");
}

TEST(ReplyHead, WithoutMore) {
  const auto head = parse_reply_head("HTTP/1.1 503 \r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 503);
  EXPECT_TRUE(head->keep_alive);
  EXPECT_EQ(head->json_bytes, std::nullopt);
  EXPECT_TRUE(parse_reply_head("HTTP/1.1 100 Continue\r\n\r\n"));
}

TEST(ReplyHead, SaysWhatItsBodyEndsWith) {
  const auto end = [](std::string_view text) {
    const auto head = parse_reply_head(text);
    return head ? std::pair(head->body_end, head->keep_alive) : std::pair(BodyEnd::length, false);
  };
  constexpr auto kept = true, closed = false;
  const auto chunked = std::pair(BodyEnd::last_chunk, kept);
  EXPECT_EQ(end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), chunked);
  EXPECT_EQ(end("HTTP/1.1 500 No\r\ntransfer-encoding:CHUNKED\r\n\r\n"), chunked);
  EXPECT_EQ(end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"),
            std::pair(BodyEnd::last_chunk, closed));
  EXPECT_EQ(end("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n"),
            std::pair(BodyEnd::last_chunk, closed));
  EXPECT_EQ(end("HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\n"), std::pair(BodyEnd::length, closed));
  EXPECT_EQ(end("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 3\r\n\r\n"),
            std::pair(BodyEnd::length, kept));
  EXPECT_EQ(end("HTTP/1.1 204 None\r\nTransfer-Encoding: chunked\r\n\r\n"), std::pair(BodyEnd::length, kept));
  for (const auto* text : {"HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200",
                           "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"})
    EXPECT_EQ(end(text), std::pair(BodyEnd::end_of_connection, closed)) << text;
  EXPECT_EQ(parse_reply_head("HTTP/1.1 304 Same\r\nContent-Length: 3\r\n\r\n")->content_length, 0U);
}

TEST(ReplyHead, ThatIsNone) {
  const auto fault = [](std::string_view text) {
    const auto head = parse_reply_head(text);
    return head ? "accepted" : head.error().message;
  };
  EXPECT_THAT(fault(""), HasSubstr("first line"));
  EXPECT_THAT(fault("\r\n\r\n"), HasSubstr("first line"));
  EXPECT_THAT(fault("HTTP/2.0 200 OK\r\n\r\n"), HasSubstr("first line"));
  EXPECT_THAT(fault("HTTP/1.1 2x0 OK\r\n\r\n"), HasSubstr("status"));
  EXPECT_THAT(fault("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), HasSubstr("Content-Length"));
  EXPECT_THAT(fault("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
              HasSubstr("Content-Length"));
  EXPECT_EQ(fault("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n"), "accepted");
  EXPECT_THAT(fault("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n"),
              HasSubstr("other than chunked: gzip, chunked"));
  EXPECT_THAT(fault("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"),
              HasSubstr("chunks of chunks"));
  EXPECT_THAT(fault("HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"), HasSubstr("colon"));
  EXPECT_THAT(fault("HTTP/1.1 200 OK\r\nnonsense"), HasSubstr("without an end"));
}

TEST(ReplyHead, OfAnErrorIsTurnedIntoItsWords) {
  EXPECT_EQ(error_of_reply(404, R"({"error":"no model 'x'"})").message, "HTTP status 404: no model 'x'");
  EXPECT_EQ(error_of_reply(404, "").code, ErrorCode::not_found);
  EXPECT_EQ(error_of_reply(400, "<html>").message, "HTTP status 400: <html>");
  EXPECT_EQ(error_of_reply(400, "<html>\r\n  <p>No\n</html>\n").message,
            "HTTP status 400: <html> <p>No </html>");
  EXPECT_EQ(error_of_reply(429, "").code, ErrorCode::unavailable);
  EXPECT_EQ(error_of_reply(500, R"({"error":7})").code, ErrorCode::internal);
  EXPECT_LT(error_of_reply(500, std::string(10'000, 'x')).message.size(), 300U);
}

}  // namespace
}  // namespace neph::wire
