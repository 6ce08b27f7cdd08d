// Real children that die, babble, hang, hold their ears shut.
#include <gmock/gmock.h>

#include "launch/launch.hpp"

namespace neph::launch {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr double grace_s = 0.2;

class Started {
 public:
  explicit Started(const std::string& script, std::size_t max_line_bytes = 1 << 20)
      : child(here({"sh", "-c", script})->start({.max_line_bytes = max_line_bytes}).value()) {
    child->on_line = [this](std::string_view line) { lines.emplace_back(line); };
    child->on_error_line = [this](std::string_view line) { error_bytes += line.size(); };
  }
  void wait_for_end() {
    for (auto* self = child.get(); !child->exit();) Child::wait({&self, 1});
  }
  void wait_for_lines(std::size_t count) {
    for (auto* self = child.get(); lines.size() < count && !child->exit();) Child::wait({&self, 1});
  }

  std::vector<std::string> lines;
  std::size_t error_bytes = 0;
  std::unique_ptr<Child> child;
};

TEST(Child, SaysAndIsHeardByLines) {
  Started echo("while read -r line; do echo \"<$line>\"; done; printf 'no line feed'");
  echo.child->say("one");
  echo.child->say("two");
  echo.wait_for_lines(2);
  echo.child->end(20);
  EXPECT_THAT(echo.lines, ElementsAre("<one>", "<two>", "<stop>", "no line feed")) << "asked, not killed";
  EXPECT_EQ(echo.child->how_it_ended(), "ended with exit code 0");
}

TEST(Child, OneThatDiesAtOnceTakesNobodyWithIt) {
  Started dead("echo why >&2; exit 3");
  dead.child->say(std::string(1 << 20, 'x'));  // more than a pipe holds
  dead.wait_for_end();
  dead.child->say("and more");
  EXPECT_EQ(dead.child->how_it_ended(), "ended with exit code 3");
  EXPECT_EQ(dead.child->stderr_tail(), "why");
}

TEST(Child, OneThatIgnoresStopIsKilledAfterItsGrace) {
  Started deaf("trap '' TERM; echo there; sleep 1000");
  deaf.wait_for_lines(1);
  const auto begin = SteadyClock().now();
  deaf.child->end(grace_s);
  EXPECT_GE(seconds(SteadyClock().now() - begin), grace_s);
  EXPECT_EQ(deaf.child->how_it_ended(), "did not end when asked to and was killed");
}

TEST(Child, TellsOfTheSignalThatEndedIt) {
  const auto end_of = [](const std::string& script) {
    Started one(script);
    one.wait_for_end();
    return one.child->how_it_ended();
  };
  EXPECT_THAT(end_of("kill -KILL $$"), HasSubstr("was killed by SIGKILL (out of memory?"));
  EXPECT_EQ(end_of("kill -40 $$"), "was killed by signal 40");
  EXPECT_EQ(end_of("exit 137"), "ended with exit code 137") << "its own";
}

TEST(Child, AFloodOfErrorsIsHeardAndNotKept) {
  Started flood("head -c 10000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo done >&2; echo >&2");
  flood.wait_for_end();
  EXPECT_EQ(flood.error_bytes, 10'000'004u);
  EXPECT_EQ(flood.child->stderr_tail(), "done") << "the last line that means something";
}

TEST(Child, TheTailIsFitForAMessage) {
  Started bold("printf 'no \\033[1msuch image\\n' >&2");
  bold.wait_for_end();
  EXPECT_EQ(bold.child->stderr_tail(), "no \uFFFD[1msuch image");
  Started longer("head -c 5000 /dev/zero | tr '\\0' y >&2");
  longer.wait_for_end();
  EXPECT_THAT(longer.child->stderr_tail(), SizeIs(300));
}

TEST(Child, OneThatClosesItsOutputHasFallenSilentAndNotEnded) {
  Started closed("exec >&-; read -r word");
  for (auto* self = closed.child.get(); !closed.child->has_fallen_silent();) Child::wait({&self, 1});
  EXPECT_FALSE(closed.child->exit());
  closed.child->end(20);
  EXPECT_EQ(closed.child->how_it_ended(), "ended with exit code 0");
}

TEST(Child, GarbageWithoutALineFeedComesInPieces) {
  // It goes on only when its first bytes have come, so no single read gets them all.
  Started garbage("head -c 5000 /dev/zero; read -r word; head -c 5000 /dev/zero", 4096);
  garbage.wait_for_lines(1);
  garbage.child->say("go on");
  garbage.wait_for_end();
  std::size_t bytes = 0;
  for (const auto& line : garbage.lines) bytes += line.size();
  EXPECT_EQ(bytes, 10'000u);
  EXPECT_GT(garbage.lines.size(), 1u);
}

TEST(Child, ALeftoverThatHoldsThePipesIsNotWaitedFor) {
  Started left("setsid sleep 3 & echo said; exit 0");
  const auto begin = SteadyClock().now();
  left.wait_for_end();
  EXPECT_LT(seconds(SteadyClock().now() - begin), 2);
  EXPECT_THAT(left.lines, ElementsAre("said"));
  EXPECT_TRUE(left.child->has_fallen_silent());
}

TEST(Child, ManyAreHeardAtOnceUntilAMoment) {
  Started one("echo 1; sleep 1000");
  Started two("echo 2; sleep 1000");
  std::vector<Child*> both{one.child.get(), two.child.get()};
  while (one.lines.empty() || two.lines.empty()) Child::wait(both);
  const auto until = SteadyClock().now() + std::chrono::milliseconds(20);
  while (SteadyClock().now() < until) Child::wait(both, until);
  EXPECT_FALSE(one.child->exit() || two.child->exit());
}

TEST(Launcher, ThereMustBeSuchAProgram) {
  EXPECT_EQ(here({"no-such-program-anywhere"})->start({}).error().code, ErrorCode::not_found);
  EXPECT_EQ(here({"/etc/passwd"})->start({}).error().code, ErrorCode::unavailable);
  EXPECT_EQ(here({})->start({}).error().code, ErrorCode::invalid_argument);
}

TEST(Launcher, HasAName) {
  EXPECT_EQ((*launcher_at("here"))->path_there("a/b"), "a/b");
  EXPECT_EQ((*launcher_at("docker:neph:latest"))->machine(), (*launcher_at("here"))->machine());
  for (const auto* place : {"", "docker", "docker:", "there", "here:"})
    EXPECT_THAT(launcher_at(place).error().message, HasSubstr("here, or docker:IMAGE")) << place;
}

}  // namespace
}  // namespace neph::launch
