#include "store/store.hpp"

#include <chrono>
#include <cstring>
#include <limits>

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "store/scratch_test.hpp"

namespace neph::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string random_text(Random& random) {
  static const std::vector<std::string> pieces{"a",  "Z", "'", "\"",  "ü", "\n",
                                               "\t", "π", " ", ";--", "%", std::string(1, '\0')};
  std::string text;
  for (auto n = random.below(12); n > 0; --n) text += pieces[random.below(pieces.size())];
  return text;
}

double random_number(Random& random) {
  switch (random.below(8)) {
    case 0:
      return std::numeric_limits<double>::quiet_NaN();
    case 1:
      return std::numeric_limits<double>::infinity();
    case 2:
      return static_cast<double>(random.below(1000));
    case 3:
      return std::numeric_limits<double>::denorm_min();
    default:
      return random.normal() * std::pow(10.0, static_cast<double>(random.below(40)) - 20);
  }
}

std::optional<double> maybe_number(Random& random) {
  return random.below(3) == 0 ? std::nullopt : std::optional(random.normal());
}

std::vector<double> random_numbers(Random& random) {
  std::vector<double> numbers(random.below(20));
  for (auto& number : numbers) number = random_number(random);
  return numbers;
}

template <class Make>
auto several(Random& random, Make make) {
  std::vector<decltype(make())> list;
  for (auto n = random.below(5); n > 0; --n) list.push_back(make());
  return list;
}

RunResult random_result(Random& random) {
  const auto text = [&] { return random_text(random); };
  const auto number = [&] { return random_number(random); };
  RunResult result;
  result.phases = several(random, [&] { return Phase{text(), number(), number()}; });
  result.figures = several(random, [&] {
    return Figure{
        text(),
        text(),
        {number(), maybe_number(random), maybe_number(random), static_cast<std::int64_t>(random.bits())}};
  });
  result.stages = several(random, [&] {
    return Stage{text(), number(), static_cast<std::int64_t>(random.bits())};
  });
  result.telemetry = several(random, [&] {
    return SeriesSummary{
        text(), text(), text(), maybe_number(random), maybe_number(random), maybe_number(random), text()};
  });
  result.warnings = several(random, [&] {
    return Warning{warning_kinds[random.below(warning_kinds.size())].code, text(), text(),
                   static_cast<Weight>(random.below(3))};
  });
  result.probes = several(random, [&] {
    return Probe{.rate_per_s = number(),
                 .outcome = static_cast<Slo>(random.below(3)),
                 .is_fresh = random.below(2) == 1,
                 .late = static_cast<std::int64_t>(random.bits()),
                 .percentile = number(),
                 .response_ms = {number(), maybe_number(random), maybe_number(random), 5},
                 .undecided = text()};
  });
  for (auto n = random.below(4); n > 0; --n) result.facts[text()] = text();
  result.outputs_checksum = text();
  result.outputs.resize(random.below(30));
  for (auto& answer : result.outputs) answer = static_cast<std::int32_t>(random.bits());
  const auto at_s = random_numbers(random);
  result.series = several(random, [&] {
    return Series{
        text(), text(), text(), random.below(2) ? at_s : random_numbers(random), random_numbers(random),
        text()};
  });
  result.samples = several(random, [&] { return Column{text(), random_numbers(random)}; });
  return result;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

void expect_same(const Run& stored, const Run& read) {
  EXPECT_EQ(dump_json(to_json(read)), dump_json(to_json(stored)));
  ASSERT_EQ(read.result.samples.size(), stored.result.samples.size());
  for (std::size_t i = 0; i < stored.result.samples.size(); ++i)
    EXPECT_TRUE(same_bits(read.result.samples[i].values, stored.result.samples[i].values));
  ASSERT_EQ(read.result.series.size(), stored.result.series.size());
  for (std::size_t i = 0; i < stored.result.series.size(); ++i) {
    EXPECT_TRUE(same_bits(read.result.series[i].values, stored.result.series[i].values));
    EXPECT_TRUE(same_bits(read.result.series[i].at_s, stored.result.series[i].at_s));
  }
}

TEST(Store, EveryRunComesBackAsItWas) {
  const ScratchFolder folder;
  auto store = *Store::open(folder / "neph.db", Access::write);
  const auto experiment = *store.create_experiment(sample_experiment(), {});
  std::vector<neph::Run> stored;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    neph::Run run{.experiment_id = experiment,
                  .cell = static_cast<std::int64_t>(random.below(1000)),
                  .repeat = static_cast<std::int64_t>(seed),
                  .position = static_cast<std::int64_t>(random.below(1000)),
                  .status = static_cast<RunStatus>(random.below(3)),
                  .reason = random_text(random),
                  .started = random_text(random),
                  .wall_s = random_number(random),
                  .repro = random_text(random),
                  .result = random_result(random)};
    const auto id = store.add_run(run);
    ASSERT_TRUE(id) << id.error().message;
    run.id = *id;
    const auto read = store.run(*id);
    ASSERT_TRUE(read) << read.error().message;
    expect_same(run, *read);
    stored.push_back(std::move(run));
  }
  const auto all = *store.runs(experiment, Detail::full);
  ASSERT_EQ(all.size(), stored.size());
  for (std::size_t i = 0; i < all.size(); ++i) expect_same(stored[i], all[i]);
}

TEST(Store, ExperimentsComeBackAsTheyWere) {
  const ScratchFolder folder;
  const auto path = folder / "neph.db";
  auto first = sample_experiment();
  auto second = sample_experiment();
  second.seed = std::numeric_limits<std::uint64_t>::max();
  second.factors.clear();
  {
    auto store = *Store::open(path, Access::write);
    first.id = *store.create_experiment(first, {});
    second.id = *store.create_experiment(second, {{.index = 0, .factors = Json::object(), .label = "all"}});
  }
  const auto store = *Store::open(path, Access::read);
  EXPECT_EQ(dump_json(to_json(*store.experiments())), dump_json(to_json(std::vector{first, second})));
  EXPECT_EQ(dump_json(to_json(*store.experiment(first.id))), dump_json(to_json(first)));
  EXPECT_EQ(store.latest()->seed, second.seed);
  EXPECT_EQ(store.experiment(7).error().code, ErrorCode::not_found);
  EXPECT_THAT(store.experiment(7).error().message, HasSubstr("no experiment 7; it holds 1 to 2"));
  EXPECT_EQ(store.run(7).error().code, ErrorCode::not_found);
}

TEST(Store, SummaryLeavesOutWhatIsLarge) {
  const ScratchFolder folder;
  auto store = *Store::open(folder / "neph.db", Access::write);
  const auto experiment = *store.create_experiment(sample_experiment(), {});
  ASSERT_TRUE(store.add_run(sample_run(experiment, 0, 0)));
  const auto runs = *store.runs(experiment, Detail::summary);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].result.figures.size(), 1u);
  EXPECT_TRUE(runs[0].result.samples.empty());
  EXPECT_TRUE(runs[0].result.series.empty());
  EXPECT_TRUE(runs[0].result.outputs.empty());
}

TEST(Store, ARunEndsOnceButAnInterruptedOneMayBeRepeated) {
  const ScratchFolder folder;
  auto store = *Store::open(folder / "neph.db", Access::write);
  const auto experiment = *store.create_experiment(sample_experiment(), {});
  auto run = sample_run(experiment, 2, 0);
  run.status = RunStatus::interrupted;
  ASSERT_TRUE(store.add_run(run));
  EXPECT_TRUE(store.finished(experiment)->empty());
  run.status = RunStatus::failed;
  ASSERT_TRUE(store.add_run(run));
  EXPECT_THAT(*store.finished(experiment), ElementsAre(std::pair(2, 0)));
  const auto again = store.add_run(run);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::unavailable);
  EXPECT_THAT(again.error().message, HasSubstr("repeat 0 of configuration 2"));
}

TEST(Store, RepeatsAreAsAskedButNoFewerThanHaveEnded) {
  const ScratchFolder folder;
  auto store = *Store::open(folder / "neph.db", Access::write);
  const auto id = *store.create_experiment(sample_experiment(), {});
  ASSERT_TRUE(store.set_repeat(id, 20));
  ASSERT_TRUE(store.set_repeat(id, 10));
  EXPECT_EQ(store.experiment(id)->repeat, 10);
  ASSERT_TRUE(store.add_run(sample_run(id, 0, 4)));
  ASSERT_TRUE(store.set_repeat(id, 2));
  EXPECT_EQ(store.experiment(id)->repeat, 5);
  EXPECT_EQ(store.set_repeat(99, 3).error().code, ErrorCode::not_found);
}

TEST(Store, AWarningOfAnotherVersionKeepsWhatItSays) {
  const ScratchFolder folder;
  const auto path = folder / "neph.db";
  {
    auto store = *Store::open(path, Access::write);
    const auto experiment = *store.create_experiment(sample_experiment(), {});
    auto run = sample_run(experiment, 0, 0);
    run.result.warnings = {{WarningCode::stolen, "3 moons", "look up", Weight::voids}};
    ASSERT_TRUE(store.add_run(run));
  }
  first_text(path, "UPDATE warning SET code = 'of_tomorrow'");
  const auto runs = Store::open(path, Access::read)->runs(1, Detail::summary);
  ASSERT_TRUE(runs) << runs.error().message;
  const auto& warning = runs->at(0).result.warnings.at(0);
  EXPECT_EQ(warning.code, WarningCode::unknown);
  EXPECT_EQ(warning.message, "3 moons");
  EXPECT_EQ(warning.advice, "look up");
  EXPECT_EQ(warning.weight, Weight::voids);
}

TEST(Store, KeepsTheLatencyLimitThatWasAskedLast) {
  const ScratchFolder folder;
  auto store = *Store::open(folder / "neph.db", Access::write);
  auto experiment = sample_experiment();
  experiment.latency_limit_s = 0.1;
  const auto id = *store.create_experiment(experiment, {});
  EXPECT_EQ(store.experiment(id)->latency_limit_s, 0.1);
  ASSERT_TRUE(store.set_latency_limit(id, 0));
  EXPECT_EQ(store.experiment(id)->latency_limit_s, 0);
}

TEST(Store, LeavesOneFileBehind) {
  const ScratchFolder folder;
  {
    auto store = *Store::open(folder / "neph.db", Access::write);
    ASSERT_TRUE(store.create_experiment(sample_experiment(), {}));
  }
  EXPECT_THAT(folder.names(), ElementsAre("neph.db"));
}

TEST(Store, CanBeReadWhileAnotherWrites) {
  const ScratchFolder folder;
  auto writer = *Store::open(folder / "neph.db", Access::write);
  const auto experiment = *writer.create_experiment(sample_experiment(), {});
  const auto reader = *Store::open(folder / "neph.db", Access::read, 0.1);
  for (std::int64_t repeat = 0; repeat < 5; ++repeat) {
    ASSERT_TRUE(writer.add_run(sample_run(experiment, 0, repeat)));
    EXPECT_EQ(reader.runs(experiment, Detail::full)->size(), static_cast<std::size_t>(repeat) + 1);
  }
}

TEST(Store, PeopleCanAskItInTheirShell) {
  const ScratchFolder folder;
  auto store = *Store::open(folder / "neph.db", Access::write);
  const auto experiment = *store.create_experiment(
      sample_experiment(), {{.index = 0, .factors = Json::object(), .label = "batch 1"}});
  ASSERT_TRUE(store.add_run(sample_run(experiment, 0, 0)));
  EXPECT_EQ(first_text(folder / "neph.db", "SELECT cell || '|' || name || '|' || value FROM measured"),
            "batch 1|images_per_s|96.5");
  EXPECT_EQ(first_text(folder / "neph.db", "PRAGMA integrity_check"), "ok");
}

/// 999 copies of run 1 in one transaction: a thousand of our own would each wait for the disk.
void copy_run(const std::filesystem::path& path) {
  sqlite3* connection = nullptr;
  sqlite3_open(path.c_str(), &connection);
  const auto* copies = R"sql(
    BEGIN;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
    INSERT INTO run (experiment_id, cell, repeat, position, status, reason, started, wall_s, repro,
                     answers_checksum)
      SELECT experiment_id, cell, i, i, status, reason, started, wall_s, repro, answers_checksum FROM run, n;
    INSERT INTO figure SELECT run.id, place, name, unit, value, low, high, n
      FROM figure, run WHERE run_id = 1 AND run.id > 1;
    INSERT INTO telemetry SELECT run.id, place, target, name, unit, mean, max, min, unavailable
      FROM telemetry, run WHERE run_id = 1 AND run.id > 1;
    INSERT INTO sample SELECT run.id, place, name, data FROM sample, run WHERE run_id = 1 AND run.id > 1;
    COMMIT;)sql";
  EXPECT_EQ(sqlite3_exec(connection, copies, nullptr, nullptr, nullptr), SQLITE_OK)
      << sqlite3_errmsg(connection);
  sqlite3_close(connection);
}

TEST(Store, ThousandRunsOpenInWellUnderASecond) {
  const ScratchFolder folder;
  std::int64_t experiment = 0;
  {
    auto store = *Store::open(folder / "neph.db", Access::write);
    experiment = *store.create_experiment(sample_experiment(), {});
    ASSERT_TRUE(store.add_run(sample_run(experiment, 0, 0)));
  }
  copy_run(folder / "neph.db");
  const auto begin = std::chrono::steady_clock::now();
  const auto store = *Store::open(folder / "neph.db", Access::read);
  const auto runs = *store.runs(experiment, Detail::summary);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  RecordProperty("seconds", std::to_string(took.count()));
  EXPECT_LT(took.count(), 1.0);
  ASSERT_EQ(runs.size(), 1000u);
  EXPECT_EQ(runs.back().result.telemetry.size(), 40u);
}

}  // namespace
}  // namespace neph::store
