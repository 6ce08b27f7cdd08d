#include "price/ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neph::price {
namespace {

using std::chrono::minutes;
using testing::HasSubstr;
using testing::Not;

std::string text_by(std::string_view name, Nanoseconds length) {
  const auto rule = find_rule(name, built_in_rules()).value();
  const auto price = parse_price("6USD/h").value();
  const Start start{.begin = Instant{},
                    .stretches = {{.stage = BillStage::learn, .length = length, .known = Known::given}}};
  return bill_text(rule, price, bill(rule, price, std::span(&start, 1)).value()).value();
}

TEST(Ledger, SaysUntilWhenWorkIsFreeOnlyWhereSomeIs) {
  EXPECT_THAT(text_by("scaleway-cpu", minutes(20)),
              HasSubstr("Work until 1970-01-01T01:00:00+00:00 would cost the same."));
  EXPECT_THAT(text_by("aws-ec2", minutes(20)), Not(HasSubstr("would cost the same")));
  EXPECT_THAT(text_by("scaleway-cpu", minutes(20)), HasSubstr("given"));
}

}  // namespace
}  // namespace neph::price
