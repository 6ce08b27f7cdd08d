#include "advise/advise.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/advise_options.hpp"
#include "cli/advise_store.hpp"
#include "cli/advise_unmeasured.hpp"
#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/price_offers.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "core/seconds.hpp"
#include "core/units.hpp"
#include "os/file.hpp"
#include "record/views.hpp"

namespace neph::cli {
namespace {

struct AdviseCommand {
  AdviseOptions options;
  OfferFiles files;
  price::OfferChoice choice;
  bool json = false;
};

struct Market {
  std::vector<price::Offer> offers;
  std::vector<price::Rule> rules;
  std::vector<std::string> notes;
  const std::string& currency() const { return offers.front().currency; }
};

/// A cluster of one's own has jobs of any size: one that is just what is needed.
void add_jobs_of_clusters(std::vector<price::Offer>& offers, const std::vector<advise::Needs>& needs) {
  constexpr double gib = 1073741824, usual_gib_per_core = 4;
  std::vector<price::Offer> clusters, jobs;
  std::ranges::copy_if(offers, std::back_inserter(clusters),
                       [](const price::Offer& offer) { return offer.unit_prices != nullptr; });
  if (clusters.empty()) return;
  for (const auto& each : needs) {
    const double cores = std::max(1.0, std::ceil(each.cores.value_or(1)));
    const double memory =
        each.memory_bytes ? std::ceil(*each.memory_bytes / gib) : usual_gib_per_core * cores;
    auto name = fmt::format("slurm/{}CPU--{}GB", cores, memory);
    if (each.gpus > 0 && !each.gpu.empty()) name += fmt::format("--{}:{}", each.gpu, each.gpus);
    if (auto found = price::find_offers(name, clusters)) std::ranges::move(*found, std::back_inserter(jobs));
  }
  std::erase_if(offers, [](const price::Offer& offer) { return offer.unit_prices != nullptr; });
  std::ranges::move(jobs, std::back_inserter(offers));
}

/// In one currency: the budget's, where there is one.
Result<Market> market_of(const AdviseCommand& command, const std::vector<price::Rate>& rates,
                         const std::string& currency, const std::vector<advise::Needs>& needs) {
  Market market;
  NEPH_TRY(market.rules, price_rules(command.options.rules));
  NEPH_TRY(auto all, load_offers(command.files, market.rules));
  add_jobs_of_clusters(all.offers, needs);
  NEPH_TRY(auto chosen, price::choose(std::move(all.offers), command.choice));
  if (chosen.offers.empty())
    return fail(ErrorCode::not_found,
                "no offer is left by --machine, --gpu, --region, --cores, --memory and --spot; "
                "neph price list shows what they leave");
  NEPH_CHECK(price::into_one_currency(chosen.offers, rates, currency));
  market.offers = std::move(chosen.offers);
  market.notes = std::move(all.notes);
  for (const auto& list : all.lists)
    if (const auto count =
            std::ranges::count(list.findings, price::Flaw::implausible_price, &price::Finding::flaw))
      market.notes.push_back(fmt::format("{} of {} left out: prices too low to be true (neph price lint).",
                                         counted(count, "offer"), list.source.file));
  if (auto other = price::passed_over_text(chosen, command.choice); !other.empty())
    market.notes.push_back(std::move(other));
  if (!rates.empty())
    market.notes.push_back(fmt::format("Currencies are exchanged as --rate says: {}.",
                                       fmt::join(price::rate_texts(rates), ", ")));
  return market;
}

void add_notes(std::vector<std::string> notes, Advice& advice) {
  std::ranges::move(notes, std::back_inserter(advice.assumptions));
}

const advise::Needs& needs_in(const advise::Configuration& configuration) { return configuration.needs; }
const advise::Needs& needs_in(const advise::Capacity& capacity) { return capacity.configuration.needs; }

template <class Configurations>
std::vector<advise::Needs> needs_of(const Configurations& configurations) {
  std::vector<advise::Needs> needs;
  for (const auto& each : configurations) needs.push_back(needs_in(each));
  return needs;
}

/// Beside the measured configurations, on the market's other hardware.
Status add_unmeasured(const AdviseOptions& options, Market& market, Measured& measured) {
  device::SheetFile own;
  if (!options.machines.empty()) {
    NEPH_TRY(own, device::read_sheets(options.machines));
  }
  const auto sheets = device::built_in_and(own);
  look_up_hardware(market.offers, sheets);
  NEPH_TRY(auto predicted, on_unmeasured(measured.configurations, market.offers, sheets));
  std::ranges::move(predicted.configurations, std::back_inserter(measured.configurations));
  std::ranges::move(predicted.notes, std::back_inserter(measured.notes));
  return {};
}

Result<Advice> advice_for_jobs(const AdviseCommand& command, const Rates& rates) {
  const auto& options = command.options;
  NEPH_TRY(const auto begin, begin_of(options));
  NEPH_TRY(const auto deadline, deadline_of(options, begin));
  NEPH_TRY(const auto budget, budget_of(options));
  NEPH_TRY(auto assumed, assumed_by(options));
  NEPH_TRY(auto measured, measured_by(options));
  NEPH_TRY(auto market,
           market_of(command, rates.currencies, budget.currency, needs_of(measured.configurations)));
  if (options.unmeasured) NEPH_CHECK(add_unmeasured(options, market, measured));
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
  const auto& workload = document.experiment.workload;
  if (workload != view::infer.workload && workload != view::load.workload)
    return fail(ErrorCode::invalid_argument, "experiment {} is of {}; --infer is for one of infer or load",
                document.experiment.id, workload);
  NEPH_TRY(const auto capacities, capacities_of(document, options.where, options.p99.value));
  NEPH_TRY(auto market, market_of(command, rates.currencies, {}, needs_of(capacities)));
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
  if (options.unmeasured && is_of_rate)
    return fail(ErrorCode::invalid_argument,
                "--unmeasured is of jobs that end: rates of --infer are not predicted");
  if (!options.machines.empty() && !options.unmeasured)
    return fail(ErrorCode::invalid_argument, "--machines is for --unmeasured, which is missing");
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
  command.flag(
      "unmeasured", advise->options.unmeasured,
      "also predict the jobs on GPUs and CPUs of the offers that were not measured, and name the one to "
      "measure first; a predicted one is never recommended");
  command.flag("json", advise->json, "as JSON on stdout, with all candidates");
  command.footer(
      "Examples:\n"
      "  neph advise 12 --offers prices.csv --deadline 2h --budget 10USD\n"
      "  neph advise 12 --offers prices/ --unmeasured\n"
      "  neph advise times.csv --offers prices.csv --time train_s --html advice.html\n"
      "  neph advise --infer 7 --rate 200 --p99 100ms --offers prices.csv\n"
      "A table has a row per configuration, or per run of it. Its columns cores (threads, vcpus), gpus, "
      "gpu,\n"
      "memory_gb, in, arch, provider and instance say what a configuration needs; TIME_low and TIME_high are "
      "the\n"
      "95 % interval; a row with 'predicted' or 'refused' is never recommended. Seeds and run numbers tell\n"
      "repeats apart, accuracy, loss and rates are results, and other columns name configurations.\n"
      "docs/method/advice.md has the method.");
  command.action(
      [advise, is_of_rate = command.asked("infer")] { return show_advice(*advise, is_of_rate()); });
}

}  // namespace neph::cli
