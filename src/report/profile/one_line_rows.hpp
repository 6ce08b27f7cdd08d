// A table of which each row is one line of a terminal, however narrow that is.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/validation_tables.hpp"

namespace neph::report {

/// What may go where a terminal is too narrow for all, the first first, and the column that is then cut.
struct Narrowing {
  std::vector<std::string> dropped_first;
  std::string cut;
};

/// Takes columns away until the cut one has room for what most of its fields say, and then cuts that one's
/// fields in front ("…ayer4.2/conv3"), since it is their ends that differ. Returns the headings taken away.
std::vector<std::string> narrow_to(std::size_t width, const Narrowing& how, PlainTable& table);

/// The text's end in at most `width` columns of a terminal, behind "…" where that is not all.
std::string end_of(const std::string& text, std::size_t width);

}  // namespace neph::report
