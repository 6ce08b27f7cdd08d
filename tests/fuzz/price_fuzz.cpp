// Texts that people and price lists write: prices, decimals, lengths of time, moments, a rule's TOML. Nothing
// may crash, and a bill by any rule that is accepted adds up.
#include <cstdlib>
#include <string_view>

#include "price/price.hpp"

namespace neph::price {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// All stages, of lengths that no step divides, in two jobs; then a second start.
std::vector<Start> some_starts() {
  using std::chrono::seconds;
  std::vector<Stretch> once;
  Nanoseconds length = seconds(7);
  for (const auto& stage : enum_names(BillStage{})) {
    once.push_back({.stage = stage.value, .length = length, .known = Known::given});
    length = length * 2 + Nanoseconds(1);
  }
  auto stretches = jobs_on_one_start(once, 2).value();
  stretches[1] = {.stage = BillStage::boot, .known = Known::absent};
  const Instant begin(seconds(1795600000));
  return {{.begin = begin, .stretches = std::move(stretches)},
          {.begin = begin + std::chrono::hours(6), .stretches = once}};
}

void bill_by(const Rule& rule, const Price& price) {
  static const auto starts = some_starts();
  const auto made = bill(rule, price, starts);
  require(made.has_value());
  Exact sum = 0;
  for (const auto& line : made->lines) {
    sum += line.amount;
    require(line.begin <= line.end);
  }
  require(sum == made->amount && made->amount >= 0);
  require(bill_json(rule, price, *made).has_value() && bill_text(rule, price, *made).has_value());
}

void read(std::string_view text) {
  const auto decimal = parse_decimal(text, "it");
  if (decimal) require(!decimal_text(*decimal).empty());
  const auto price = parse_price(text);
  if (price) require(price->per_hour >= 0 && price->currency.size() == 3);
  if (const auto length = parse_length(text)) require(*length >= Nanoseconds{});
  if (const auto instant = parse_instant(text, "Europe/Berlin", Instant(std::chrono::seconds(1795600000))))
    require(instant_text(*instant, "Europe/Berlin").has_value());
  if (const auto marks = parse_marks(text, "marks"))
    for (const auto& start : *marks)
      for (const auto& stage : start.stages) require(stage.length >= Nanoseconds{});
  if (const auto stage = parse_stage(text, "--phase")) require(stage->length >= Nanoseconds{});
  const auto rule = parse_rule(text, "rule");
  if (rule) bill_by(*rule, parse_price("3.6USD/h").value());
}

}  // namespace
}  // namespace neph::price

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  neph::price::read({reinterpret_cast<const char*>(data), size});
  return 0;
}
