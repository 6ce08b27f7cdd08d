#include "workload/files.hpp"

#include <gmock/gmock.h>

namespace neph::workload {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Files, OfCredentialsAreThoseThatAreGivenByTheirFields) {
  std::vector<std::string> seen;
  const auto files = files_of_credentials({.ca = "/tls/ca.pem", .key = "/tls/me.key", .token_file = "token"});
  for (const auto& file : files) seen.push_back(file.field + " " + file.path.string());
  EXPECT_THAT(seen, ElementsAre("ca /tls/ca.pem", "key /tls/me.key", "token_file token"));
  EXPECT_THAT(files_of_credentials({}), IsEmpty());
}

}  // namespace
}  // namespace neph::workload
