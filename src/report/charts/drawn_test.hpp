// What tests of charts share.
#pragma once

#include <string_view>

#include <gtest/gtest.h>

#include "report/charts/chart.hpp"

namespace neph::report {

inline Json rows_of(const Panel& panel) { return panel.spec["data"]["values"]; }

/// What the chart of that id makes of a document.
inline Drawing draw(std::string_view id, const Document& document) {
  for (const auto& chart : charts())
    if (chart.id == id) return chart.draw(document);
  ADD_FAILURE() << "no chart " << id;
  return {};
}

}  // namespace neph::report
