#include "workload/files.hpp"

#include <fstream>

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

TEST(Files, OfAModelHaveAHashOfTheirContents) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "content_hash";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, std::string_view content) {
    std::ofstream(folder / name) << content;
    return folder / name;
  };
  const auto net = write("net.xml", "layers");
  write("net.bin", "weights");
  const auto first = content_hash(files_of_model(net));
  EXPECT_THAT(first, testing::MatchesRegex("[0-9a-f]{16}"));
  write("net.json", "results");
  write("network.bin", "of another");
  EXPECT_EQ(content_hash(files_of_model(net)), first) << "where it lies says nothing, nor who lies beside it";
  write("net.bin", "other weights");
  EXPECT_NE(content_hash(files_of_model(net)), first);
  EXPECT_EQ(content_hash(files_of_model(folder / "gone.onnx")), "");
}

}  // namespace
}  // namespace neph::workload
