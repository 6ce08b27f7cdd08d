#include "script/script.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/price_offers.hpp"
#include "cli/script_job.hpp"
#include "cli/store_option.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"

namespace neph::cli {
namespace {

struct ScriptOptions {
  std::string experiment;
  std::string store{default_store};
  std::vector<std::string> offers;
  std::string rules;
  ScriptedPart part;
  script::Wishes wishes;
};

/// Those that the script itself knows nothing of.
template <class Visit, Describes<ScriptOptions> Self>
void describe(Visit&& v, Self& s) {
  v("experiment", s.experiment, "number of a stored experiment (neph runs), or a TOML file");
  v("store", s.store, store_help);
  v("offers", s.offers,
    "price list that has the offer, for --budget without --price; may be given several times");
  v("rules", s.rules, price_rules_help);
  v("cell", s.part.cell, "only one configuration of it: its number or its name, as neph show has them");
}

/// The command that makes the same script again.
std::string command_of(const ScriptOptions& options) {
  std::string line = "neph script " + shell_quoted(options.experiment);
  if (options.store != default_store) line += " --store " + shell_quoted(options.store);
  for (const auto& file : options.offers) line += " --offers " + shell_quoted(file);
  if (!options.rules.empty()) line += " --rules " + shell_quoted(options.rules);
  if (!options.part.cell.empty()) line += " --cell " + shell_quoted(options.part.cell);
  if (options.part.whole) line += " --whole";
  const auto given = to_json(options.wishes), defaults = to_json(script::Wishes{});
  const auto add = [&](const std::string& name, const Json& value) {
    line += fmt::format(" {} {}", option_name(name), shell_quoted(value_as_text(value)));
  };
  for (const auto& [name, value] : given.items()) {
    if (value == defaults[name]) continue;
    if (!value.is_array()) add(name, value);
    if (value.is_array())
      for (const auto& each : value) add(name, each);
  }
  return line;
}

/// A budget lasts as long as one price lets it: not as the cheapest of several does.
Status check_one_price(const ScriptOptions& options, const std::vector<price::Offer>& cheapest_first) {
  const auto& cheapest = cheapest_first.front();
  if (options.wishes.budget.empty() || !options.wishes.price.empty() || !cheapest.per_hour) return {};
  for (const auto& other : cheapest_first)
    if (other.per_hour && (other.per_hour != cheapest.per_hour || other.currency != cheapest.currency))
      return fail(
          ErrorCode::invalid_argument,
          "--offer '{}' has several prices, {} {} an hour as {} and {} {} as {}: name one of them, or "
          "say --price",
          options.wishes.offer, price::decimal_text(*cheapest.per_hour), cheapest.currency,
          price::offer_name(cheapest), price::decimal_text(*other.per_hour), other.currency,
          price::offer_name(other));
  return {};
}

/// By its name alone; of a price list, with its price.
Result<price::Offer> offer_of(const ScriptOptions& options, const std::vector<price::Rule>& rules) {
  if (options.offers.empty()) return script::offer_of_name(options.wishes.offer);
  NEPH_TRY(const auto lists, load_offers({.offers = options.offers, .provider = {}}, rules));
  NEPH_TRY(const auto found, price::find_offers(options.wishes.offer, lists.offers));
  NEPH_CHECK(check_one_price(options, found));
  return found.front();
}

Status write_script(const ScriptOptions& options) {
  if (options.experiment.empty())
    return fail(ErrorCode::invalid_argument,
                "which experiment? Give the number of a stored one (neph runs), or a TOML file");
  if (options.wishes.offer.empty())
    return fail(
        ErrorCode::invalid_argument,
        "which machine? Give --offer gcp/n1-standard-8+v100:1, or own/NAME for one that is not rented");
  NEPH_TRY(const auto rules, price_rules(options.rules));
  NEPH_TRY(const auto offer, offer_of(options, rules));
  NEPH_TRY(auto job, script_job(options.experiment, options.store, options.part));
  job.command = command_of(options);
  NEPH_TRY(const auto text, script::script(job, offer, options.wishes, rules));
  print_data(text);
  constexpr std::size_t most_of_aws = 16384;
  if (options.wishes.format == script::Format::cloud_init && text.size() > most_of_aws)
    talk("{} bytes are more than the 16384 that AWS takes: gzip it, cloud-init reads that too\n",
         text.size());
  return tell_needs(job, offer, options.wishes, rules);
}

}  // namespace

void declare_script(Command& command) {
  auto options = std::make_shared<ScriptOptions>();
  command.fields(*options, "experiment");
  command.flag("whole", options->part.whole,
               "a training to its end, once, with the trained network among the results; of several "
               "configurations --cell says which");
  command.fields<script::Wishes>(options->wishes);
  command.footer(
      "The script installs, brings the data, runs, saves, and releases the machine: at the end, when a step\n"
      "fails, when it is killed, and before the budget is used up. sh run.sh --dry-run prints each step.\n"
      "  neph script 12 --offer gcp/n1-standard-8+v100:1 --results s3://bucket/x > run.sh\n"
      "The configuration that an advice recommends, trained to the end, and the network brought home:\n"
      "  neph script 1 --cell 1 --whole --offer gcp/n1-standard-8 --results s3://bucket/x > run.sh\n"
      "With a limit, and a folder of images from elsewhere:\n"
      "  neph script study.toml --offer selectel/gpu --results scp://me@host/srv/x --budget 500RUB \\\n"
      "    --price 100RUB/h --data photos=s3://bucket/photos > run.sh\n"
      "User data of a machine that begins by itself:\n"
      "  neph script 12 --offer azure/Standard_NC6 --results https://host/x --format cloud-init \\\n"
      "    --bundle https://host/neph.tar.gz > user-data\n"
      "A provider that neph does not know:\n"
      "  neph script 12 --offer hetzner/cx22 --results s3://bucket/x \\\n"
      "    --release-command 'hcloud server delete \"$(hostname)\"' > run.sh");
  command.action([options] { return write_script(*options); });
}

}  // namespace neph::cli
