#include "workload/server_process.hpp"

#include <gmock/gmock.h>

#include "record/facts.hpp"

namespace neph::workload {
namespace {

TEST(ServerProcess, ReadsItsAnnouncement) {
  std::string http, grpc;
  Facts facts;
  const auto read = read_announcement(
      R"({"grpc":"grpc://127.0.0.1:1","models":{"m":{"engine":"identity"}},"notes":{"m":["n"]},"new":1})",
      http, grpc, facts);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(http + grpc, "grpc://127.0.0.1:1");
  EXPECT_EQ(get(facts, fact::engine), "identity");
}

TEST(ServerProcess, RefusesAnAnnouncementThatIsNone) {
  std::string http, grpc;
  Facts facts;
  for (const auto* line :
       {"", "hello", "1", "null", "[]", R"("http")", R"([{"http":"x"}])", R"({"http":1})", R"({"grpc":null})",
        R"({"http":{}})", R"({"models":{"m":1}})", R"({"models":{"m":[]}})"})
    EXPECT_FALSE(read_announcement(line, http, grpc, facts)) << line;
  for (const auto* line : {"{}", R"({"models":[]})", R"({"models":null})", R"({"models":{}})"})
    EXPECT_TRUE(read_announcement(line, http, grpc, facts)) << line;
}

}  // namespace
}  // namespace neph::workload
