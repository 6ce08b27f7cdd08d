// Runs that end from elsewhere: workers that a scheduler ends, what killed workers leave, stores that are
// locked.
#include <fstream>
#include <optional>

#include <fcntl.h>

#include "experiment/conduct_fixture_test.hpp"
#include "os/process.hpp"

namespace neph::experiment {
namespace {

using store::Access;
using store::Detail;
using store::Store;
using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

class Ends : public Conduct {};

TEST_F(Ends, AWorkerThatOthersEndIsInterruptedAndRepeated) {
  for (const auto* name : {"TERM", "INT", "HUP", "QUIT"}) {
    const auto experiment = begun();
    worker_is(fmt::format("read -r cell; ulimit -c 0; kill -{} $$; sleep 60", name));
    const auto outcome = conduct_with(experiment);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->interrupted, 1) << name;
    EXPECT_THAT(watcher.ended.back().reason,
                StartsWith(fmt::format("stopped by a SIG{} from elsewhere", name)));
    worker_is(std::string("read -r cell; ") + good_result);
    EXPECT_EQ(conduct_with(experiment)->ok, 1) << name << ": repeated";
  }
}

TEST_F(Ends, AWorkerTellsWhichSignalStoppedIt) {
  const auto run = run_of(
      R"(read -r cell; echo '{"event":"error","code":"unavailable","message":"stopped","subject":"SIGTERM"}')");
  EXPECT_EQ(run.status, RunStatus::interrupted);
  EXPECT_THAT(run.reason, StartsWith("stopped by a SIGTERM from elsewhere"));
}

TEST_F(Ends, ACrashAndTheKernelsKillAreFailures) {
  for (const auto* name : {"KILL", "SEGV", "ABRT", "BUS", "XCPU"}) {
    worker_is(fmt::format("read -r cell; ulimit -c 0; kill -{} $$; sleep 60", name));
    ASSERT_TRUE(conduct_with(begun()));
    EXPECT_EQ(watcher.ended.back().status, RunStatus::failed) << name;
    EXPECT_THAT(watcher.ended.back().reason, HasSubstr(fmt::format("killed by SIG{}", name)));
  }
}

TEST_F(Ends, AResultCountsAlsoWhereASignalFollowed) {
  EXPECT_EQ(run_of(std::string("read -r cell; ") + good_result + "; kill -TERM $$; sleep 60").status,
            RunStatus::ok);
}

TEST_F(Ends, TheTimeOfARunCountsFromItsBeginning) {
  launch.timeout_s = 1;
  const auto still_prepares = R"(echo '{"event":"progress","phase":"prepare"}'; sleep 0.4; )";
  std::string script = "read -r cell; ";
  for (int i = 0; i < 5; ++i) script += still_prepares;
  EXPECT_EQ(run_of(script + good_result).status, RunStatus::ok) << "it said something all the while";
  worker_is("read -r cell; while true; do " + std::string(still_prepares) +
            R"(echo '{"event":"began","machine":{},"at_s":1}'; done)");
  ASSERT_TRUE(conduct_with(begun()));
  EXPECT_THAT(watcher.ended.back().reason, StartsWith("took longer than --timeout 1s"));
}

bool lives(int pid) {
  std::ifstream state(fmt::format("/proc/{}/stat", pid));
  std::string text;
  return std::getline(state, text) && text.find(") Z ") == std::string::npos;
}

TEST_F(Ends, WhatAKilledWorkerStartedEndsWithIt) {
  const auto pid_file = (folder / "pid").string();
  worker_is(
      fmt::format("read -r cell; setsid sh -c 'trap \"\" TERM; echo $$ > {0}.new; mv {0}.new {0}; "
                  "while true; do sleep 1; done' & while ! [ -e {0} ]; do sleep 0.01; done; kill -KILL $$",
                  pid_file));
  ASSERT_TRUE(conduct_with(begun()));
  int left = 0;
  std::ifstream(pid_file) >> left;
  ASSERT_GT(left, 0);
  EXPECT_FALSE(lives(left)) << "it had left the worker's group and session";
}

/// A store, as another program holds it: all bytes that SQLite locks (sqlite3's os_unix.c, PENDING_BYTE).
class Locked {
 public:
  explicit Locked(const std::filesystem::path& path) : file_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    struct flock all {};
    all.l_type = F_WRLCK;
    all.l_start = 0x40000000;
    all.l_len = 512;
    EXPECT_EQ(::fcntl(file_.get(), F_OFD_SETLK, &all), 0);
  }

 private:
  Descriptor file_;
};

class LockedStore : public Ends {
 protected:
  /// Two runs; the store is locked once the first has begun, until the one of number `until` begins.
  Result<Outcome> conduct_locked(const Experiment& experiment, std::size_t until) {
    auto short_wait = *Store::open(folder / "neph.db", Access::write, 0.05);
    worker_is(std::string(R"(read -r cell; echo '{"event":"progress","phase":"measure"}'; )") + good_result);
    watcher.on_progress = [&, until] {
      if (watcher.started.size() == 1) locked.emplace(folder / "neph.db");
      if (watcher.started.size() == until) locked.reset();
    };
    return conduct(experiment, short_wait, launch, watcher, interrupt, SteadyClock());
  }
  std::vector<std::string> beside() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder / ""))
      if (entry.path().extension() == ".json") names.push_back(entry.path().filename());
    return names;
  }
  std::optional<Locked> locked;
};

TEST_F(LockedStore, ARunIsKeptBesideItAndStoredLater) {
  const auto experiment = begun({.workload = "infer", .spec = {{"a", 1}}, .repeat = 2});
  const auto outcome = conduct_locked(experiment, 2);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->ok, 2);
  EXPECT_THAT(*store.finished(experiment.id), SizeIs(2));
  EXPECT_THAT(beside(), SizeIs(0));
  ASSERT_THAT(watcher.notes, SizeIs(1));
  EXPECT_THAT(watcher.notes[0], HasSubstr("locked by another process"));
  EXPECT_THAT(watcher.notes[0], HasSubstr("neph.db.run-1-0-1.json"));
}

TEST_F(LockedStore, AtTheEndTheErrorNamesTheFilesThatTheNextRunTakesIn) {
  const auto experiment = begun({.workload = "infer", .spec = {{"a", 1}}, .repeat = 2});
  const auto outcome = conduct_locked(experiment, 99);
  locked.reset();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::unavailable);
  EXPECT_THAT(outcome.error().message, HasSubstr("neph.db.run-*.json"));
  EXPECT_THAT(beside(), SizeIs(2));
  EXPECT_EQ(*store.take_in(), 2);
  EXPECT_THAT(*store.finished(experiment.id), SizeIs(2));
  EXPECT_EQ(store.runs(experiment.id, Detail::full)->front().result.figures.at(0).estimate.value, 5);
  EXPECT_EQ(*store.take_in(), 0);
}

}  // namespace
}  // namespace neph::experiment
