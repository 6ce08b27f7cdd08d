// A comparison as a test report, as forges show it: JUnit's XML.
#include <algorithm>

#include <fmt/format.h>

#include "report/comparison_words.hpp"
#include "report/quantity.hpp"
#include "report/report.hpp"

namespace neph::report {
namespace {

/// U+FFFE and U+FFFF are text, but none of XML's (XML 1.0, production 2).
void replace_noncharacters(std::string& text) {
  for (const std::string_view noncharacter : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (auto at = text.find(noncharacter); at != std::string::npos; at = text.find(noncharacter, at))
      text.replace(at, noncharacter.size(), "\xEF\xBF\xBD");
}

/// For an attribute or between tags.
std::string escape_xml(std::string_view text) {
  auto escaped = escape_markup(text);
  replace_noncharacters(escaped);
  return escaped;
}

std::string test_case(std::string_view classname, std::string_view name, const std::string& content) {
  return fmt::format("<testcase classname=\"{}\" name=\"{}\"{}\n", escape_xml(classname), escape_xml(name),
                     content.empty() ? "/>" : fmt::format(">{}</testcase>", content));
}

/// The message also as text: some forges show the one, some the other.
std::string told(std::string_view element, std::string_view type, const std::string& message) {
  return fmt::format("<{0} type=\"{1}\" message=\"{2}\">{2}</{0}>", element, escape_xml(type),
                     escape_xml(message));
}

std::string case_of(const ComparedMetric& row, const Comparison& comparison) {
  const auto name = enum_name(row.outcome);
  auto said = fmt::format("{}: {}{}; baseline {}, candidate {}", name, change_in_words(row),
                          interval_in_words(row), quantity_text(row.metric, row.baseline.value),
                          quantity_text(row.metric, row.candidate.value));
  std::string content;
  if (row.outcome == Outcome::worse) content = told("failure", name, said);
  if (row.outcome == Outcome::undecided) {
    if (const auto tell = what_would_tell({&row}, comparison); !tell.empty()) said += "; " + tell;
    content = told("skipped", name, said);
  }
  return test_case(row.metric, row.configuration, content);
}

/// What stands in place of rows where there are none: else a forge would show that nothing has failed.
std::string case_of_none(const Comparison& comparison) {
  const auto* refusal = refusal_of(comparison);
  return test_case("comparison", "comparable",
                   told(refusal ? "error" : "skipped",
                        refusal ? std::string_view(refusal->what) : "undecided", headline(comparison)));
}

std::string remarks_text(const Comparison& comparison) {
  std::string text;
  for (const auto& remark : remarks_on(comparison)) text += escape_xml(remark) + "\n";
  return text.empty() ? text : "<system-out>" + text + "</system-out>\n";
}

}  // namespace

std::string junit(const Comparison& comparison) {
  const bool is_refused = refusal_of(comparison) != nullptr, has_none = comparison.rows.empty();
  std::string cases;
  if (!is_refused)
    for (const auto& row : comparison.rows) cases += case_of(row, comparison);
  if (is_refused || has_none) cases += case_of_none(comparison);
  const auto count = [&](Outcome outcome) {
    return is_refused ? 0 : std::ranges::count(comparison.rows, outcome, &ComparedMetric::outcome);
  };
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"{}\" tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}{}</testsuite>\n</testsuites>\n",
      escape_xml(fmt::format("{} → {}", comparison.baseline, comparison.candidate)),
      is_refused || has_none ? 1 : comparison.rows.size(), count(Outcome::worse), is_refused ? 1 : 0,
      !is_refused && has_none ? 1 : count(Outcome::undecided), cases, remarks_text(comparison));
}

}  // namespace neph::report
