#include "cli/outline.hpp"

#include <gtest/gtest.h>

#include "core/json.hpp"

namespace neph::cli {
namespace {

TEST(Outline, SaysNothingOfEmptyTextAndReadsBytesAsPeopleDo) {
  const Json run = {
      {"reason", ""},
      {"telemetry", {{{"name", "memory"}, {"unit", "bytes"}, {"mean", 1610612736.0}, {"unavailable", ""}}}},
      {"figures", {{{"unit", "bytes"}, {"estimate", {{"value", 1024.0}, {"n", 8}}}}}}};
  EXPECT_EQ(outline(run, 0),
            "telemetry\n  name memory, unit bytes, mean 1.50 GiB\n"
            "figures\n  unit bytes, estimate value 1.00 KiB, n 8\n");
}

TEST(Outline, AUnitThatIsNoTextIsNone) {
  const Json run = {{"figures", {{{"unit", 5}, {"value", 1024}}}}};
  EXPECT_EQ(outline(run, 0), "figures\n  unit 5, value 1024\n");
}

TEST(Outline, NoTextSteersTheTerminal) {
  const Json run = {
      {"rea\x1bson", "\x1b]0;x\a"}, {"list", {{{"name", "a\nb"}}}}, {"one\r", {{"two", "\u202e"}}}};
  EXPECT_EQ(outline(run, 0), "rea\uFFFDson: \uFFFD]0;x\uFFFD\nlist\n  name a b\none\\r\n  two: \uFFFD\n");
}

TEST(Outline, ShowsUnitsAndLeavesOutWhatIsUnknown) {
  const Json object = {
      {"total_bytes", 1536},
      {"governor", nullptr},
      {"smt", false},
      {"inner", {{"max_hz", 2.3e9}, {"took_s", 0.25}}},
      {"caches", {{{"name", "L1d"}, {"bytes", 49152}}, {{"name", "L2"}, {"bytes", 2097152}}}},
      {"features", {"avx2", "amx"}}};
  EXPECT_EQ(outline(object),
            "total bytes: 1.50 KiB\n"
            "smt: no\n"
            "inner\n"
            "  max hz: 2.30 GHz\n"
            "  took s: 250 ms\n"
            "caches\n"
            "  name L1d, bytes 48.0 KiB\n"
            "  name L2, bytes 2.00 MiB\n"
            "features: avx2, amx\n");
}

}  // namespace
}  // namespace neph::cli
