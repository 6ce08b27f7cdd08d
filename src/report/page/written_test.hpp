// What tests of pages share.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "report/page/assets.hpp"

namespace neph::report {

/// The page without the charts' library and the page's own script and style: what this program wrote.
inline std::string written(const std::string& page) {
  auto text = page;
  for (const auto asset : {charts_library(), page_script(), page_style()}) {
    const auto at = text.find(asset);
    EXPECT_NE(at, std::string::npos);
    if (at != std::string::npos) text.erase(at, asset.size());
  }
  return text;
}

inline std::size_t count(const std::string& text, std::string_view what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace neph::report
