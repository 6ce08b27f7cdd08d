#include "report/machines.hpp"

#include <gmock/gmock.h>

#include "report/page/written_test.hpp"
#include "report/readings.hpp"
#include "report/sample_document_test.hpp"

namespace neph::report {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// The sample with the runs of its first cell on another machine.
Document on_two_machines() {
  auto document = sample_document();
  auto other = machine_of({{"processor", {{"model", "EPYC <7763>"}}},
                           {"memory", {{"total_bytes", std::int64_t{64} << 30}}},
                           {"system", {{"provider", "Hetzner"}, {"instance_type", "ccx33"}}},
                           {"gpu", {{"devices", {{{"name", "L4"}}, {{"name", "L4"}}}}}},
                           {"effective_cores", 16}});
  other.id = 5;
  document.machines.push_back(other);
  for (auto& run : document.runs)
    if (run.cell == 0) run.machine_id = 5;
  return document;
}

TEST(ReportMachines, ACellHasTheFingerprintOfItsOwnMachine) {
  auto document = on_two_machines();
  EXPECT_EQ(usable_cores(fingerprint_of(document, document.cells[0])), 16);
  EXPECT_EQ(usable_cores(fingerprint_of(document, document.cells[1])), 2);
  document.runs.front().machine_id = 1;  // one of five
  EXPECT_TRUE(fingerprint_of(document, document.cells[0]).is_null()) << "no one machine";
}

TEST(ReportMachines, OneIsShownInFull) {
  const auto document = sample_document();
  EXPECT_THAT(markdown(document),
              AllOf(HasSubstr("\n## Machine\n\n- processor:"), Not(HasSubstr("## Machines"))));
  EXPECT_THAT(written(html(document)), AllOf(HasSubstr("\">The machine</h2>"), HasSubstr("avx512_vnni")));
  EXPECT_EQ(json(document)["machine"]["effective_cores"], 2.0);
  EXPECT_EQ(json(document)["machines"].size(), 1u);
  EXPECT_EQ(json(document)["runs"][0]["machine"], 1);
}

TEST(ReportMachines, SeveralAreATable) {
  const auto document = on_two_machines();
  EXPECT_THAT(machine_rows(document)[1],
              ElementsAre("#5", "Hetzner", "ccx33", "EPYC <7763>", "16", "64.0 GiB", "2 L4", "5"));
  EXPECT_THAT(markdown(document), AllOf(HasSubstr("\n## Machines\n\n| Machine | Provider |"),
                                        HasSubstr("\n| \\#5 | Hetzner | ccx33 |")));
  const auto page = written(html(document));
  EXPECT_THAT(
      page, AllOf(HasSubstr("\">The machines</h2>"), HasSubstr("2 machines"), HasSubstr("EPYC &lt;7763&gt;"),
                  HasSubstr("<summary>Machine #5</summary>"), HasSubstr("avx512_vnni")));
  EXPECT_TRUE(json(document)["machine"].is_null());
  EXPECT_EQ(json(document)["machines"][1]["fingerprint"]["effective_cores"], 16);
}

TEST(ReportMachines, NoneIsNothing) {
  auto document = sample_document();
  document.machines.clear();
  EXPECT_TRUE(fingerprint_of(document, document.cells[0]).is_null());
  EXPECT_THAT(markdown(document), Not(HasSubstr("## Machine")));
  EXPECT_THAT(written(html(document)), Not(HasSubstr("\">The machine")));
  EXPECT_TRUE(json(document)["machine"].is_null());
}

}  // namespace
}  // namespace neph::report
