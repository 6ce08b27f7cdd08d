#include "os/records.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/recorded_tree.hpp"

namespace neph {
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

}  // namespace
}  // namespace neph
