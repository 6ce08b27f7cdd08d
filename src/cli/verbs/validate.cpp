#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/peers.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"
#include "os/cores.hpp"
#include "os/file.hpp"
#include "predict/predict.hpp"
#include "report/report.hpp"

namespace neph::cli {
namespace {

struct ValidateCommand {
  predict::TableOptions table;
  predict::ValidationOptions validation;
  std::string html;
  std::string against;
  bool explain = false;
  bool json = false;
};

template <class Visit, Describes<ValidateCommand> Self>
void describe(Visit&& v, Self& s) {
  v("against", s.against,
    "predictors of others on the same splits, with commas between: ridge, gp, forest (scikit-learn), "
    "xgboost, "
    "autogluon (60 s each); from the packages of $VIRTUAL_ENV's python3 or the one in PATH");
  v("html", s.html, "file to write a page with charts to, which loads nothing from anywhere");
}

Status validate_table(const ValidateCommand& options) {
  if (!options.html.empty()) NEPH_CHECK(check_output_file("--html", options.html, {options.table.table}));
  NEPH_TRY(const auto peers, peers_in(options.against));
  ProgressLine line;
  predict::ValidationWork work{.explains = options.explain || !options.html.empty(),
                               .threads = static_cast<std::size_t>(usable_cores()),
                               .progress = [&](std::string what) { return progress_on(line, what); }};
  if (!peers.empty())
    work.others = [&](const predict::Profile& profile, const std::vector<predict::Split>& splits) {
      return peers_on(peers, profile, splits, progress_on(line, "others"));
    };
  NEPH_TRY(const auto validation, predict::validate_table(options.table, options.validation, work));
  line.clear();
  fmt::print("{}",
             options.json ? dump_json(to_json(validation), true) + "\n" : report::text_summary(validation));
  if (!options.html.empty()) NEPH_CHECK(write_file(options.html, report::html(validation)));
  return {};
}

}  // namespace

void declare_validate(Command& command) {
  auto options = std::make_shared<ValidateCommand>();
  command.fields(options->table, "table");
  command.fields(options->validation);
  command.fields(*options);
  command.flag("explain", options->explain,
               "also of the first method: a learning curve, what each feature contributes, and five "
               "measurements that would help; takes as long as a few dozen fits; --html has it anyway");
  command.flag("json", options->json, "as JSON on stdout, with slices and every predicted row");
  command.footer(
      "Examples:\n"
      "  neph validate runs.csv --target t --split 'gpus<=4 -> gpus>4' --method all\n"
      "  neph validate runs.csv --target t --leave-out model\n"
      "  neph validate runs.csv --target t --leave-out machine --keep 5 --draws 4\n"
      "  neph validate runs.csv --target t --leave-out gpu --against gp,autogluon\n"
      "  neph validate runs.csv --target t --method auto,terms --html validation.html\n"
      "  neph validate runs.csv --target t --split 'model!=A|B & batch<=64 -> model=A|B; -> side>128'\n"
      "A side of --split has conditions that all hold: a column, one of <= >= != < > =, and a value, or\n"
      "several with | between. An empty side has all rows that the other has not.\n"
      "'128px' counts as 128 too.\n"
      "Without any of --split, --leave-out, --folds and --sample: five random folds, which say nothing of "
      "what lies beyond the table's ranges.");
  command.action([options] { return validate_table(*options); });
}

}  // namespace neph::cli
