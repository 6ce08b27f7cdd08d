#include <gmock/gmock.h>

#include "report/charts/drawn_test.hpp"
#include "report/sample_document_test.hpp"

namespace neph::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(BillChart, HasABarOfItsOwnForRounding) {
  const auto drawing = draw("bill", with_costs(training_document()));
  ASSERT_EQ(drawing.panels.size(), 1U);
  EXPECT_EQ(drawing.panels[0].spec["layer"][0]["encoding"]["color"]["scale"]["domain"],
            Json({"boot (assumed)", "data load", "learn", "rounding"}))
      << drawing.panels[0].spec["layer"][0]["encoding"]["color"].dump();
  EXPECT_THAT(drawing.note, HasSubstr("3.6USD/h by the rule per-second"));
  double total = 0;
  for (const auto& row : rows_of(drawing.panels[0]))
    if (row["place"] == rows_of(drawing.panels[0])[0]["place"]) total += row["value"].get<double>();
  EXPECT_NEAR(total, 0.155, 1e-9);
}

TEST(BillChart, IsNotThereWithoutAPrice) { EXPECT_TRUE(draw("bill", training_document()).panels.empty()); }

TEST(Costs, AreColumnsOfTheirCurrency) {
  const auto priced = with_costs(sample_document());
  EXPECT_THAT(markdown(priced), HasSubstr("USD/million"));
  EXPECT_THAT(csv(priced), HasSubstr("currency"));
  EXPECT_EQ(json(priced)["currency"], "USD");
  EXPECT_EQ(json(priced)["cells"][0]["costs"]["learn"]["value"], 0.1);
  EXPECT_THAT(text_table(priced, {.width = 120}), HasSubstr("USD/million"));
  const auto plain = sample_document();
  EXPECT_THAT(markdown(plain), Not(HasSubstr("/million")));
  EXPECT_THAT(csv(plain), Not(HasSubstr("currency")));
  EXPECT_FALSE(json(plain).contains("currency"));
}

}  // namespace
}  // namespace neph::report
