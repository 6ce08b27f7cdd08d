#include <algorithm>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/price_offers.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"

namespace neph::cli {
namespace {

/// From grave to light; each includes the graver ones.
enum class LintFailOn { error, warning, note, nothing };
constexpr auto enum_names(LintFailOn) {
  return std::array{Named{LintFailOn::error, "error"}, Named{LintFailOn::warning, "warning"},
                    Named{LintFailOn::note, "note"}, Named{LintFailOn::nothing, "nothing"}};
}

struct LintOptions {
  std::vector<std::string> files;
  std::string provider;
  std::int64_t lines = 5;
  LintFailOn fail_on = LintFailOn::warning;
  std::string rules;
};

template <class Visit, Describes<LintOptions> Self>
void describe(Visit&& v, Self& s) {
  v("files", s.files, "price lists, or folders of them");
  v("provider", s.provider, "whose prices they are, where no path and no column says it: aws");
  v("lines", s.lines, "lines shown of each kind of finding", at_least(0));
  v("fail_on", s.fail_on, "findings so grave, or graver, make the exit code 1");
  v("rules", s.rules, price_rules_help);
}

bool is_failure(price::Gravity gravity, LintFailOn level) {
  return level != LintFailOn::nothing && static_cast<int>(gravity) <= static_cast<int>(level);
}

Result<int> lint(const LintOptions& options, bool json) {
  if (options.files.empty())
    return fail(ErrorCode::invalid_argument,
                "which price list? neph price lint ~/.sky/catalogs/v8/aws/vms.csv");
  NEPH_TRY(const auto rules, price_rules(options.rules));
  NEPH_TRY(const auto files, price_files(options.files));
  const auto day = today();
  bool is_failed = false;
  Json documents = Json::array();
  for (const auto& file : files) {
    NEPH_TRY(const auto list,
             read_catalogue(file, options.provider, files.size() == 1 && files == options.files));
    const auto findings = price::lint_catalogue(list, rules, day);
    is_failed |= std::ranges::any_of(findings, [&](const price::Finding& finding) {
      return is_failure(price::kind_of(finding.flaw).gravity, options.fail_on);
    });
    if (json)
      documents.push_back(price::lint_json(list, findings));
    else
      print_lines("{}{}", file == files.front() ? "" : "\n",
                  price::lint_text(list, findings, static_cast<std::size_t>(options.lines)));
  }
  if (json) fmt::print("{}\n", dump_json(documents.size() == 1 ? documents[0] : documents, true));
  return is_failed ? failed_as_asked : 0;
}

}  // namespace

void declare_price_lint(Command& command) {
  struct Options : LintOptions {
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  command.fields<LintOptions>(*options, "files");
  command.flag("json", options->json, "every finding as JSON on stdout");
  command.footer(
      "Examples:\n"
      "  neph price lint ~/.sky/catalogs/v8/aws/vms.csv\n"
      "  neph price lint ~/.sky/catalogs/v8 --fail-on error --lines 2\n"
      "Exit code 1: there are findings as grave as --fail-on says.");
  command.action([options] { return lint(*options, options->json); });
}

}  // namespace neph::cli
