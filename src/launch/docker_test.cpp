// A program named docker that shows what it was asked; the real one is in tests/e2e/test_server_in_docker.py.
#include <cstdlib>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <unistd.h>

#include "launch/launch.hpp"

namespace neph::launch {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

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
  /// Of the script that the client is, and once it runs: it says so.
  std::unique_ptr<Child> started_client(const std::string& script) {
    docker_is(log_ + "[ $1 = run ] && echo there && exec sleep 1000\n" + script);
    auto child = in_docker({.image = "neph"})->start({}).value();
    bool is_there = false;
    child->on_line = [&](std::string_view) { is_there = true; };
    for (auto* self = child.get(); !is_there;) Child::wait({&self, 1});
    child->on_line = nullptr;
    return child;
  }
  /// What docker was asked, a line each, where its script begins with log_.
  std::vector<std::string> told() const {
    std::vector<std::string> lines;
    std::ifstream file(folder_ / "told");
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  const std::string path_ = std::getenv("PATH");
  const std::string log_ = "echo \"$*\" >> \"$(dirname \"$0\")/told\"\n";
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
  EXPECT_THAT(said[0],
              HasSubstr("run --rm -i --no-healthcheck --log-driver none --network host --name neph-"));
  EXPECT_THAT(said[0], HasSubstr(fmt::format("--user {}:{} ", ::getuid(), ::getgid())));
  EXPECT_THAT(
      said[0],
      HasSubstr(R"(--read-only --mount type=bind,"source=/m/net.xml","target=/neph/m/net.xml",readonly )"
                R"(--mount type=bind,"source=/m/net.bin","target=/neph/m/net.bin",readonly )"
                "--cpus 0.5 --memory 1000 neph:1 serve /neph/m/net.xml"));
  EXPECT_EQ(said[1], "stop");
}

TEST_F(FakeDocker, RunsTheBundleInAnyImageWhereItWouldRunHere) {
  docker_is("echo \"$*\"\n");
  const auto child = in_docker({.image = "python:3.12",
                                .bundle = "/opt/bundle",
                                .readable = {"/data"},
                                .writable = {"/work", "/work/.", "/work/x/.."},
                                .folder = "/work",
                                .environment = {"A=b c"},
                                .may_write = true,
                                .gpus = true})
                         ->start({.arguments = {"worker"}})
                         .value();
  std::string said;
  child->on_line = [&](std::string_view line) { said = line; };
  child->end(20);
  EXPECT_THAT(said, HasSubstr(R"(type=bind,"source=/opt/bundle","target=/neph-bundle",readonly )"
                              "--entrypoint /neph-bundle/bin/neph "));
  EXPECT_THAT(said, HasSubstr(R"(type=bind,"source=/data","target=/data",readonly --workdir /work)"));
  EXPECT_THAT(said, HasSubstr(R"("target=/work" --mount type=bind,"source=/data")"));
  EXPECT_THAT(said, HasSubstr("--env A=b c --gpus all python:3.12 worker"));
  EXPECT_THAT(said, testing::Not(HasSubstr("--read-only")));
}

TEST_F(FakeDocker, TellsTheProcessInTheContainer) {
  docker_is("[ $1 = run ] && exec sleep 1000; [ $1 = inspect ] && echo 4711\n");
  const auto child = in_docker({.image = "neph"})->start({}).value();
  EXPECT_EQ(child->id().value(), 4711);
  docker_is("[ $1 = run ] && exec sleep 1000; echo 'no such container' >&2\n");
  EXPECT_THAT(child->id().error().message, HasSubstr("no such container"));
}

TEST_F(FakeDocker, RefusesAnotherBuild) {
  docker_is(log_ + "[ $1 = image ] && echo 12ab || echo neph 1\n");
  EXPECT_TRUE(in_docker({.image = "neph:1", .build = "12ab"})->check());
  EXPECT_THAT(told().back(),
              HasSubstr("image inspect --format {{index .Config.Labels \"neph.build\"}} neph:1"));
  EXPECT_THAT(in_docker({.image = "neph:1", .build = "34cd"})->check().error().message,
              AllOf(HasSubstr("neph:1"), HasSubstr("another build"), HasSubstr("./dev image")));
  docker_is("[ $1 = image ] || echo neph 1\n");  // an image of before has no such label
  EXPECT_THAT(in_docker({.image = "neph:1", .build = "34cd"})->check().error().message,
              HasSubstr("another build"));
}

TEST_F(FakeDocker, AFileMayHaveAnyName) {
  docker_is("echo \"$*\"\n");
  const auto child =
      in_docker({.image = "neph"})->start({.files = {{.field = "input", .path = "/a,b:\"c\""}}});
  std::string said;
  (*child)->on_line = [&](std::string_view line) { said = line; };
  (*child)->end(20);
  EXPECT_THAT(said, HasSubstr(R"(type=bind,"source=/a,b:""c""","target=/neph/a,b:""c""",readonly )"));
}

TEST_F(FakeDocker, NoTwoContainersHaveOneName) {
  docker_is("echo \"$*\" | sed 's/.*--name \\([^ ]*\\).*/\\1/'\n");
  std::set<std::string> names;
  for (int i = 0; i < 2; ++i) {
    const auto child = in_docker({.image = "neph"})->start({}).value();
    child->on_line = [&](std::string_view line) { names.emplace(line); };
    child->end(20);
  }
  EXPECT_EQ(names.size(), 2u);
}

TEST_F(FakeDocker, IsCheckedOnceAndNeverPulledByARun) {
  docker_is(log_ + "echo neph 1\n");
  const auto docker = in_docker({.image = "neph:1"});
  ASSERT_TRUE(docker->check());
  EXPECT_THAT(told(),
              ElementsAre(MatchesRegex("run --rm --no-healthcheck --name neph-[^ ]* neph:1 --version")));
  docker->start({}).value()->end(20);
  EXPECT_THAT(told().back(), HasSubstr("--pull never"));
  docker_is("echo 'no such image' >&2; exit 125\n");
  const auto error = docker->check().error();
  EXPECT_THAT(error.message, AllOf(HasSubstr("neph:1"), HasSubstr("no such image")));
}

TEST_F(FakeDocker, ALineAndABadEndAreNoAnswer) {
  docker_is("echo neph 1; exit 3\n");
  EXPECT_THAT(in_docker({.image = "neph:1"})->check().error().message, HasSubstr("exit code 3"));
}

TEST_F(FakeDocker, AContainerThatDoesNotStopIsRemoved) {
  const auto child = started_client("echo $3\n");
  child->end(0.1);
  EXPECT_EQ(child->how_it_ended(), "did not end when asked to and was killed");
  EXPECT_THAT(told(), ElementsAre(StartsWith("run"), StartsWith("rm --force neph-")));
}

TEST_F(FakeDocker, AContainerThatIsOnlyBeingMadeIsRemovedAMomentLater) {
  const auto child = started_client("echo 'No such container' >&2; exit 1\n");
  child->end(0.1);
  EXPECT_THAT(told(),
              ElementsAre(StartsWith("run"), StartsWith("rm --force neph-"), StartsWith("rm --force neph-")));
}

TEST_F(FakeDocker, AContainerDoesNotOutliveItsChild) {
  started_client("echo $3\n").reset();
  EXPECT_THAT(told(), ElementsAre(StartsWith("run"), StartsWith("rm --force neph-")));
  docker_is(log_ + "exit 0\n");
  in_docker({.image = "neph"})->start({}).value()->end(20);
  EXPECT_THAT(told().back(), StartsWith("run")) << "one that has ended is removed by docker itself";
}

TEST_F(FakeDocker, TellsOfASignalByItsExitCode) {
  const auto end_of = [&](const std::string& script) {
    docker_is(script);
    const auto child = in_docker({.image = "neph"})->start({}).value();
    for (auto* self = child.get(); !child->exit();) Child::wait({&self, 1});
    return child->how_it_ended();
  };
  EXPECT_THAT(end_of("exit 137\n"), HasSubstr("was killed by SIGKILL (out of memory?"));
  EXPECT_EQ(end_of("exit 168\n"), "was killed by signal 40");
  EXPECT_EQ(end_of("exit 255\n"), "ended with exit code 255");
}

TEST_F(FakeDocker, ItsReferenceToItsHelpIsNotItsLastWord) {
  docker_is("echo 'no such image' >&2; echo \"Run 'docker run --help' for more\" >&2\n");
  const auto child = in_docker({.image = "neph"})->start({}).value();
  child->end(20);
  EXPECT_EQ(child->stderr_tail(), "no such image");
  EXPECT_EQ(in_docker({.image = "neph"})->check().error().message,
            "cannot run in neph: docker: no such image");
  docker_is("echo 'docker: no daemon' >&2; echo \"See 'docker run --help'.\" >&2; exit 125\n");
  EXPECT_EQ(in_docker({.image = "neph"})->check().error().message, "cannot run in neph: docker: no daemon");
}

}  // namespace
}  // namespace neph::launch
