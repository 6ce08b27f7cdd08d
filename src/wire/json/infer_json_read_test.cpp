// What is taken for JSON, and what is made of it, against the general reader of core/json.hpp.
#include <cmath>
#include <cstring>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "core/json.hpp"
#include "core/random.hpp"
#include "wire/json/infer_json.hpp"

namespace neph::wire {
namespace {

using testing::HasSubstr;

std::string fault_of(std::string_view text, InferRequest& request) {
  BinarySizes sizes;
  request.clear();
  const auto status = read_json(text, request, sizes);
  return status ? "" : status.error().message;
}
std::string fault_of(std::string_view text) {
  InferRequest request;
  return fault_of(text, request);
}

/// What the other reader makes of a text; empty: it is not JSON.
std::optional<Json> theirs(std::string_view text) {
  auto json = Json::parse(text.begin(), text.end(), nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

Json json_of(const Value& value) {
  return std::visit([](const auto& given) { return Json(given); }, value);
}

constexpr std::string_view values[] = {"{}",
                                       "[]",
                                       " [ 1 , 2 ] ",
                                       "7",
                                       "-0",
                                       "0",
                                       "-7",
                                       "1.5e3",
                                       "1E-2",
                                       "9223372036854775807",
                                       "9223372036854775808",
                                       "18446744073709551615",
                                       "18446744073709551616",
                                       "-9223372036854775808",
                                       "-9223372036854775809",
                                       "123456789012345678901234567890",
                                       "1e400",
                                       "1e-400",
                                       "-1e-400",
                                       "01",
                                       "-01",
                                       "+1",
                                       ".5",
                                       "5.",
                                       "1e",
                                       "1x",
                                       "-",
                                       "NaN",
                                       "Infinity",
                                       "-Infinity",
                                       "1.0000000000000000001",
                                       "2.2250738585072014e-308",
                                       "4.9e-324",
                                       "0.1",
                                       "179769313486231570000e289",
                                       "true",
                                       "tru",
                                       "truex",
                                       "nul",
                                       "null",
                                       "nullx",
                                       "false",
                                       "\"a\\u00e9\\n\\/\\\"\"",
                                       "\"\\ud83d\\ude00\"",
                                       "\"\\ud83d\"",
                                       "\"\\ude00\"",
                                       "\"\\ud83d\\u0041\"",
                                       "\"\\u00g0\"",
                                       "\"\\u0000\"",
                                       "\"\\x\"",
                                       "\"\\u12\"",
                                       "\"\xc3\xa9\"",
                                       "\"\xc3\"",
                                       "\"\xed\xa0\x80\"",
                                       "\"\xc0\x80\"",
                                       "\"\xf4\x90\x80\x80\"",
                                       "\"\xf0\x9f\x98\x80\"",
                                       "\"\t\"",
                                       "\"\x7f\"",
                                       "\"\\b\\f\\r\\t\"",
                                       "\"",
                                       "{\"a\":1,}",
                                       "{\"a\" 1}",
                                       "{a:1}",
                                       "{\"\\ud83d\":1}",
                                       "{\"\\q\":1}",
                                       "[1,]",
                                       "[,1]",
                                       "[1 2]",
                                       "[1}",
                                       "[",
                                       "{",
                                       "]",
                                       "",
                                       " ",
                                       "1 2",
                                       "{\"a\":{\"b\":[[],{}]}}",
                                       "\xEF\xBB\xBF[1]",
                                       "\f1",
                                       "{\"a\":1,\"a\":2}",
                                       "[true false]",
                                       "[truefalse]"};

/// A whole number beyond 64 bits, which is refused here.
bool is_too_long(std::string_view value) {
  return value.size() > 18 && value.find_first_not_of("-0123456789") == std::string_view::npos &&
         value != "9223372036854775807" && value != "9223372036854775808" &&
         value != "18446744073709551615" && value != "-9223372036854775808";
}

TEST(ReadJson, TakesForJsonWhatAnotherReaderDoesAlsoWhereNobodyReadsIt) {
  for (const auto value : values) {
    if (is_too_long(value)) continue;
    for (const auto& text :
         {fmt::format("{{\"x\":{}}}", value), fmt::format("{{\"x\":[{}],\"id\":\"\"}}", value),
          fmt::format("{{\"x\":{{\"y\":{}}}}}", value)})
      EXPECT_EQ(fault_of(text).empty(), theirs(text).has_value()) << text << ": " << fault_of(text);
  }
}

TEST(ReadJson, MakesOfValuesWhatAnotherReaderDoes) {
  int compared = 0;
  for (const auto value : values) {
    const auto text = fmt::format("{{\"parameters\":{{\"p\":{}}}}}", value);
    InferRequest request;
    if (is_too_long(value)) {
      EXPECT_THAT(fault_of(text), HasSubstr("a whole one beyond 64 bits")) << text;
      continue;
    }
    const auto json = theirs(text);
    if (!json) {
      EXPECT_NE(fault_of(text), "") << text;
      continue;
    }
    const auto& given = (*json)["parameters"]["p"];
    if (given.is_structured() || given.is_null()) continue;
    ASSERT_EQ(fault_of(text, request), "") << text;
    EXPECT_EQ(json_of(request.parameters.at(0).value).dump(), given.dump()) << text;
    ++compared;
  }
  EXPECT_GT(compared, 20);
}

TEST(ReadJson, RoundsNumbersAsTheStandardLibraryDoes) {
  Random random(3);
  for (int round = 0; round < 2'000; ++round) {
    std::string digits = fmt::format("{}", 1 + random.below(9));
    for (auto left = random.below(25); left > 0; --left) digits += static_cast<char>('0' + random.below(10));
    const auto number = fmt::format("{}{}.{}e{}", random.below(2) ? "-" : "", random.below(100), digits,
                                    static_cast<int>(random.below(500)) - 250);
    InferRequest request;
    ASSERT_EQ(fault_of(fmt::format(R"({{"inputs":[{{"datatype":"FP64","shape":[1],"data":[{}]}}]}})", number),
                       request),
              "");
    double got = 0;
    std::memcpy(&got, request.inputs.at(0).data.data(), sizeof got);
    ASSERT_EQ(got, std::strtod(number.c_str(), nullptr)) << number;
  }
}

std::string damaged(std::string text, Random& random) {
  constexpr std::string_view bytes = "{}[]\",:0123456789.eE+-tfnu\\ \n\f\x80\xc3\xff\t";
  for (std::uint64_t change = 0; change <= random.below(3); ++change) {
    const auto at = random.below(text.size());
    switch (random.below(3)) {
      case 0:
        text[at] = bytes[random.below(bytes.size())];
        break;
      case 1:
        text.erase(at, 1 + random.below(3));
        break;
      default:
        text.insert(at, 1, bytes[random.below(bytes.size())]);
    }
  }
  return text;
}

TEST(ReadJson, RefusesBrokenTextAsAnotherReaderDoes) {
  const std::string sound =
      R"({"id":"q","parameters":{"ratio":-0.5e-3,"n":[1,2,{"x":null}],"who":"d\u00e9j\u00e0 \\ \ud83d\ude00 é"},)"
      R"("inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[[1.25,-3],[true,123456789012345678]]}]})";
  Random random(5);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto text = fmt::format("{{\"x\":{},\"y\":0}}", damaged(sound, random));
    const auto json = theirs(text);
    if (json && json->size() != 2) continue;  // it has got out of its place
    const auto fault = fault_of(text);
    if (fault.find("beyond 64 bits") != std::string::npos) continue;
    ASSERT_EQ(fault.empty(), json.has_value()) << text << "\n" << fault;
    accepted += json ? 1 : 0;
  }
  EXPECT_GT(accepted, 1000) << "or nothing was compared";
}

TEST(ReadJson, TakesOnlyJsonForARequest) {
  const std::string sound =
      R"({"id":"q","parameters":{"ratio":-0.5e-3,"who":"\ud83d\ude00 é"},"inputs":[{"data":[[1,2],[3]],"name":"x",)"
      R"("datatype":"INT32","shape":[1,2]},{"datatype":"BYTES","shape":[1],"data":["\u00e9"],"z":{}}]})";
  Random random(6);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto text = damaged(sound, random);
    InferRequest request;
    const auto fault = fault_of(text, request);
    const auto json = theirs(text);
    if (!fault.empty()) {
      ASSERT_FALSE(json && fault.starts_with("not JSON")) << text << "\n" << fault;
      continue;
    }
    ASSERT_TRUE(json) << text;
    ++accepted;
    if (json->contains("id")) {
      ASSERT_EQ(Json(request.id).dump(), (*json)["id"].dump()) << text;
    }
  }
  EXPECT_GT(accepted, 1000);
}

TEST(ReadJson, PassesOverTheByteOrderMark) {
  InferRequest request;
  EXPECT_EQ(fault_of("\xEF\xBB\xBF{\"id\":\"a\"}", request), "");
  EXPECT_EQ(request.id, "a");
  EXPECT_THAT(fault_of("\xEF\xBB"), HasSubstr("not JSON"));
}

TEST(ReadJson, DoesNotEndAtAZero) {  // as the other reader does
  EXPECT_NE(fault_of(std::string_view("{}\0", 3)), "");
  EXPECT_NE(fault_of(std::string_view("{\"x\":1\0}", 8)), "");
  EXPECT_NE(fault_of(std::string_view("{\"x\":\"\0\"}", 9)), "");
}

TEST(ReadJson, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(fault_of(""), HasSubstr("not JSON at byte 0: "));
  EXPECT_THAT(fault_of("{\"id\":"), HasSubstr("not JSON at byte "));
  EXPECT_THAT(fault_of("{\"id\" \"x\"}"), HasSubstr("not JSON at byte 6: "));
  EXPECT_THAT(fault_of("{\"x\":[1 2]}"), HasSubstr("not JSON at byte 8: "));
  EXPECT_THAT(fault_of("{\"x\":1} x"), HasSubstr("not JSON at byte 8: "));
  EXPECT_THAT(fault_of("{\"x\":1,\"y\":01}"), HasSubstr("not JSON at byte 12: "));
  EXPECT_THAT(fault_of("{\"x\":\"abc}"), HasSubstr("not JSON at byte 10: "));
  EXPECT_THAT(fault_of("\xEF\xBB\xBF{\"x\":01}"), HasSubstr("not JSON at byte 9: "));
  EXPECT_THAT(fault_of("{\"x\":\"\xff\"}"), HasSubstr("not JSON at byte 6: "));
}

std::string many(std::size_t count, std::string_view part) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += part;
  return text;
}

TEST(ReadJson, BoundsWhatItKeepsBesideTensors) {
  const auto parameters = [](std::size_t count) {
    return fmt::format(R"("parameters":{{{}"last":0}})", many(count - 1, R"("":0,)"));
  };
  EXPECT_EQ(fault_of("{" + parameters(1024) + "}"), "");
  EXPECT_THAT(fault_of("{" + parameters(1025) + "}"), HasSubstr("more than 1024 parameters"));
  const auto tensors = fmt::format(R"("inputs":[{{{0}}},{{{0}}}])", parameters(400));
  EXPECT_EQ(fault_of("{" + tensors + "}"), "");
  EXPECT_THAT(fault_of("{" + tensors + "," + parameters(400) + "}"), HasSubstr("more than 1024 parameters"));
  const auto sizes =
      fmt::format(R"("inputs":[{}{{}}])", many(1023, R"({"parameters":{"binary_data_size":0}},)"));
  EXPECT_EQ(fault_of("{" + sizes + "," + parameters(1024) + "}"), "") << "they are not kept";

  const std::string half(most_text_bytes / 2, 'x');
  EXPECT_EQ(fault_of(fmt::format(R"({{"id":"{0}","parameters":{{"{0}":0}},"{0}{0}{0}":0}})", half)), "");
  for (const auto* text : {R"({{"id":"{0}","parameters":{{"{0}":"x"}}}})", R"({{"id":"{0}{0}x"}})",
                           R"({{"id":"\n{0}{0}"}})", R"({{"parameters":{{"\n{0}{0}":0,"x":"x"}}}})"})
    EXPECT_THAT(fault_of(fmt::format(fmt::runtime(text), half)), HasSubstr("of more than 1048576 bytes"))
        << text;
  const auto escaped =
      R"({"inputs":[{"datatype":"BYTES","shape":[1],"data":[")" + many(300'000, R"(\u00e9\n)");
  InferRequest request;
  EXPECT_EQ(fault_of(escaped + "\"]}]}", request), "") << "what tensors hold is not meant";
  EXPECT_EQ(request.inputs.at(0).data.size(), 900'004U);
}

TEST(ReadJson, AReplyHasOneListOfOutputsAndNoError) {
  const auto fault = [](std::string_view text) {
    BinarySizes sizes;
    InferReply reply;
    const auto status = read_json(text, reply, sizes);
    return status ? "" : status.error().message;
  };
  constexpr std::string_view output = R"({"name":"y","datatype":"FP32","shape":[1],"data":[1]})";
  EXPECT_EQ(fault(fmt::format(R"({{"outputs":[{}],"error":null}})", output)), "");
  EXPECT_EQ(fault(fmt::format(R"({{"outputs":[{}],"error":""}})", output)), "");
  EXPECT_EQ(fault(fmt::format(R"({{"outputs":[{}],"error":"lost"}})", output)),
            "the reply has an error beside its outputs: 'lost'");
  EXPECT_THAT(fault(fmt::format(R"({{"error":{{"code":1}},"outputs":[{}]}})", output)),
              HasSubstr("has an error"));
  EXPECT_EQ(fault(fmt::format(R"({{"outputs":[{}],"outputs":[]}})", output)), "outputs: given twice");
  EXPECT_EQ(fault_of(fmt::format(R"({{"inputs":[{0}],"inputs":[{0}]}})", output)), "inputs: given twice");
}

TEST(ReadJson, KeepsNothingOfTheLastText) {
  const std::string large = R"({"inputs":[{"datatype":"UINT8","shape":[3000000],"data":[)" + [] {
    std::string ones = "1";
    for (int i = 1; i < 3'000'000; ++i) ones += ",1";
    return ones;
  }() + "]}]}";
  InferRequest request;
  ASSERT_EQ(fault_of(large, request), "");
  EXPECT_EQ(request.inputs.at(0).data.size(), 3'000'000U);
  EXPECT_NE(fault_of("{\"id\":\"lo", request), "");
  EXPECT_EQ(fault_of("{\"id\":\"b\"}", request), "");
  EXPECT_EQ(request.id, "b");
  EXPECT_TRUE(request.inputs.empty());
}

}  // namespace
}  // namespace neph::wire
