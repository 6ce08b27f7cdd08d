#include "wire/http/rest_route.hpp"

#include <gmock/gmock.h>

namespace neph::wire {
namespace {

using To = Route::To;
using testing::HasSubstr;

TEST(Route, OfEveryPath) {
  const auto expect = [](std::string_view method, std::string_view target, To to, std::string_view name = {},
                         std::string_view version = {}) {
    SCOPED_TRACE(target);
    const auto route = parse_route(method, target);
    ASSERT_TRUE(route) << route.error().message;
    EXPECT_EQ(route->to, to);
    EXPECT_EQ(route->name, name);
    EXPECT_EQ(route->version, version);
  };
  expect("GET", "/v2", To::server_metadata);
  expect("GET", "/v2/", To::server_metadata);
  expect("GET", "/v2/health/live", To::server_live);
  expect("GET", "/v2/health/ready?x=1", To::server_ready);
  expect("GET", "/v2/models/stats", To::model_statistics);
  expect("GET", "/v2/models/m", To::model_metadata, "m");
  expect("GET", "/v2/models/m/versions/3", To::model_metadata, "m", "3");
  expect("GET", "/v2/models/m/ready", To::model_ready, "m");
  expect("GET", "/v2/models/m/versions/3/config", To::model_config, "m", "3");
  expect("POST", "/v2/models/m/infer", To::infer, "m");
  expect("POST", "/v2/models/my%20net%2Fa/versions/3/infer", To::infer, "my net/a", "3");
  expect("POST", "/v2/repository/index", To::repository_index);
  expect("POST", "/v2/repository/models/m/unload", To::repository_unload, "m");
  expect("GET", "/v2/systemsharedmemory/region/r/status", To::shared_memory_status, "r");
  expect("POST", "/v2/systemsharedmemory/unregister", To::shared_memory_unregister);
  expect("GET", "/metrics", To::metrics);
}

TEST(Route, TakesHeadForGet) {
  ASSERT_TRUE(parse_route("HEAD", "/v2/models/m"));
  EXPECT_EQ(parse_route("HEAD", "/v2/models/m")->to, To::model_metadata);
  EXPECT_FALSE(parse_route("HEAD", "/v2/models/m/infer"));
  EXPECT_EQ(allowed_methods("/v2/models/m/infer?x"), "POST");
  EXPECT_EQ(allowed_methods("/v2/models/m"), "GET, HEAD");
  EXPECT_EQ(allowed_methods("/v3"), "");
}

TEST(Route, ThatIsNone) {
  const auto fault = [](std::string_view method, std::string_view target) {
    const auto route = parse_route(method, target);
    return route ? "accepted" : std::string(to_string(route.error().code)) + ": " + route.error().message;
  };
  EXPECT_THAT(fault("GET", "/"), HasSubstr("not_found"));
  EXPECT_THAT(fault("GET", ""), HasSubstr("not_found"));
  EXPECT_THAT(fault("GET", "/v3/models/m"), HasSubstr("no such path: /v3/models/m"));
  EXPECT_THAT(fault("GET", "/v2/models//ready"), HasSubstr("not_found"));
  EXPECT_THAT(fault("POST", "/v2/models/m/infer/more"), HasSubstr("not_found"));
  EXPECT_THAT(fault("GET", "/v2/models/m/infer"), HasSubstr("answers POST, not GET"));
  EXPECT_THAT(fault("POST", "/v2/models/m%2/infer"), HasSubstr("percent-encoded"));
  EXPECT_THAT(fault("POST", "/v2/models/m%zz/infer"), HasSubstr("percent-encoded"));
}

TEST(Route, OfAnyNameComesBack) {
  for (const std::string name : {"resnet50", "my net/a", "50%", "x?y#z", "a\r\nHost: b", "déjà"}) {
    const auto route = parse_route("POST", "/v2/models/" + path_segment(name) + "/infer");
    ASSERT_TRUE(route);
    EXPECT_EQ(route->name, name);
  }
}

}  // namespace
}  // namespace neph::wire
