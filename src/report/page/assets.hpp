// The files that every page carries, embedded into the program by cmake/ChartsScript.cmake.
#pragma once

#include <string_view>

namespace neph::report {

std::string_view charts_library();  ///< Vega, Vega-Lite and Vega-Embed as one script
std::string_view page_script();     ///< page/report.js
std::string_view page_style();      ///< page/report.css
std::string_view charts_licence();  ///< page/vega_licence.txt

}  // namespace neph::report
