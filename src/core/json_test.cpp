#include "core/json.hpp"

#include <limits>

#include <gmock/gmock.h>

namespace neph {
namespace {

enum class Colour { red, green };
constexpr auto enum_names(Colour) {
  return std::array{Named{Colour::red, "red"}, Named{Colour::green, "green"}};
}

struct Inner {
  std::int32_t size = 3;
};
template <class Visit, Describes<Inner> Self>
void describe(Visit&& v, Self& s) {
  v("size", s.size, "how large", between(1, 10));
}

struct Outer {
  std::string name = "x";
  double rate_per_s = 1.5;
  double share = 0;
  bool on = false;
  Colour colour = Colour::red;
  std::optional<std::int64_t> limit;
  std::vector<Inner> inner;
  std::map<std::string, double> table;
};
template <class Visit, Describes<Outer> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "its name");
  v("rate_per_s", s.rate_per_s, "its rate", at_least(0));
  v("share", s.share, "its share");
  v("on", s.on, "whether");
  v("colour", s.colour, "which");
  v("limit", s.limit, "at most");
  v("inner", s.inner, "parts");
  v("table", s.table, "numbers by name");
}

Error error_of(std::string_view text) {
  const auto json = parse_json(text, "test");
  EXPECT_TRUE(json) << text;
  const auto read = from_json<Outer>(*json, "outer");
  EXPECT_FALSE(read) << text;
  return read ? Error{} : read.error();
}

TEST(Json, WritesAllFieldsInTheOrderOfTheDescription) {
  EXPECT_EQ(
      dump_json(to_json(Outer{.inner = {{5}}, .table = {{"a", 0.5}}})),
      R"({"name":"x","rate_per_s":1.5,"share":0.0,"on":false,"colour":"red","limit":null,"inner":[{"size":5}],"table":{"a":0.5}})");
}

TEST(Json, ReadsBackWhatItWrote) {
  const Outer value{.name = "y",
                    .rate_per_s = 1e-300,
                    .on = true,
                    .colour = Colour::green,
                    .limit = 7,
                    .inner = {{1}, {10}}};
  const auto read = from_json<Outer>(to_json(value), "");
  ASSERT_TRUE(read);
  EXPECT_EQ(dump_json(to_json(*read)), dump_json(to_json(value)));
}

TEST(Json, MissingKeysKeepTheDefaults) {
  const auto read = from_json<Outer>(Json::object(), "");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->rate_per_s, 1.5);
}

TEST(Json, NumbersThatAreNotFiniteBecomeNullAndComeBackAsNan) {
  const auto json = to_json(Outer{.share = std::numeric_limits<double>::infinity()});
  EXPECT_TRUE(json["share"].is_null());
  EXPECT_TRUE(std::isnan(from_json<Outer>(json, "")->share));
}

TEST(Json, ANumberWithARangeIsNeverUnknown) {
  EXPECT_EQ(error_of(R"({"rate_per_s": null})").message, "outer.rate_per_s: expected a number");
}

TEST(Json, RefusesAnUnknownKeyWithTheNearestKnownOne) {
  EXPECT_EQ(error_of(R"({"nmae": "z"})").text(), "unknown key 'nmae' in outer; did you mean 'name'?");
}

TEST(Json, RefusesWithThePathToTheFault) {
  EXPECT_EQ(error_of(R"({"inner": [{"size": 1}, {"size": 11}]})").message,
            "outer.inner[1].size: 11 is above 10");
  EXPECT_EQ(error_of(R"({"limit": "x"})").subject, "outer.limit");
  EXPECT_EQ(error_of(R"({"rate_per_s": -1})").subject, "outer.rate_per_s");
  EXPECT_EQ(error_of(R"({"rate_per_s": "1/s"})").hint, "");
  EXPECT_EQ(detail::no_number("5s", "--timeout-s").value().hint, "seconds, without a unit");
  EXPECT_EQ(error_of(R"({"rate_per_s": -1})").message, "outer.rate_per_s: -1 is below 0");
  EXPECT_EQ(error_of(R"({"on": 1})").message, "outer.on: expected true or false, got 1");
  EXPECT_EQ(error_of(R"({"limit": 1.5})").message, "outer.limit: expected a whole number, got 1.5");
  EXPECT_EQ(error_of(R"({"colour": "grene"})").text(),
            "unknown value 'grene' in outer.colour; did you mean 'green'?");
  EXPECT_EQ(error_of(R"([])").message, "outer: expected an object, got []");
  EXPECT_EQ(error_of(R"({"inner": [{"size": 99999999999}]})").message,
            "outer.inner[0].size: 99999999999 is not between -2147483648 and 2147483647");
}

TEST(Json, EscapesWhatSteersATerminalAndLosesNothing) {
  const Json value = {{"k\u202e", "\x1b[31m \x7f \u009b \u2066 µ"}};
  EXPECT_EQ(dump_json(value), R"({"k\u202e":"\u001b[31m \u007f \u009b \u2066 \u00b5"})");
  EXPECT_EQ(*parse_json(dump_json(value, true), "it"), value);
  EXPECT_EQ(dump_json({"µ – …€"}), "[\"µ – …€\"]") << "other characters stay";
}

TEST(Json, TakesAWholeNumberWrittenAsAFloat) {
  EXPECT_EQ(from_json<Outer>(*parse_json(R"({"limit": 1e3})", ""), "")->limit, 1000);
}

TEST(Json, SaysWhereTheTextIsBroken) {
  const auto json = parse_json("{\"a\": 1,\n \"b\" 2}", "spec.json");
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().code, ErrorCode::corrupt);
  EXPECT_THAT(json.error().message, "spec.json: not valid JSON at line 2, column 6: '2}'");
}

TEST(Json, RefusesWhatIsTooDeepOrTooLarge) {
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(parse_json(deep, "spec.json").error().message,
            "spec.json: not valid JSON: nested more than 100 deep");
  EXPECT_TRUE(parse_json(R"(["\")" + deep + R"(", "\\"])", "")) << "brackets in text are text";
  EXPECT_TRUE(parse_json("[" + std::string(500, ' ') + std::string(99, '[') + std::string(100, ']'), ""));
  EXPECT_EQ(parse_json("1e999", "").error().code, ErrorCode::corrupt);
  EXPECT_LT(parse_json(std::string(100'000, '7') + "x", "").error().message.size(), 400u);
}

TEST(Names, FindsTheNearestOneOnlyWhenItIsNear) {
  const std::vector<std::string> known{"batch", "precision", "threads"};
  EXPECT_EQ(nearest_name("bacth", known), "batch");
  EXPECT_EQ(nearest_name("Precison", known), "precision");
  EXPECT_EQ(nearest_name("colour", known), std::nullopt);
  EXPECT_EQ(nearest_name("GPU", {"CPU"}), std::nullopt) << "a word of its own";
  EXPECT_EQ(nearest_name("cup", {"CPU"}), "CPU");
  EXPECT_EQ(nearest_name("htp", {"http"}), "http");
  const auto unknown = unknown_name(ErrorCode::not_found, "factor", "colour", known).value();
  EXPECT_EQ(unknown.text(), "unknown factor 'colour'; known: batch, precision, threads");
  EXPECT_EQ(unknown.subject, "colour");
}

}  // namespace
}  // namespace neph
