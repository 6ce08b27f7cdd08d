#include "price/moment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neph::price {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr Instant now{seconds(1795600000)};  // 2026-11-25T14:26:40Z

std::string said(std::string_view text, const std::string& zone = "UTC") {
  const auto instant = parse_instant(text, zone, now);
  return instant ? instant_text(*instant, "UTC").value() : instant.error().text();
}

TEST(Length, IsReadToTheNanosecond) {
  EXPECT_EQ(parse_length("40s").value(), seconds(40));
  EXPECT_EQ(parse_length("5min").value(), minutes(5));
  EXPECT_EQ(parse_length("1h30min").value(), minutes(90));
  EXPECT_EQ(parse_length("1.5h").value(), minutes(90));
  EXPECT_EQ(parse_length("250ms").value(), milliseconds(250));
  EXPECT_EQ(parse_length("2d").value(), hours(48));
  EXPECT_EQ(parse_length("0.000000001s").value(), Nanoseconds(1));
  EXPECT_EQ(parse_length("0").value(), Nanoseconds(0));
}

TEST(Length, RefusesWhatIsNone) {
  for (const auto* text :
       {"", "5", "min", "-5s", "5 s", "1.5.5s", "0.0000000001s", "5weeks", "nan", "1e3s", "90000000h"})
    EXPECT_FALSE(parse_length(text)) << text;
}

TEST(Moment, IsReadWithAndWithoutAnOffset) {
  EXPECT_EQ(said("2026-11-24T13:25+03:00"), "2026-11-24T10:25:00+00:00");
  EXPECT_EQ(said("2026-11-24T13:25", "Europe/Moscow"), "2026-11-24T10:25:00+00:00");
  EXPECT_EQ(said("2026-11-24 13:25:30Z", "Europe/Moscow"), "2026-11-24T13:25:30+00:00");
  EXPECT_EQ(said("13:25", "Europe/Moscow"), "2026-11-25T10:25:00+00:00");
  EXPECT_EQ(said("13:25-05:30"), "2026-11-25T18:55:00+00:00");
}

TEST(Moment, NamesWhatIsWrong) {
  for (const auto* text : {"", "noon", "2026-02-30T10:00", "2026-11-24", "2026-11-24T25:00",
                           "2026-11-24T10:60", "2026-11-24T10:00+15:00", "2026-11-24T10:00:00.", "10:00Zx",
                           "2826-11-24T17:23:00", "1026-11-24T17:23"})
    EXPECT_THAT(said(text), HasSubstr("is no moment")) << text;
  EXPECT_THAT(said("13:25", "Europe/Nowhere"), HasSubstr("no time zone 'Europe/Nowhere'"));
}

TEST(Moment, ThatTheClockSkipsOrHasTwiceIsRefused) {
  EXPECT_THAT(said("2026-03-29T02:30", "Europe/Berlin"), HasSubstr("the clock skips it"));
  EXPECT_THAT(said("2026-10-25T02:30", "Europe/Berlin"), HasSubstr("give an offset: +02:00 or +01:00"));
  EXPECT_EQ(said("2026-10-25T02:30+01:00", "Europe/Berlin"), "2026-10-25T01:30:00+00:00");
}

TEST(Period, BeginsOnTheZonesClock) {
  const auto begin = [](std::string_view text, const std::string& zone, Nanoseconds period = hours(1)) {
    return instant_text(period_begin(parse_instant(text, zone, now).value(), period, zone).value(), zone)
        .value();
  };
  EXPECT_EQ(begin("2026-11-24T13:25", "Europe/Moscow"), "2026-11-24T13:00:00+03:00");
  EXPECT_EQ(begin("2026-11-24T13:00", "Europe/Moscow"), "2026-11-24T13:00:00+03:00");
  EXPECT_EQ(begin("2026-11-24T13:25", "Asia/Kolkata"), "2026-11-24T13:00:00+05:30");
  EXPECT_EQ(begin("2026-11-24T13:25", "Europe/Moscow", hours(24)), "2026-11-24T00:00:00+03:00");
  EXPECT_EQ(begin("1969-12-31T23:25", "UTC"), "1969-12-31T23:00:00+00:00");
  EXPECT_EQ(begin("2026-10-25T10:00", "Europe/Berlin", hours(24)), "2026-10-25T00:00:00+02:00");
  EXPECT_EQ(begin("2026-03-29T03:30", "Europe/Berlin", hours(2)), "2026-03-29T03:00:00+02:00")
      << "2 o'clock was skipped";
}

TEST(Period, EndsWhereTheNextBegins) {
  for (const auto* zone : {"UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"})
    for (const auto period : {Nanoseconds(minutes(1)), Nanoseconds(minutes(15)), Nanoseconds(hours(1)),
                              Nanoseconds(hours(2)), Nanoseconds(hours(24))})
      for (Instant at = now - hours(24 * 330); at < now; at += hours(7) + minutes(13)) {
        const auto begin = period_begin(at, period, zone).value(), end = period_end(at, period, zone).value();
        ASSERT_TRUE(begin <= at && at < end) << zone;
        ASSERT_EQ(period_begin(end, period, zone).value(), end) << zone;
        ASSERT_EQ(period_begin(end - Nanoseconds(1), period, zone).value(), begin) << zone;
        ASSERT_EQ(period_end(begin, period, zone).value(), end) << zone;
      }
}

TEST(Period, IsAPartOfAnHourOrOfADay) {
  for (const int good : {1, 60, 900, 3600, 7200, 21600, 86400}) EXPECT_TRUE(is_period(seconds(good))) << good;
  for (const int bad : {0, -60, 7, 5400, 18000, 172800}) EXPECT_FALSE(is_period(seconds(bad))) << bad;
}

}  // namespace
}  // namespace neph::price
