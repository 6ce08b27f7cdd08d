// Any bytes as a term of a time: an error that points into the text, or a formula that is written as one that
// reads the same, and whose values are times or an error.
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "predict/predict.hpp"

namespace neph::predict {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void read_as_formulas(std::string_view text) {
  static const auto table = *table::parse_table(
      "h,L,s,global batch,time (ms),min,GPU\n2,3,5,64,1,7,A100\n4,1,0,32,2,7,V100\n", "input");
  const auto formulas = parse_formulas(text, table);
  if (!formulas) return require(!formulas.error().message.empty());
  for (const auto& formula : *formulas) {
    const auto again = Formula::parse(formula.text(), table);
    require(again.has_value() && *again == formula);
    const auto values = formula.values(table);
    if (!values) continue;
    for (const double value : *values) require(std::isfinite(value) && value >= 0);
  }
}

}  // namespace
}  // namespace neph::predict

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  neph::predict::read_as_formulas({reinterpret_cast<const char*>(data), size});
  return 0;
}
