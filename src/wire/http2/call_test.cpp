#include "wire/http2/call.hpp"

#include <gtest/gtest.h>

namespace neph::wire {
namespace {

TEST(GrpcTimeout, HasAtMostEightDigitsAndAUnit) {
  EXPECT_EQ(parse_timeout("250m"), std::chrono::milliseconds(250));
  EXPECT_EQ(parse_timeout("1H"), std::chrono::hours(1));
  EXPECT_NEAR(static_cast<double>(parse_timeout("99999999n")->count()), 99'999'999, 1);
  EXPECT_EQ(parse_timeout("99999999H"), std::nullopt) << "above a year";
  for (const auto* wrong : {"", "m", "1", "-1S", "123456789S", "1x", "1 S", "1SS"})
    EXPECT_EQ(parse_timeout(wrong), std::nullopt) << wrong;
}

TEST(GrpcMessage, IsPrintableAscii) { EXPECT_EQ(percent_encoded("a%\n\xc3\xbc~"), "a%25%0A%C3%BC~"); }

TEST(GrpcStatusOf, IsPrintable) {
  const auto [code, message] = grpc_status({ErrorCode::invalid_argument, "datatype '\xff\x1b\n'"});
  EXPECT_EQ(code, GrpcStatus::invalid_argument);
  EXPECT_EQ(message, "datatype '\uFFFD\uFFFD '");
  EXPECT_EQ(percent_encoded(message), "datatype '%EF%BF%BD%EF%BF%BD '");
}

TEST(GrpcStatusOf, CutsAtACharacter) {
  std::string text;
  while (text.size() < 3000) text += "\xc3\xbc";
  const auto [code, message] = grpc_status({ErrorCode::not_found, "x" + text});
  EXPECT_EQ(code, GrpcStatus::not_found);
  EXPECT_EQ(message.substr(message.size() - 5), "\xc3\xbc...");
}

}  // namespace
}  // namespace neph::wire
