#include "workload/command/words.hpp"

#include <gtest/gtest.h>

#include "core/values.hpp"

namespace neph::workload::command {
namespace {

using Words = std::vector<std::string>;

TEST(Words, AreSplitAsAShellSplitsThem) {
  EXPECT_EQ(words_of("python train.py --epochs 3").value(), (Words{"python", "train.py", "--epochs", "3"}));
  EXPECT_EQ(words_of("  a\t'b c' \"d \\\" e\" f\\ g ''").value(), (Words{"a", "b c", "d \" e", "f g", ""}));
  EXPECT_EQ(words_of(R"(a "\n\$" '\n' x'y'"z")").value(), (Words{"a", R"(\n$)", R"(\n)", "xyz"}));
  EXPECT_EQ(words_of("a|b > c $HOME").value(), (Words{"a|b", ">", "c", "$HOME"}));
}

TEST(Words, AnythingQuotedComesBack) {
  for (const std::string word : {"", "a b", "it's", "\"", "$x `y` \\", "a\nb", "*", "-- --"})
    EXPECT_EQ(words_of("x " + (word.empty() ? "''" : shell_quoted(word))).value(), (Words{"x", word}));
}

TEST(Words, BrokenCommandsAreRefused) {
  for (const auto* command : {"", "   ", "''", "python 'train.py", "python \"x"})
    EXPECT_FALSE(words_of(command)) << command;
}

TEST(Words, OfSeveralProcessesStartTheScriptByTorchrun) {
  const auto of = [](std::string_view command, int processes) {
    return words_of_processes(words_of(command).value(), processes, "/venv/bin/python");
  };
  EXPECT_EQ(of("train.py --lr 1", 1), (Words{"/venv/bin/python", "train.py", "--lr", "1"}));
  EXPECT_EQ(of("make train", 1), (Words{"make", "train"}));
  const Words torchrun{"-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"};
  const auto with = [&](Words before, const Words& behind) {
    before.insert(before.end(), torchrun.begin(), torchrun.end());
    before.insert(before.end(), behind.begin(), behind.end());
    return before;
  };
  EXPECT_EQ(of("train.py -x", 2), with({"/venv/bin/python"}, {"train.py", "-x"}));
  EXPECT_EQ(of("/usr/bin/python3 -u train.py", 2), with({"/usr/bin/python3", "-u"}, {"train.py"}));
  EXPECT_EQ(of("python -X dev train.py", 2), with({"python", "-X", "dev"}, {"train.py"}));
  EXPECT_EQ(of("python -m package.train", 2), with({"python"}, {"-m", "package.train"}));
  for (const auto* refused : {"make train", "python -c 1", "python", "./train"})
    EXPECT_FALSE(of(refused, 2)) << refused;
}

TEST(Variables, AreNamesWithValues) {
  EXPECT_EQ(variables_of("")->size(), 0U);
  const auto two = variables_of("A=1;B_2=x=y").value();
  EXPECT_EQ(two[0], std::pair(std::string("A"), std::string("1")));
  EXPECT_EQ(two[1], std::pair(std::string("B_2"), std::string("x=y")));
  EXPECT_EQ(variables_of("A=").value()[0].second, "");
  for (const auto* text : {"A", "=1", "1A=2", "A=1;;B=2", "A B=1"}) EXPECT_FALSE(variables_of(text)) << text;
}

}  // namespace
}  // namespace neph::workload::command
