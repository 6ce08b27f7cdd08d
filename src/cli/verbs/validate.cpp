#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "core/json.hpp"
#include "launch/launch.hpp"
#include "os/cores.hpp"
#include "os/file.hpp"
#include "os/process.hpp"
#include "predict/predict.hpp"
#include "report/report.hpp"

extern "C" const char neph_peers[], neph_peers_end[];

namespace neph::cli {
namespace {

constexpr std::array known{"ridge", "gp", "forest", "xgboost", "autogluon"};
constexpr std::size_t most_bytes_of_a_line = std::size_t{1} << 30;

std::string python() {
  const char* const active = std::getenv("VIRTUAL_ENV");
  return active != nullptr && *active != 0 ? std::string(active) + "/bin/python3" : "python3";
}

std::string task_of(const std::vector<std::string>& peers, const predict::Profile& profile,
                    const std::vector<predict::Split>& splits) {
  Json task{{"columns", Json::array()},
            {"target", profile.points.target},
            {"splits", Json::array()},
            {"methods", peers}};
  for (const auto& column : profile.points.features.columns)
    task["columns"].push_back({{"name", column.name}, {"values", cells_of(column)}});
  for (const auto& split : splits) task["splits"].push_back({{"train", split.train}, {"test", split.test}});
  return dump_json(task);
}

/// A line of the script.
struct Answer {
  std::string method, missing, why;
  std::size_t split = 0;
  std::vector<double> values;
};
template <class Visit, Describes<Answer> Self>
void describe(Visit&& v, Self& s) {
  v("method", s.method, "its name");
  v("missing", s.missing, "package that is not installed; empty: it is");
  v("why", s.why, "what Python says of that");
  v("split", s.split, "place among the splits");
  v("values", s.values, "of the rows left out");
}

Status add(const Answer& answer, const predict::Profile& profile, const std::vector<predict::Split>& splits,
           std::vector<ValidatedMethod>& methods) {
  if (!answer.missing.empty())
    return fail(ErrorCode::unavailable, "--against {}: {} is not installed ({}): {} -m pip install {}",
                answer.method, answer.missing, answer.why, python(), answer.missing);
  const auto method = std::ranges::find(methods, answer.method, &ValidatedMethod::method);
  if (method == methods.end() || answer.split >= splits.size() ||
      answer.values.size() != splits[answer.split].test.size())
    return fail(ErrorCode::internal, "--against {}: an answer that does not fit the splits", answer.method);
  const auto& [name, train, test] = splits[answer.split];
  for (std::size_t i = 0; i < test.size(); ++i) {
    predict::Prediction prediction{.value = answer.values[i]};
    prediction.low = prediction.high = Score::unknown;
    method->rows.push_back(
        predict::point_of(answer.split, test[i], profile.points.target[test[i]], prediction));
  }
  if (!test.empty())
    method->splits.push_back({name, predict::score_of(predict::of_split(method->rows, answer.split))});
  return {};
}

// ---- Predictors of Python packages, on the same splits of the same table

Result<std::vector<std::string>> peers_in(const std::string& list) {
  auto peers = predict::names_in(list);
  for (const auto& peer : peers)
    if (std::ranges::find(known, peer) == known.end())
      return fail(ErrorCode::invalid_argument, "--against: '{}' is none of {}", peer, fmt::join(known, ", "));
  return peers;
}

/// Each of them on each split, in $VIRTUAL_ENV's python3 or the one in PATH. Values have no intervals.
/// Errors: unavailable (no python3, a package that is not installed, with the line that installs it; a method
/// that failed, with the end of what it wrote).
Result<std::vector<ValidatedMethod>> peers_on(const std::vector<std::string>& peers,
                                              const predict::Profile& profile,
                                              const std::vector<predict::Split>& splits,
                                              const std::function<void(std::size_t, std::size_t)>& progress) {
  std::vector<ValidatedMethod> methods;
  for (const auto& peer : peers) methods.push_back({.method = peer});
  auto process = Process::start({python(), "-c", std::string(neph_peers, neph_peers_end)});
  if (!process) {
    process.error().add_hint("--against needs python3, with the packages of what it names");
    return tl::unexpected(process.error());
  }
  launch::Child child(*std::move(process), most_bytes_of_a_line);
  Status status;
  std::size_t done = 0;
  child.on_line = [&](std::string_view line) {
    const auto json = parse_json(line, "--against");
    const auto answer = json ? from_json<Answer>(*json, "") : tl::unexpected(json.error());
    if (status) status = answer ? add(*answer, profile, splits, methods) : tl::unexpected(answer.error());
    if (progress) progress(++done, peers.size() * splits.size());
  };
  child.say(task_of(peers, profile, splits));
  while (!child.exit()) {
    launch::Child* const one = &child;
    launch::Child::wait({&one, 1});
  }
  NEPH_CHECK(status);
  if (child.exit()->code != 0 || child.exit()->signal != 0)
    return fail(ErrorCode::unavailable, "--against {}: {} {}: {}", fmt::join(peers, ","), python(),
                child.how_it_ended(), child.stderr_tail());
  for (auto& method : methods) {
    method.score = predict::score_of(method.rows);
    method.slices = predict::slices_of(profile, method.rows);
  }
  return methods;
}

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
