#include "cli/money.hpp"

#include <cmath>
#include <optional>

#include "price/price.hpp"
#include "record/metrics.hpp"
#include "record/views.hpp"

namespace neph::cli {
namespace {

constexpr std::string_view usual_rule = "per-second";

struct Terms {
  price::Rule rule;
  price::Price price;
  double per_s = 0;
};

Result<Terms> terms_of(const std::string& price, const std::string& rule) {
  Terms terms;
  NEPH_TRY(terms.price, price::parse_price(price));
  NEPH_TRY(terms.rule, price::find_rule(rule.empty() ? usual_rule : rule, price::built_in_rules()));
  terms.per_s = price::approximate(terms.price.per_hour) / 3600;
  return terms;
}

/// Of items per second what a million of them cost: the highest rate makes the lowest cost.
Estimate of_a_million(const Estimate& rate, double per_s) {
  Estimate cost{.value = 1e6 * per_s / rate.value, .n = rate.n};
  if (!rate.low || !rate.high || *rate.low <= 0) return cost;
  cost.low = 1e6 * per_s / *rate.high;
  cost.high = 1e6 * per_s / *rate.low;
  return cost;
}

Result<Estimate> billed(const Terms& terms, const price::Hire& hire, std::int64_t runs) {
  NEPH_TRY(const auto priced, price::priced(terms.rule, terms.price, hire));
  Estimate cost{.value = price::approximate(priced.bill.amount), .n = runs};
  if (priced.low) cost.low = price::approximate(*priced.low);
  if (priced.high) cost.high = price::approximate(*priced.high);
  return cost;
}

/// Begun at the full hour, so that the same results cost the same whenever they are looked at.
price::Hire hire_of(price::Work work) { return {.work = std::move(work), .begins = {price::Instant{}}}; }

Result<std::map<std::string, Estimate>> costs_by_stage(const Terms& terms, const price::Hire& hire) {
  NEPH_TRY(const auto priced, price::priced(terms.rule, terms.price, hire));
  std::map<std::string, Estimate> costs;
  for (const auto& line : priced.bill.lines) {
    auto name = std::string(line.is_rounding ? rounding_part : enum_name(line.stage));
    if (line.known == price::Known::assumed) name = assumed_part(name);
    if (!line.is_billed) continue;
    auto& cost = costs.try_emplace(name, Estimate{.value = 0, .n = 1}).first->second;
    cost.value += price::approximate(line.amount);
  }
  return costs;
}

/// Of what is done item by item; of a training it is the epoch that has a price.
bool has_price_of_items(const View& view) {
  const auto* main = view.main.empty() ? nullptr : &view.main.front();
  return main != nullptr && main->name.ends_with("_per_s") && view.workload != view::train.workload;
}

/// In place of what an earlier price made of it.
void add_marginal_costs(const Terms& terms, const View& view, Run& run) {
  const auto speed = speed_of(view, run);
  if (!speed || *speed <= 0 || !has_price_of_items(view)) return;
  const auto& metric = metric::cost_per_million;
  std::erase_if(run.result.figures, [&](const Figure& figure) { return figure.name == metric.name; });
  run.result.figures.push_back(figure(metric, of_a_million({.value = *speed, .n = 1}, terms.per_s)));
}

/// What is known of its speed, whatever it was bound to.
void add_marginal_costs(const Terms& terms, const View& view, CellSummary& cell) {
  const auto put = [&](const Metric& metric, const Estimate& cost) {
    if (std::isfinite(cost.value)) cell.figures[std::string(metric.name)] = cost;
  };
  if (has_price_of_items(view))
    put(metric::cost_per_million, of_a_million(speed_of(view, cell), terms.per_s));
  if (const auto epoch = cell.figures.find(std::string(metric::epoch_s.name)); epoch != cell.figures.end())
    put(metric::cost_per_epoch, scaled(epoch->second, terms.per_s));
}

Status add_bills(const Terms& terms, CellSummary& cell) {
  const auto training = cell.figures.find(std::string(metric::training_s.name));
  if (training != cell.figures.end() && std::isfinite(training->second.value)) {
    auto learning = hire_of({.stages = {{.stage = BillStage::learn, .seconds = training->second}}});
    learning.around.given = {{.stage = BillStage::idle, .known = price::Known::given}};  // nothing after it
    NEPH_TRY(cell.figures[std::string(metric::cost_of_training.name)],
             billed(terms, learning, training->second.n));
  }
  NEPH_TRY(auto work, price::work_of(cell));
  auto run = hire_of(std::move(work));
  run.around.assumed = price::usual_assumptions();
  NEPH_TRY(cell.figures[std::string(metric::cost_of_run.name)], billed(terms, run, cell.runs_ok));
  NEPH_TRY(cell.costs, costs_by_stage(terms, run));
  return {};
}

}  // namespace

Status check_money(const MoneyOptions& money) {
  if (money.price.empty() && money.rule.empty()) return {};
  if (money.price.empty())
    return fail(ErrorCode::invalid_argument, "--rule {}: of which price? Add --price 0.40USD/h", money.rule);
  NEPH_CHECK(terms_of(money.price, money.rule));
  return {};
}

Status add_costs(report::Document& document, const MoneyOptions& money) {
  auto& experiment = document.experiment;
  if (!money.price.empty()) {
    experiment.price = money.price;
    experiment.price_rule.clear();
  }
  if (!money.rule.empty()) experiment.price_rule = money.rule;
  NEPH_CHECK(check_money({.price = experiment.price, .rule = experiment.price_rule}));
  if (experiment.price.empty()) return {};
  NEPH_TRY(const auto terms, terms_of(experiment.price, experiment.price_rule));
  document.currency = terms.price.currency;
  const auto& view = view_of(experiment.workload, document.cells);
  for (auto& cell : document.cells) {
    if (cell.runs_ok == 0) continue;
    add_marginal_costs(terms, view, cell);
    NEPH_CHECK(add_bills(terms, cell));
  }
  for (auto& run : document.runs) add_marginal_costs(terms, view, run);
  return {};
}

}  // namespace neph::cli
