// What tests of charts share.
#pragma once

#include <string_view>

#include <gtest/gtest.h>

#include "report/views/view.hpp"

namespace neph::report {

inline Json rows_of(const Panel& panel) { return panel.spec["data"]["values"]; }

/// Of the document's view; nullptr: it shows none of that id.
inline const Chart* find_chart(std::string_view id, const Document& document) {
  for (const auto* chart : report_view(document).charts)
    if (chart->id == id) return chart;
  return nullptr;
}

/// What the chart of that id makes of a document.
inline Drawing draw(std::string_view id, const Document& document) {
  if (const auto* chart = find_chart(id, document)) return chart->draw(document);
  ADD_FAILURE() << "no chart " << id;
  return {};
}

}  // namespace neph::report
