#include <gmock/gmock.h>

#include "core/json.hpp"
#include "os/file.hpp"
#include "store/scratch_test.hpp"
#include "store/store.hpp"

namespace neph::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Beside : public testing::Test {
 protected:
  Beside() { experiment.id = *store.create_experiment(experiment, {}); }
  std::filesystem::path keep(const neph::Run& run) {
    return *store.keep_beside(experiment, run, {{"effective_cores", 2}});
  }

  ScratchFolder folder;
  Store store = *Store::open(folder / "neph.db", Access::write);
  Experiment experiment = sample_experiment();
};

TEST_F(Beside, ARunIsStoredAsItWouldHaveBeen) {
  const auto run = sample_run(experiment.id, 2, 3);
  keep(run);
  EXPECT_THAT(folder.names(), ElementsAre("neph.db", "neph.db.run-1-2-4.json"));
  EXPECT_EQ(*store.take_in(), 1);
  EXPECT_THAT(folder.names(), ElementsAre("neph.db"));
  auto stored = *store.run(1);
  EXPECT_EQ(store.machines(experiment.id)->at(0).cores, 2);
  stored.id = 0;
  stored.machine_id.reset();
  EXPECT_EQ(dump_json(to_json(stored)), dump_json(to_json(run)));
}

TEST_F(Beside, ARunIsStoredOnceAlsoWhereItsFileStays) {
  for (const auto status : {RunStatus::ok, RunStatus::interrupted}) {
    auto run = sample_run(experiment.id, status == RunStatus::ok ? 0 : 1, 0);
    run.status = status;
    keep(run);
    ASSERT_TRUE(store.add_run(run));
  }
  EXPECT_EQ(*store.take_in(), 2);
  EXPECT_EQ(store.runs(experiment.id, Detail::summary)->size(), 2u);
  EXPECT_THAT(folder.names(), ElementsAre("neph.db"));
}

TEST_F(Beside, ARunOfAnotherStoreOrOfNoneStaysWhereItIs) {
  auto other = experiment;
  other.created = "2025-01-01T00:00:00Z";
  const auto file = *store.keep_beside(other, sample_run(experiment.id, 0, 0), {});
  EXPECT_THAT(store.take_in().error().message, HasSubstr("not in this store; remove the file"));
  other.id = 7;
  ASSERT_TRUE(store.keep_beside(other, sample_run(7, 0, 0), {}));
  EXPECT_EQ(store.take_in().error().code, ErrorCode::not_found);
  EXPECT_TRUE(store.runs(experiment.id, Detail::summary)->empty());
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(Beside, ADamagedFileKeepsNoOtherOut) {
  for (const auto* text :
       {"", "{", "[]", "{}", R"({"experiment":{"id":"x"}})", R"({"experiment":3,"run":{}})"}) {
    ASSERT_TRUE(write_file(folder / "neph.db.run-1-0-1.json", text));
    const auto whole = keep(sample_run(experiment.id, 1, 0));
    EXPECT_THAT(store.take_in().error().message, HasSubstr("neph.db.run-1-0-1.json")) << text;
    EXPECT_FALSE(std::filesystem::exists(whole)) << text;
  }
  EXPECT_EQ(store.runs(experiment.id, Detail::summary)->size(), 1u);
}

TEST_F(Beside, AnothersRunOfThisRepeatStays) {
  ASSERT_TRUE(store.add_run(sample_run(experiment.id, 0, 0)));
  auto run = sample_run(experiment.id, 0, 0);
  run.started = "2026-11-21T10:05:00Z";
  const auto file = keep(run);
  EXPECT_EQ(store.take_in().error().code, ErrorCode::unavailable);
  EXPECT_TRUE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace neph::store
