#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/page/sections.hpp"
#include "report/page/written_test.hpp"
#include "report/sample_document_test.hpp"

namespace neph::report {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Page, IsTheSameForTheSameDocument) { EXPECT_EQ(html(sample_document()), html(sample_document())); }

TEST(Page, LoadsNothing) {
  const auto text = written(html(sample_document()));
  EXPECT_THAT(text, AllOf(Not(HasSubstr(" src=")), Not(HasSubstr("<link")), Not(HasSubstr("url("))));
  EXPECT_THAT(text, HasSubstr("default-src 'none'"));
  EXPECT_THAT(text, Not(HasSubstr("href=\"http")));
}

TEST(Page, HoldsTheLicenceOfTheChartsLibrary) {
  EXPECT_THAT(written(html(Document{})), AllOf(HasSubstr("University of Washington Interactive Data Lab"),
                                               HasSubstr("Redistributions in binary form must reproduce")));
}

TEST(Page, LetsNoTextBecomeMarkup) {
  const auto text = written(html(sample_document({.hostile = true})));
  EXPECT_THAT(text,
              AllOf(Not(HasSubstr("<b>\"|")), Not(HasSubstr("alert('x')</script")), Not(HasSubstr("\x1b"))));
  EXPECT_EQ(count(text, "<script"), count(text, "</script>"));
  EXPECT_EQ(count(text, "<script"), count(written(html(sample_document())), "<script"));
}

TEST(Page, HasOneTitleAndEveryAnchorOnce) {
  const auto text = written(html(sample_document()));
  EXPECT_EQ(count(text, "<h1>"), 1u);
  std::set<std::string> ids;
  const std::regex id(" id=\"([^\"]+)\"");
  for (std::sregex_iterator at(text.begin(), text.end(), id), end; at != end; ++at)
    EXPECT_TRUE(ids.insert((*at)[1]).second) << (*at)[1];
  const std::regex link("href=\"#([^\"]+)\"");
  for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at)
    EXPECT_TRUE(ids.contains((*at)[1])) << (*at)[1];
}

TEST(Page, TellsEverythingInWords) {
  const auto text = html(sample_document());
  for (const auto* needed :
       {"The fastest of 19 configurations", "Verdicts and warnings", "ask for dedicated cores",
        "Intel(R) Xeon(R) Platinum 8481C", "neph infer models/resnet50.onnx", "How to read this page",
        "What all configurations share", "2.70 GHz", "Memory peak", "not exported by this hypervisor",
        "seed 20260314", "killed by signal 9"})
    EXPECT_THAT(text, HasSubstr(needed));
}

TEST(Page, ShowsNoPercentileWithoutAnInterval) {
  auto document = single_run_document();
  document.cells[0].latency_ms["p99"] = {.value = 98765.4, .n = 20};
  document.cells[0].figures["response_p999_ms"] = {.value = 87654.3, .n = 20};
  const auto text = written(html(document));
  EXPECT_THAT(text, AllOf(HasSubstr("too few (needs 299)"), HasSubstr("too few (needs 2,995)")));
  EXPECT_THAT(text, AllOf(Not(HasSubstr("98765")), Not(HasSubstr("87654"))));
  EXPECT_THAT(text_table(document, {.width = 120}),
              AllOf(HasSubstr("too few (needs 299)"), Not(HasSubstr("98765"))));
  EXPECT_THAT(markdown(document), AllOf(HasSubstr("too few (needs 299)"), Not(HasSubstr("98765"))));
}

TEST(Page, TellsHintsFromDoubts) {
  auto document = single_run_document();
  document.cells[0].warnings = {
      {WarningCode::governor_not_performance, "the governor is 'powersave'", "", Weight::hint}};
  EXPECT_THAT(html(document), HasSubstr("<li class=\"hint\"><strong>governor not performance</strong>"));
  EXPECT_THAT(text_summary(document, {}), HasSubstr("! note: governor not performance: the governor is"));
  EXPECT_THAT(markdown(document), HasSubstr("- all: note: the governor is"));
}

TEST(Page, OfALoadSpeaksOfRequestsAndNotOfImages) {
  auto document = load_document();
  for (auto& cell : document.cells)
    for (const auto* phase : {"connect", "warmup", "measure"}) cell.phases_s[phase] = {.value = 1, .n = 3};
  auto text = written(html(document));
  for (const auto* shown : {"id=\"load_rate\"", "id=\"latency\"", "id=\"stages\"", "id=\"phases\""})
    EXPECT_THAT(text, HasSubstr(shown)) << "or this test sees too little";
  for (const auto* about : {"icture", "mage", "batch"}) EXPECT_THAT(text, Not(HasSubstr(about)));
}

TEST(Page, OfALoadExplainsItsThreadsAsTheGenerators) {
  auto document = load_document();
  document.runs = single_run_document().runs;  // for their telemetry
  EXPECT_THAT(written(html(document)),
              AllOf(HasSubstr("id=\"telemetry\""), HasSubstr("The threads are those of the load generator"),
                    Not(HasSubstr("Engine threads run the network"))));
}

TEST(Page, ShowsEachRateThatASearchTried) {
  auto document = load_document();
  document.cells.resize(1);
  document.cells[0].probes = {{.rate_per_s = 49.6,
                               .late = 0,
                               .requests = 320,
                               .response_ms = {.value = 12.1, .low = 11.8, .high = 12.4, .n = 320},
                               .requests_to_tell = 473,
                               .undecided = "473 requests would tell"}};
  const auto text = written(html(document));
  for (const auto* shown : {"The search, rate by rate", "49.6", "inconclusive", "0 of 320", "p99 12.1 ± 0.30",
                            "473 requests would tell"})
    EXPECT_THAT(text, HasSubstr(shown));
  EXPECT_THAT(markdown(document),
              HasSubstr("| 49.6 | inconclusive | 0 of 320 | p99 12.1 ± 0.30 | 473 requests "
                        "would tell |"));
  EXPECT_EQ(json(document)["cells"][0]["probes"][0]["requests_to_tell"], 473);
}

TEST(Page, ShowsNoPercentileOfAProbeThatHasNoInterval) {
  auto document = load_document();
  document.cells.resize(1);
  document.cells[0].probes = {{.rate_per_s = 10, .requests = 40, .response_ms = {.value = 12.1, .n = 40}}};
  for (const auto& text : {written(html(document)), markdown(document)})
    EXPECT_THAT(text, AllOf(HasSubstr("p99 too few (needs 299)"), Not(HasSubstr("12.1"))));
}

TEST(Page, BearsEveryShape) {
  EXPECT_THAT(html(Document{}), HasSubstr("nothing can be said about speed"));
  EXPECT_THAT(html(empty_document()), Not(HasSubstr("<figure")));
  EXPECT_THAT(html(failed_document()),
              AllOf(HasSubstr("no result"), HasSubstr("batch 65536 needs 36.8 GiB")));
  EXPECT_THAT(html(single_run_document()), HasSubstr("too few for an interval"));
}

}  // namespace
}  // namespace neph::report
