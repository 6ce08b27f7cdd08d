// The nouns of an advice: which configuration on which machine does a job, by what it costs and how long it
// takes, and how sure that is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/describe.hpp"
#include "core/estimate.hpp"

namespace neph {

/// Money as it is written: exact, rounded once.
struct Amount {
  std::string amount;    ///< "200.00"
  std::string currency;  ///< ISO 4217
};
template <class Visit, Describes<Amount> Self>
void describe(Visit&& v, Self& s) {
  v("amount", s.amount, "a decimal number");
  v("currency", s.currency, "ISO 4217");
}

/// Why a candidate is not the recommended one.
enum class WhyNot { recommended, on_front, dominated, too_slow, over_budget, predicted };
constexpr auto enum_names(WhyNot) {
  return std::array{Named{WhyNot::recommended, "recommended"}, Named{WhyNot::on_front, "on the front"},
                    Named{WhyNot::dominated, "dominated"},     Named{WhyNot::too_slow, "too slow"},
                    Named{WhyNot::over_budget, "over budget"}, Named{WhyNot::predicted, "predicted only"}};
}

/// A configuration on the cheapest offer that can run it and is billed by one rule.
struct AdvisedCandidate {
  std::string configuration;
  std::optional<double> cores;
  std::int64_t gpus = 0;
  std::string gpu, place;
  std::string offer, rule;
  Amount per_hour;
  Amount cost;
  std::optional<Amount> cost_low, cost_high;
  double billed_s = 0;
  Estimate seconds;
  std::optional<double> p_deadline, p_cheapest, p_fastest;
  std::int64_t machines = 1;
  Estimate sustained_per_s;
  std::optional<Amount> per_million;
  std::optional<double> p_rate, p_better;
  bool is_predicted = false, is_on_front = false;
  WhyNot why_not = WhyNot::recommended;
  std::string why;
};
template <class Visit, Describes<AdvisedCandidate> Self>
void describe(Visit&& v, Self& s) {
  v("configuration", s.configuration, "what was varied, in words");
  v("cores", s.cores, "that it uses; null: not told");
  v("gpus", s.gpus, "that it uses");
  v("gpu", s.gpu, "their model; empty: none");
  v("place", s.place, "process or docker; empty: not told");
  v("offer", s.offer, "the cheapest machine that can run it, of those billed by this rule");
  v("rule", s.rule, "how its time is billed (neph price rules)");
  v("per_hour", s.per_hour, "price of one machine");
  v("cost", s.cost, "of the whole job; for a rate: of an hour of all machines");
  v("cost_low", s.cost_low, "at the lower end of the time's interval; null: no interval");
  v("cost_high", s.cost_high, "at its upper end");
  v("billed_s", s.billed_s, "time that is paid");
  v("seconds", s.seconds, "from the machine's start to the saved result; for a rate: not known");
  v("p_deadline", s.p_deadline, "probability that the result is there in time; null: not known");
  v("p_cheapest", s.p_cheapest, "probability of being the cheapest that keeps to all limits");
  v("p_fastest", s.p_fastest, "probability of being the fastest that keeps to all limits");
  v("machines", s.machines, "that are needed");
  v("sustained_per_s", s.sustained_per_s, "what one of them sustains; null: not asked for");
  v("per_million", s.per_million, "price of a million at the offered rate");
  v("p_rate", s.p_rate, "probability that so many machines sustain the rate");
  v("p_better", s.p_better,
    "of a predicted one: probability that it is cheaper (faster, if that is asked for) than the recommended "
    "one "
    "and keeps to all limits");
  v("predicted", s.is_predicted, "told by a model, and never recommended");
  v("on_front", s.is_on_front, "no measured candidate is both faster and cheaper");
  v("why_not", s.why_not, "why it is not the recommended one");
  v("why", s.why, "the same with figures");
}

/// Offers or configurations that are no candidates, for one reason.
struct LeftOut {
  std::string what, reason, example;
  std::int64_t count = 0;
};
template <class Visit, Describes<LeftOut> Self>
void describe(Visit&& v, Self& s) {
  v("what", s.what, "offer or configuration");
  v("reason", s.reason, "why they are no candidates");
  v("example", s.example, "the first of them");
  v("count", s.count, "how many");
}

/// What one more run would be worth.
struct NextRun {
  std::string configuration;
  std::string offer;
  Amount cost;
  double p_now = 0;
  double p_expected = 0;
};
template <class Visit, Describes<NextRun> Self>
void describe(Visit&& v, Self& s) {
  v("configuration", s.configuration, "what to run once more");
  v("offer", s.offer, "where that is cheapest");
  v("cost", s.cost, "of that run");
  v("p_now", s.p_now, "probability that the present choice is the best one");
  v("p_expected", s.p_expected, "what that of the best choice is expected to be afterwards");
}

/// A configuration that was only predicted, and might be better than the recommended one.
struct ToMeasure {
  std::string configuration, offer;
  Amount cost;  ///< as predicted
  double p_better = 0;
  Amount saving;  ///< on average over what may come out: nothing where it is not better
  Amount measuring;
  std::string command;
};
template <class Visit, Describes<ToMeasure> Self>
void describe(Visit&& v, Self& s) {
  v("configuration", s.configuration, "what to measure");
  v("offer", s.offer, "where that is cheapest");
  v("cost", s.cost, "of the job there, as predicted");
  v("p_better", s.p_better, "probability that it is better than the recommended one");
  v("saving", s.saving, "of a job, on average: nothing where it turns out to be no cheaper");
  v("measuring", s.measuring, "what one run there costs");
  v("command", s.command, "that makes the script which measures it; empty: the runs are not in a store");
}

/// A stage of the recommended candidate's bill.
struct AdvisedStage {
  std::string stage, known;
  double seconds = 0;
  Amount amount;
};
template <class Visit, Describes<AdvisedStage> Self>
void describe(Visit&& v, Self& s) {
  v("stage", s.stage, "of the bill, or rounding");
  v("known", s.known, "measured, assumed or given; empty: of rounding");
  v("seconds", s.seconds, "its length");
  v("amount", s.amount, "what it costs");
}

struct Advice {
  std::string source;
  std::string question;
  std::vector<std::string> findings;
  std::optional<double> deadline_s;
  std::optional<Amount> budget;
  std::optional<double> rate_per_s;
  std::optional<std::int64_t> recommended, cheapest, fastest;
  std::vector<AdvisedCandidate> candidates;
  std::vector<AdvisedStage> bill;
  std::vector<LeftOut> left_out;
  std::vector<std::string> break_evens;
  std::vector<NextRun> next_runs;
  std::vector<ToMeasure> to_measure;
  std::optional<Amount> expected_loss;
  std::vector<std::string> assumptions;
  std::int64_t simulations = 0;
  std::int64_t seed = 0;
};
template <class Visit, Describes<Advice> Self>
void describe(Visit&& v, Self& s) {
  v("source", s.source, "where the measurements are from");
  v("question", s.question, "what was looked for");
  v("findings", s.findings, "the answer in sentences, most important first");
  v("deadline_s", s.deadline_s, "from the machine's start to the saved result; null: none");
  v("budget", s.budget, "null: none");
  v("rate_per_s", s.rate_per_s, "that is offered; null: not of a rate");
  v("recommended", s.recommended, "place among the candidates");
  v("cheapest", s.cheapest, "of those that keep to all limits");
  v("fastest", s.fastest, "of those that keep to all limits");
  v("candidates", s.candidates, "the cheapest first");
  v("bill", s.bill, "of the recommended one, stage by stage");
  v("left_out", s.left_out, "what is no candidate, by reason");
  v("break_evens", s.break_evens, "where the choice turns");
  v("next_runs", s.next_runs, "measurements that would make the choice surer, the best first");
  v("to_measure", s.to_measure, "machines without a measurement that may be better, the best first");
  v("expected_loss", s.expected_loss,
    "what the choice costs too much on average, being uncertain; null: not known");
  v("assumptions", s.assumptions, "what all of this rests on");
  v("simulations", s.simulations, "draws behind the probabilities");
  v("seed", s.seed, "of them");
}

}  // namespace neph
