#include "price/rule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neph::price {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view toml) {
  const auto rule = parse_rule(toml, "mine.toml");
  return rule ? "" : rule.error().text();
}

TEST(Rules, OfAllProvidersAreBuiltIn) {
  std::vector<std::string> names;
  for (const auto& rule : built_in_rules()) {
    names.push_back(rule.name);
    EXPECT_FALSE(rule.title.empty()) << rule.name;
    EXPECT_FALSE(rule.source.empty()) << rule.name;
    EXPECT_FALSE(rule.date.empty()) << rule.name;
  }
  for (const auto* name : {"aws-ec2", "gcp", "gcp-2017", "azure", "azure-2017", "lambda", "runpod", "vast",
                           "scaleway-cpu", "scaleway-gpu", "yandex", "selectel", "vk", "per-second"})
    EXPECT_THAT(names, testing::Contains(name));
}

TEST(Rules, OfAUserNeedOneFile) {
  const auto rule = parse_rule(
      "name = \"mine\"\nstep_s = 900\nsource = \"our contract\"\ndate = \"2026-11-25\"\n[billed]\nboot = "
      "false",
      "mine.toml");
  ASSERT_TRUE(rule) << rule.error().text();
  EXPECT_FALSE(rule->billed.pays(BillStage::boot));
  EXPECT_TRUE(rule->billed.pays(BillStage::learn));
}

TEST(Rules, NameWhatIsWrong) {
  EXPECT_THAT(refusal("name = \"x\""), HasSubstr("needs a source and a date"));
  EXPECT_THAT(refusal("step = 5"), HasSubstr("step_s"));
  EXPECT_THAT(refusal("name = \"x\"\nsource = \"s\"\ndate = \"d\"\nalign = \"clock\"\nstep_s = 0"),
              HasSubstr("needs a step"));
  EXPECT_THAT(refusal("name = \"x\"\nsource = \"s\"\ndate = \"d\"\nalign = \"clock\"\nstep_s = 18000"),
              HasSubstr("whole hours that are a part of a day"));
  EXPECT_THAT(refusal("name = \"x\"\nsource = \"s\"\ndate = \"d\"\ntime_zone = \"Mars/Base\""),
              HasSubstr("no time zone 'Mars/Base'"));
  EXPECT_THAT(refusal("name = \"x\"\nsource = \"s\"\ndate = \"d\"\nstep_s = -1"), HasSubstr("step_s"));
  EXPECT_THAT(refusal("name = \"x\"\nsource = \"s\"\ndate = \"d\"\nwithin = \"most\""), HasSubstr("align"));
  EXPECT_EQ(find_rule("GCP", built_in_rules())->name, "gcp");
  EXPECT_EQ(find_rule("AWS-EC2", built_in_rules())->name, "aws-ec2");
  EXPECT_THAT(find_rule("selektel", built_in_rules()).error().text(), HasSubstr("did you mean 'selectel'?"));
}

}  // namespace
}  // namespace neph::price
