// What a history says, in words: the same for terminal and page.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "record/comparison.hpp"
#include "report/validation_tables.hpp"

namespace neph::report {

/// Points from one change to the next.
struct Segment {
  std::size_t begin, end;
  double mean;  ///< geometric
};
/// All of a line; none where it has no points. Changes that are no place of a point are left out.
std::vector<Segment> segments_of(const HistoryLine& line);

/// "2026-11-21" of a moment.
std::string day_of(const std::string& moment);
/// What else changed where the segment begins; empty: nothing that is known.
std::string with_of(const Segment& segment, const HistoryLine& line);

/// "batch 8", with the machine where there are several.
std::string name_of(const HistoryLine& line, const History& history);
/// "5.2 % slower", of what begins with `after`.
std::string change_in_words(const Segment& before, const Segment& after, const History& history);
/// The answer in sentences: the latest change of all lines, then how many there are.
std::vector<std::string> sentences(const History& history);
/// A row for each change of the line.
PlainTable changes_table(const HistoryLine& line, const History& history);
/// The same of all lines, which the first column names.
PlainTable changes_table(const History& history);
/// "44.7 images/s (95 % CI 43.5 to 45.9)".
std::string value_with_interval(const std::string& metric, const Estimate& value);

}  // namespace neph::report
