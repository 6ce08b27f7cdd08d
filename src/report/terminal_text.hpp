// Text for terminals of a given width, in colour where that is wanted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace neph::report {

/// A terminal that says it is narrower is taken to be so wide.
inline constexpr std::size_t narrowest_terminal = 20;

struct Style {
  bool colour = false;
  /// With the SGR parameters `sgr`.
  std::string paint(std::string_view sgr, const std::string& text) const;
};

/// Lines that break at spaces, but not before a percent sign; those after the first are indented. A word that
/// is wider stays whole, so that a path can be copied.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);

}  // namespace neph::report
