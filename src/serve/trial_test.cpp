// Models that are tried in a process of their own before they join others, and files that change.
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/models.hpp"
#include "serve/repository_test.hpp"
#include "serve/serve.hpp"

namespace neph::serve {
namespace {

using testing::HasSubstr;

class Trials : public testing::Test {
 protected:
  void SetUp() override {
    folder.add("a", 1);
    folder.add("b", 1);
    ASSERT_TRUE(models.find(folder.path(), ""));
  }
  /// By a script, of models named "b" and of all together.
  void try_by(const std::string& script, Seconds limit = {60}) {
    models.try_by({"/bin/sh", "-c", "[ \"$2\" != a ] || exit 0; " + script, "trial"}, limit);
  }
  std::string reason_of(const std::string& name) {
    for (const auto& entry : models.list(false))
      if (entry.name == name) return entry.state + ": " + entry.reason;
    return "not there";
  }

  Repository folder;
  SteadyClock clock;
  Regions regions{false, 1 << 20};
  Models models{{.max_batch = 4}, regions, clock};
};

TEST_F(Trials, KeepAModelOutThatEndsItsEngine) {
  try_by("kill -SEGV $$");
  const auto status = models.load_all();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "its engine was killed by SIGSEGV when it was tried");
  EXPECT_EQ(reason_of("a"), "READY: ");
  EXPECT_EQ(reason_of("b"), "UNAVAILABLE: its engine was killed by SIGSEGV when it was tried");
  try_by("exit 3");
  EXPECT_THAT(models.load("b").error().message,
              HasSubstr("its engine ended with exit code 3 when it was tried"));
  try_by("true");
  EXPECT_TRUE(models.load("b"));
  EXPECT_EQ(reason_of("b"), "READY: ");
}

TEST_F(Trials, OfManyAreOneProcess) {
  models.try_by({"/bin/sh", "-c", "[ \"$2\" = '' ]", "trial"}, {60});
  EXPECT_TRUE(models.load_all());
  EXPECT_EQ(reason_of("b"), "READY: ");
  EXPECT_FALSE(models.load("b")) << "on its own";
}

TEST_F(Trials, GiveTheErrorsOfLoading) {
  try_by("echo noise; echo '\"no such \\\"file\\\"\"'; exit 3");
  const auto status = models.load("b");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::not_found);
  EXPECT_EQ(status.error().message, "no such \"file\"");
}

TEST_F(Trials, KnowWhatToTry) {
  try_by("echo \"\\\"$1\\\"\"; exit 9");
  EXPECT_EQ(models.load("b").error().message, folder.path().string());
  try_by("case \"$3\" in *'\"max_batch\":4'*) exit 0;; esac; exit 1");
  EXPECT_TRUE(models.load("b"));
}

TEST_F(Trials, AreNotOfAModelThatIsAlone) {
  Models alone({}, regions, clock);
  alone.try_by({"/bin/false"}, {60});
  ASSERT_TRUE(alone.find(folder / "a/1/model.identity", "a"));
  EXPECT_TRUE(alone.load_all());
  EXPECT_FALSE(alone.load("a")) << "the one before it would go too";
  EXPECT_EQ(alone.list(true).size(), 1U);
}

TEST_F(Trials, EndAtTheirLimitAndWhenTheServerStops) {
  try_by("sleep 1000", {0.05});
  const auto late = models.load("b");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::timeout);
  EXPECT_THAT(late.error().message, HasSubstr("within 0.05 s when it was tried (--load-limit)"));
  EXPECT_TRUE(models.load("a"));
  try_by("sleep 1000");
  auto loading = std::async(std::launch::async, [&] { return models.load("b"); });
  while (reason_of("b") != "LOADING: ") std::this_thread::yield();
  models.stop_loading();
  EXPECT_THAT(loading.get().error().message, HasSubstr("the server is stopping"));
}

TEST_F(Trials, RunWhatAClientMayRun) {
  EXPECT_TRUE(try_model(folder.path(), "a", {.max_batch = 2}));
  EXPECT_THAT(try_model(folder.path(), "c", {}).error().message, HasSubstr("no model 'c'"));
  folder.write("c/1/model.identity", "no model");
  EXPECT_TRUE(try_model(folder.path(), "", {})) << "all; why one does not load is seen when it is loaded";
}

TEST_F(Trials, SeeFilesThatChange) {
  ASSERT_TRUE(models.load_all());
  const std::string changed = "READY: its files have changed since it was loaded; load it again";
  EXPECT_EQ(reason_of("a"), "READY: ");
  folder.write("a/1/model.identity", Repository::identity() + "# other\n");
  EXPECT_EQ(reason_of("a"), changed);
  EXPECT_EQ(reason_of("b"), "READY: ");
  ASSERT_TRUE(models.load("a"));
  EXPECT_EQ(reason_of("a"), "READY: ");
  std::filesystem::remove(folder / "a/1/model.identity");
  EXPECT_EQ(reason_of("a"), changed);
}

}  // namespace
}  // namespace neph::serve
