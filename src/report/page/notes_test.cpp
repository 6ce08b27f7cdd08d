#include "report/page/notes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/report.hpp"
#include "report/sample_comparison_test.hpp"

namespace neph::report {
namespace {

using testing::HasSubstr;

TEST(Prose, KeepsShortWordsWithHyphensOnOneLine) {
  EXPECT_EQ(prose_html("accept it: --accept machine"),
            "accept it: <span class=\"unbroken\">--accept</span> machine");
  EXPECT_EQ(prose_html("since 7 (2026-11-12)."), "since 7 <span class=\"unbroken\">(2026-11-12).</span>");
  EXPECT_EQ(prose_html("a-long-path/of-many-folders/model.onnx"), "a-long-path/of-many-folders/model.onnx");
}

TEST(Prose, LeavesAllElseAsItIs) {
  EXPECT_EQ(prose_html(""), "");
  EXPECT_EQ(prose_html(" two  spaces "), " two  spaces ");
  EXPECT_EQ(prose_html("<b>-</b> 3 %"), "<span class=\"unbroken\">&lt;b&gt;-&lt;/b&gt;</span> 3&nbsp;%");
}

TEST(Prose, IsWhatAnswersAndNotesAreIn) {
  EXPECT_THAT(html(refused_comparison()), HasSubstr("<span class=\"unbroken\">--accept</span>"));
  EXPECT_THAT(html(sample_history()), HasSubstr("<span class=\"unbroken\">(2026-11-12).</span>"));
  EXPECT_THAT(notes_html({"see --accept"}, {}), HasSubstr("<span class=\"unbroken\">--accept.</span>"));
}

}  // namespace
}  // namespace neph::report
