#include "record/warnings.hpp"

#include <fstream>
#include <map>
#include <regex>

#include <gtest/gtest.h>

#include "core/json.hpp"

namespace neph {
namespace {

/// statistics.md's table of warnings: what it says of the verdict, by code.
std::map<std::string, std::string> documented() {
  std::ifstream file("docs/method/statistics.md");
  std::map<std::string, std::string> verdicts;
  bool inside = false;
  const std::regex code("`([a-z_]+)`");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("| code |")) inside = true;
    if (!inside || line.starts_with("| code |") || line.starts_with("|---")) continue;
    if (!line.starts_with("|")) break;
    const auto first = line.substr(1, line.find('|', 1) - 1);
    const auto before_last = line.rfind('|', line.size() - 2);
    const auto verdict = line.substr(before_last + 2, line.size() - before_last - 4);
    for (std::sregex_iterator match(first.begin(), first.end(), code), end; match != end; ++match)
      verdicts[(*match)[1]] = verdict;
  }
  return verdicts;
}

std::string verdict_in_words(const WarningKind& kind) {
  if (!kind.weight) return "doubtful; invalid";
  return *kind.weight == Weight::hint ? "none" : *kind.weight == Weight::doubt ? "doubtful" : "invalid";
}

TEST(Warnings, AreThoseOfTheTableInTheDocuments) {
  const auto table = documented();
  EXPECT_EQ(table.size(), warning_kinds.size() - 1) << "all but unknown";
  for (const auto& kind : warning_kinds) {
    if (kind.code == WarningCode::unknown) continue;
    const auto found = table.find(std::string(kind.name));
    ASSERT_NE(found, table.end()) << kind.name << " is not in docs/method/statistics.md";
    EXPECT_TRUE(found->second.starts_with(verdict_in_words(kind))) << kind.name << ": " << found->second;
    EXPECT_EQ(found->second.find(';') != std::string::npos, !kind.weight) << kind.name;
  }
}

TEST(Warnings, HaveTheirKindsInTheOrderOfTheirCodes) {
  for (std::size_t i = 0; i < warning_kinds.size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(warning_kinds[i].code), i) << warning_kinds[i].name;
  EXPECT_EQ(enum_name(WarningCode::worker_exit), "worker_exit");
}

TEST(Warnings, HaveWeightAndAdviceOfTheirKind) {
  EXPECT_EQ(make_warning(WarningCode::closed_loop, "a closed loop").weight, Weight::hint);
  EXPECT_EQ(make_warning(WarningCode::few_repeats, "1 run").advice, "--repeat 5 or more");
  EXPECT_EQ(make_warning(WarningCode::schedule_missed, "late", "more threads").weight, Weight::voids);
  EXPECT_EQ(make_warning(WarningCode::schedule_missed, "late", "more threads").advice, "more threads");
}

TEST(Warnings, OfAnotherVersionAreUnknownAndKeepWhatTheySay) {
  const auto read = from_json<Warning>(
      Json{{"code", "of_tomorrow"}, {"message", "3 moons"}, {"advice", "look up"}, {"weight", "voids"}},
      "it");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->code, WarningCode::unknown);
  EXPECT_EQ(read->message, "3 moons");
  EXPECT_EQ(read->weight, Weight::voids);
}

}  // namespace
}  // namespace neph
