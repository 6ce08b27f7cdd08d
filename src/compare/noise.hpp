// How far apart runs of the same thing have been on a machine, kept from comparison to comparison.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/result.hpp"
#include "record/comparison.hpp"

namespace neph::compare {

/// $XDG_STATE_HOME/neph/noise.jsonl, or ~/.local/state/neph/noise.jsonl. Not created.
std::filesystem::path noise_file();

/// What was seen once of a thing and itself.
struct NoiseEntry {
  std::string machine;
  std::string metric;
  bool is_paired = false;
  double ratio = 1;  ///< candidate / baseline
};
template <class Visit, Describes<NoiseEntry> Self>
void describe(Visit&& v, Self& s) {
  v("machine", s.machine, "that both were measured on");
  v("metric", s.metric, "its name");
  v("is_paired", s.is_paired, "whether runs were measured side by side");
  v("ratio", s.ratio, "candidate / baseline");
}

/// Adds the rows of a comparison of a thing with itself (A/A), a line each; nothing where its machine is not
/// known, of rows without a ratio, and of fewer than five pairs. Errors: those of writing.
Status keep_noise(const std::filesystem::path& file, const Comparison& comparison);

/// The bound that 95 % of further comparisons of a thing with itself are expected to stay below: Student's
/// prediction interval of the logarithms' deviation from 0. Empty: fewer than five are known of this machine,
/// metric and kind of comparison, or the file cannot be read. Lines that make no sense are passed over.
std::optional<NoiseFloor> noise_floor(const std::filesystem::path& file, const NoiseEntry& like);

}  // namespace neph::compare
