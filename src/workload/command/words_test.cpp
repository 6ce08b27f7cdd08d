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
