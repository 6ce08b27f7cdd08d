// Stores of every schema, as the neph of that time wrote them (tests/golden/stores): each opens, tells what
// it told then, and goes on.
#include <gmock/gmock.h>

#include "core/json.hpp"
#include "store/scratch_test.hpp"
#include "store/store.hpp"

namespace neph::store {
namespace {

using testing::SizeIs;

class OldStore : public testing::TestWithParam<int> {
 protected:
  OldStore() {
    std::filesystem::copy_file(fmt::format("tests/golden/stores/schema-{}.db", GetParam()), path);
    std::filesystem::permissions(path, std::filesystem::perms(0644));
  }
  std::string schema() const { return first_text(path, "PRAGMA user_version"); }

  const ScratchFolder folder;
  const std::filesystem::path path = folder / "neph.db";
};

/// Everything that the store holds.
Json contents(const Store& store) {
  Json all = Json::array();
  const auto experiments = *store.experiments();
  for (const auto& experiment : experiments)
    all.push_back({{"experiment", to_json(experiment)},
                   {"machines", to_json(*store.machines(experiment.id))},
                   {"runs", to_json(*store.runs(experiment.id, Detail::full))}});
  return all;
}

TEST_P(OldStore, IsReadAsItIsAndIsTheSameWhenItHasGrown) {
  const auto before = schema();
  EXPECT_EQ(before, std::to_string(GetParam()));
  const auto read = Store::open(path, Access::read);
  ASSERT_TRUE(read) << read.error().message;
  const auto as_it_was = contents(*read);
  EXPECT_EQ(schema(), before) << "reading changes nothing";

  const auto store = Store::open(path, Access::write);
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_EQ(schema(), "6");
  EXPECT_EQ(contents(*store), as_it_was);
  EXPECT_EQ(first_text(path, "PRAGMA integrity_check"), "ok");
  EXPECT_EQ(first_text(path, "SELECT count(*) FROM pragma_foreign_key_check"), "0");
  EXPECT_EQ(contents(*Store::open(path, Access::read)), as_it_was);
}

TEST_P(OldStore, ItsRunsKnowTheirMachine) {
  const auto store = *Store::open(path, Access::read);
  const auto experiments = *store.experiments();
  ASSERT_FALSE(experiments.empty());
  for (const auto& experiment : experiments) {
    const auto machines = *store.machines(experiment.id);
    ASSERT_THAT(machines, SizeIs(1));
    EXPECT_EQ(machines[0].processor, "Intel(R) Xeon(R) Processor");
    EXPECT_EQ(machines[0].cores, 2);
    EXPECT_EQ(machines[0].provider, "");
    if (GetParam() < 5) {
      EXPECT_EQ(dump_json(machines[0].fingerprint),
                first_text(path, fmt::format("SELECT machine FROM experiment WHERE id = {}", experiment.id)));
    }
    const auto runs = *store.runs(experiment.id, Detail::summary);
    EXPECT_FALSE(runs.empty());
    for (const auto& run : runs) EXPECT_EQ(run.machine_id, machines[0].id);
  }
}

TEST_P(OldStore, TakesANewRunOnItsOwnMachineAndOnAnother) {
  auto store = *Store::open(path, Access::write);
  auto fingerprint = store.machines(1)->front().fingerprint;
  const auto known = store.machines(1)->front().id;
  fingerprint["memory"]["available_bytes"] = 1000;  // it is another moment
  fingerprint["system"]["provider"] = "Hetzner";    // and neph has learned to see more
  auto run = sample_run(1, 0, 100);
  run.result.probes = {{.rate_per_s = 20, .outcome = Slo::met}};
  ASSERT_TRUE(store.add_run(run, fingerprint));
  EXPECT_EQ(store.runs(1, Detail::summary)->back().machine_id, known);
  EXPECT_THAT(store.runs(1, Detail::summary)->back().result.probes, SizeIs(1));
  fingerprint["effective_cores"] = 64;
  ASSERT_TRUE(store.add_run(sample_run(1, 0, 101), fingerprint));
  ASSERT_THAT(*store.machines(1), SizeIs(2));
  EXPECT_EQ(store.machines(1)->back().cores, 64);
  EXPECT_EQ(store.machines(1)->back().provider, "Hetzner");
  ASSERT_TRUE(store.set_latency_limit(1, 0.25));
  EXPECT_EQ(store.experiment(1)->latency_limit_s, 0.25);
  ASSERT_TRUE(store.set_price(1, "0.40USD/h", "gcp"));
  EXPECT_EQ(store.experiment(1)->price, "0.40USD/h");
  EXPECT_EQ(store.experiment(1)->price_rule, "gcp");
}

INSTANTIATE_TEST_SUITE_P(Schemas, OldStore, testing::Values(3, 4, 5));

}  // namespace
}  // namespace neph::store
