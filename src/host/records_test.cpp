#include "host/records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/counter_file.hpp"
#include "host/recorded_tree.hpp"

namespace neph::host {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(Records, ReadsListsOfProcessors) {
  EXPECT_THAT(to_cpus("0"), Optional(ElementsAre(0)));
  EXPECT_THAT(to_cpus("0-3,8,10-11\n"), Optional(ElementsAre(0, 1, 2, 3, 8, 10, 11)));
  for (const auto* wrong : {"", "x", "3-1", "0-", "-1", "0-99999999999", "1,,x"})
    EXPECT_EQ(to_cpus(wrong), std::nullopt) << wrong;
}

TEST(Records, ReadsSizesAndFields) {
  EXPECT_EQ(to_bytes("48K"), 49152);
  EXPECT_EQ(to_bytes("2M\n"), 2 << 20);
  EXPECT_EQ(to_bytes("big"), std::nullopt);
  EXPECT_EQ(to_bytes(""), std::nullopt);
  const std::string text = "MemTotalAll: 1 kB\nMemTotal:   2048 kB\nModel name\t: a b: c\nEmpty:\n";
  EXPECT_EQ(kibibytes_of(text, "MemTotal"), 2 << 20);
  EXPECT_EQ(kibibytes_of(text, "MemFree"), std::nullopt);
  EXPECT_EQ(value_of(text, "Model name"), "a b: c");
}

TEST(Records, NumberedFoldersComeInOrder) {
  const RecordedTree tree;
  for (const auto* name : {"x/cpu10/a", "x/cpu2/a", "x/cpufreq/a", "x/cpu0/a"}) tree.write(name, "");
  EXPECT_THAT(Records(tree.root()).numbered("x", "cpu"), ElementsAre(0, 2, 10));
  EXPECT_TRUE(Records(tree.root()).numbered("absent", "cpu").empty());
}

TEST(CounterFile, SeesChangesAndGrowsWithTheFile) {
  const RecordedTree tree;
  tree.write("f", "1");
  CounterFile file(tree.root() / "f", 4);
  EXPECT_EQ(file.read(), "1");
  const std::string longer(1000, '7');
  tree.write("f", longer);
  EXPECT_EQ(file.read_head(), "7777");
  EXPECT_EQ(file.read(), longer);
}

TEST(CounterFile, SaysWhyItCannotRead) {
  CounterFile file("/nowhere/at/all");
  EXPECT_EQ(file.read(), std::nullopt);
  EXPECT_EQ(file.why(), "/nowhere/at/all: No such file or directory");
}

TEST(Scanner, FindsWholeKeysAndTheirNumbers) {
  const std::string text = "cpu0 9 9\npswpinx 1\npswpin 42\nsome avg10=1.50 total=123\n  eth0: 7 8\n";
  EXPECT_EQ(number_after(text, "pswpin"), 42U);
  EXPECT_EQ(number_after(text, "cpu"), std::nullopt);
  EXPECT_EQ(number_after(text, "  eth0"), 7U);
  Scanner scanner(text);
  ASSERT_TRUE(scanner.seek("some"));
  scanner.skip(1);
  EXPECT_EQ(scanner.number(), 123U);
  EXPECT_EQ(scanner.number(), std::nullopt);  // not the next line's
}

}  // namespace
}  // namespace neph::host
