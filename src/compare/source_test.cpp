#include "compare/sources_test.hpp"

namespace neph::compare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Source, IsOfNoKindThatIsKnown) {
  for (const auto* text : {"{}", R"({"a": 1})", "a,b\n1,2\n", "hello", "[1, 2]", "Concurrency\n1\n"})
    EXPECT_THAT(message(text), HasSubstr("is none of neph's JSON or CSV (neph export), perf_analyzer's CSV"));
}

TEST(Source, SaysWhatIsWrongWithAFileOfNoContent) {
  EXPECT_THAT(message(""), HasSubstr("t: is empty; did what should have written it end well?"));
  EXPECT_THAT(message(" \n\t\n"), HasSubstr("is empty"));
  EXPECT_THAT(message("{\"results\": [{\"command\": \"c\", \"tim"), HasSubstr("not valid JSON"));
  EXPECT_THAT(message(std::string_view("\xFF\xFE{\0}\0", 6)), HasSubstr("UTF-16"));
}

TEST(Source, DeepTextIsNoReasonToCrash) {
  EXPECT_THAT(message("{\"results\": " + std::string(1'000'000, '[')),
              HasSubstr("nested more than 100 deep"));
  EXPECT_THAT(message("{\"results\": " + std::string(99, '[') + std::string(99, ']') + "}"),
              HasSubstr("results[0]: expected an object"));
}

TEST(Source, AByteOrderMarkAndEmptyLinesDoNotMatter) {
  EXPECT_EQ(parsed("\xEF\xBB\xBF{\"results\": [{\"command\": \"c\", \"times\": [1]}]}").kind, "hyperfine");
  EXPECT_EQ(parsed("\xEF\xBB\xBF\nConcurrency,Inferences/Second\n1,2\n\n").kind, "perf_analyzer");
}

TEST(Source, WordsThatAreNoNumbersStayInTexts) {
  const auto source = parsed(R"({"results": [{"command": "NaN \"Infinity", "times": [1], "user": NaN}]})");
  EXPECT_THAT(labels(source), ElementsAre("NaN \"Infinity"));
}

TEST(Source, TextOfAFileCannotSteerATerminal) {
  EXPECT_EQ(
      message("{\"results\": [{\"command\": \"\\u001b[31m\\n\", \"times\": [\"\\u001b\"]}]}").find('\x1b'),
      std::string::npos);
}

TEST(Source, OfAStoreItSaysWhatToDo) {
  const auto source = read_source("tests/golden/stores/schema-5.db");
  ASSERT_FALSE(source);
  EXPECT_THAT(source.error().text(), HasSubstr("schema-5.db: is a store; name an experiment of it"));
}

TEST(Source, AFileThatIsNotThereIsNotFound) {
  const auto source = read_source("tests/golden/compare/none.json");
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().code, ErrorCode::not_found);
  EXPECT_THAT(read_source("tests/golden").error().text(), HasSubstr("directory"));
}

}  // namespace
}  // namespace neph::compare
