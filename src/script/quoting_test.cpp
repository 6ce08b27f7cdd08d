#include "script/quoting.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"
#include "core/toml.hpp"
#include "script/embedded.hpp"
#include "script/script.hpp"
#include "script/writer.hpp"

namespace neph::script {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::Not;

/// What ends, begins or steers something in sh, YAML, TOML, JSON or on a terminal.
const std::vector<std::string> pieces{"'",
                                      "\"",
                                      "`touch owned`",
                                      "$(touch owned)",
                                      "${IFS}",
                                      "\\",
                                      "\\'",
                                      "!",
                                      "\n",
                                      "\ntouch owned\n",
                                      "\r\n",
                                      "\t",
                                      "\nEND_OF_SCRIPT\n",
                                      "\n  END_OF_SCRIPT\n",
                                      "\nEND_OF_SPEC\n}\n",
                                      "\n---\n",
                                      "\n...\n",
                                      "#",
                                      " #: spec\n",
                                      ": ",
                                      "- ",
                                      "%",
                                      "%s",
                                      "\x01",
                                      "\x1b[2J",
                                      "\x7f",
                                      "\xff",
                                      "\xc2\x85",
                                      "\xe2\x80\xa8",
                                      "\xe2\x80\xae",
                                      "\xef\xbb\xbf",
                                      "\xef\xbf\xbf",
                                      "\xe2'",
                                      "\xf0",
                                      "\xd1\x8f",
                                      "\xf0\x9f\x98\x80",
                                      "a",
                                      " ",
                                      ";touch owned;",
                                      "|",
                                      "&",
                                      "\n#!/bin/sh\n",
                                      "}",
                                      "{",
                                      "[",
                                      "]",
                                      "*",
                                      "~",
                                      "-",
                                      "=",
                                      "0",
                                      "\nrun: |\n"};

class Texts {
 public:
  std::string draw() {
    std::string text;
    for (int n = length_(random_); n > 0; --n) text += pieces[piece_(random_)];
    return text;
  }

 private:
  std::mt19937 random_{7};
  std::uniform_int_distribution<int> length_{0, 8};
  std::uniform_int_distribution<std::size_t> piece_{0, pieces.size() - 1};
};

bool is_one_printable_line(const std::string& text) {
  return printable(text) == text && text.find('\n') == std::string::npos;
}

std::string output_of(const std::string& command) {
  std::string out;
  std::array<char, 4096> block{};
  auto* pipe = ::popen(command.c_str(), "r");
  for (std::size_t n = 0; (n = std::fread(block.data(), 1, block.size(), pipe)) > 0;)
    out.append(block.data(), n);
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return out;
}

TEST(Words, AreReadByEveryShellAsTheyWere) {
  auto script = std::string(part("run").substr(0, part("run").find("#: values"))), wanted = std::string();
  Texts texts;
  for (int round = 0; round < 300; ++round) {
    const auto text =
        round < static_cast<int>(pieces.size()) ? pieces[static_cast<std::size_t>(round)] : texts.draw();
    const auto word = sh_word(text);
    ASSERT_TRUE(is_one_printable_line(word)) << word;
    script += fmt::format("printf '%s\\0' {}\n", word);
    wanted += text + '\0';
  }
  const auto file = testing::TempDir() + "neph-words.sh";
  std::ofstream(file) << script;
  for (const auto* shell : {"sh", "bash --posix", "busybox sh"}) {
    if (std::system(fmt::format("{} -c : 2>/dev/null", shell).c_str()) == 0) {
      EXPECT_EQ(output_of(fmt::format("{} {}", shell, file)), wanted) << shell;
    }
  }
}

TEST(Scalars, AreWhatTheyWereInJsonAndToml) {
  Texts texts;
  for (int round = 0; round < 500; ++round) {
    auto text = texts.draw();
    const auto shown = scalar(text);
    ASSERT_TRUE(is_one_printable_line(shown)) << shown;
    text = Json::parse(dump_json(Json(text))).get<std::string>();  // bytes that are not UTF-8 are replaced
    EXPECT_EQ(Json::parse(shown).get<std::string>(), text);
    const auto toml = parse_toml(fmt::format("{0} = {0}\n", shown), "t");
    ASSERT_TRUE(toml) << toml.error().text() << shown;
    EXPECT_EQ((*toml)[text], text);
  }
}

TEST(Comments, AreOneLine) {
  Texts texts;
  for (int round = 0; round < 500; ++round) {
    const auto line = comment(texts.draw());
    EXPECT_TRUE(line.starts_with("# ") && line.ends_with('\n'));
    EXPECT_TRUE(is_one_printable_line(line.substr(0, line.size() - 1))) << line;
  }
}

TEST(Specs, KeysAreReadAgainAsTheyWere) {
  Texts texts;
  for (int round = 0; round < 200; ++round) {
    const auto key = Json::parse(dump_json(Json(texts.draw()))).get<std::string>();
    Experiment experiment{.workload = "w" + key};
    experiment.spec = {{key + "k", key}};
    experiment.factors = {{key + "f", {key, 1}}};
    const auto read = parse_toml(spec_text(experiment, {{key + "o", key}}), "spec");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ((*read)[key + "o"], key);
    EXPECT_EQ((*read)["w" + key][key + "k"], key);
    EXPECT_EQ((*read)["w" + key][key + "f"], Json({key, 1}));
  }
}

/// In every field of every format; `text` has a line "owned" in it.
std::vector<std::string> scripts_with(const std::string& text) {
  Job job{.title = text, .name = text, .command = text, .version = text};
  job.experiment = {.workload = text, .spec = {{text, text}}, .factors = {{text, {text, text}}}};
  job.options = {{text, text}};
  job.files = {text, "/" + text};
  job.engines = job.datasets = job.mentioned = job.saved = {text};
  const price::Offer offer{.provider = "gcp", .instance = text, .region = text, .gpu = text, .gpus = 1};
  auto rules = price::built_in_rules();
  rules.front().name = text;
  std::vector<std::string> scripts;
  for (const auto format : {Format::sh, Format::sky, Format::cloud_init})
    for (const auto install : {Install::bundle, Install::image}) {
      Wishes wishes{.offer = text, .results = "s3://b/x", .budget = "5USD", .price = "1USD/h", .rule = text};
      wishes.install = install;
      wishes.image = install == Install::image ? text : "";
      wishes.bundle = install == Install::bundle ? "https://h/b" : "";
      wishes.release_command = text;
      wishes.format = format;
      // SkyPilot would have a shell read files' names itself: they are refused
      EXPECT_EQ(script(job, offer, wishes, rules).has_value(), format != Format::sky);
      auto brought = job;
      if (format == Format::sky) brought.files.clear();
      const auto made = script(brought, offer, wishes, rules);
      EXPECT_TRUE(made) << made.error().text();
      if (made) scripts.push_back(*made);
    }
  return scripts;
}

TEST(Scripts, NoLineOfThemIsWrittenByOthers) {
  for (const auto* end :
       {"\n", "\r", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9", "'\n", "\\\n", "\nEND_OF_SCRIPT\n"}) {
    const auto scripts = scripts_with(fmt::format("a{0}owned{0}b", end));
    ASSERT_EQ(scripts.size(), 6U);
    for (const auto& text : scripts) {
      std::istringstream lines(text);
      for (std::string line; std::getline(lines, line);) {
        EXPECT_EQ(printable(line), line);
        EXPECT_FALSE(trimmed(line).starts_with("owned")) << line;
      }
    }
    if (std::string_view(end).find('\n') == std::string_view::npos) {
      EXPECT_THAT(scripts, Each(Not(HasSubstr(end))));
    }
  }
}

}  // namespace
}  // namespace neph::script
