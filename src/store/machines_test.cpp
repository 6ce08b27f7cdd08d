#include <gmock/gmock.h>

#include "core/json.hpp"
#include "store/scratch_test.hpp"
#include "store/store.hpp"

namespace neph::store {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

Json fingerprint(double cores, std::int64_t available_bytes = 1) {
  return {{"processor", {{"model", "Xeon"}}},
          {"memory", {{"total_bytes", 8'000'000'000}, {"available_bytes", available_bytes}}},
          {"system", {{"provider", "Amazon EC2"}, {"instance_type", "m5.large"}}},
          {"effective_cores", cores}};
}

TEST(Machines, ARunPointsToTheMachineThatItWasMadeOn) {
  const ScratchFolder folder;
  auto store = *Store::open(folder / "neph.db", Access::write);
  const auto id = *store.create_experiment(sample_experiment(), {});
  ASSERT_TRUE(store.add_run(sample_run(id, 0, 0), fingerprint(2)));
  ASSERT_TRUE(store.add_run(sample_run(id, 0, 1), fingerprint(4)));
  ASSERT_TRUE(store.add_run(sample_run(id, 0, 2), fingerprint(2, 7)));
  const auto machines = *store.machines(id);
  ASSERT_THAT(machines, SizeIs(2));
  EXPECT_EQ(machines[0].cores, 2);
  EXPECT_EQ(machines[0].instance_type, "m5.large");
  EXPECT_EQ(machines[0].memory_bytes, 8'000'000'000);
  EXPECT_EQ(machines[0].fingerprint, fingerprint(2)) << "as the first of its runs found it";
  EXPECT_EQ(machines[1].cores, 4);
  const auto runs = *store.runs(id, Detail::summary);
  EXPECT_EQ(runs[0].machine_id, machines[0].id);
  EXPECT_EQ(runs[1].machine_id, machines[1].id);
  EXPECT_EQ(runs[2].machine_id, machines[0].id);
}

TEST(Machines, AreSharedByExperiments) {
  const ScratchFolder folder;
  auto store = *Store::open(folder / "neph.db", Access::write);
  const auto first = *store.create_experiment(sample_experiment(), {});
  const auto second = *store.create_experiment(sample_experiment(), {});
  ASSERT_TRUE(store.add_run(sample_run(first, 0, 0), fingerprint(2)));
  EXPECT_THAT(*store.machines(second), IsEmpty());
  ASSERT_TRUE(store.add_run(sample_run(second, 0, 0), fingerprint(2)));
  EXPECT_EQ(store.machines(first)->front().id, store.machines(second)->front().id);
}

TEST(Machines, ARunMayEndBeforeItTellsWhereItIs) {
  const ScratchFolder folder;
  auto store = *Store::open(folder / "neph.db", Access::write);
  const auto id = *store.create_experiment(sample_experiment(), {});
  ASSERT_TRUE(store.add_run(sample_run(id, 0, 0)));
  ASSERT_TRUE(store.add_run(sample_run(id, 0, 1), Json::object()));
  EXPECT_THAT(*store.machines(id), IsEmpty());
  EXPECT_EQ(store.runs(id, Detail::summary)->front().machine_id, std::nullopt);
}

TEST(Machines, KeepTheTimesOfTheirRuns) {
  const ScratchFolder folder;
  auto store = *Store::open(folder / "neph.db", Access::write);
  const auto id = *store.create_experiment(sample_experiment(), {});
  auto run = sample_run(id, 0, 0);
  run.ended = "2026-11-21T10:05:00Z";
  run.host_begin_s = 1e6 / 3;
  ASSERT_TRUE(store.add_run(run, fingerprint(2)));
  const auto back = store.runs(id, Detail::summary)->front();
  EXPECT_EQ(back.ended, run.ended);
  EXPECT_EQ(back.host_begin_s, run.host_begin_s);
  EXPECT_EQ(back.host_end_s, std::nullopt);
}

}  // namespace
}  // namespace neph::store
