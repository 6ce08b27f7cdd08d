#include "wire/json/events.hpp"

#include <gmock/gmock.h>

#include "core/json.hpp"
#include "core/random.hpp"

namespace neph::wire {
namespace {

/// Puts the events together to a document, to compare it with what the general reader makes of the text.
class Document {
 public:
  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool integer(std::int64_t value) { return add(value); }
  bool natural(std::uint64_t value) { return add(value); }
  bool real(double value) { return add(value); }
  bool text(std::string_view value) { return add(std::string(value)); }
  bool key(std::string_view name) {
    keys_.back() = name;
    return true;
  }
  bool begin_object() { return open(Json::object()); }
  bool begin_list() { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_list() { return close(); }
  void fault(std::size_t byte, std::string_view words) { words_ = fmt::format("{}: {}", byte, words); }

  const Json& whole() const { return open_.front(); }
  const std::string& words() const { return words_; }

 private:
  bool add(Json value) {
    auto& parent = open_.back();
    if (parent.is_array())
      parent.push_back(std::move(value));
    else
      parent[keys_.back()] = std::move(value);
    return true;
  }
  bool open(Json empty) {
    if (open_.size() > 100) return false;
    open_.push_back(std::move(empty));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    auto done = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    return add(std::move(done));
  }

  std::vector<Json> open_{Json::array()};
  std::vector<std::string> keys_{""};
  std::string words_;
};

/// What the text means, as text again; "" if it is not JSON.
std::string ours(std::string_view text) {
  Document document;
  if (!JsonEvents(text, document).read()) return "";
  EXPECT_EQ(document.whole().size(), 1U);
  return document.whole()[0].dump();
}
std::string theirs(std::string_view text) {
  const auto json = Json::parse(text.begin(), text.end(), nullptr, false);
  return json.is_discarded() ? "" : json.dump();
}

std::string fault(std::string_view text) {
  Document document;
  return JsonEvents(text, document).read() ? "accepted" : document.words();
}

TEST(JsonEvents, AreWhatAnotherReaderSees) {
  for (const std::string_view text : {"{}",
                                      "[]",
                                      " [ 1 , 2 ] ",
                                      "7",
                                      "-0",
                                      "0",
                                      "-7",
                                      "1.5e3",
                                      "1E-2",
                                      "18446744073709551615",
                                      "18446744073709551616",
                                      "-9223372036854775808",
                                      "-9223372036854775809",
                                      "1e400",
                                      "1e-400",
                                      "-1e-400",
                                      "01",
                                      "-01",
                                      "+1",
                                      ".5",
                                      "5.",
                                      "1e",
                                      "-",
                                      "1.0000000000000000001",
                                      "2.2250738585072014e-308",
                                      "4.9e-324",
                                      "true",
                                      "tru",
                                      "nul",
                                      "null",
                                      "false",
                                      "\"a\\u00e9\\n\\/\\\"\"",
                                      "\"\\ud83d\\ude00\"",
                                      "\"\\ud83d\"",
                                      "\"\\ude00\"",
                                      "\"\\ud83d\\u0041\"",
                                      "\"\\u00g0\"",
                                      "\"\\x\"",
                                      "\"\\u12\"",
                                      "\"\xc3\xa9\"",
                                      "\"\xc3\"",
                                      "\"\xed\xa0\x80\"",
                                      "\"\xc0\x80\"",
                                      "\"\xf4\x90\x80\x80\"",
                                      "\"\xf0\x9f\x98\x80\"",
                                      "\"\t\"",
                                      "\"",
                                      "{\"a\":1,}",
                                      "{\"a\" 1}",
                                      "{a:1}",
                                      "[1,]",
                                      "[1 2]",
                                      "[",
                                      "{",
                                      "]",
                                      "",
                                      " ",
                                      "1 2",
                                      "{\"a\":{\"b\":[[],{}]}}",
                                      "\xEF\xBB\xBF[1]",
                                      "\xEF\xBB",
                                      "[\"\x7f\"]",
                                      "\"\\b\\f\\r\\t\"",
                                      "{\"a\":1,\"a\":2}",
                                      "nullx",
                                      "[true false]"}) {
    EXPECT_EQ(ours(text), theirs(text)) << text;
  }
}

TEST(JsonEvents, OfBrokenTextAreRefusedAsTheOtherReaderDoes) {
  const std::string sound =
      R"({"id":"q","parameters":{"ratio":-0.5e-3,"n":[1,2,{"x":null}],"who":"d\u00e9j\u00e0 \\ \ud83d\ude00 é"},"inputs":[)"
      R"({"name":"x","datatype":"FP32","shape":[1,2],"data":[[1.25,-3],[true,12345678901234567890]]}]})";
  constexpr std::string_view bytes = "{}[]\",:0123456789.eE+-tfnu\\ \n\x80\xc3\xff\t";
  Random random(5);
  int accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    auto text = sound;
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
    const auto mine = ours(text);
    ASSERT_EQ(mine, theirs(text)) << text;
    accepted += mine.empty() ? 0 : 1;
  }
  EXPECT_GT(accepted, 1000) << "or nothing was compared";
}

TEST(JsonEvents, SayWhatIsWrongAndWhere) {
  EXPECT_EQ(fault(""), "0: it is cut short");
  EXPECT_EQ(fault("{\"a\":"), "5: it is cut short");
  EXPECT_EQ(fault("{\"a\" 1}"), "5: a colon is wanted");
  EXPECT_EQ(fault("[1 2]"), "3: a comma or a closing bracket is wanted");
  EXPECT_EQ(fault("[1] x"), "4: something behind its end");
  EXPECT_EQ(fault("\"\\q\""), "3: an escape that there is not");
}

}  // namespace
}  // namespace neph::wire
