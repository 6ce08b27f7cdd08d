#include "script/script.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/price_rules.hpp"
#include "cli/script_job.hpp"
#include "cli/store_option.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"

namespace neph::cli {
namespace {

struct ScriptOptions {
  std::string experiment;
  std::string store{default_store};
  std::string rules;
  script::Wishes wishes;
};

/// The command that makes the same script again.
std::string command_of(const ScriptOptions& options) {
  std::string line = "neph script " + shell_quoted(options.experiment);
  if (options.store != default_store) line += " --store " + shell_quoted(options.store);
  if (!options.rules.empty()) line += " --rules " + shell_quoted(options.rules);
  const auto defaults = to_json(script::Wishes{});
  for (const auto& [name, value] : to_json(options.wishes).items()) {
    if (value == defaults[name]) continue;
    for (const auto& each : value.is_array() ? value : Json::array({value}))
      line += fmt::format(" {} {}", option_name(name), shell_quoted(value_as_text(each)));
  }
  return line;
}

/// What must be there before the script can end well, for whoever looks at a terminal.
void tell_needs(const script::Job& job, const price::Offer& offer, const script::Wishes& wishes) {
  if (wishes.install != script::Install::image && wishes.bundle.empty())
    talk("put neph-{}-x86_64.tar.gz beside the script (./dev bundle makes it), or say --bundle ADDRESS\n",
         job.version);
  for (const auto& file : job.files)
    if (wishes.data.empty())
      talk("the experiment reads {}: put it beside the script, or say --data {}=ADDRESS\n", file,
           shell_quoted(file));
  const auto release = script::find_release(wishes.release.empty() ? offer.provider : wishes.release);
  if (release && wishes.release_command.empty()) talk("{}; this needs {}\n", release->title, release->needs);
}

Status write_script(const ScriptOptions& options) {
  if (options.wishes.offer.empty())
    return fail(
        ErrorCode::invalid_argument,
        "which machine? Give --offer gcp/n1-standard-8+v100:1, or own/NAME for one that is not rented");
  NEPH_TRY(const auto rules, price_rules(options.rules));
  NEPH_TRY(const auto offer, script::offer_of_name(options.wishes.offer));
  NEPH_TRY(auto job, script_job(options.experiment, options.store));
  job.command = command_of(options);
  NEPH_TRY(const auto text, script::script(job, offer, options.wishes, rules));
  fmt::print("{}", text);
  tell_needs(job, offer, options.wishes);
  return {};
}

}  // namespace

void declare_script(Command& command) {
  auto options = std::make_shared<ScriptOptions>();
  command.positional("experiment", options->experiment,
                     "number of a stored experiment (neph runs), or a TOML file", true);
  command.fields<script::Wishes>(options->wishes);
  command.option("store", options->store, store_help);
  command.option("rules", options->rules, price_rules_help);
  command.footer(
      "The script installs, brings the data, runs, saves, and releases the machine: at the end, when a step "
      "fails, when it\n"
      "is killed, and before the budget is used up. sh run.sh --dry-run prints each step.\n"
      "Examples:\n"
      "  neph script 12 --offer gcp/n1-standard-8+v100:1 --results s3://bucket/x --budget 5USD --price "
      "2.48USD/h > run.sh\n"
      "  neph script study.toml --offer selectel/gpu --results scp://me@host/srv/x --data "
      "photos=s3://bucket/photos > run.sh\n"
      "  neph script 12 --offer azure/Standard_NC6 --results https://host/x --bundle "
      "https://host/neph.tar.gz --format cloud-init\n"
      "  neph script 12 --offer hetzner/cx22 --results s3://bucket/x --release-command 'hcloud server delete "
      "\"$(hostname)\"'");
  command.action([options] { return write_script(*options); });
}

}  // namespace neph::cli
