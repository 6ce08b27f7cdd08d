// A made-up advice for the tests.
#pragma once

#include "report/report.hpp"

namespace neph::report {

inline Amount usd(std::string amount) { return {std::move(amount), "USD"}; }

inline AdvisedCandidate advised(const std::string& name, double cores, double seconds,
                                const std::string& cost, WhyNot why_not,
                                const std::string& place = "process") {
  AdvisedCandidate candidate{.configuration = name, .cores = cores, .place = place};
  candidate.offer = "aws/c5@us-east-1";
  candidate.rule = "aws-ec2";
  candidate.per_hour = usd("0.40");
  candidate.cost = usd(cost);
  candidate.cost_low = usd(cost + "0");
  candidate.cost_high = usd("9" + cost);
  candidate.seconds = {.value = seconds, .low = 0.9 * seconds, .high = 1.1 * seconds, .n = 3};
  candidate.p_deadline = 0.97;
  candidate.p_cheapest = 0.25;
  candidate.p_fastest = 0.25;
  candidate.is_on_front = why_not == WhyNot::recommended || why_not == WhyNot::on_front;
  candidate.why_not = why_not;
  candidate.why = why_not == WhyNot::recommended ? "" : "3 min slower and 0.1 USD dearer";
  return candidate;
}

/// `words` are in every place that has a user's.
inline Advice sample_advice(const std::string& words = "8 threads") {
  Advice advice{.source = "times.csv", .question = "the cheapest within 2 h"};
  advice.findings = {"The cheapest within 2 h is " + words + " on aws/c5@us-east-1: 0.41 USD.",
                     "It is in time with 97 %."};
  advice.deadline_s = 7200;
  advice.budget = usd("3.00");
  advice.recommended = advice.cheapest = 0;
  advice.fastest = 1;
  advice.candidates = {advised(words, 8, 3600, "0.41", WhyNot::recommended),
                       advised("16 threads", 16, 2400, "0.66", WhyNot::on_front),
                       advised("8 threads in docker", 8, 3700, "0.70", WhyNot::dominated, "docker"),
                       advised("4 threads", 4, 9000, "0.80", WhyNot::too_slow)};
  advice.candidates.push_back(advised("gpu", 4, 300, "0.90", WhyNot::predicted));
  advice.candidates.back().gpus = 1;
  advice.candidates.back().gpu = "V100";
  advice.candidates.back().is_predicted = true;
  advice.bill = {{.stage = "boot", .known = "assumed", .seconds = 40, .amount = usd("0.01")},
                 {.stage = "learn", .known = "measured", .seconds = 3600, .amount = usd("0.39")},
                 {.stage = "rounding", .known = "", .seconds = 60, .amount = usd("0.01")}};
  advice.left_out = {
      {.what = "offer", .reason = "price unknown", .example = "aws/mac1.metal", .count = 1200}};
  advice.break_evens = {"8 cores: 50 % slower than 16, 40 % cheaper."};
  advice.next_runs = {
      {.configuration = words, .offer = "aws/c5", .cost = usd("0.41"), .p_now = 0.25, .p_expected = 0.5}};
  advice.assumptions = {"Assumed, not measured: boot 40.0 s."};
  advice.simulations = 10'000;
  return advice;
}

}  // namespace neph::report
