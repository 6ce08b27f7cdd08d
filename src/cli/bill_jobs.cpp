#include "cli/bill_jobs.hpp"

#include <algorithm>
#include <charconv>

#include "cli/results.hpp"
#include "cli/terminal.hpp"
#include "core/json.hpp"
#include "core/names.hpp"
#include "core/units.hpp"
#include "core/values.hpp"
#include "experiment/experiment.hpp"
#include "os/file.hpp"

namespace neph::cli {
namespace {

/// Of several marked starts it is known what each did, and not what another would do.
Status check_marked(const BillOptions& options, const price::Hire& hire, bool has_experiment) {
  const auto refused = [&](std::string_view option) {
    return fail(ErrorCode::invalid_argument, "{}: {} starts are marked in it; bill them without {}",
                options.marks, hire.marked.size(), option);
  };
  if (hire.marked.size() < 2) return {};
  if (has_experiment) return refused("an experiment: neph bill --marks has all of their time");
  if (options.jobs > 1) return refused("--jobs");
  if (options.warm) return refused("--warm");
  return {};
}

/// A hire without its work: what the machine does around it.
Result<price::Hire> hire_around(const BillOptions& options, bool has_experiment) {
  price::Hire hire{.jobs = options.jobs};
  auto& sources = hire.around;
  NEPH_TRY(sources.given, price::parse_stages(options.phase, "--phase"));
  NEPH_TRY(auto assumed, price::parse_stages(options.assume, "--assume"));
  if (!options.idle.empty()) {
    NEPH_TRY(const auto idle, price::parse_length(options.idle));
    const auto after = std::ranges::find_if(
        sources.given, [](const auto& stretch) { return stretch.stage > BillStage::idle; });
    sources.given.insert(after, {.stage = BillStage::idle, .length = idle, .known = price::Known::given});
  }
  if (!options.marks.empty()) {
    NEPH_TRY(const auto text, read_file(options.marks));
    NEPH_TRY(hire.marked, price::parse_marks(text, options.marks));
    sources.marks = hire.marked.front().stages;
    for (auto& stretch : price::assumptions_with(std::move(assumed)))
      if (!price::is_marked_from_inside(stretch.stage)) sources.assumed.push_back(stretch);
  } else if (has_experiment) {
    sources.assumed = price::assumptions_with(std::move(assumed));
  } else {
    for (auto& stretch : assumed) stretch.known = price::Known::assumed;
    sources.assumed = std::move(assumed);
  }
  NEPH_CHECK(check_marked(options, hire, has_experiment));
  if (options.warm) sources = price::on_a_warm_machine(std::move(sources));
  return hire;
}

/// A configuration by its number or its name.
Result<std::vector<CellSummary>> chosen(std::vector<CellSummary> cells, const std::string& wanted) {
  if (wanted.empty()) return cells;
  std::vector<std::string> names;
  std::int64_t number = -1;
  const auto* const end = wanted.data() + wanted.size();
  const auto read = std::from_chars(wanted.data(), end, number);
  const bool is_number = read.ec == std::errc() && read.ptr == end;
  for (auto& cell : cells) {
    if (is_number ? cell.cell.index == number : cell.cell.label == wanted)
      return std::vector{std::move(cell)};
    names.push_back(is_number ? std::to_string(cell.cell.index) : cell.cell.label);
  }
  return unknown_name(ErrorCode::not_found, "configuration", wanted, names, "--cell");
}

struct Measured {
  std::int64_t experiment = 0;
  std::vector<CellSummary> cells;
};

Result<Measured> measured_run(const store::Store& store, const BillOptions& options) {
  NEPH_TRY(const auto run, store.run(options.run));
  if (options.experiment != 0 && run.experiment_id != options.experiment)
    return fail(ErrorCode::not_found, "run {} belongs to experiment {}, not {}", run.id, run.experiment_id,
                options.experiment);
  NEPH_TRY(const auto experiment, store.experiment(run.experiment_id));
  Measured measured{.experiment = run.experiment_id};
  for (auto& cell : experiment::summarise(experiment, {run}))
    if (cell.cell.index == run.cell) measured.cells.push_back(std::move(cell));
  return measured;
}

Result<Measured> measured(const BillOptions& options) {
  NEPH_TRY(const auto store, store::Store::open(options.store, store::Access::read));
  if (options.run != 0) return measured_run(store, options);
  NEPH_TRY(auto document, load_document(store, options.experiment, store::Detail::summary));
  NEPH_TRY(auto cells, chosen(std::move(document.cells), options.cell));
  return Measured{.experiment = document.experiment.id, .cells = std::move(cells)};
}

BilledJob job_of(const CellSummary& cell, price::Work work, const Measured& measured,
                 const BillOptions& options, const price::Hire& around) {
  BilledJob job{.name = cell.cell.label, .hire = around};
  job.hire.work = std::move(work);
  job.about = {
      {"experiment", measured.experiment}, {"cell", cell.cell.index}, {"configuration", cell.cell.label}};
  job.about[options.run != 0 ? "run" : "runs"] = options.run != 0 ? options.run : cell.runs_ok;
  job.heading =
      fmt::format("experiment {}, {} ({})", measured.experiment, cell.cell.label,
                  options.run != 0 ? fmt::format("run {}", options.run) : counted(cell.runs_ok, "run"));
  return job;
}

Result<std::vector<BilledJob>> jobs_of_experiment(const BillOptions& options) {
  NEPH_TRY(const auto found, measured(options));
  NEPH_TRY(const auto hire, hire_around(options, true));
  std::vector<BilledJob> jobs;
  std::optional<Error> last;
  for (const auto& cell : found.cells) {
    auto work = price::work_of(cell);
    if (work)
      jobs.push_back(job_of(cell, std::move(*work), found, options, hire));
    else
      talk("left out: {}\n", (last = work.error())->text());
  }
  if (jobs.empty())
    return last ? Result<std::vector<BilledJob>>(tl::unexpected(*last))
                : fail(ErrorCode::not_found, "experiment {} has no configuration", found.experiment);
  return jobs;
}

/// Where the price comes from, the rule still left open.
Result<BillTerms> price_given(const BillOptions& options) {
  if (options.price.empty())
    return fail(ErrorCode::invalid_argument,
                "no price given: --price 100RUB/h, --price '$0.40/h', or --offer of a price list");
  if (options.spot)
    return fail(ErrorCode::invalid_argument, "--spot goes with --offer; --price is what you say it is");
  BillTerms terms;
  NEPH_TRY(terms.price, price::parse_price(options.price));
  return terms;
}

Result<BillTerms> price_of_offer(const BillOptions& options, const std::vector<price::Rule>& rules) {
  NEPH_TRY(const auto lists, load_offers(options.lists, rules));
  for (const auto& note : lists.notes) talk("{}\n", note);
  NEPH_TRY(auto found, price::find_offers(options.offer, lists.offers));
  const auto price_in = [&](const price::Offer& offer) {
    return options.spot ? offer.spot_per_hour : offer.per_hour;
  };
  std::erase_if(found, [&](const price::Offer& offer) { return !price_in(offer); });
  if (found.empty())
    return fail(ErrorCode::not_found, "{} has no price {} in these lists; {}", options.offer,
                options.spot ? "for spot" : "on demand",
                options.spot ? "leave --spot out" : "--spot takes the one that it has");
  NEPH_TRY(const auto rates, price::parse_rates(options.rate));
  NEPH_CHECK(price::into_one_currency(found, rates));
  const auto cheapest = std::ranges::min_element(
      found, [&](const auto& one, const auto& other) { return *price_in(one) < *price_in(other); });
  return BillTerms{.price = {.per_hour = *price_in(*cheapest), .currency = cheapest->currency},
                   .offer = *cheapest,
                   .is_spot = options.spot,
                   .fitting = found.size()};
}

}  // namespace

Result<std::vector<BilledJob>> billed_jobs(const BillOptions& options) {
  if (options.experiment != 0 || options.run != 0) return jobs_of_experiment(options);
  if (!options.cell.empty())
    return fail(ErrorCode::invalid_argument, "--cell {}: of which experiment? neph bill 12 --cell {}",
                options.cell, shell_quoted(options.cell));
  BilledJob job;
  NEPH_TRY(job.hire, hire_around(options, false));
  if (job.hire.around.given.empty() && job.hire.around.marks.empty())
    return fail(ErrorCode::invalid_argument,
                "what is billed? Name an experiment, as neph bill 12, or give stages: --phase "
                "boot=40s,learn=20min");
  return std::vector{std::move(job)};
}

Result<std::vector<BillTerms>> bill_terms(const BillOptions& options) {
  if (!options.price.empty() && !options.offer.empty())
    return fail(ErrorCode::invalid_argument, "--price {} and --offer {}: which of the two is it?",
                options.price, options.offer);
  NEPH_TRY(const auto rules, price_rules(options.rules));
  NEPH_TRY(const auto priced, options.offer.empty() ? price_given(options) : price_of_offer(options, rules));
  std::vector<BillTerms> terms;
  if (options.rule.empty() && priced.offer) {
    terms.push_back(priced);
    NEPH_TRY(terms.back().rule, price::rule_of(*priced.offer, rules));
    return terms;
  }
  NEPH_TRY(const auto names, expand_values(options.rule.empty() ? "per-second" : options.rule));
  for (const auto& name : names) {
    terms.push_back(priced);
    NEPH_TRY(terms.back().rule, price::find_rule(name, rules));
  }
  return terms;
}

std::string offer_text(const BillTerms& terms) {
  if (!terms.offer) return {};
  const auto& offer = *terms.offer;
  return fmt::format(
      "{}, {}, of {}, prices of {}{}", price::offer_name(offer), terms.is_spot ? "spot" : "on demand",
      offer.catalogue, offer.date,
      terms.fitting > 1 ? fmt::format("; the cheapest of {} of that name", terms.fitting) : "");
}

Json offer_json(const BillTerms& terms) {
  if (!terms.offer) return nullptr;
  const auto& offer = *terms.offer;
  return {{"name", price::offer_name(offer)},
          {"region", offer.region},
          {"catalogue", offer.catalogue},
          {"date", offer.date},
          {"spot", terms.is_spot}};
}

}  // namespace neph::cli
