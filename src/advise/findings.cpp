#include "advise/findings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "advise/words.hpp"
#include "core/units.hpp"
#include "record/money_words.hpp"

namespace neph::advise {
namespace {

constexpr double sure = 0.95;  ///< from here on an answer needs no "as far as"

/// "0.52 USD (0.49 to 0.55)": the currency once; of less than a cent what 1,000 jobs cost.
std::string cost_text(const Found& found, const Candidate& candidate) {
  const auto& request = found.request;
  const auto& amount = candidate.bill.amount;
  const bool is_small = is_told_of_a_thousand(price::approximate(amount));
  const price::Exact jobs(is_small ? 1000 : 1);
  auto text = words_for_amount(amount * jobs, request.currency);
  const auto end = [&](const price::Exact& of) {
    auto words = words_for_amount(of * jobs, request.currency);
    words.erase(words.size() - request.currency.size() - 1);
    return words;
  };
  if (candidate.low && *candidate.low != *candidate.high)
    text += fmt::format(" ({} to {})", end(*candidate.low), end(*candidate.high));
  return is_small ? fmt::format("{} per 1,000 {}s", text, request.noun) : text;
}

std::string time_text(const Found& found, const Candidate& candidate) {
  const auto done = found.jobs[candidate.job].done();
  const auto text = words_for_time(done.value);
  if (!done.low || !done.high) return text;
  return fmt::format("{} ({} to {})", text, words_for_time(*done.low), words_for_time(*done.high));
}

std::string answer(const Found& found) {
  const auto& candidate = found.recommended();
  auto question = question_of(found.request);
  question[0] = 'T';
  auto text = fmt::format("{} is {}: {}, done in {}.", question, name_of(candidate, found.jobs),
                          cost_text(found, candidate), time_text(found, candidate));
  const auto& chances = is_by_cost(found.request) ? found.chances.cheapest : found.chances.fastest;
  if (chances[*found.choice.recommended].value_or(0) >= sure) return text;
  text[0] = 't';
  return "As far as these times tell, " + text;
}

/// How sure the answer is.
std::string chance_sentence(const Found& found) {
  const auto place = *found.choice.recommended;
  const auto& chances = found.chances;
  const bool is_for_cost = is_by_cost(found.request);
  const auto best = is_for_cost ? chances.cheapest[place] : chances.fastest[place];
  const auto simulations = found.request.simulations;
  std::string text;
  if (chances.deadline[place])
    text = fmt::format("The probability that it is in time is {}",
                       words_for_chance(*chances.deadline[place], simulations));
  if (best)
    text += fmt::format("{} that it is the {} {}{}", text.empty() ? "The probability" : ",",
                        is_for_cost ? "cheapest" : "fastest", text.empty() ? "is " : "",
                        words_for_chance(*best, simulations));
  if (!text.empty()) text += ".";
  if (chances.unknown.empty()) return text;
  return fmt::format("{}{}How sure the choice is cannot be said: {}.", text, text.empty() ? "" : " ",
                     chances.unknown);
}

/// Where the recommended one may well be late: the cheapest that is not.
std::string surer_sentence(const Found& found) {
  const auto place = *found.choice.recommended;
  const auto& in_time = found.chances.deadline;
  if (!in_time[place] || *in_time[place] >= sure) return {};
  for (std::size_t i = 0; i < found.candidates.size(); ++i)
    if (found.candidates[i].is_measured && in_time[i].value_or(0) >= sure &&
        (!found.request.budget || found.candidates[i].bill.amount <= *found.request.budget))
      return fmt::format("To be in time with {}: {}, {}.",
                         words_for_chance(*in_time[i], found.request.simulations), found.name(i),
                         cost_text(found, found.candidates[i]));
  return "Nothing within the limits is in time with 95 %.";
}

std::string doubt_sentence(const Found& found) {
  const auto& configuration = *found.jobs[found.recommended().job].configuration;
  return configuration.is_doubtful
             ? "Its measurement is doubtful (neph show says why): measure it again before relying on it."
             : "";
}

std::string other_sentence(const Found& found) {
  const auto& choice = found.choice;
  const bool is_for_cost = is_by_cost(found.request);
  const auto other = is_for_cost ? choice.fastest : choice.cheapest;
  if (!other || other == choice.recommended)
    return fmt::format("It is the {} too.", is_for_cost ? "fastest" : "cheapest");
  return fmt::format("The {} {} {}: {}, done in {}.", is_for_cost ? "fastest" : "cheapest",
                     words_for_limits(found.request).empty() ? "is" : "that keeps to the limits is",
                     found.name(*other), cost_text(found, found.candidates[*other]),
                     time_text(found, found.candidates[*other]));
}

std::string predicted_sentence(const Found& found, const Advice& advice) {
  if (!advice.to_measure.empty()) {
    const auto& first = advice.to_measure.front();
    const auto words = [](const Amount& amount) {
      return money_words(std::stod(amount.amount), amount.currency);
    };
    return fmt::format(
        "Not measured, and perhaps {}: {} on {}, predicted to cost {}; {} than the recommended one with "
        "a probability of {}{}. One run that measures it costs {}.",
        is_by_cost(found.request) ? "cheaper" : "faster", first.configuration, first.offer, words(first.cost),
        is_by_cost(found.request) ? "cheaper" : "faster",
        words_for_chance(first.p_better, found.request.simulations),
        is_by_cost(found.request)
            ? fmt::format(", saving {} a {} on average", words(first.saving), found.request.noun)
            : "",
        words(first.measuring));
  }
  for (std::size_t i = 0; i < found.candidates.size(); ++i) {
    const auto& candidate = found.candidates[i];
    if (candidate.is_measured || candidate.bill.amount >= found.recommended().bill.amount) continue;
    if (found.request.deadline_s && candidate.done_s > *found.request.deadline_s) continue;
    return fmt::format("A prediction says that {} would cost {}; it was not measured.", found.name(i),
                       cost_text(found, candidate));
  }
  return {};
}

std::string next_run_sentence(const Found& found, const Advice& advice) {
  if (advice.next_runs.empty()) return {};
  const auto& run = advice.next_runs.front();
  const auto simulations = found.request.simulations;
  auto text =
      fmt::format("One more run of {} ({} on {}) is expected to make the choice {} sure, not {}",
                  run.configuration, money_words(std::stod(run.cost.amount), run.cost.currency), run.offer,
                  words_for_chance(run.p_expected, simulations), words_for_chance(run.p_now, simulations));
  if (const auto& loss = found.chances.loss)
    text +=
        fmt::format("; being unsure costs {}{} on average", words_for_job(price::Exact(*loss), found.request),
                    is_told_of_a_thousand(*loss) ? "" : fmt::format(" a {}", found.request.noun));
  return text + ".";
}

}  // namespace

std::string question_of(const Request& request) {
  const auto what = is_by_cost(request) ? "the cheapest" : "the fastest";
  const auto limits = words_for_limits(request);
  return limits.empty() ? what : fmt::format("{} {}", what, limits);
}

std::vector<std::string> findings_of(const Found& found, const Advice& advice) {
  std::vector<std::string> sentences;
  for (auto& sentence :
       {answer(found), chance_sentence(found), doubt_sentence(found), surer_sentence(found),
        other_sentence(found), predicted_sentence(found, advice), next_run_sentence(found, advice)})
    if (!sentence.empty()) sentences.push_back(sentence);
  return sentences;
}

}  // namespace neph::advise
