#include "core/values.hpp"

#include <cstdio>
#include <random>

#include <gmock/gmock.h>

namespace neph {
namespace {

using testing::ElementsAre;

std::vector<std::string> expanded(std::string_view text) {
  const auto values = expand_values(text);
  EXPECT_TRUE(values) << text;
  return values.value_or(std::vector<std::string>{});
}

TEST(Values, ListsAndRanges) {
  EXPECT_THAT(expanded("8"), ElementsAre("8"));
  EXPECT_THAT(expanded("f32,bf16"), ElementsAre("f32", "bf16"));
  EXPECT_THAT(expanded("1,2,4..6"), ElementsAre("1", "2", "4", "5", "6"));
  EXPECT_THAT(expanded("1..64*2"), ElementsAre("1", "2", "4", "8", "16", "32", "64"));
  EXPECT_THAT(expanded("10..50+20"), ElementsAre("10", "30", "50"));
  EXPECT_THAT(expanded("0.1..0.3+0.1"), ElementsAre("0.1", "0.2", "0.3"));
  EXPECT_THAT(expanded("-2..1"), ElementsAre("-2", "-1", "0", "1"));
}

TEST(Values, APathWithDotsIsNotARange) {
  EXPECT_THAT(expanded("../shared/data"), ElementsAre("../shared/data"));
}

TEST(Values, RefusesWhatHasNoEnd) {
  for (const auto* text : {"", "1,,2", "1,", "5..1", "1..8*1", "0..8*2", "1..9+0", "1..1000000"})
    EXPECT_FALSE(expand_values(text)) << text;
}

TEST(Values, TextOfTheFieldsType) {
  EXPECT_EQ(value_as_json<bool>("off"), Json(false));
  EXPECT_EQ(value_as_json<std::int64_t>("8"), Json(8));
  EXPECT_EQ(value_as_json<double>("1e3"), Json(1000.0));
  EXPECT_EQ(value_as_json<std::int64_t>("eight"), Json("eight"));
  EXPECT_EQ(value_as_json<std::string>("8"), Json("8"));
  EXPECT_EQ(value_as_text(Json(true)), "on");
  EXPECT_EQ(value_as_text(Json(8)), "8");
}

TEST(Values, QuotesForTheShellOnlyWhatNeedsIt) {
  EXPECT_EQ(shell_quoted("../a/b.jpg"), "../a/b.jpg");
  EXPECT_EQ(shell_quoted("my photos"), "'my photos'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted(""), "''");
}

/// What `sh` takes the words for, each ended by a zero byte.
std::string taken_by_sh(const std::vector<std::string>& texts) {
  std::string command = "exec printf '%s\\0'";
  for (const auto& text : texts) command += " " + shell_quoted(text);
  const std::unique_ptr<FILE, int (*)(FILE*)> shell(::popen(command.c_str(), "r"), ::pclose);
  std::string out;
  for (int c = std::fgetc(shell.get()); c != EOF; c = std::fgetc(shell.get())) out += static_cast<char>(c);
  return out;
}

TEST(Values, AnyBytesButZeroGoThroughAShell) {
  std::mt19937 draw(7);
  std::uniform_int_distribution<int> length(0, 40), byte(1, 255), special(0, 15);
  constexpr std::string_view loved_by_shells = "'\"\\$`!*?~#;&|<> \n";
  for (int round = 0; round < 50; ++round) {
    std::vector<std::string> texts(100);
    std::string wanted;
    for (auto& text : texts) {
      for (int n = length(draw); n > 0; --n)
        text += n % 2 == 0 ? static_cast<char>(byte(draw))
                           : loved_by_shells[static_cast<std::size_t>(special(draw))];
      wanted += text + '\0';
    }
    ASSERT_EQ(taken_by_sh(texts), wanted) << "round " << round;
  }
}

TEST(Values, WordsOfACommandLineAreThoseThatItWasMadeOf) {
  std::mt19937 draw(8);
  std::uniform_int_distribution<int> length(0, 12), byte(1, 255);
  for (int round = 0; round < 500; ++round) {
    std::vector<std::string> words(5);
    std::string line;
    for (auto& word : words) {
      for (int n = length(draw); n > 0; --n) word += static_cast<char>(byte(draw));
      line += (line.empty() ? "" : " ") + shell_quoted(word);
    }
    ASSERT_EQ(shell_words(line), words);
  }
}

}  // namespace
}  // namespace neph
