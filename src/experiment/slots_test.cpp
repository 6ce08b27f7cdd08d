// Runs on several machines, at once and one after the other.
#include "experiment/conduct_fixture_test.hpp"
#include "os/file.hpp"

namespace neph::experiment {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

/// A machine of its own.
class Elsewhere final : public launch::Launcher {
 public:
  Elsewhere(std::string machine, std::string script)
      : machine_(std::move(machine)), here_(launch::here({"sh", "-c", std::move(script)})) {}
  std::string machine() const override { return machine_; }
  std::string path_there(const std::filesystem::path& path) const override {
    return (std::filesystem::path("/on") / machine_ / path).string();
  }
  Result<std::unique_ptr<launch::Child>> start(const launch::Command& command) override {
    seen.push_back(command);
    return here_->start(command);
  }
  std::vector<launch::Command> seen;

 private:
  std::string machine_;
  std::unique_ptr<launch::Launcher> here_;
};

/// Each worker waits until the other machine's has begun too.
TEST_F(Conduct, CellsOfDifferentMachinesRunAtOnce) {
  const auto meets = [&](const char* own, const char* other) {
    return fmt::format("read -r cell; touch {0}/{1}; until [ -e {0}/{2} ]; do sleep 0.01; done; {3}",
                       (folder / "").string(), own, other, good_result);
  };
  Elsewhere first("a", meets("a", "b"));
  Elsewhere second("b", meets("b", "a"));
  launch.launcher = [&](const Cell& cell) -> launch::Launcher& { return cell.index == 0 ? first : second; };
  launch.slots = 2;
  const auto experiment =
      begun({.workload = "infer", .spec = Json::object(), .factors = {{"batch", {1, 2}}}, .repeat = 3});
  const auto outcome = conduct_with(experiment);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->ok, 6);
  EXPECT_EQ(first.seen.size(), 3u);
  EXPECT_EQ(second.seen.size(), 3u);
}

TEST_F(Conduct, RunsOfOneMachineAndRunsBeyondTheSlotsWait) {
  const auto alone = fmt::format("read -r cell; mkdir {0} || exit 1; sleep 0.02; rmdir {0}; {1}",
                                 (folder / "alone").string(), good_result);
  Elsewhere first("a", alone);
  Elsewhere same("a", alone);
  Elsewhere other("b", alone);
  const auto experiment =
      begun({.workload = "infer", .spec = Json::object(), .factors = {{"batch", {1, 2}}}, .repeat = 2});
  launch.slots = 4;
  launch.launcher = [&](const Cell& cell) -> launch::Launcher& { return cell.index == 0 ? first : same; };
  EXPECT_EQ(conduct_with(experiment)->ok, 4) << "one machine";
  launch.slots = 1;
  launch.launcher = [&](const Cell& cell) -> launch::Launcher& { return cell.index == 0 ? first : other; };
  EXPECT_EQ(
      conduct_with(
          begun({.workload = "infer", .spec = Json::object(), .factors = {{"batch", {1, 2}}}, .repeat = 2}))
          ->ok,
      4);
}

TEST_F(Conduct, AnInterruptReachesAllThatRun) {
  const auto begins = R"(read -r cell; echo '{"event":"progress","phase":"measure"}'; read -r word; )";
  Elsewhere first("a", std::string(begins) + good_result);
  Elsewhere second("b", std::string(begins) + good_result);
  launch.launcher = [&](const Cell& cell) -> launch::Launcher& { return cell.index == 0 ? first : second; };
  launch.slots = 2;
  int begun_runs = 0;
  watcher.on_progress = [&] {
    if (++begun_runs == 2) interrupt.raise();
  };
  const auto outcome = conduct_with(
      begun({.workload = "infer", .spec = Json::object(), .factors = {{"batch", {1, 2}}}, .repeat = 2}));
  EXPECT_EQ(outcome->ok, 2);
  EXPECT_EQ(outcome->left, 2);
  EXPECT_EQ(watcher.finishes, 1);
}

TEST_F(Conduct, FilesAreNamedAsTheyLieWhereTheWorkerRuns) {
  const auto copy = (folder / "request").string();
  Elsewhere there("a", "head -n1 > " + copy + "; " + good_result);
  launch.launcher = [&](const Cell&) -> launch::Launcher& { return there; };
  launch.files = [](const Cell&) {
    return launch::Files{{.field = "model", .path = "cache/net.onnx", .obviates = {"side"}},
                         {.field = {}, .path = "cache/net.bin"}};
  };
  ASSERT_TRUE(
      conduct_with(begun({.workload = "infer", .spec = {{"model", "net"}, {"side", 64}, {"batch", 1}}})));
  const auto request = *parse_json(*read_file(copy), "request");
  EXPECT_EQ(dump_json(request["spec"]), R"({"model":"/on/a/cache/net.onnx","batch":1})");
  ASSERT_THAT(there.seen, SizeIs(1));
  EXPECT_THAT(there.seen[0].files, SizeIs(2));
  EXPECT_THAT(there.seen[0].arguments, ElementsAre("worker"));
}

}  // namespace
}  // namespace neph::experiment
