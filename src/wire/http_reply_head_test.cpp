#include "wire/http_reply_head.hpp"

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

TEST(ReplyHead, ThatIsNone) {
  const auto fault = [](std::string_view text) {
    const auto head = parse_reply_head(text);
    return head ? "accepted" : head.error().message;
  };
  EXPECT_THAT(fault(""), HasSubstr("first line"));
  EXPECT_THAT(fault("\r\n\r\n"), HasSubstr("first line"));
  EXPECT_THAT(fault("HTTP/1.0 200 OK\r\n\r\n"), HasSubstr("first line"));
  EXPECT_THAT(fault("HTTP/1.1 2x0 OK\r\n\r\n"), HasSubstr("status"));
  EXPECT_THAT(fault("HTTP/1.1 200"), HasSubstr("without a length"));
  EXPECT_THAT(fault("HTTP/1.1 200 OK\r\n\r\n"), HasSubstr("without a length"));
  EXPECT_THAT(fault("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), HasSubstr("Content-Length"));
  EXPECT_THAT(fault("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), HasSubstr("chunks"));
  EXPECT_THAT(fault("HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"), HasSubstr("colon"));
  EXPECT_THAT(fault("HTTP/1.1 200 OK\r\nnonsense"), HasSubstr("without an end"));
}

TEST(ReplyHead, OfAnErrorIsTurnedIntoItsWords) {
  EXPECT_EQ(error_of_reply(404, R"({"error":"no model 'x'"})").message, "HTTP status 404: no model 'x'");
  EXPECT_EQ(error_of_reply(404, "").code, ErrorCode::not_found);
  EXPECT_EQ(error_of_reply(400, "<html>").message, "HTTP status 400: <html>");
  EXPECT_EQ(error_of_reply(429, "").code, ErrorCode::unavailable);
  EXPECT_EQ(error_of_reply(500, R"({"error":7})").code, ErrorCode::internal);
  EXPECT_LT(error_of_reply(500, std::string(10'000, 'x')).message.size(), 300U);
}

}  // namespace
}  // namespace neph::wire
