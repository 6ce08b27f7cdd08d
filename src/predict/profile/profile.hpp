// What a table is: kinds of columns, repeats of one point, the noise that repeats show, and what is odd about
// it. Nothing here knows a column by its name.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/describe.hpp"
#include "table/table.hpp"

namespace neph::predict {

enum class ColumnKind {
  number,
  category,
  constant,    ///< tells no row from another
  identifier,  ///< text that is another in nearly every row
  repeat,      ///< tells only the repeats of one point apart
  outcome,  ///< measured, as the target was: it differs even between repeats, or is the target in other words
  target,
};
constexpr auto enum_names(ColumnKind) {
  return std::array{Named{ColumnKind::number, "number"},     Named{ColumnKind::category, "category"},
                    Named{ColumnKind::constant, "constant"}, Named{ColumnKind::identifier, "identifier"},
                    Named{ColumnKind::repeat, "repeat"},     Named{ColumnKind::outcome, "outcome"},
                    Named{ColumnKind::target, "target"}};
}

struct ProfiledColumn {
  std::string name;
  ColumnKind kind = ColumnKind::constant;
  std::int64_t levels = 0;  ///< distinct values
  std::int64_t empty = 0;
  double low = 0, high = 0;  ///< of numbers
};

/// Of a finding about a column that is no feature because it was measured with the target.
inline constexpr std::string_view measured_with_target = "measured_with_target";

/// Something odd, and in how many rows.
struct Finding {
  std::string code;
  std::string message;
  std::int64_t rows = 0;
};

constexpr std::size_t fewest_points = 5;  ///< that anything is fitted to
/// Of a number that is no quantity, since others of its column are not above 0: its square is a number too.
constexpr double largest_plain = 1e150;

/// One row per point: rows with the same features are joined. They stand by the first feature, then by the
/// second, and so on, and levels by their names: whatever is drawn of them is the same however the table was
/// shuffled.
struct Points {
  table::Table features;       ///< the columns that tell points apart
  std::vector<double> target;  ///< median of the repeats
  std::vector<int> repeats;    ///< rows of each point
  /// Of each point: deviation of the logarithms of its repeats; 0: it was not repeated.
  std::vector<double> deviations;
  double noise = 0;  ///< deviation of the logarithm of one repeat; 0: nothing was repeated
};

/// Of the logarithms of two or more repeats of one point, whatever one outlier is: their median absolute
/// deviation, as that of normal samples.
double deviation_of_repeats(const std::vector<double>& logs);
/// By the value of a column that differs among the repeats of each point, how far their logarithms are from
/// the point's median.
using ErrorsOfRepeats = std::map<double, std::vector<double>>;
/// Whether such a column only tells them apart, as a seed does: with each value they are off by about as
/// much. Else it is a factor that matters in few points.
bool tell_only_repeats(const ErrorsOfRepeats& errors);
/// Median deviation of the points that were repeated; 0: none was.
double noise_of(const Points& points);
/// Deviation by which one measurement varies beyond what points do, counted as means of their repeats.
double noise_beyond_points(const Points& points);

struct Profile {
  std::vector<ProfiledColumn> columns;
  std::vector<Finding> findings;
  std::string target;
  std::int64_t rows = 0;
  Points points;
};

struct ProfileOptions {
  std::vector<std::string> ignored;   ///< columns that are not looked at
  std::vector<std::string> used;      ///< features, whatever they look like
  std::vector<std::string> outcomes;  ///< known to have been measured with the target
  std::size_t most_points = 200'000;  ///< of more, a draw that has the ends of each number and all levels
};

/// Errors: not_found (no such column), invalid_argument (a target that is text, or in no row above 0; no
/// feature is left; fewer than 5 points).
Result<Profile> profile(const table::Table& table, const std::string& target,
                        const ProfileOptions& options = {});

/// What the profile would say of some of its points alone: only they have levels and noise.
Profile part_of(const Profile& profile, const std::vector<std::size_t>& points);

}  // namespace neph::predict
