// Real workers that fail, die, babble, hang.
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include "experiment/conduct_fixture_test.hpp"

namespace neph::experiment {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

class Worker : public Conduct {};

TEST_F(Worker, AWorkersErrorIsTheReason) {
  const auto run = run_of(
      R"(read -r cell; echo '{"event":"error","code":"corrupt","message":"m.onnx: cut short"}'; exit 7)");
  EXPECT_EQ(run.status, RunStatus::failed);
  EXPECT_EQ(run.reason, "m.onnx: cut short");
}

TEST_F(Worker, SilentEndIsAFailure) {
  const auto run = run_of("read -r cell; echo one >&2; printf 'no more\n\nmemory' >&2; exit 3");
  EXPECT_EQ(run.status, RunStatus::failed);
  EXPECT_EQ(run.reason, "ended with exit code 3 without a result; its last words: memory");
}

TEST_F(Worker, EndWithoutReadingItsCell) {
  Experiment experiment{.workload = "infer", .spec = {{"long", std::string(1 << 20, 'x')}}};
  worker_is("exit 0");
  ASSERT_TRUE(conduct_with(begun(experiment)));
  EXPECT_EQ(watcher.ended.at(0).reason, "ended with exit code 0 without a result");
}

TEST_F(Worker, KilledWorkerNamesTheSignal) {
  const auto run = run_of(R"(read -r cell
    echo '{"event":"phase","name":"model_load","begin_s":0,"end_s":0.5}'
    kill -KILL $$)");
  EXPECT_EQ(run.status, RunStatus::failed);
  EXPECT_THAT(run.reason, StartsWith("was killed by SIGKILL (out of memory?"));
  EXPECT_THAT(store.run(run.id)->result.phases, SizeIs(1)) << "what was measured is kept";
}

TEST_F(Worker, MemoryLimitIsAFailureWithItsWords) {
  const auto run = run_of(R"(ulimit -v 200000; exec python3 -c 'x = bytearray(1 << 30)')");
  EXPECT_EQ(run.status, RunStatus::failed);
  EXPECT_THAT(run.reason, HasSubstr("MemoryError"));
}

TEST_F(Worker, ACrashAfterTheResultIsAWarning) {
  const auto run = run_of(std::string("read -r cell; ") + good_result + "; kill -SEGV $$");
  EXPECT_EQ(run.status, RunStatus::ok);
  ASSERT_THAT(run.result.warnings, SizeIs(1));
  EXPECT_EQ(run.result.warnings[0].code, WarningCode::worker_exit);
  EXPECT_THAT(run.result.warnings[0].message, HasSubstr("SIGSEGV"));
}

TEST_F(Worker, ARunThatLostItsServerHasFailedAndKeepsItsFigures) {
  const auto run = run_of(
      R"(read -r cell; echo '{"event":"result","figures":[{"name":"requests_per_s","unit":"1/s",)"
      R"("estimate":{"value":5,"n":1}}],"warnings":[{"code":"server_lost","message":"gone","weight":"voids"}]}')");
  EXPECT_EQ(run.status, RunStatus::failed);
  EXPECT_EQ(run.reason, "gone");
  EXPECT_THAT(store.run(run.id)->result.figures, SizeIs(1));
}

TEST_F(Worker, GarbageIsShownShortened) {
  const auto run =
      run_of("read -r cell; printf 'Hello \\033[1m'; head -c 1000 /dev/zero | tr '\\0' y; echo; sleep 60");
  EXPECT_EQ(run.status, RunStatus::failed);
  EXPECT_THAT(run.reason, StartsWith("the worker's output is not events: 'Hello ?[1myyy"));
  EXPECT_LT(run.reason.size(), 450u);
  EXPECT_LT(run.wall_s, 10) << "nobody waits for the rest";
}

TEST_F(Worker, NothingMayFollowTheResult) {
  const auto run = run_of(std::string("read -r cell; ") + good_result + "; " + good_result);
  EXPECT_EQ(run.status, RunStatus::failed);
  EXPECT_THAT(run.reason, HasSubstr("more after its last line"));
}

TEST_F(Worker, EndlessLineIsStopped) {
  launch.max_line_bytes = 1 << 20;
  const auto run = run_of("read -r cell; exec cat /dev/zero");
  EXPECT_EQ(run.status, RunStatus::failed);
  EXPECT_THAT(run.reason, HasSubstr("a line of more than 1048576 bytes"));
}

TEST_F(Worker, HangingWorkerIsStoppedWithAllItStarted) {
  launch.timeout_s = 0.3;
  const auto pid_file = (folder / "pid").string();
  const auto run =
      run_of("trap '' TERM; sleep 1000 & echo $! > " + pid_file + "; echo stuck >&2; wait; sleep 1000");
  EXPECT_EQ(run.status, RunStatus::failed);
  EXPECT_EQ(run.reason, "took longer than --timeout 300ms and was stopped; its last words: stuck");
  EXPECT_LT(run.wall_s, 5);
  int left_behind = 0;
  std::ifstream(pid_file) >> left_behind;
  ASSERT_GT(left_behind, 0);
  for (int i = 0; i < 500 && ::kill(left_behind, 0) == 0; ++i) {
    std::ifstream state(fmt::format("/proc/{}/stat", left_behind));
    std::string text;
    std::getline(state, text);
    if (text.find(") Z ") != std::string::npos) break;  // killed, and nobody there to reap it
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ASSERT_LT(i, 499) << "still there: " << text;
  }
}

TEST_F(Worker, AnErrorOnBeingStoppedDoesNotHideTheTimeout) {
  launch.timeout_s = 0.3;
  launch.grace_s = 5;
  const auto run = run_of(
      R"(read -r cell; read -r word; echo "{\"event\":\"error\",\"code\":\"unavailable\",\"message\":\"$word\"}")");
  EXPECT_THAT(run.reason, StartsWith("took longer than --timeout 300ms and was stopped"));
}

TEST_F(Worker, OneThatClosesItsOutputIsNotWaitedForLong) {
  launch.exit_s = 0.1;
  const auto run = run_of("read -r cell; exec >&-; sleep 1000");
  EXPECT_EQ(run.status, RunStatus::failed);
  EXPECT_EQ(run.reason, "did not end within 0.1 s and was stopped without a result");
}

TEST_F(Worker, LingeringWorkerKeepsItsResult) {
  launch.exit_s = 0.1;
  const auto run = run_of(std::string("read -r cell; ") + good_result + "; exec sleep 1000");
  EXPECT_EQ(run.status, RunStatus::ok) << run.reason;
  EXPECT_THAT(run.result.warnings.at(0).message, HasSubstr("did not end within 0.1 s"));
}

TEST_F(Worker, ALeftoverThatHoldsThePipesIsNotWaitedFor) {
  const auto run = run_of(std::string("read -r cell; setsid sleep 3 & ") + good_result);
  EXPECT_EQ(run.status, RunStatus::ok) << run.reason;
  EXPECT_LT(run.wall_s, 2);
}

TEST_F(Worker, FloodOnStandardErrorBlocksNobody) {
  const auto run =
      run_of(std::string("read -r cell; head -c 20000000 /dev/zero | tr '\\0' e >&2; ") + good_result);
  EXPECT_EQ(run.status, RunStatus::ok) << run.reason;
  EXPECT_EQ(watcher.said_bytes, 20000000u);
}

TEST_F(Worker, BigResultArrivesWhole) {
  const auto run = run_of(R"(read -r cell; exec python3 -c '
n = 2_900_000
print("{\"event\":\"result\",\"samples\":[{\"name\":\"done_s\",\"values\":[" + ",".join(["0.12345678901234"] * n) + "]}]}")')");
  ASSERT_EQ(run.status, RunStatus::ok) << run.reason;
  EXPECT_THAT(store.run(run.id)->result.samples.at(0).values, SizeIs(2'900'000));
}

TEST_F(Worker, WorkerInheritsNothingOpen) {
  const int leaky = ::open("/dev/null", O_RDONLY);  // without O_CLOEXEC, as libraries do
  const auto run = run_of("read -r cell; ls -l /proc/self/fd | wc -l >&2; " + std::string(good_result));
  ::close(leaky);
  EXPECT_EQ(run.status, RunStatus::ok);
  EXPECT_EQ(watcher.said, "5") << "a total, three standard descriptors, the folder being listed";
}

}  // namespace
}  // namespace neph::experiment
