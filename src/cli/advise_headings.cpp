#include "cli/advise_headings.hpp"

#include <algorithm>
#include <cctype>
#include <span>
#include <vector>

#include "core/text.hpp"

namespace neph::cli::heading {
namespace {

using Words = std::vector<std::string>;

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr std::array units{Unit{"s", 1},
                           Unit{"sec", 1},
                           Unit{"secs", 1},
                           Unit{"second", 1},
                           Unit{"seconds", 1},
                           Unit{"ms", 1e-3},
                           Unit{"msec", 1e-3},
                           Unit{"msecs", 1e-3},
                           Unit{"millis", 1e-3},
                           Unit{"millisecond", 1e-3},
                           Unit{"milliseconds", 1e-3},
                           Unit{"us", 1e-6},
                           Unit{"usec", 1e-6},
                           Unit{"\u00b5s", 1e-6},
                           Unit{"\u03bcs", 1e-6},
                           Unit{"microsecond", 1e-6},
                           Unit{"microseconds", 1e-6},
                           Unit{"ns", 1e-9},
                           Unit{"nsec", 1e-9},
                           Unit{"nanosecond", 1e-9},
                           Unit{"nanoseconds", 1e-9},
                           Unit{"min", 60},
                           Unit{"mins", 60},
                           Unit{"minute", 60},
                           Unit{"minutes", 60},
                           Unit{"h", 3600},
                           Unit{"hr", 3600},
                           Unit{"hrs", 3600},
                           Unit{"hour", 3600},
                           Unit{"hours", 3600},
                           Unit{"day", 86400},
                           Unit{"days", 86400}};
constexpr std::array<std::string_view, 10> unknown_units{"m",    "week",   "weeks", "month", "months",
                                                         "year", "cycles", "ticks", "ps",    "jiffies"};
constexpr std::array<std::string_view, 11> statistics{"mean", "median", "avg", "average", "max", "total",
                                                      "sum",  "p50",    "p90", "p95",     "p99"};
constexpr std::array<std::string_view, 10> ends_of_intervals{"low", "high",   "lower", "upper", "std",
                                                             "sd",  "stderr", "sem",   "ci",    "n"};
constexpr std::array<std::string_view, 6> times{"time",    "duration", "elapsed",
                                                "runtime", "walltime", "latency"};
constexpr std::array<std::string_view, 8> rates{"throughput", "fps", "ips",   "rps",
                                                "qps",        "hz",  "flops", "tflops"};
constexpr std::array<std::string_view, 20> repeats{
    "repeat",      "run",        "replicate", "repetition", "rep",    "trial",     "seed",
    "random_seed", "iter",       "iteration", "run_id",     "run_no", "timestamp", "date",
    "datetime",    "start_time", "end_time",  "started_at", "id",     "index"};
constexpr std::array<std::string_view, 8> experiments{
    "exp", "exp_name", "exp_id", "experiment", "experiment_name", "experiment_id", "trial_id", "trial_name"};
constexpr std::array<std::string_view, 15> results{"accuracy", "acc",        "loss",  "error",   "auc",
                                                   "f1",       "perplexity", "score", "speedup", "speed",
                                                   "cost",     "price",      "rmse",  "mse",     "mae"};

/// Times that were set, and not measured.
constexpr std::array<std::string_view, 7> settings{"delay", "timeout",  "interval", "limit",
                                                   "wait",  "deadline", "warmup"};

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Letters beyond ASCII are letters: "µs" is no "s".
bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0; }

Words words_of(std::string_view name) {
  Words words(1);
  for (const char c : name) {
    if (is_letter(c)) {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    if (!words.back().empty()) words.emplace_back();
    if (c == '/') words.back() = "per", words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::optional<double> unit_in(std::string_view word) {
  const auto found = std::ranges::find(units, word, &Unit::name);
  return found == units.end() ? std::nullopt : std::optional(found->seconds);
}

/// Without a statistic at the end: "train_ms_mean"; "train_s_min" is the least, and in seconds.
Words without_statistic(Words words) {
  while (words.size() > 1 &&
         (is_among(statistics, words.back()) || (words.back() == "min" && unit_in(words[words.size() - 2]))))
    words.pop_back();
  return words;
}

std::string joined(const Words& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : "_") + word;
  return text;
}

/// Of "s_per_image" the first, of "images_per_s" none: it is no time.
std::optional<std::size_t> place_of_per(const Words& words) {
  const auto per = std::ranges::find(words, "per");
  const auto place = static_cast<std::size_t>(per - words.begin());
  return per == words.end() || place == 0 ? std::nullopt : std::optional(place);
}

/// What stands in brackets at the end; empty: nothing.
std::string_view in_brackets(std::string_view name) {
  name = trimmed(name);
  if (!name.ends_with(')') && !name.ends_with(']')) return {};
  const auto begin = name.find_last_of("([");
  return begin == std::string_view::npos ? std::string_view()
                                         : name.substr(begin + 1, name.size() - begin - 2);
}

}  // namespace

std::string plain(std::string_view name) { return joined(words_of(name)); }

std::optional<double> unit_of(std::string_view name) {
  const auto words = without_statistic(words_of(name));
  if (words.empty()) return std::nullopt;
  if (const auto per = place_of_per(words))
    if (const auto unit = unit_in(words[*per - 1])) return unit;
  return unit_in(words.back());
}

bool is_rate(std::string_view name) {
  const auto words = words_of(name);
  if (words.empty()) return false;
  const auto per = place_of_per(words);
  const bool is_per_time =
      per && *per + 1 < words.size() && unit_in(words[*per + 1]) && !unit_in(words[*per - 1]);
  return is_per_time || std::ranges::any_of(words, [](const auto& word) { return is_among(rates, word); });
}

bool is_time(std::string_view name) {
  const auto words = without_statistic(words_of(name));
  const bool is_set = std::ranges::any_of(words, [](const auto& word) { return is_among(settings, word); });
  if (words.empty() || is_set || is_rate(name) || is_repeat(name)) return false;
  return unit_of(name) || is_among(times, words.back());
}

Status check_time(std::string_view name, const std::string& source) {
  if (is_rate(name))
    return fail(ErrorCode::invalid_argument,
                "{}: '{}' is a rate, and no time: the most would count as the slowest", source, name);
  const auto words = without_statistic(words_of(name));
  const auto bracket = in_brackets(name);
  const bool is_unknown = !words.empty() && is_among(unknown_units, words.back());
  if (unit_of(name) || (bracket.empty() && !is_unknown)) return {};
  return fail(ErrorCode::invalid_argument,
              "{}: '{}' has times in '{}', a unit that is not known; give them in one of s, ms, us, ns, min, "
              "h or days",
              source, name, bracket.empty() ? words.back() : bracket);
}

bool is_predicted(std::string_view name) { return plain(name).starts_with("predict"); }

bool is_repeat(std::string_view name) { return is_among(repeats, plain(name)); }

bool is_experiment(std::string_view name) { return is_among(experiments, plain(name)); }

bool is_result(std::string_view name) {
  auto words = without_statistic(words_of(name));
  if (words.size() > 1 && is_among(ends_of_intervals, words.back())) words.pop_back();
  const auto what = joined(words);
  return !words.empty() && (is_time(what) || is_rate(what) || is_among(results, words.back()));
}

bool is_of_machine(std::string_view name) {
  return std::ranges::any_of(words_of(name), [](const auto& word) {
    const bool is_cores = word.ends_with("core") || word.ends_with("cores");
    return word.find("gpu") != std::string::npos || word.find("cpu") != std::string::npos ||
           word.starts_with("accel") || (is_cores && word != "score" && word != "scores");
  });
}

}  // namespace neph::cli::heading
