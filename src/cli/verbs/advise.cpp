#include "advise/advise.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>

#include <fmt/format.h>

#include "cli/advise_store.hpp"
#include "cli/advise_table.hpp"
#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/price_offers.hpp"
#include "cli/price_rules.hpp"
#include "cli/results.hpp"
#include "cli/store_option.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "core/seconds.hpp"
#include "os/file.hpp"
#include "record/views.hpp"
#include "table/table.hpp"

namespace neph::cli {
namespace {

struct AdviseOptions {
  std::string measured;
  std::string store{default_store};
  std::int64_t infer = 0;
  std::string time;
  std::vector<std::string> where;
  std::string deadline, budget;
  std::vector<std::string> rate;
  Seconds p99{0};
  std::string start;
  std::vector<std::string> assume;
  std::string rules;
  std::int64_t simulations = 10'000;
  std::int64_t seed = 1;
  std::int64_t limit = 10;
  std::string html;
};

template <class Visit, Describes<AdviseOptions> Self>
void describe(Visit&& v, Self& s) {
  v("measured", s.measured,
    "what was measured: number of an experiment (neph runs), or a table of times; empty: the newest "
    "experiment");
  v("store", s.store, store_help);
  v("infer", s.infer, "number of an experiment of infer or load instead: machines for a --rate of requests",
    at_least(0));
  v("time", s.time,
    "column of the table that has the times, in seconds unless its name ends in _ms, _min or _h");
  v("where", s.where, "only what has this value: model=resnet50; may be given several times");
  v("deadline", s.deadline,
    "latest end, from the machine's start to the saved result: 2h, 90min, 2026-11-25T18:00Z");
  v("budget", s.budget, "most that a job may cost: 10USD");
  v("rate", s.rate,
    "requests per second that are offered, with --infer: 200; or what a currency is worth: EUR=1.08USD");
  v("p99", s.p99, "latency objective of --infer: 99 % are answered within this; 0s: none", between(0, 1e5));
  v("start", s.start,
    "when the machine is started, of rules by the clock: 2026-11-24T13:25+03:00, or 13:25 UTC; empty: now");
  v("assume", s.assume,
    "a stage around the job where nothing is measured, instead of boot=40s, install=5min, poweroff=30s");
  v("rules", s.rules, price_rules_help);
  v("simulations", s.simulations, "draws behind the probabilities", between(1, 1e6));
  v("seed", s.seed, "seed of the draws", at_least(0));
  v("limit", s.limit, "candidates in the table", between(1, 1e6));
  v("html", s.html, "file to write a page with charts to, which loads nothing from anywhere");
}

struct AdviseCommand {
  AdviseOptions options;
  OfferFiles files;
  price::OfferChoice choice;
  bool json = false;
};

price::Instant now() { return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()); }

Result<price::Instant> begin_of(const AdviseOptions& options) {
  const auto moment = now();
  if (options.start.empty()) return moment;
  return price::parse_instant(options.start, "UTC", moment);
}

/// A length, or a moment. Errors: invalid_argument.
Result<std::optional<double>> deadline_of(const AdviseOptions& options, price::Instant begin) {
  const auto& text = options.deadline;
  if (text.empty()) return std::nullopt;
  if (text.find(':') == std::string::npos) {
    auto length = price::parse_length(text);
    if (!length) return fail_in("--deadline", std::move(length).error());
    return seconds(*length);
  }
  auto end = price::parse_instant(text, "UTC", begin);
  if (!end) return fail_in("--deadline", std::move(end).error());
  if (*end <= begin)
    return fail(ErrorCode::invalid_argument,
                "--deadline {} is over before the machine is started; give a later one", text);
  return seconds(*end - begin);
}

struct Budget {
  std::optional<price::Exact> amount;
  std::string currency;
};

Result<Budget> budget_of(const std::string& text) {
  if (text.empty()) return Budget{};
  const auto price = price::parse_price(text + "/h");  // an amount is written as a price is
  if (!price)
    return fail(ErrorCode::invalid_argument, "--budget {}: give an amount above 0 and its currency, as 10USD",
                text);
  return Budget{price->per_hour, price->currency};
}

/// What was given as --rate: a number of requests, or currencies.
struct Rates {
  double per_s = 0;
  std::vector<price::Rate> currencies;
};

Result<Rates> rates_of(const AdviseOptions& options) {
  Rates rates;
  std::vector<std::string> currencies;
  for (const auto& text : options.rate) {
    if (text.find('=') != std::string::npos) {
      currencies.push_back(text);
      continue;
    }
    const auto* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, rates.per_s);
    if (read.ec != std::errc{} || read.ptr != end || !(rates.per_s > 0))
      return fail(ErrorCode::invalid_argument,
                  "--rate {}: give requests per second above 0, as 200, or a currency, as EUR=1.08USD", text);
  }
  NEPH_TRY(rates.currencies, price::parse_rates(currencies));
  return rates;
}

struct Market {
  std::vector<price::Offer> offers;
  std::vector<price::Rule> rules;
  std::vector<std::string> notes;
  const std::string& currency() const { return offers.front().currency; }
};

/// In one currency: the budget's, where there is one.
Result<Market> market_of(const AdviseCommand& command, const std::vector<price::Rate>& rates,
                         const std::string& currency) {
  Market market;
  NEPH_TRY(market.rules, price_rules(command.options.rules));
  NEPH_TRY(auto all, load_offers(command.files, market.rules));
  NEPH_TRY(auto chosen, price::choose(std::move(all.offers), command.choice));
  if (chosen.offers.empty())
    return fail(ErrorCode::not_found,
                "no offer is left by --machine, --gpu, --region, --cores, --memory and --spot; "
                "neph price list shows what they leave");
  NEPH_CHECK(price::into_one_currency(chosen.offers, rates, currency));
  market.offers = std::move(chosen.offers);
  market.notes = std::move(all.notes);
  return market;
}

struct Measured {
  std::string source, noun = "job";
  std::vector<advise::Configuration> configurations;
  std::vector<std::string> notes;
};

std::optional<std::int64_t> number_in(const std::string& text) {
  std::int64_t number = 0;
  const auto* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(number) : std::nullopt;
}

Result<report::Document> experiment_of(const AdviseOptions& options, std::int64_t id) {
  NEPH_TRY(const auto store, store::Store::open(options.store, store::Access::read));
  return load_document(store, id, store::Detail::full);
}

Result<Measured> measured_by(const AdviseOptions& options) {
  const auto number = options.measured.empty() ? std::optional<std::int64_t>(0) : number_in(options.measured);
  if (number) {
    if (!options.time.empty())
      return fail(ErrorCode::invalid_argument, "--time is of a table, and {} is an experiment",
                  options.measured.empty() ? "the newest" : options.measured);
    NEPH_TRY(const auto document, experiment_of(options, *number));
    Measured measured{.source = fmt::format("experiment {} of {}", document.experiment.id, options.store)};
    if (document.experiment.workload == "train") measured.noun = "training";
    NEPH_TRY(measured.configurations, configurations_of(document, options.where));
    return measured;
  }
  if (table::is_store(options.measured))
    return fail(ErrorCode::invalid_argument, "{} is a store: neph advise 12 --store {} takes experiment 12",
                options.measured, options.measured);
  NEPH_TRY(const auto table, table::read_table(options.measured));
  NEPH_TRY(auto times, times_in(table, options.time, options.where));
  return Measured{.source = options.measured,
                  .configurations = std::move(times.configurations),
                  .notes = std::move(times.notes)};
}

Result<std::vector<price::Stretch>> assumed_by(const AdviseOptions& options) {
  std::vector<price::Stretch> own;
  for (const auto& text : options.assume) {
    NEPH_TRY(const auto stage, price::parse_stage(text, "--assume"));
    own.push_back(stage);
  }
  return price::assumptions_with(std::move(own));
}

void add_notes(std::vector<std::string> notes, Advice& advice) {
  std::ranges::move(notes, std::back_inserter(advice.assumptions));
}

Result<Advice> advice_for_jobs(const AdviseCommand& command, const Rates& rates) {
  const auto& options = command.options;
  NEPH_TRY(const auto begin, begin_of(options));
  NEPH_TRY(const auto deadline, deadline_of(options, begin));
  NEPH_TRY(const auto budget, budget_of(options.budget));
  NEPH_TRY(auto assumed, assumed_by(options));
  NEPH_TRY(auto measured, measured_by(options));
  NEPH_TRY(auto market, market_of(command, rates.currencies, budget.currency));
  const advise::Request request{.source = measured.source,
                                .noun = measured.noun,
                                .deadline_s = deadline,
                                .budget = budget.amount,
                                .currency = market.currency(),
                                .begin = begin,
                                .assumed = std::move(assumed),
                                .is_spot = command.choice.spot,
                                .rules = std::move(market.rules),
                                .simulations = options.simulations,
                                .seed = options.seed};
  NEPH_TRY(auto advice, advise::advise(measured.configurations, market.offers, request));
  add_notes(std::move(measured.notes), advice);
  add_notes(std::move(market.notes), advice);
  return advice;
}

Result<Advice> advice_for_a_rate(const AdviseCommand& command, const Rates& rates) {
  const auto& options = command.options;
  if (rates.per_s == 0)
    return fail(ErrorCode::invalid_argument, "--infer: for how many requests per second? --rate 200");
  if (!options.measured.empty() || !options.deadline.empty() || !options.budget.empty())
    return fail(
        ErrorCode::invalid_argument,
        "--infer is of a rate that never ends: it takes no other experiment, no --deadline and no --budget");
  NEPH_TRY(const auto document, experiment_of(options, options.infer));
  NEPH_TRY(const auto capacities, capacities_of(document, options.where, options.p99.value));
  NEPH_TRY(auto market, market_of(command, rates.currencies, {}));
  NEPH_TRY(auto advice,
           advise::advise_rate(
               capacities, market.offers,
               {.source = fmt::format("experiment {} of {}", document.experiment.id, options.store),
                .objective = options.p99.value > 0 ? "p99 within " + seconds_text(options.p99) : "",
                .rate_per_s = rates.per_s,
                .currency = market.currency(),
                .item = std::string(view_of(document.experiment.workload).item),
                .is_spot = command.choice.spot,
                .rules = std::move(market.rules)}));
  add_notes(std::move(market.notes), advice);
  return advice;
}

Status show_advice(const AdviseCommand& command, bool is_of_rate) {
  const auto& options = command.options;
  if (!options.html.empty())
    NEPH_CHECK(check_output_file("--html", options.html, {options.measured, options.store}));
  NEPH_TRY(const auto rates, rates_of(options));
  if (!is_of_rate && rates.per_s > 0)
    return fail(ErrorCode::invalid_argument,
                "--rate {} asks for machines for a rate: of which experiment? --infer 7", rates.per_s);
  NEPH_TRY(const auto advice,
           is_of_rate ? advice_for_a_rate(command, rates) : advice_for_jobs(command, rates));
  if (!options.html.empty()) NEPH_CHECK(write_file(options.html, report::html(advice)));
  if (command.json)
    fmt::print("{}\n", dump_json(to_json(advice), true));
  else
    fmt::print("{}", report::text_summary(advice, {.width = terminal_width(),
                                                   .limit = static_cast<std::size_t>(options.limit)}));
  return {};
}

}  // namespace

void declare_advise(Command& command) {
  auto advise = std::make_shared<AdviseCommand>();
  command.fields(advise->options, "measured");
  command.fields(advise->files);
  command.fields(advise->choice);
  command.flag("json", advise->json, "as JSON on stdout, with all candidates");
  command.footer(
      "Examples:\n"
      "  neph advise 12 --offers prices.csv --deadline 2h --budget 10USD\n"
      "  neph advise times.csv --offers prices.csv --time train_s --html advice.html\n"
      "  neph advise --infer 7 --rate 200 --p99 100ms --offers prices.csv\n"
      "A table has a row per configuration, or per run of it. Its columns cores (threads, vcpus), gpus, "
      "gpu,\n"
      "memory_gb, in, arch, provider and instance say what a configuration needs; TIME_low and TIME_high are "
      "the\n"
      "95 % interval; a row with 'predicted' or 'refused' is never recommended. Other columns name\n"
      "configurations. docs/method/advice.md has the method.");
  command.action(
      [advise, is_of_rate = command.asked("infer")] { return show_advice(*advise, is_of_rate()); });
}

}  // namespace neph::cli
