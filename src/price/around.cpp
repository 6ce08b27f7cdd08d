#include "price/around.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "core/json.hpp"
#include "core/names.hpp"
#include "core/values.hpp"

namespace neph::price {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

bool has(const std::vector<Stretch>& stretches, BillStage stage) {
  return std::ranges::find(stretches, stage, &Stretch::stage) != stretches.end();
}

void append(const std::vector<Stretch>& from, BillStage stage, std::vector<Stretch>& to) {
  std::ranges::copy_if(from, std::back_inserter(to),
                       [&](const Stretch& stretch) { return stretch.stage == stage; });
}

struct Mark {
  BillStage stage{};
  double begin_s = 0, end_s = 0;
  std::size_t line = 0;
};

Result<double> moment_of(const Json& mark, const char* name, const std::string& where) {
  const auto found = mark.find(name);
  if (found == mark.end() || !found->is_number() || !std::isfinite(found->get<double>()))
    return fail(ErrorCode::invalid_argument, "{}: no number {}; a mark is written {}", where, name,
                R"({"stage": "boot", "begin_s": 0, "end_s": 41.5})");
  return found->get<double>();
}

Result<Mark> parse_mark(std::string_view text, std::size_t line, std::string_view what) {
  const auto where = fmt::format("{}, line {}", what, line);
  NEPH_TRY(const auto json, parse_json(text, where));
  const auto name = json.is_object() && json.contains("stage") ? json["stage"] : Json();
  if (!name.is_string()) return fail(ErrorCode::invalid_argument, "{}: no stage; a mark names one", where);
  const auto stage = enum_value<BillStage>(name.get<std::string>());
  if (!stage)
    return unknown_name(ErrorCode::invalid_argument, "stage", name.get<std::string>(),
                        enum_choices<BillStage>(), where);
  Mark mark{.stage = *stage, .line = line};
  NEPH_TRY(mark.begin_s, moment_of(json, "begin_s", where));
  NEPH_TRY(mark.end_s, moment_of(json, "end_s", where));
  constexpr double longest_s = 36525 * 86400.0;
  if (std::abs(mark.begin_s) > longest_s || std::abs(mark.end_s) > longest_s)
    return fail(ErrorCode::invalid_argument, "{}: a moment more than 100 years from 1970", where);
  if (mark.end_s < mark.begin_s)
    return fail(ErrorCode::invalid_argument, "{}: {} ends before it begins", where, enum_name(*stage));
  return mark;
}

/// Moments since 1970 are known to less than a microsecond, and no step shall begin for what is below that.
Nanoseconds length_between(double begin_s, double end_s) {
  return std::chrono::microseconds(std::llround((end_s - begin_s) * 1e6));
}

Result<std::vector<Mark>> parse_lines(std::string_view lines, std::string_view what) {
  std::vector<Mark> marks;
  for (std::size_t number = 1; !lines.empty(); ++number) {
    const auto end = std::min(lines.find('\n'), lines.size());
    const auto line = lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    NEPH_TRY(const auto mark, parse_mark(line, number, what));
    marks.push_back(mark);
  }
  return marks;
}

}  // namespace

std::vector<Stretch> usual_assumptions() {
  return {{.stage = BillStage::boot, .length = seconds(40), .known = Known::assumed},
          {.stage = BillStage::install, .length = minutes(5), .known = Known::assumed},
          {.stage = BillStage::poweroff, .length = seconds(30), .known = Known::assumed}};
}

std::vector<Stretch> assumptions_with(std::vector<Stretch> own) {
  const auto given = own;
  for (const auto& usual : usual_assumptions())
    if (!has(given, usual.stage)) own.push_back(usual);
  for (auto& stretch : own) stretch.known = Known::assumed;
  return own;
}

Result<Stretch> parse_stage(std::string_view text, std::string_view option) {
  const auto equals = text.find('=');
  const auto name = text.substr(0, equals);
  const auto stage = enum_value<BillStage>(name);
  if (!stage)
    return unknown_name(ErrorCode::invalid_argument, "stage", name, enum_choices<BillStage>(), option);
  if (equals == std::string_view::npos)
    return fail(ErrorCode::invalid_argument, "{} {}: how long? Give it as {}=40s", option, text, text);
  NEPH_TRY(const auto length, parse_length(text.substr(equals + 1)));
  return Stretch{.stage = *stage, .length = length, .known = Known::given};
}

Result<std::vector<Stretch>> parse_stages(const std::vector<std::string>& texts, std::string_view option) {
  std::vector<Stretch> stretches;
  for (const auto& given : texts) {
    NEPH_TRY(const auto parts, expand_values(given));
    for (const auto& part : parts) {
      NEPH_TRY(const auto stretch, parse_stage(part, option));
      stretches.push_back(stretch);
    }
  }
  return stretches;
}

std::optional<Instant> begin_of(const std::vector<MarkedStart>& starts) {
  constexpr auto year_2000 = seconds(946'684'800);
  if (starts.empty() || starts.front().at < year_2000) return std::nullopt;
  return Instant(starts.front().at);
}

Result<std::vector<MarkedStart>> parse_marks(std::string_view lines, std::string_view what) {
  NEPH_TRY(auto marks, parse_lines(lines, what));
  if (marks.empty())
    return fail(ErrorCode::invalid_argument, "{}: no marks in it; `neph script` writes them as it runs",
                what);
  std::ranges::stable_sort(marks, {}, &Mark::begin_s);
  std::vector<MarkedStart> starts;
  std::optional<Mark> last;
  for (const auto& mark : marks) {
    if (last && mark.begin_s < last->end_s)
      return fail(ErrorCode::invalid_argument, "{}: {} (line {}) begins before {} (line {}) has ended", what,
                  enum_name(mark.stage), mark.line, enum_name(last->stage), last->line);
    const bool is_start = !last || mark.stage == BillStage::provision ||
                          (mark.stage == BillStage::boot && last->stage != BillStage::provision);
    if (is_start) starts.push_back({.at = length_between(0, mark.begin_s)});
    const auto begin_s = is_start ? mark.begin_s : last->end_s;
    starts.back().stages.push_back({.stage = mark.stage, .length = length_between(begin_s, mark.end_s)});
    last = mark;
  }
  return starts;
}

bool is_marked_from_inside(BillStage stage) {
  return stage != BillStage::provision && stage < BillStage::poweroff;
}

std::vector<Stretch> stages_of_start(const Sources& sources) {
  if (sources.marks.empty() && sources.job.empty() && sources.assumed.empty()) return sources.given;
  std::vector<Stretch> all;
  for (const auto& [stage, name] : enum_names(BillStage{})) {
    const bool is_work = stage == BillStage::learn || stage == BillStage::verify;
    const bool is_marked = has(sources.marks, stage) && !(is_work && !sources.job.empty());
    if (has(sources.given, stage)) {
      append(sources.given, stage, all);
    } else if (is_marked || has(sources.job, stage)) {
      if (is_marked) append(sources.marks, stage, all);
      append(sources.job, stage, all);
    } else {
      append(sources.assumed, stage, all);
    }
  }
  return all;
}

std::vector<Stretch> with_absent(const std::vector<Stretch>& stages) {
  std::vector<Stretch> all;
  for (const auto& [stage, name] : enum_names(BillStage{})) {
    const bool is_a_choice = stage == BillStage::idle || stage == BillStage::off;
    if (has(stages, stage))
      append(stages, stage, all);
    else if (!is_a_choice)
      all.push_back({.stage = stage, .known = Known::absent});
  }
  return all;
}

std::vector<Stretch> with_idle_of(const Rule& rule, std::vector<Stretch> stages) {
  const auto is_of_a_job = [](const Stretch& stretch) {
    return stretch.stage >= BillStage::data_load && stretch.stage < BillStage::idle;
  };
  if (rule.idle_s == 0 || has(stages, BillStage::idle) || std::ranges::none_of(stages, is_of_a_job))
    return stages;
  const auto after =
      std::ranges::find_if(stages, [](const Stretch& stretch) { return stretch.stage > BillStage::idle; });
  stages.insert(after, {.stage = BillStage::idle, .length = seconds(rule.idle_s), .known = Known::assumed});
  return stages;
}

Sources on_a_warm_machine(Sources sources) {
  const auto is_of_the_machine = [](const Stretch& stretch) {
    return stretch.stage < BillStage::data_load || stretch.stage > BillStage::idle;
  };
  std::erase_if(sources.marks, is_of_the_machine);
  std::erase_if(sources.assumed, is_of_the_machine);
  return sources;
}

}  // namespace neph::price
