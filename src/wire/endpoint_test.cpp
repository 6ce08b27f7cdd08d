#include "wire/endpoint.hpp"

#include <gmock/gmock.h>

namespace neph::wire {
namespace {

using testing::HasSubstr;

TEST(Endpoint, IsReadAndWritten) {
  const auto read = [](std::string_view text) { return parse_endpoint(text)->text(); };
  EXPECT_EQ(read("http://127.0.0.1:9000"), "http://127.0.0.1:9000");
  EXPECT_EQ(read("grpc://node2"), "grpc://node2:8001");
  EXPECT_EQ(read("http://node2/"), "http://node2:8000");
  EXPECT_EQ(read("grpc://[::1]:7"), "grpc://[::1]:7");
  EXPECT_EQ(parse_endpoint("grpc://[::1]")->host, "::1");
  EXPECT_EQ(read("localhost:8001"), "http://localhost:8001") << "who connects learns that it speaks gRPC";
  EXPECT_EQ(read("localhost"), "http://localhost:8000");
  EXPECT_EQ(read("[::1]:7"), "http://[::1]:7");
}

TEST(Endpoint, IsOnThisMachineByItsAddress) {
  for (const auto* here : {"http://localhost", "grpc://127.0.0.2:1", "http://[::1]"})
    EXPECT_TRUE(is_loopback(*parse_endpoint(here))) << here;
  for (const auto* elsewhere : {"http://node2", "grpc://10.77.0.1", "http://[::2]"})
    EXPECT_FALSE(is_loopback(*parse_endpoint(elsewhere))) << elsewhere;
}

TEST(Endpoint, ThatIsNone) {
  const auto fault = [](std::string_view text) {
    const auto endpoint = parse_endpoint(text);
    return endpoint ? "accepted" : endpoint.error().text();
  };
  EXPECT_THAT(fault("resnet50"), HasSubstr("no protocol"));
  EXPECT_THAT(fault("C:x"), HasSubstr("port"));
  EXPECT_THAT(fault("http:/node2:80"), HasSubstr("no protocol before ://"));
  EXPECT_THAT(fault("localhost:8000/v2"), HasSubstr("no path is wanted"));
  EXPECT_THAT(fault("htp://x"), HasSubstr("did you mean 'http'?"));
  EXPECT_THAT(fault("http://"), HasSubstr("no host"));
  EXPECT_THAT(fault("http://:80"), HasSubstr("no host"));
  EXPECT_THAT(fault("http://x:"), HasSubstr("port"));
  EXPECT_THAT(fault("http://x:0"), HasSubstr("port"));
  EXPECT_THAT(fault("http://x:65536"), HasSubstr("port"));
  EXPECT_THAT(fault("http://x:80y"), HasSubstr("port"));
  EXPECT_THAT(fault("http://[::1:80"), HasSubstr("no ]"));
  EXPECT_THAT(fault("http://x/v2/models"), HasSubstr("no path is wanted"));
  EXPECT_THAT(fault("http://x:80/v2"), HasSubstr("no path is wanted"));
  EXPECT_THAT(fault("http://x?y"), HasSubstr("only a host"));
}

}  // namespace
}  // namespace neph::wire
