// What is written of an experiment is read again as what is compared, to the last bit.
#include <bit>
#include <cmath>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "compare/compare.hpp"
#include "report/report.hpp"

namespace neph {
namespace {

/// Any finite double, of any size, by its bits.
double any_number(std::mt19937_64& random) {
  for (;;) {
    const auto number = std::bit_cast<double>(random());
    if (std::isfinite(number)) return number;
  }
}

/// Two configurations of 200 runs, every tenth of which failed.
report::Document any_document(std::mt19937_64& random) {
  report::Document document;
  document.experiment = {
      .id = 3, .created = "2026-01-02T03:04:05Z", .workload = "train", .seed = ~std::uint64_t{}};
  document.machines.push_back({.id = 1, .fingerprint = Json{{"effective_cores", 4}}});
  for (std::int64_t cell = 0; cell < 2; ++cell)
    document.cells.push_back({.cell = {.index = cell,
                                       .factors = Json{{"batch", cell + 1}},
                                       .spec = Json{{"model", "mnist"}},
                                       .label = fmt::format("batch {}", cell + 1)}});
  for (std::int64_t i = 0; i < 400; ++i) {
    auto& run = document.runs.emplace_back();
    run.cell = i % 2;
    run.repeat = i / 2;
    run.machine_id = 1;
    run.status = i % 10 == 0 ? RunStatus::failed : RunStatus::ok;
    for (const auto* name : {"samples_per_s", "step_s", "test_loss"})
      run.result.figures.push_back({.name = name, .estimate = {.value = any_number(random), .n = 1}});
  }
  return document;
}

TEST(ComparedResults, AreWhatWasMeasured) {
  std::mt19937_64 random(29);
  const auto document = any_document(random);
  const auto source = compare::parse_source(dump_json(report::json(document), true), "t");
  ASSERT_TRUE(source) << source.error().text();
  EXPECT_EQ(source->identity, "experiment 3 of 2026-01-02T03:04:05Z, seed 18446744073709551615");
  std::vector<std::size_t> next(2, 0);
  for (const auto& run : document.runs) {
    if (run.status != RunStatus::ok) continue;
    const auto place = static_cast<std::size_t>(run.cell);
    const auto& configuration = source->configurations.at(place);
    EXPECT_EQ(configuration.label, document.cells[place].cell.label);
    const auto& read = configuration.runs.at(next[place]++);
    EXPECT_EQ(read.block, run.repeat);
    for (const auto& figure : run.result.figures)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(read.metrics.at(figure.name)),
                std::bit_cast<std::uint64_t>(figure.estimate.value));
  }
  for (std::size_t place = 0; place < next.size(); ++place)
    EXPECT_EQ(source->configurations[place].runs.size(), next[place]);
}

/// A mean of a table is the mean in its CSV.
TEST(ComparedResults, OfATableAreItsMeans) {
  std::mt19937_64 random(30);
  auto document = any_document(random);
  for (auto& cell : document.cells) {
    const double value = std::abs(any_number(random)) / 4;
    cell.figures["samples_per_s"] = {.value = value, .low = value / 2, .high = value * 2, .n = 7};
    cell.runs_ok = 7;
  }
  const auto source = compare::parse_source(report::csv(document), "t");
  ASSERT_TRUE(source) << source.error().text();
  for (std::size_t i = 0; i < 2; ++i) {
    const auto &written = document.cells[i].figures.at("samples_per_s"),
               &read = source->configurations.at(i).means.at("samples_per_s");
    EXPECT_EQ(source->configurations[i].label, document.cells[i].cell.label);
    EXPECT_EQ(written.value, read.value);
    EXPECT_EQ(written.low, read.low);
    EXPECT_EQ(written.high, read.high);
    EXPECT_EQ(written.n, read.n);
  }
}

}  // namespace
}  // namespace neph
