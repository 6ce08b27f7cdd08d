#include <gmock/gmock.h>

#include "record/cells.hpp"
#include "record/metrics.hpp"
#include "record/phases.hpp"
#include "record/telemetry.hpp"
#include "store/scratch_test.hpp"
#include "store/store.hpp"
#include "table/table.hpp"

namespace neph::table {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// An experiment of two cells, whose second run was made on a machine with a GPU.
class ExperimentTable : public testing::Test {
 protected:
  ExperimentTable() {
    auto store = *store::Store::open(path_, store::Access::write);
    const Experiment experiment{.workload = "infer", .factors = {{"batch", {1, 8}}}};
    const auto id = *store.create_experiment(experiment, *expand(experiment));
    const Json here = {{"effective_cores", 2}, {"processor", {{"model", "Xeon"}}}};
    auto there = here;
    there["gpu"]["devices"] = {{{"name", "Tesla T4"}}};
    for (const std::int64_t cell : {0, 1}) {
      neph::Run run{.experiment_id = id, .cell = cell};
      run.result.figures = {{.name = std::string(metric::images_per_s.name), .estimate = {.value = 50}}};
      run.result.phases = {{"warmup", 1, 3.5}};
      run.result.telemetry = {
          {.target = std::string(target::machine), .name = std::string(telemetry::cpu.name), .mean = 1.5}};
      EXPECT_TRUE(store.add_run(run, cell == 0 ? here : there));
    }
    EXPECT_TRUE(store.add_run({.experiment_id = id, .repeat = 1, .status = RunStatus::failed}, here));
  }
  static std::vector<std::string> row(const Table& table, std::size_t number) {
    std::vector<std::string> cells;
    for (const auto& column : table.columns) cells.push_back(column.name + " " + column.text(number));
    return cells;
  }

  const store::ScratchFolder folder_;
  const std::filesystem::path path_ = folder_ / "neph.db";
};

TEST_F(ExperimentTable, HasTheCellAndTheMachineOfEachRunThatEndedWell) {
  const auto table = experiment_table(path_, 0, {"images_per_s"});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->rows, 2U);
  EXPECT_THAT(row(*table, 0), ElementsAre("batch 1", "hardware 2 cores of Xeon", "provider unknown",
                                          "instance_type unknown", "processor Xeon", "cores 2",
                                          "memory_bytes ", "gpu none", "gpus 0", "images_per_s 50"));
  EXPECT_THAT(row(*table, 1),
              testing::IsSupersetOf({"batch 8", "provider unknown", "gpu Tesla T4", "gpus 1"}));
}

TEST_F(ExperimentTable, HasOfWhatWasMeasuredWhatIsAskedFor) {
  const auto table = experiment_table(path_, 1, {"phase_warmup_s", "machine.cpu"});
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_THAT(row(*table, 0), testing::IsSupersetOf({"phase_warmup_s 2.5", "machine.cpu 1.5"}));
  EXPECT_FALSE(table->find("images_per_s"));
  EXPECT_THAT(experiment_table(path_, 1, {"image_per_s"}).error().message,
              HasSubstr("unknown column 'image_per_s' in experiment 1 of"));
}

TEST_F(ExperimentTable, IsOfAStoreAlone) {
  EXPECT_TRUE(is_store(path_));
  EXPECT_FALSE(is_store(folder_ / "nothing"));
  EXPECT_FALSE(is_store("/dev/null"));
}

}  // namespace
}  // namespace neph::table
