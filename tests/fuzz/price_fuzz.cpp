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

void bill_by(const Rule& rule, const Price& price) {
  using std::chrono::minutes;
  using std::chrono::seconds;
  const Start start{.begin = Instant(seconds(1795600000)),
                    .stretches = {{.stage = BillStage::boot, .length = seconds(40)},
                                  {.stage = BillStage::learn, .length = minutes(25)}}};
  const auto made = bill(rule, price, std::span(&start, 1));
  require(made.has_value());
  Exact sum = 0;
  for (const auto& line : made->lines) sum += line.amount;
  require(sum == made->amount && made->amount >= 0);
  require(bill_json(rule, price, *made).has_value());
}

void read(std::string_view text) {
  const auto decimal = parse_decimal(text, "it");
  if (decimal) require(!decimal_text(*decimal).empty());
  const auto price = parse_price(text);
  if (price) require(price->per_hour >= 0 && price->currency.size() == 3);
  if (const auto length = parse_length(text)) require(*length >= Nanoseconds{});
  if (const auto instant = parse_instant(text, "Europe/Berlin", Instant(std::chrono::seconds(1795600000))))
    require(instant_text(*instant, "Europe/Berlin").has_value());
  const auto rule = parse_rule(text, "rule");
  if (rule) bill_by(*rule, parse_price("3.6USD/h").value());
}

}  // namespace
}  // namespace neph::price

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  neph::price::read({reinterpret_cast<const char*>(data), size});
  return 0;
}
