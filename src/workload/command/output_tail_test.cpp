#include "workload/command/output_tail.hpp"

#include <gtest/gtest.h>

#include "core/lines.hpp"

namespace neph::workload::command {
namespace {

std::string reason(std::string_view printed) {
  PythonError error;
  Lines lines(printed.size());
  lines.add(printed, [&](std::string_view line) { error.add(line); });
  return error.text();
}

constexpr std::string_view frames = R"(Traceback (most recent call last):
  File "/tmp/train.py", line 3, in <module>
    learn()
    ~~~~~^^
  File "/tmp/train.py", line 2, in learn
    raise ValueError("boom")
)";

std::string traceback(const std::string& ending) { return std::string(frames) + ending; }

TEST(PythonError, IsTheLineBelowTheFrames) {
  EXPECT_EQ(reason("step 1\n" + traceback("ValueError: boom\nbye\n")), "ValueError: boom");
  EXPECT_EQ(reason(traceback("KeyboardInterrupt\n")), "KeyboardInterrupt");
  EXPECT_EQ(reason("step 1\nbye\n"), "");
}

TEST(PythonError, OfChainedOnesTheLast) {
  EXPECT_EQ(reason(traceback("KeyError: 'a'\n\nDuring handling of the above exception, another exception "
                             "occurred:\n\n") +
                   traceback("RuntimeError: no batch\nbye\n")),
            "RuntimeError: no batch");
}

TEST(PythonError, OfAMessageOfSeveralLinesTheFirst) {
  EXPECT_EQ(reason(traceback("ValueError: two things\n  first\nsecond\n")), "ValueError: two things");
  EXPECT_EQ(reason(traceback("pkg.Bad: \n\nthe rest\nsecond\n")), "pkg.Bad: the rest");
}

TEST(PythonError, OfAProcessThatAnotherStartedItsOwn) {
  EXPECT_EQ(reason(traceback("spawn.ProcessRaisedException: \n\n-- Process 0 terminated with the following "
                             "error:\n") +
                   traceback("ValueError: boom\n\n")),
            "ValueError: boom");
}

TEST(PythonError, OfTorchrunThatOfItsProcess) {
  const auto own =
      traceback("torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n====\nx.py FAILED\n");
  EXPECT_EQ(reason(traceback("ValueError: boom\n") + own), "ValueError: boom");
  EXPECT_EQ(reason("[rank1]: Traceback (most recent call last):\n[rank1]:   File \"x.py\", line 1, in f\n"
                   "[rank1]: RuntimeError: lost\n" +
                   own),
            "RuntimeError: lost");
  EXPECT_THAT(reason(own), testing::HasSubstr("ChildFailedError: ===="));
}

TEST(PythonError, OfAModuleThatCannotBeRead) {
  EXPECT_EQ(reason("Traceback (most recent call last):\n  File \"/tmp/x.py\", line 1, in <module>\n    "
                   "import y\n  File "
                   "\"/tmp/y.py\", line 1\n    def f(:\n          ^\nSyntaxError: invalid syntax\nbye\n"),
            "SyntaxError: invalid syntax");
}

TEST(PythonError, OfAGroupTheGroup) {
  EXPECT_EQ(reason(R"(  + Exception Group Traceback (most recent call last):
  |   File "/tmp/x.py", line 1, in <module>
  |     raise ExceptionGroup("both", [ValueError("a"), TypeError("b")])
  | ExceptionGroup: both (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | Traceback (most recent call last):
    |   File "/tmp/y.py", line 1, in f
    | ValueError: a
    +---------------- 2 ----------------
    | TypeError: b
    +------------------------------------
bye
)"),
            "ExceptionGroup: both (2 sub-exceptions)");
}

TEST(PythonError, OneOfAThreadOrOfTheInterpretersEndIsNoReason) {
  const auto first = traceback("ValueError: boom\n");
  for (const std::string above :
       {"Exception ignored in: <function f at 0x7f>",
        "Exception in thread Thread-1 (f):", "Error in atexit._run_exitfuncs:", "Process SpawnProcess-1:"})
    EXPECT_EQ(reason(first + above + "\n" + traceback("OSError: closed\n")), "ValueError: boom") << above;
}

}  // namespace
}  // namespace neph::workload::command
