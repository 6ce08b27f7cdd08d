#include "predict/profile/profile.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/units.hpp"
#include "predict/profile/point_order.hpp"
#include "predict/profile/row_key.hpp"
#include "predict/profile/run_numbers.hpp"
#include "predict/profile/target_copies.hpp"
#include "stats/stats.hpp"
#include "table/malformed_numbers.hpp"
#include "table/numbers_in_text.hpp"

namespace neph::predict {
namespace {

constexpr double nearly_every = 0.5;  ///< of the rows have a number of their own: measured, or an identifier
constexpr double text_nearly_every = 0.9;  ///< the same of text
constexpr std::size_t enough_rows = 12;    ///< to call a column by how many values it has
constexpr double most_noise = 0.1;         ///< of the target's spread that repeats of one point may have

using Rows = std::vector<std::size_t>;

std::size_t distinct(const table::Column& column, const Rows& rows) {
  std::vector<double> values;
  for (const auto row : rows)
    if (!column.is_empty(row)) values.push_back(column.is_text() ? column.codes[row] : column.numbers[row]);
  std::sort(values.begin(), values.end());
  return static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
}

std::vector<double> distances_from_median(std::vector<double> values) {
  const double middle = stats::median(values);
  for (auto& value : values) value = std::abs(value - middle);
  return values;
}

/// Without levels that no row has, and the others by their names.
void tidy_levels(table::Column& column) {
  std::map<std::string, std::int32_t> places;
  for (const auto code : column.codes)
    if (code >= 0) places.emplace(column.levels[static_cast<std::size_t>(code)], 0);
  std::vector<std::string> levels;
  for (auto& [level, place] : places) {
    place = static_cast<std::int32_t>(levels.size());
    levels.push_back(level);
  }
  for (auto& code : column.codes)
    if (code >= 0) code = places.at(column.levels[static_cast<std::size_t>(code)]);
  column.levels = std::move(levels);
}

class Surveying {
 public:
  Surveying(const table::Table& table, std::size_t target, const ProfileOptions& options)
      : table_(table), target_(target), most_points_(options.most_points) {
    survey_.target = table.columns[target].name;
    survey_.rows = static_cast<std::int64_t>(table.rows);
    kinds_.assign(table.columns.size(), ColumnKind::number);
    levels_.assign(table.columns.size(), 0);
    kinds_[target] = ColumnKind::target;
    std::set<std::size_t> ignored;
    for (const auto& name : options.ignored) ignored.insert(*table.find(name));
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (!ignored.contains(i)) looked_at_.push_back(i);
    for (const auto& name : options.used) used_.insert(*table.find(name));
    for (const auto& name : options.outcomes)
      if (const auto i = *table.find(name); i != target) kinds_[i] = ColumnKind::outcome;
  }

  Result<Profile> operator()() && {
    NEPH_CHECK(keep_possible_rows());
    tell_columns_apart();
    for (const auto i : looked_at_) survey_.columns.push_back(surveyed(i));
    if (features().empty())
      return fail(ErrorCode::invalid_argument,
                  "{}: no column tells its rows apart but '{}': nothing to predict it from{}", table_.source,
                  survey_.target, what_was_set_apart());
    join_repeats();
    if (survey_.points.target.size() < fewest_points)
      return fail(ErrorCode::invalid_argument,
                  "{}: {} different rows are too few to fit anything to; {} are the least{}", table_.source,
                  survey_.points.target.size(), fewest_points, what_was_set_apart());
    for (const auto i : looked_at_)
      if (kinds_[i] != ColumnKind::outcome && table_.columns[i].is_text())
        if (auto found = nearly_numbers(table_.columns[i])) find(found->code, found->message, 0);
    draw_points();
    survey_.points = part_of(survey_, sorted_points(survey_.points.features)).points;
    return std::move(survey_);
  }

 private:
  /// For an error that may come of it.
  std::string what_was_set_apart() const {
    std::string all;
    for (const auto& finding : survey_.findings)
      if (finding.code == measured_with_target || finding.code == tells_runs_apart)
        all += "; " + finding.message;
    return all;
  }
  Status keep_possible_rows() {
    const auto& target = table_.columns[target_];
    if (target.is_text())
      return fail(ErrorCode::invalid_argument, "{}: the target '{}' {}", table_.source, target.name,
                  why_no_number(target));
    std::int64_t empty = 0, impossible = 0;
    for (std::size_t row = 0; row < table_.rows; ++row) {
      const double value = target.numbers[row];
      if (std::isnan(value)) {
        ++empty;
      } else if (!(value > 0) || std::isinf(value)) {
        ++impossible;
      } else {
        rows_.push_back(row);
      }
    }
    if (empty > 0)
      find("no_target", fmt::format("no '{}' in {}: left out", target.name, counted(empty, "row")), empty);
    if (impossible > 0)
      find("impossible",
           fmt::format("a '{}' that is not above 0, or infinite, in {}: left out", target.name,
                       counted(impossible, "row")),
           impossible);
    for (const auto i : looked_at_)
      if (i != target_ && kinds_[i] != ColumnKind::outcome) leave_out_too_large(table_.columns[i]);
    if (rows_.empty())
      return fail(ErrorCode::invalid_argument, "{}: no row has a '{}' above 0", table_.source, target.name);
    return {};
  }
  /// Of a number that is 0 or below somewhere squares are computed, of another its logarithm.
  void leave_out_too_large(const table::Column& column) {
    const auto numbers = as_numbers(column);
    if (!numbers) return;
    const bool has_logarithms =
        std::ranges::none_of(rows_, [&](std::size_t row) { return (*numbers)[row] <= 0; });
    const double most = has_logarithms ? std::numeric_limits<double>::max() : largest_plain;
    const auto is_too_large = [&](std::size_t row) { return std::abs((*numbers)[row]) > most; };
    const auto first = std::ranges::find_if(rows_, is_too_large);
    if (first == rows_.end()) return;
    const auto message = fmt::format("'{}' is too large to compute with, as {} in row {}", column.name,
                                     (*numbers)[*first], *first + 1);
    const auto count = static_cast<std::int64_t>(std::erase_if(rows_, is_too_large));
    find("too_large", fmt::format("{}: {} left out", message, counted(count, "row")), count);
  }

  /// From rows that differ in something: a table that was copied behind itself says nothing more of its
  /// columns.
  void tell_columns_apart() {
    const AlikeGroups alike(keys_of(table_, looked_at_, rows_));
    const auto all_rows = std::exchange(rows_, {});
    for (std::size_t group = 0; group < alike.size(); ++group)
      rows_.push_back(all_rows[alike[group].front()]);
    name_kinds();
    set_apart_run_numbers();
    set_apart_copies_of_the_target();
    set_apart_what_repeats_differ_in();
    rows_ = all_rows;
    keys_ = keys_of(table_, features(), rows_);
  }

  void name_kinds() {
    for (const auto i : looked_at_) {
      if (i == target_) continue;
      const auto& column = table_.columns[i];
      const auto values = levels_[i] = distinct(column, rows_);
      const bool some_empty =
          std::any_of(rows_.begin(), rows_.end(), [&](std::size_t row) { return column.is_empty(row); });
      if (kinds_[i] == ColumnKind::outcome) continue;
      if (values + (some_empty ? 1 : 0) <= 1) {
        kinds_[i] = ColumnKind::constant;
      } else if (column.is_text() && !embedded_numbers(column)) {
        const bool own = rows_.size() >= enough_rows &&
                         static_cast<double>(values) > text_nearly_every * static_cast<double>(rows_.size());
        kinds_[i] = ColumnKind::category;
        if (own && !used_.contains(i)) set_apart({i, false, "is another text in nearly every row"});
      }
    }
  }

  void set_apart(const RunNumber& number) {
    kinds_[number.column] = number.is_repeat ? ColumnKind::repeat : ColumnKind::identifier;
    find(std::string(tells_runs_apart),
         fmt::format("'{}' {} and is no feature; --use makes it one", table_.columns[number.column].name,
                     number.how),
         survey_.rows);
  }

  void set_apart_run_numbers() {
    const Rows wanted(used_.begin(), used_.end());
    const auto found = run_numbers(table_, target_, features(), wanted, rows_);
    if (found.size() < features().size()) std::ranges::for_each(found, [&](auto& each) { set_apart(each); });
  }

  void set_apart_copies_of_the_target() {
    const std::vector<std::size_t> wanted(used_.begin(), used_.end());
    for (const auto& copy : target_copies(table_, target_, features(), wanted, rows_)) {
      kinds_[copy.column] = ColumnKind::outcome;
      find(std::string(measured_with_target),
           fmt::format("'{}' is {}: it was measured with it and is no feature; --use makes it one",
                       table_.columns[copy.column].name, copy.how),
           survey_.rows);
    }
  }

  /// Numbers that differ in nearly every row, and a column that only counts repeats: without them the table
  /// falls into points, and the target hardly differs within one.
  void set_apart_what_repeats_differ_in() {
    keys_ = keys_of(table_, features(), rows_);
    if (rows_.size() < enough_rows) return;
    std::vector<std::size_t> measured;
    for (const auto i : features())
      if (kinds_[i] == ColumnKind::number && !table_.columns[i].is_text() && !used_.contains(i) &&
          static_cast<double>(levels_[i]) > nearly_every * static_cast<double>(rows_.size()))
        measured.push_back(i);
    if (!measured.empty() && points_without(measured)) return set(measured, ColumnKind::outcome);
    for (const auto i : features()) {
      if (used_.contains(i) || std::ranges::find(measured, i) != measured.end()) continue;
      auto left_out = measured;
      left_out.push_back(i);
      const auto points = points_without(left_out);
      if (!points || !differs_in_all_rows(i, *points) || !values_are_alike(i, *points)) continue;
      set(measured, ColumnKind::outcome);
      return set_apart({i, true, "only tells repeats of one point apart"});
    }
  }
  void set(const Rows& columns, ColumnKind kind) {
    for (const auto i : columns) kinds_[i] = kind;
  }
  /// What rows fall into without some columns, where most have others of the same values, and the target
  /// differs little among them.
  std::optional<AlikeGroups> points_without(const Rows& left_out) const {
    if (left_out.size() >= features().size()) return std::nullopt;
    auto keys = keys_;
    for (const auto i : left_out) keys -= keys_of(table_.columns[i], rows_);
    AlikeGroups groups(keys);
    std::size_t joined = 0;
    std::vector<double> within;
    for (std::size_t group = 0; group < groups.size(); ++group) {
      if (groups[group].size() < 2) continue;
      joined += groups[group].size();
      std::ranges::copy(distances_from_median(logs_of(rows_of_group(groups[group]))),
                        std::back_inserter(within));
    }
    const bool are_points =
        static_cast<double>(joined) >= nearly_every * static_cast<double>(rows_.size()) &&
        stats::quantile(within, 0.9) <= most_noise * stats::median(distances_from_median(logs_of(rows_)));
    return are_points ? std::optional(std::move(groups)) : std::nullopt;
  }
  bool values_are_alike(std::size_t column, const AlikeGroups& points) const {
    ErrorsOfRepeats errors;
    for (std::size_t point = 0; point < points.size(); ++point) {
      if (points[point].size() < 2) continue;
      const auto rows = rows_of_group(points[point]);
      const auto logs = logs_of(rows);
      const double middle = stats::median(logs);
      for (std::size_t i = 0; i < rows.size(); ++i)
        errors[value_in(column, rows[i])].push_back(logs[i] - middle);
    }
    return tell_only_repeats(errors);
  }
  double value_in(std::size_t column, std::size_t row) const {
    const auto& cells = table_.columns[column];
    return cells.is_text() ? cells.codes[row] : cells.numbers[row];
  }
  bool differs_in_all_rows(std::size_t column, const AlikeGroups& points) const {
    for (std::size_t point = 0; point < points.size(); ++point)
      if (const auto rows = rows_of_group(points[point]);
          distinct(table_.columns[column], rows) != rows.size())
        return false;
    return true;
  }

  bool is_feature(std::size_t column) const {
    return kinds_[column] == ColumnKind::number || kinds_[column] == ColumnKind::category;
  }
  Rows features() const {
    Rows all;
    std::ranges::copy_if(looked_at_, std::back_inserter(all), [&](std::size_t i) { return is_feature(i); });
    return all;
  }
  Rows rows_of_group(std::span<const std::size_t> group) const {
    Rows rows;
    for (const auto i : group) rows.push_back(rows_[i]);
    return rows;
  }
  /// Of the target.
  std::vector<double> logs_of(const Rows& rows) const {
    std::vector<double> logs;
    for (const auto row : rows) logs.push_back(std::log(table_.columns[target_].numbers[row]));
    return logs;
  }

  ProfiledColumn surveyed(std::size_t i) const {
    const auto& column = table_.columns[i];
    ProfiledColumn seen{.name = column.name, .kind = kinds_[i]};
    seen.levels = static_cast<std::int64_t>(i == target_ ? distinct(column, rows_) : levels_[i]);
    seen.low = seen.high = std::numeric_limits<double>::quiet_NaN();
    for (const auto row : rows_) {
      if (column.is_empty(row)) ++seen.empty;
      if (!column.is_text()) {
        seen.low = std::fmin(seen.low, column.numbers[row]);
        seen.high = std::fmax(seen.high, column.numbers[row]);
      }
    }
    return seen;
  }

  /// Constants stay: a query may have another value, which must not go unseen.
  void join_repeats() {
    const AlikeGroups groups(keys_);
    table::Table wanted{.source = table_.source, .rows = table_.rows};
    for (const auto i : looked_at_)
      if (is_feature(i) || kinds_[i] == ColumnKind::constant) wanted.columns.push_back(table_.columns[i]);
    Rows firsts;
    std::int64_t far = 0, copies = 0;
    auto& points = survey_.points;
    for (std::size_t place = 0; place < groups.size(); ++place) {
      const auto rows = rows_of_group(groups[place]);
      firsts.push_back(rows.front());
      const auto logs = logs_of(rows);
      const double deviation = logs.size() < 2 ? 0 : deviation_of_repeats(logs);
      points.target.push_back(std::exp(stats::median(logs)));
      points.repeats.push_back(static_cast<int>(logs.size()));
      points.deviations.push_back(deviation);
      for (const double distance : distances_from_median(logs))
        if (distance > std::max(0.4, 10 * deviation)) ++far;
      copies += std::ssize(logs) - std::ssize(std::set(logs.begin(), logs.end()));
    }
    points.noise = noise_of(points);
    if (far > 0)
      find("outliers",
           fmt::format("far from the other repeats of their point: {}; each point's median is used",
                       counted(far, "row")),
           far);
    if (copies > 0)
      find("duplicates",
           fmt::format("the same features and the very same '{}' as in another row: {}", survey_.target,
                       counted(copies, "row")),
           copies);
    points.features = rows_of(wanted, firsts);
    for (auto& column : points.features.columns) tidy_levels(column);
  }

  /// Of more points than anything gets better by, some.
  void draw_points() {
    const auto all = survey_.points.target.size();
    if (all <= most_points_) return;
    survey_.points = part_of(survey_, drawn_points(survey_.points.features, most_points_)).points;
    find("drawn",
         fmt::format(
             "of {} different points {} were drawn (--most-points), the ends of each number and a row of "
             "each level among them",
             format_grouped(static_cast<std::int64_t>(all)),
             format_grouped(std::ssize(survey_.points.target))),
         std::ssize(survey_.points.target));
  }

  void find(std::string code, std::string message, std::int64_t rows) {
    survey_.findings.push_back({std::move(code), std::move(message), rows});
  }

  const table::Table& table_;
  std::size_t target_, most_points_;
  Rows looked_at_;  ///< columns, but for those that are ignored
  std::set<std::size_t> used_;
  std::vector<ColumnKind> kinds_;
  std::vector<std::size_t> levels_;  ///< distinct values of each column but the target
  Rows rows_;                        ///< that are possible
  RowKeys keys_;                     ///< of their features
  Profile survey_;
};

}  // namespace

Result<Profile> profile(const table::Table& table, const std::string& target, const ProfileOptions& options) {
  NEPH_TRY(const auto place, table.find(target));
  for (const auto* names : {&options.ignored, &options.used, &options.outcomes})
    for (const auto& name : *names) NEPH_CHECK(table.find(name));
  return Surveying(table, place, options)();
}

Profile part_of(const Profile& profile, const std::vector<std::size_t>& points) {
  Profile part{.columns = profile.columns, .target = profile.target};
  part.points.features = rows_of(profile.points.features, points);
  for (auto& column : part.points.features.columns) tidy_levels(column);
  for (const auto point : points) {
    part.points.target.push_back(profile.points.target[point]);
    part.points.repeats.push_back(profile.points.repeats[point]);
    part.points.deviations.push_back(profile.points.deviations[point]);
    part.rows += profile.points.repeats[point];
  }
  part.points.noise = noise_of(part.points);
  return part;
}

}  // namespace neph::predict
