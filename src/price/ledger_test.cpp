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
  EXPECT_THAT(text_by("azure-2017", std::chrono::seconds(61)),
              HasSubstr("Work until 1970-01-01T00:02:00+00:00 would cost the same."));
  EXPECT_THAT(text_by("gcp", minutes(20)), HasSubstr("VAT: not known whether the price has it."));
}

TEST(Ledger, OfManyJobsHasALineForEachStage) {
  const auto rule = find_rule("exact", built_in_rules()).value();
  const auto price = parse_price("3600USD/h").value();
  const Stretch boot{.stage = BillStage::boot, .length = minutes(1), .known = Known::assumed};
  const Stretch learn{.stage = BillStage::learn, .length = minutes(2)};
  const Start start{.begin = Instant{}, .stretches = jobs_on_one_start({boot, learn}, 100).value()};
  const auto text = bill_text(rule, price, bill(rule, price, std::span(&start, 1)).value()).value();
  EXPECT_THAT(text, HasSubstr("learn, 100 times"));
  EXPECT_THAT(text, HasSubstr("12000.00"));
  EXPECT_THAT(text, Not(HasSubstr("boot, ")));
}

}  // namespace
}  // namespace neph::price
