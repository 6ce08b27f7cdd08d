// A profile for people: the terminal's tables, and a page with charts.
#pragma once

#include <cstddef>
#include <string>

#include "record/profile.hpp"

namespace neph::report {

struct ProfileOptions {
  std::size_t width = 100;  ///< columns of the terminal
  std::size_t limit = 15;   ///< layers in the table; 0: all
};
/// What it was, how near to the machine's peaks, kinds of layers, the layers that take longest.
std::string text_summary(const Profile& profile, const ProfileOptions& options);

/// One self-contained page, as that of an experiment.
std::string html(const Profile& profile);

}  // namespace neph::report
