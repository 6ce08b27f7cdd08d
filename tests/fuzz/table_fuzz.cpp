// Any bytes as a table of measurements, and what is made of it: a profile or an error, never a crash, or
// memory beyond the limit. Of a table that has a profile, the first 200 points are made into the methods'
// inputs.
#include <cstdlib>
#include <string_view>

#include "predict/predict.hpp"

namespace neph::predict {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void read_as_table(std::string_view text) {
  const auto table = table::parse_table(text, "input", {.bytes = 1 << 24, .columns = 1000});
  if (!table) return require(!table.error().message.empty());
  require(table->rows > 0 && !table->columns.empty());
  for (const auto& column : table->columns) require(column.rows() == table->rows);
  if (table->rows > 200) return;
  const auto found = profile(*table, table->columns.back().name);
  if (!found) return require(!found.error().message.empty());
  const auto design = Design::learn(found->points.features, {});
  if (!design) return require(!design.error().message.empty());
  const auto inputs = design->apply(found->points.features);
  require(inputs.has_value() && inputs->rows() == static_cast<Eigen::Index>(found->points.target.size()));
  if (inputs->refused.empty()) require(inputs->matrix.numbers.allFinite());
  for (const double target : found->points.target) require(target > 0);
}

}  // namespace
}  // namespace neph::predict

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  neph::predict::read_as_table({reinterpret_cast<const char*>(data), size});
  return 0;
}
