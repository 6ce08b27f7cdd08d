// Figures of a profile, the same for the terminal and the page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/profile.hpp"
#include "report/charts/chart.hpp"
#include "report/validation_tables.hpp"

namespace neph::report {

/// Arithmetic and traffic per second, as a share of the machine's peaks too. Nothing: not known, more
/// arithmetic than the machine can do, or the time is too short for the engine's counter.
struct Speeds {
  std::optional<double> flop_per_s, of_peak, bytes_per_s, of_bandwidth;
  bool is_beyond_peak = false;
};
Speeds speeds_of(const Profile& profile, const ProfiledLayer& layer);
Speeds speeds_of(const Profile& profile, const KindTime& kind);
/// All layers of which the arithmetic is known, over the time of an inference.
std::optional<double> flop_per_s(const Profile& profile);

/// What else the layer does: operators of the parts but the one that it is named after.
std::string fused_text(const ProfiledLayer& layer);

/// What the profile says, in sentences, the most important one first.
std::vector<std::string> sentences(const Profile& profile);

PlainTable kinds_table(const Profile& profile);
/// Of so many layers that take longest; 0: all.
PlainTable layers_table(const Profile& profile, std::size_t limit);

using ProfileChart = ChartOf<Profile>;
extern const ProfileChart layer_times_chart, roofline_chart;

}  // namespace neph::report
