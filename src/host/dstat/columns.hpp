// Which columns of a dstat file are which quantity, by their groups and names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/telemetry.hpp"

namespace neph::host {

/// A quantity that is read off columns: their sum, scaled.
struct ColumnSeries {
  Metric quantity;
  bool is_state = false;  ///< as it is at a moment; else a rate, which a first row has since the start
  std::vector<std::size_t> columns;
  double scale = 1;
};

struct ColumnPlan {
  std::optional<std::size_t> time;   ///< in words
  std::optional<std::size_t> epoch;  ///< as Unix time
  std::vector<ColumnSeries> series;
  std::vector<std::string> notes;  ///< groups that are left out, parts that are summed
};

/// `groups` and `columns` as the two lines of headings have them; a group's name stands over its first
/// column.
ColumnPlan plan_columns(const std::vector<std::string>& groups, const std::vector<std::string>& columns);

/// What is written, in its order: `dstat -tcmdrn` without the time.
struct WrittenColumn {
  std::string_view group;
  std::string_view column;
  Metric quantity;
};
const std::vector<WrittenColumn>& written_columns();

}  // namespace neph::host
