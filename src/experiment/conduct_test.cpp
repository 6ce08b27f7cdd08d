// Real processes under a controller that is interrupted, resumed, killed.
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "experiment/conduct_fixture_test.hpp"
#include "os/clock_name.hpp"
#include "os/file.hpp"

namespace neph::experiment {
namespace {

using store::Access;
using store::Detail;
using store::Store;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

TEST_F(Conduct, HandsTheCellOverAndKeepsTheResult) {
  const auto copy = (folder / "request").string();
  launch.repro = [](const Cell& cell) { return "neph infer --" + cell.label; };
  const auto run = run_of("head -n1 > " + copy + R"(
    echo '{"event":"phase","name":"model_load","begin_s":0,"end_s":0.5}'
    echo '{"event":"progress","phase":"measure","done":3,"total":9}'
    echo hello >&2
    )" + good_result);
  EXPECT_EQ(run.status, RunStatus::ok) << run.reason;
  EXPECT_EQ(run.reason, "");
  EXPECT_EQ(run.repro, "neph infer --all");
  EXPECT_EQ(watcher.phases, std::vector<std::string>{"model_load"});
  EXPECT_EQ(watcher.last_progress.done, 3);
  EXPECT_EQ(watcher.said, "hello");

  const auto request = *parse_json(*read_file(copy), "request");
  EXPECT_EQ(request["workload"], "infer");
  EXPECT_EQ(dump_json(request["spec"]), R"({"batch":1})");
  const auto now = seconds(SteadyClock().now().time_since_epoch());
  EXPECT_NEAR(request["started_s"].get<double>(), now, 20);
  EXPECT_EQ(request["clock"], monotonic_clock_name()) << "on another host that number means nothing";

  const auto stored = *store.run(run.id);
  EXPECT_EQ(stored.result.figures.at(0).estimate.value, 5);
  EXPECT_EQ(stored.result.phases.at(0).name, "model_load");
  EXPECT_THAT(stored.started, StartsWith("20"));
}

/// A worker that says it runs on a machine of so many cores, from 81.5 s to 87.25 s of its clock.
std::string worker_with(int cores) {
  return fmt::format(
             R"(read -r cell; echo '{{"event":"began","machine":{{"effective_cores":{}}},"at_s":81.5}}'
    echo '{{"event":"ended","at_s":87.25}}'
    )",
             cores) +
         good_result;
}

TEST_F(Conduct, ARunKnowsItsMachineAndItsTimes) {
  const auto run = run_of(worker_with(2));
  EXPECT_EQ(run.status, RunStatus::ok) << run.reason;
  EXPECT_THAT(watcher.machines, ElementsAre(Json{{"effective_cores", 2}}));
  const auto stored = *store.run(run.id);
  EXPECT_EQ(stored.host_begin_s, 81.5);
  EXPECT_EQ(stored.host_end_s, 87.25);
  EXPECT_GE(stored.ended, stored.started);
  EXPECT_THAT(stored.ended, StartsWith("20"));
  const auto machines = *store.machines(run.experiment_id);
  ASSERT_THAT(machines, SizeIs(1));
  EXPECT_EQ(stored.machine_id, machines[0].id);
  EXPECT_EQ(machines[0].cores, 2);
}

TEST_F(Conduct, AWorkerThatDiesHasToldWhereItWas) {
  const auto run = run_of(R"(read -r cell; echo '{"event":"began","machine":{"effective_cores":2},"at_s":1}'
    kill -KILL $$)");
  EXPECT_EQ(run.status, RunStatus::failed);
  EXPECT_THAT(*store.machines(run.experiment_id), SizeIs(1));
  EXPECT_EQ(store.run(run.id)->host_begin_s, 1);
  EXPECT_EQ(store.run(run.id)->host_end_s, std::nullopt);
}

TEST_F(Conduct, ARepeatMayRunOnAnotherMachine) {
  auto experiment = begun({.workload = "infer", .spec = {{"a", 1}}, .repeat = 1});
  worker_is(worker_with(2));
  ASSERT_TRUE(conduct_with(experiment));
  experiment.repeat = 2;
  worker_is(worker_with(4));
  ASSERT_TRUE(conduct_with(experiment));
  EXPECT_THAT(*store.machines(experiment.id), SizeIs(2));
  const auto runs = *store.runs(experiment.id, Detail::full);
  auto cells = summarise(experiment, runs);
  check_machines(cells, runs);
  ASSERT_THAT(cells[0].warnings,
              testing::Contains(testing::Field(&Warning::code, WarningCode::machines_differ)));
  EXPECT_EQ(cells[0].warnings.back().message,
            "the compared runs are from 2 machines; of this configuration 1 on machine #1, 1 on machine #2");
}

TEST_F(Conduct, RunsEveryCellInTheOrderOfTheSeed) {
  const auto experiment = begun({.workload = "infer",
                                 .spec = Json::object(),
                                 .factors = {{"batch", {1, 2, 4}}},
                                 .repeat = 3,
                                 .seed = 11});
  worker_is(std::string("read -r cell; ") + good_result);
  const auto outcome = conduct_with(experiment);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->ok, 9);
  EXPECT_TRUE(outcome->complete());
  EXPECT_EQ(watcher.started, order(experiment, 3));
  EXPECT_THAT(*store.runs(experiment.id, Detail::summary), SizeIs(9));

  const auto again = conduct_with(experiment);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->skipped, 9);
  EXPECT_EQ(again->ok, 0);
}

TEST_F(Conduct, MoreRepeatsOnResumeAddRuns) {
  auto experiment = begun({.workload = "infer", .spec = {{"a", 1}}, .repeat = 2});
  worker_is(std::string("read -r cell; ") + good_result);
  ASSERT_TRUE(conduct_with(experiment));
  experiment.repeat = 5;
  const auto found = *find_resumable(store, experiment);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id, experiment.id);
  EXPECT_EQ(found->repeat, 5);
  const auto outcome = conduct_with(*found);
  EXPECT_EQ(outcome->skipped, 2);
  EXPECT_EQ(outcome->ok, 3);
  EXPECT_EQ(store.experiment(experiment.id)->repeat, 5);
}

TEST_F(Conduct, FewerRepeatsOnResumeAreNotExceeded) {
  auto experiment = begun({.workload = "infer", .spec = {{"a", 1}}, .repeat = 5});
  worker_is(std::string("read -r cell; ") + good_result);
  experiment.repeat = 1;  // as far as it came
  ASSERT_TRUE(conduct_with(experiment));
  experiment.repeat = 2;
  const auto outcome = conduct_with(**find_resumable(store, experiment));
  EXPECT_EQ(outcome->skipped, 1);
  EXPECT_EQ(outcome->ok, 1);
  EXPECT_TRUE(outcome->complete());
  EXPECT_EQ(store.experiment(experiment.id)->repeat, 2);
  experiment.repeat = 1;
  EXPECT_EQ(conduct_with(**find_resumable(store, experiment))->ok, 0);
  EXPECT_EQ(store.experiment(experiment.id)->repeat, 2) << "what has ended stays";
}

TEST_F(Conduct, OnlyWhatIsMeasuredMakesAnotherExperiment) {
  const auto base = begun({.workload = "infer",
                           .spec = {{"model", "m.onnx"}, {"batch", 1}},
                           .factors = {{"precision", {"f32", "bf16"}}, {"streams", {1, 2}}}});
  auto same = base;
  same.id = 99;
  same.repeat = 50;
  same.seed = 77;
  same.created = "later";
  same.command = "neph run x.toml";
  same.spec = {{"batch", 1}, {"model", "m.onnx"}};  // another order of the keys
  EXPECT_TRUE(*find_resumable(store, same));

  auto other = base;
  other.spec["model"] = "n.onnx";
  EXPECT_FALSE(*find_resumable(store, other));
  other = base;
  other.workload = "train";
  EXPECT_FALSE(*find_resumable(store, other));
  other = base;
  std::swap(other.factors[0], other.factors[1]);  // numbers the cells differently
  EXPECT_FALSE(*find_resumable(store, other));
}

TEST_F(Conduct, AnotherPlaceMakesAnotherExperiment) {
  const auto base = begun();
  auto other = base;
  other.command = "neph infer 'it'\\''s --on a.onnx' --repeat 5 --on docker:neph:1";
  EXPECT_FALSE(*find_resumable(store, other));
  begun(other);
  EXPECT_TRUE(*find_resumable(store, other));
  other.command = "neph infer m.onnx --on docker:neph:1 --repeat 7";
  EXPECT_TRUE(*find_resumable(store, other));
  other.command = "neph infer m.onnx --on docker:neph:2";
  EXPECT_FALSE(*find_resumable(store, other));
  other.command = "neph infer 'x --on docker:neph:1'";
  EXPECT_EQ((*find_resumable(store, other))->id, base.id);
}

/// Sees one thing, which the result has then.
class SeesMemory : public Onlooker {
 public:
  void add_to(RunResult& result) override {
    result.series.push_back({.target = "host_container", .name = "memory_peak", .at_s = {1}, .values = {7}});
  }
};

TEST_F(Conduct, WhatIsSeenFromHereIsPartOfTheResult) {
  int asked = 0;
  launch.onlooker = [&](const Cell& cell, const launch::Child& child, Moment) -> std::unique_ptr<Onlooker> {
    ++asked;
    EXPECT_EQ(cell.index, 0);
    EXPECT_GT(child.id().value(), 0);
    return std::make_unique<SeesMemory>();
  };
  EXPECT_TRUE(run_of(std::string("read -r cell; ") + good_result).result.series.empty())
      << "it has not told where it runs";
  EXPECT_EQ(asked, 0);
  watcher.ended.clear();
  const auto run = run_of(worker_with(2) + "\n sleep 1");  // it is there while it is looked at
  EXPECT_EQ(asked, 1);
  const auto stored = *store.run(run.id);
  ASSERT_THAT(stored.result.series, SizeIs(1));
  EXPECT_EQ(stored.result.series[0].target, "host_container");
}

TEST_F(Conduct, ACellThatIsLeftOutHasNoRunAndTheOthersGoOn) {
  const auto experiment = begun(
      {.workload = "train", .spec = {{"a", 1}}, .factors = {{"in", {"process", "docker"}}}, .repeat = 3});
  worker_is(std::string("read -r cell; case $cell in *docker*) exit 9;; esac; ") + good_result);
  launch.is_left_out = [](const Cell& cell) { return cell.index == 1; };
  const auto outcome = conduct_with(experiment);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->ok, 3);
  EXPECT_EQ(outcome->failed, 0);
  EXPECT_TRUE(outcome->complete());
  EXPECT_EQ(watcher.started.size(), 3U);
  const auto runs = *store.runs(experiment.id, Detail::summary);
  EXPECT_THAT(runs, SizeIs(3));
  for (const auto& run : runs) EXPECT_EQ(run.cell, 0);
  launch.is_left_out = nullptr;
  EXPECT_EQ(conduct_with(experiment)->failed, 3) << "now they are tried";
}

TEST_F(Conduct, NoSuchProgramIsAnErrorAndNoRun) {
  for (const auto& [program, code] : {std::pair("no-such-program-anywhere", ErrorCode::not_found),
                                      std::pair("/no/such/program", ErrorCode::not_found),
                                      std::pair("/etc/passwd", ErrorCode::unavailable)}) {
    worker_is(std::vector<std::string>{program});
    const auto outcome = conduct_with(begun());
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, code);
    EXPECT_THAT(outcome.error().message, HasSubstr(program));
  }
  EXPECT_THAT(*store.runs(1, Detail::summary), IsEmpty());
}

TEST_F(Conduct, FailedRunsDoNotEndTheExperiment) {
  const auto experiment =
      begun({.workload = "infer", .spec = Json::object(), .factors = {{"batch", {1, 2}}}, .repeat = 2});
  worker_is(std::string(R"(if head -n1 | grep -q '"batch":2'; then exit 1; fi; )") + good_result);
  const auto outcome = conduct_with(experiment);
  EXPECT_EQ(outcome->ok, 2);
  EXPECT_EQ(outcome->failed, 2);
  EXPECT_TRUE(outcome->complete());
}

TEST_F(Conduct, FirstInterruptFinishesTheRun) {
  const auto experiment = begun({.workload = "infer", .spec = Json::object(), .repeat = 3});
  watcher.on_progress = [&] { interrupt.raise(); };
  worker_is(std::string(R"(read -r cell; echo '{"event":"progress","phase":"measure"}'; )") + good_result);
  const auto outcome = conduct_with(experiment);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->ok, 1);
  EXPECT_EQ(outcome->left, 2);
  EXPECT_FALSE(outcome->complete());
}

TEST_F(Conduct, FirstInterruptTellsTheWorkerAndTheWatcherOnce) {
  const auto experiment = begun();
  watcher.on_progress = [&] { interrupt.raise(); };
  worker_is(std::string(R"(read -r cell; echo '{"event":"progress","phase":"measure"}'
    read -r word; echo "{\"event\":\"note\",\"text\":\"$word\"}"; )") +
            good_result);
  const auto outcome = conduct_with(experiment);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->ok, 1);
  EXPECT_THAT(watcher.notes, ElementsAre("finish"));
  EXPECT_EQ(watcher.finishes, 1);
}

TEST_F(Conduct, SecondInterruptStopsNowAndTheRunIsRepeated) {
  const auto experiment = begun({.workload = "infer", .spec = Json::object(), .repeat = 2});
  watcher.on_progress = [&] {
    interrupt.raise();
    interrupt.raise();
  };
  worker_is(R"(read -r cell
    echo '{"event":"phase","name":"model_load","begin_s":0,"end_s":0.5}'
    echo '{"event":"progress","phase":"measure"}'; exec sleep 1000)");
  const auto outcome = conduct_with(experiment);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->interrupted, 1);
  EXPECT_EQ(outcome->left, 1);
  const auto runs = *store.runs(experiment.id, Detail::full);
  ASSERT_THAT(runs, SizeIs(1));
  EXPECT_EQ(runs[0].status, RunStatus::interrupted);
  EXPECT_EQ(runs[0].reason, "stopped by the user");
  EXPECT_THAT(runs[0].result.phases, SizeIs(1));
  EXPECT_LT(runs[0].wall_s, 5);

  Interrupt calm;
  worker_is(std::string("read -r cell; ") + good_result);
  const auto resumed = conduct(experiment, store, launch, watcher, calm, SteadyClock());
  EXPECT_EQ(resumed->ok, 2);
  EXPECT_EQ(resumed->skipped, 0);
}

/// From a real signal handler, while poll() waits.
Interrupt* struck = nullptr;

TEST_F(Conduct, InterruptFromASignalHandler) {
  struck = &interrupt;
  std::signal(SIGUSR1, [](int) { struck->raise(); });
  worker_is(
      fmt::format("read -r cell; kill -USR1 {0}; kill -USR1 {0}; sleep 0.01; kill -USR1 {0}; "
                  "kill -USR1 {0}; exec sleep 1000",
                  ::getpid()));
  const auto outcome = conduct_with(begun());
  std::signal(SIGUSR1, SIG_DFL);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->interrupted, 1);
}

/// Here because another controller was quicker; a full disk comes the same way (store_errors_test.cpp).
TEST_F(Conduct, StoreThatRefusesNamesTheRunThatIsLost) {
  const auto experiment = begun({.workload = "infer", .spec = Json::object(), .repeat = 3});
  watcher.on_progress = [&] {
    if (watcher.started.size() != 2) return;
    EXPECT_TRUE(Store::open(folder / "neph.db", Access::write)
                    ->add_run({.experiment_id = experiment.id, .cell = 0, .repeat = 1}));
  };
  worker_is(std::string(R"(read -r cell; echo '{"event":"progress","phase":"measure"}'; )") + good_result);
  const auto outcome = conduct_with(experiment);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::unavailable);
  EXPECT_THAT(outcome.error().message,
              AllOf(HasSubstr("does another neph conduct it?"),
                    HasSubstr("the run of all (repeat 2) is lost, all earlier ones are kept")));
  EXPECT_THAT(*store.runs(experiment.id, Detail::summary), SizeIs(2));
}

bool is_gone(pid_t id) {
  for (int i = 0; i < 1000; ++i) {
    if (::kill(id, 0) != 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

/// 'Done when' 5: SIGKILL for the controller loses at most the run in progress, and resuming repeats none
/// that ended.
TEST_F(Conduct, KilledControllerLeavesNoWorkerAndLosesNoRun) {
  const auto experiment = begun(
      {.workload = "infer", .spec = Json::object(), .factors = {{"batch", {1, 2}}}, .repeat = 3, .seed = 3});
  const auto log = (folder / "log").string();
  const auto pid_file = (folder / "pid").string();
  const auto fourth_hangs = fmt::format(
      "head -n1 >> {0}; if [ $(wc -l < {0}) = 4 ]; then echo $$ > {1}.new; mv {1}.new {1}; "
      "exec sleep 1000; fi; {2}",
      log, pid_file, good_result);
  const auto controller = ::fork();
  if (controller == 0) {
    auto own = Store::open(folder / "neph.db", Access::write);
    worker_is(fourth_hangs);
    (void)conduct(experiment, *own, launch, watcher, interrupt, SteadyClock());
    ::_exit(0);
  }
  for (int i = 0; i < 5000 && !std::filesystem::exists(pid_file); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  pid_t worker = 0;
  std::ifstream(pid_file) >> worker;
  ASSERT_GT(worker, 0);
  ::kill(controller, SIGKILL);
  ::waitpid(controller, nullptr, 0);
  EXPECT_TRUE(is_gone(worker));
  EXPECT_THAT(*store.finished(experiment.id), SizeIs(3));

  std::filesystem::remove(pid_file);
  worker_is(fmt::format("head -n1 >> {}; {}", log, good_result));
  const auto outcome = conduct_with(experiment);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->skipped, 3);
  EXPECT_EQ(outcome->ok, 3);
  const auto slots = order(experiment, 2);
  EXPECT_EQ(watcher.started, std::vector(slots.begin() + 3, slots.end()));
  EXPECT_THAT(*store.runs(experiment.id, Detail::summary), SizeIs(6));
}

}  // namespace
}  // namespace neph::experiment
