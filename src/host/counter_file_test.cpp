#include "host/counter_file.hpp"

#include <gtest/gtest.h>

#include "os/recorded_tree.hpp"

namespace neph::host {
namespace {

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
