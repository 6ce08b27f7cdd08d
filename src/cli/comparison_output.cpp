#include "cli/comparison_output.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/terminal.hpp"
#include "compare/compare.hpp"
#include "core/json.hpp"
#include "os/file.hpp"
#include "report/report.hpp"

namespace neph::cli {
namespace {

constexpr int undecided = 10, not_comparable = 11;

std::string rendered(const Comparison& comparison, ComparisonFormat format) {
  switch (format) {
    case ComparisonFormat::text:
      return report::text_summary(comparison, {.width = terminal_width(), .colour = wants_colour()});
    case ComparisonFormat::markdown:
      return report::markdown(comparison);
    case ComparisonFormat::json:
      return dump_json(to_json(comparison), true) + "\n";
    case ComparisonFormat::junit:
      return report::junit(comparison);
  }
  return {};
}

int exit_code_of(const Comparison& comparison) {
  const auto answer = answer_of(comparison);
  if (!answer) return not_comparable;
  if (*answer == Outcome::worse) return failed_as_asked;
  return *answer == Outcome::undecided ? undecided : 0;
}

}  // namespace

Status check(const ComparisonOutput& output) {
  if (!output.out.empty()) NEPH_CHECK(check_output_file("--out", output.out, {}));
  if (!output.html.empty()) NEPH_CHECK(check_output_file("--html", output.html, {output.out}));
  return {};
}

Result<int> write(const Comparison& comparison, const ComparisonOutput& output) {
  const auto text = rendered(comparison, output.format);
  if (output.out.empty())
    print_data(text);
  else
    NEPH_CHECK(write_file(output.out, text));
  if (!output.html.empty()) NEPH_CHECK(write_file(output.html, report::html(comparison)));
  return exit_code_of(comparison);
}

void keep_noise_of(const Comparison& comparison) {
  if (const auto kept = compare::keep_noise(compare::noise_file(), comparison); !kept)
    talk("this machine's noise is not kept: {}\n", kept.error().text());
}

}  // namespace neph::cli
