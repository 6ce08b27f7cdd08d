// The bad-input list for the store: each test provokes the real thing.
#include <atomic>
#include <csignal>
#include <fstream>
#include <functional>
#include <latch>
#include <thread>

#include <gmock/gmock.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/file.hpp"
#include "store/scratch_test.hpp"
#include "store/store.hpp"

namespace neph::store {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// What `say` returns, from a process of its own, so that it may drop rights, fill disks or die.
std::string in_child(const std::function<std::string()>& say) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const auto child = ::fork();
  if (child == 0) {
    const auto text = say();
    const auto written = ::write(ends[1], text.data(), text.size());
    ::_exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  ::close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t got; (got = ::read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return text;
}

/// Tests run as root in containers, and root may write everywhere.
std::string as_nobody(const std::function<std::string()>& say) {
  return in_child([&]() -> std::string {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return "cannot become nobody";
    return say();
  });
}

template <class T>
std::string told(const Result<T>& result) {
  if (result) return "ok";
  return fmt::format("{}: {}", to_string(result.error().code), result.error().message);
}

std::string opened(const std::filesystem::path& path, Access access) {
  return told(Store::open(path, access, 0.1));
}

void make_store(const std::filesystem::path& path, std::int64_t runs = 1) {
  auto store = *Store::open(path, Access::write);
  const auto experiment = *store.create_experiment(sample_experiment(), {});
  for (std::int64_t repeat = 0; repeat < runs; ++repeat)
    ASSERT_TRUE(store.add_run(sample_run(experiment, 0, repeat)));
}

TEST(StoreErrors, ASpecificationIsAnObject) {
  const ScratchFolder folder;
  auto store = *Store::open(folder / "neph.db", Access::write);
  auto experiment = sample_experiment();
  experiment.spec = nullptr;
  EXPECT_EQ(store.experiment(*store.create_experiment(experiment, {}))->spec, Json::object());
  for (const auto& other : {Json::array({1}), Json("model"), Json(5)}) {
    experiment.spec = other;
    EXPECT_THAT(told(store.experiment(*store.create_experiment(experiment, {}))),
                HasSubstr("spec of experiment"));
  }
}

TEST(StoreErrors, FolderCannotBeWritten) {
  const ScratchFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  const auto path = folder / "neph.db";
  EXPECT_THAT(as_nobody([&] { return opened(path, Access::write); }),
              StartsWith("unavailable: cannot make "));
  EXPECT_TRUE(folder.names().empty());
}

TEST(StoreErrors, FileCannotBeWrittenButRead) {
  const ScratchFolder folder;
  const auto path = folder / "neph.db";
  make_store(path);
  std::filesystem::permissions(path, std::filesystem::perms(0444));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0777));
  EXPECT_THAT(as_nobody([&] { return opened(path, Access::write); }),
              StartsWith("unavailable: cannot write "));
  EXPECT_EQ(as_nobody([&] { return opened(path, Access::read); }), "ok");
  EXPECT_THAT(folder.names(), testing::ElementsAre("neph.db"));
}

TEST(StoreErrors, FolderOfAWritableFileCannotBeWritten) {
  const ScratchFolder folder;
  const auto path = folder / "neph.db";
  make_store(path);
  std::filesystem::permissions(path, std::filesystem::perms(0666));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  EXPECT_THAT(as_nobody([&] { return opened(path, Access::write); }),
              StartsWith("unavailable: cannot write "));
  EXPECT_EQ(as_nobody([&] { return opened(path, Access::read); }), "ok");
}

TEST(StoreErrors, FileCannotBeRead) {
  const ScratchFolder folder;
  const auto path = folder / "neph.db";
  make_store(path);
  std::filesystem::permissions(path, std::filesystem::perms::none);
  EXPECT_THAT(as_nobody([&] { return opened(path, Access::read); }), StartsWith("unavailable: cannot use "));
}

TEST(StoreErrors, NothingThere) {
  const ScratchFolder folder;
  EXPECT_THAT(opened(folder / "neph.db", Access::read), StartsWith("not_found: "));
  EXPECT_THAT(opened(folder / "no/neph.db", Access::write), HasSubstr("is not a folder"));
  EXPECT_THAT(opened(folder.path(), Access::write), StartsWith("invalid_argument: "));
  std::ofstream(folder / "file") << "x";
  EXPECT_THAT(opened(folder / "file/neph.db", Access::write), StartsWith("not_found: "));
  std::ofstream(folder / "empty.db").flush();
  EXPECT_THAT(opened(folder / "empty.db", Access::read), HasSubstr("no experiments yet"));
}

TEST(StoreErrors, LockedByAnotherProcess) {
  const ScratchFolder folder;
  const auto path = folder / "neph.db";
  make_store(path);
  auto store = *Store::open(path, Access::write, 0.1);
  int locked[2];
  int release[2];
  ASSERT_EQ(::pipe(locked), 0);
  ASSERT_EQ(::pipe(release), 0);
  const auto child = ::fork();
  if (child == 0) {
    sqlite3* other = nullptr;
    sqlite3_open(path.c_str(), &other);
    const bool held = sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr) == SQLITE_OK;
    char byte = held ? 'y' : 'n';
    ::_exit(::write(locked[1], &byte, 1) == 1 && ::read(release[0], &byte, 1) == 1 ? 0 : 1);
  }
  char byte = 0;
  ASSERT_EQ(::read(locked[0], &byte, 1), 1);
  ASSERT_EQ(byte, 'y');
  EXPECT_THAT(opened(path, Access::write), HasSubstr("locked by another process"));
  EXPECT_THAT(opened(path, Access::read), StartsWith("unavailable: "));
  EXPECT_THAT(told(store.add_run(sample_run(1, 0, 5))), StartsWith("unavailable: "));
  EXPECT_THAT(told(store.runs(1, Detail::summary)), StartsWith("unavailable: "));
  ASSERT_EQ(::write(release[1], "x", 1), 1);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(told(store.add_run(sample_run(1, 0, 5))), "ok");
  for (const int end : {locked[0], locked[1], release[0], release[1]}) ::close(end);
}

TEST(StoreErrors, FromANewerVersion) {
  const ScratchFolder folder;
  const auto path = folder / "neph.db";
  make_store(path);
  first_text(path, "UPDATE experiment SET version = '9.8.7'");
  first_text(path, "PRAGMA user_version = 99");
  for (const auto access : {Access::read, Access::write}) {
    EXPECT_THAT(opened(path, access), StartsWith("unsupported: "));
    EXPECT_THAT(opened(path, access), HasSubstr("written by neph 9.8.7 (schema 99)"));
  }
}

TEST(StoreErrors, FromBeforeTheFirstRelease) {
  const ScratchFolder folder;
  const auto path = folder / "neph.db";
  make_store(path);
  first_text(path, "PRAGMA user_version = 1");
  for (const auto access : {Access::read, Access::write}) {
    EXPECT_THAT(opened(path, access), StartsWith("unsupported: "));
    EXPECT_THAT(opened(path, access), HasSubstr("schema 1 is from before the first release"));
  }
}

TEST(StoreErrors, NotOurs) {
  const ScratchFolder folder;
  std::ofstream(folder / "text") << std::string(5000, 'x');
  EXPECT_THAT(opened(folder / "text", Access::write), StartsWith("corrupt: "));
  EXPECT_THAT(opened(folder / "text", Access::read), HasSubstr("not an SQLite database"));
  first_text(folder / "other.db", "CREATE TABLE recipe (cake TEXT)");
  EXPECT_THAT(opened(folder / "other.db", Access::write), StartsWith("invalid_argument: "));
  EXPECT_THAT(opened(folder / "other.db", Access::read), HasSubstr("not a store of neph"));
  EXPECT_EQ(first_text(folder / "other.db", "SELECT count(*) FROM sqlite_schema"), "1");
}

TEST(StoreErrors, CutShort) {
  const ScratchFolder folder;
  const auto path = folder / "neph.db";
  make_store(path, 5);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  const auto store = Store::open(path, Access::read);
  const auto said = store ? told(store->runs(1, Detail::full)) : told(store);
  EXPECT_THAT(said, StartsWith("corrupt: "));
}

/// Garbage anywhere in the file is an error or goes unseen (inside a blob); it never crashes the reader.
TEST(StoreErrors, DamagedAnywhere) {
  const ScratchFolder folder;
  const auto path = folder / "neph.db";
  make_store(path, 1);
  const auto whole = *read_file(path);
  int refused = 0;
  for (std::size_t at = 0; at + 512 <= whole.size(); at += 4096) {
    auto damaged = whole;
    for (std::size_t i = at; i < at + 512; ++i) damaged[i] = static_cast<char>(i * 2654435761u >> 7);
    ASSERT_TRUE(write_file(path, damaged));
    const auto store = Store::open(path, Access::read);
    const auto said = store ? told(store->runs(1, Detail::full)) : told(store);
    if (said != "ok") ++refused;
  }
  EXPECT_GT(refused, 10);
}

std::string fill(const std::filesystem::path& path) {
  auto store = Store::open(path, Access::write);
  if (!store) return "open: " + told(store);
  const auto experiment = store->create_experiment(sample_experiment(), {});
  if (!experiment) return "create: " + told(experiment);
  for (std::int64_t repeat = 0; repeat < 100; ++repeat) {
    const auto added = store->add_run(sample_run(*experiment, 0, repeat));
    if (added) continue;
    const auto kept = store->runs(*experiment, Detail::full);
    return fmt::format("{}; all {} kept: {}, {}", told(added), repeat, kept && std::ssize(*kept) == repeat,
                       first_text(path, "PRAGMA integrity_check"));
  }
  return "never full";
}

TEST(StoreErrors, DiskFull) {
  const ScratchFolder folder;
  const auto said = in_child([&]() -> std::string {
    const bool apart = ::unshare(CLONE_NEWNS) == 0 || ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0;
    if (!apart || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=2m") != 0)
      return "no mount";
    return fill(folder / "neph.db");
  });
  if (said == "no mount") GTEST_SKIP() << "no right to mount a small disk here";
  EXPECT_THAT(said, StartsWith("io: cannot write "));
  EXPECT_THAT(said, HasSubstr("no space left"));
  EXPECT_THAT(said, testing::ContainsRegex("all [1-9][0-9]* kept: true, ok"));
}

/// A file of no bytes would pass for a store without experiments, or for one that was emptied.
TEST(StoreErrors, AStoreForWhichThereIsNoRoomLeavesNothing) {
  const ScratchFolder folder;
  const auto opened_without_room = [&](const char* name) {
    return in_child([&] {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{8192, 8192};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      return opened(folder / name, Access::write);
    });
  };
  EXPECT_THAT(opened_without_room("neph.db"), StartsWith("io: "));
  EXPECT_TRUE(folder.names().empty());
  std::ofstream(folder / "mine.db").flush();
  EXPECT_THAT(opened_without_room("mine.db"), StartsWith("io: "));
  EXPECT_THAT(folder.names(), testing::ElementsAre("mine.db")) << "what was there stays";
}

/// It has no bytes until its maker's first commit, while the others find it locked.
TEST(StoreErrors, AStoreThatOthersAreMakingIsLeftToThem) {
  const ScratchFolder folder;
  for (int round = 0; round < 100; ++round) {
    const auto path = folder / fmt::format("{}.db", round);
    std::latch begin(4);
    std::atomic<int> made = 0;
    {
      std::vector<std::jthread> openers;
      for (int i = 0; i < 4; ++i)
        openers.emplace_back([&] {
          begin.arrive_and_wait();
          made += Store::open(path, Access::write, 0).has_value();
        });
    }
    if (made == 0) continue;
    ASSERT_EQ(first_text(path, "SELECT count(*) > 0 FROM sqlite_schema"), "1") << round;
  }
}

TEST(StoreErrors, FileMayNotGrow) {
  const ScratchFolder folder;
  const auto said = in_child([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{2 << 20, 2 << 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    return fill(folder / "neph.db");
  });
  EXPECT_THAT(said, StartsWith("io: "));
  EXPECT_THAT(said, testing::ContainsRegex("all [1-9][0-9]* kept: true, ok"));
}

/// SIGKILL at any moment: what add_run() returned is there, and nothing is half there.
TEST(StoreErrors, KilledWhileWriting) {
  const ScratchFolder folder;
  const auto path = folder / "neph.db";
  make_store(path, 0);
  std::int64_t first = 0;
  for (int round = 0; round < 12; ++round) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const auto child = ::fork();
    if (child == 0) {
      auto store = Store::open(path, Access::write);
      for (std::int64_t repeat = first; store && store->add_run(sample_run(1, 0, repeat)); ++repeat)
        if (::write(ends[1], "x", 1) != 1) break;
      ::_exit(1);
    }
    ::close(ends[1]);
    char byte = 0;
    for (int i = 0; i < 3; ++i) ASSERT_EQ(::read(ends[0], &byte, 1), 1);
    std::this_thread::sleep_for(std::chrono::microseconds(137 * round));  // somewhere inside a write
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    std::int64_t told_of = 3;
    while (::read(ends[0], &byte, 1) == 1) ++told_of;
    ::close(ends[0]);

    const auto store = Store::open(path, Access::read);
    ASSERT_TRUE(store) << told(store);
    const auto runs = store->runs(1, Detail::full);
    ASSERT_TRUE(runs) << told(runs);
    const auto stored = static_cast<std::int64_t>(runs->size());
    EXPECT_GE(stored, first + told_of);
    EXPECT_LE(stored, first + told_of + 1);
    for (const auto& run : *runs) EXPECT_EQ(run.result.series.size(), 40u);
    EXPECT_EQ(first_text(path, "PRAGMA integrity_check"), "ok");
    first = stored;
  }
  ASSERT_TRUE(Store::open(path, Access::write));
  EXPECT_THAT(folder.names(), testing::ElementsAre("neph.db"));
}

}  // namespace
}  // namespace neph::store
