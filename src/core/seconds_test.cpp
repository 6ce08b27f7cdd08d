#include "core/seconds.hpp"

#include <gmock/gmock.h>

#include "core/json.hpp"

namespace neph {
namespace {

TEST(Seconds, AreReadWithTheirUnit) {
  const auto read = [](std::string_view text) { return parse_seconds(text).value_or(Seconds{-1}).value; };
  EXPECT_DOUBLE_EQ(read("30s"), 30);
  EXPECT_DOUBLE_EQ(read("50ms"), 0.05);
  EXPECT_DOUBLE_EQ(read("1.5 min"), 90);
  EXPECT_DOUBLE_EQ(read("2h"), 7200);
  EXPECT_DOUBLE_EQ(read("250us"), 250e-6);
  EXPECT_DOUBLE_EQ(read("0"), 0);
  for (const auto* nonsense :
       {"", "s", "0.25", "50", "-1s", "30 days", "1e999s", "nan", "inf", "10s..60s", "5s5s"})
    EXPECT_EQ(read(nonsense), -1) << nonsense;
}

TEST(Seconds, TheirTextReadsAsTheSame) {
  for (const double value : {0.0, 30.0, 0.05, 90.0, 1.5, 250e-6, 3600.0, 5e-8, 0.1234567})
    EXPECT_DOUBLE_EQ(parse_seconds(seconds_text({value}))->value, value) << seconds_text({value});
  EXPECT_EQ(seconds_text({30}), "30s");
  EXPECT_EQ(seconds_text({0.05}), "50ms");
  EXPECT_EQ(seconds_text({0}), "0s");
}

struct Waiting {
  Seconds duration{30};
};
template <class Visit, Describes<Waiting> Self>
void describe(Visit&& v, Self& s) {
  v("duration", s.duration, "of it", between(1, 3600));
}

TEST(Seconds, AFieldTakesATimeWithItsUnitWithinItsRange) {
  const auto read = [](const Json& value) { return from_json<Waiting>({{"duration", value}}, ""); };
  EXPECT_DOUBLE_EQ(read("2min")->duration.value, 120);
  EXPECT_EQ(read(2.5).error().message, "duration 2.5: a time needs its unit: 2.5ms, 2.5s");
  EXPECT_EQ(read("50").error().message, "duration 50: a time needs its unit: 50ms, 50s");
  EXPECT_THAT(read(0).error().message, testing::HasSubstr("duration: 0 is below 1"))
      << "zero is the same in any unit";
  EXPECT_THAT(read("50ms").error().message, testing::HasSubstr("duration: 0.05 is below 1"));
  EXPECT_THAT(read("1,5h").error().message, testing::HasSubstr("a fraction with a point: 1.5h"));
  EXPECT_THAT(read("soon").error().message, testing::HasSubstr("duration 'soon' is no length of time"));
  EXPECT_FALSE(read(true));
  EXPECT_EQ(to_json(Waiting{})["duration"], "30s");
}

}  // namespace
}  // namespace neph
