// A program named docker that shows what it was asked; the real one is in tests/e2e/test_server_in_docker.py.
#include <cstdlib>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "launch/launch.hpp"

namespace neph::launch {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FakeDocker : public testing::Test {
 protected:
  FakeDocker() {
    std::string name = (fs::temp_directory_path() / "neph-launch-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    ::setenv("PATH", (folder_.string() + ":" + path_).c_str(), 1);
  }
  ~FakeDocker() override {
    ::setenv("PATH", path_.c_str(), 1);
    fs::remove_all(folder_);
  }
  void docker_is(const std::string& script) {
    std::ofstream(folder_ / "docker") << "#!/bin/sh\n" << script;
    fs::permissions(folder_ / "docker", fs::perms::owner_all);
  }

  const std::string path_ = std::getenv("PATH");
  fs::path folder_;
};

TEST_F(FakeDocker, RunsTheCommandBesideItsFiles) {
  docker_is("echo \"$*\"; read -r word; echo $word\n");
  const auto docker = in_docker({.image = "neph:1", .cpus = 0.5, .memory_bytes = 1000});
  const auto child =
      docker
          ->start({.arguments = {"serve", docker->path_there("/m/net.xml")},
                   .files = {{.field = "model", .path = "/m/net.xml"}, {.field = {}, .path = "/m/net.bin"}}})
          .value();
  std::vector<std::string> said;
  child->on_line = [&](std::string_view line) { said.emplace_back(line); };
  child->end(20);
  ASSERT_EQ(said.size(), 2u);
  EXPECT_THAT(said[0], HasSubstr("run --rm -i --network host --name neph-"));
  EXPECT_THAT(said[0], HasSubstr(fmt::format("--user {}:{} ", ::getuid(), ::getgid())));
  EXPECT_THAT(said[0], HasSubstr("--read-only --volume /m/net.xml:/neph/m/net.xml:ro --volume "
                                 "/m/net.bin:/neph/m/net.bin:ro --cpus 0.5 --memory 1000 neph:1 serve "
                                 "/neph/m/net.xml"));
  EXPECT_EQ(said[1], "stop");
}

TEST_F(FakeDocker, TellsTheProcessInTheContainer) {
  docker_is("[ $1 = run ] && exec sleep 1000; [ $1 = inspect ] && echo 4711\n");
  const auto child = in_docker({.image = "neph"})->start({}).value();
  EXPECT_EQ(child->id().value(), 4711);
  docker_is("[ $1 = run ] && exec sleep 1000; echo 'no such container' >&2\n");
  EXPECT_THAT(child->id().error().message, HasSubstr("no such container"));
}

TEST_F(FakeDocker, OneThatDoesNotStopIsKilledInItsContainer) {
  const auto told = (folder_ / "told").string();
  docker_is("[ $1 = run ] && exec sleep 1000; echo \"$*\" > " + told + "\n");
  const auto child = in_docker({.image = "neph"})->start({}).value();
  child->end(0.1);
  std::string line;
  std::getline(std::ifstream(told) >> std::ws, line);
  EXPECT_THAT(line, HasSubstr("kill neph-"));
}

}  // namespace
}  // namespace neph::launch
