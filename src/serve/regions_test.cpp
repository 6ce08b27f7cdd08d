#include "serve/regions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/shared_object_test.hpp"

namespace neph::serve {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t a_lot = 1 << 20;

std::string code(const Error& error) { return std::string(to_string(error.code)); }

class SharedRegions : public testing::Test {
 protected:
  Status add(const std::string& name, std::uint64_t offset, std::uint64_t bytes) {
    return regions.add({.name = name, .key = object.key(), .offset = offset, .byte_size = bytes});
  }

  SharedObject object{10'000};
  Regions regions{true, a_lot};
};

TEST_F(SharedRegions, AreReadAndWrittenWhereTheyLie) {
  ASSERT_TRUE(add("r", 4097, 5000));  // not on a page's border
  const auto region = regions.find("r");
  ASSERT_TRUE(region);
  const auto text = wire::bytes_of("cumulus");
  object.write(4100, text);
  std::vector<std::byte> read(text.size());
  ASSERT_TRUE((*region)->read(3, read));
  EXPECT_TRUE(std::equal(read.begin(), read.end(), text.begin()));
  ASSERT_TRUE((*region)->write(4993, text));
  const auto written = object.read(4097 + 4993, text.size());
  EXPECT_TRUE(std::equal(written.begin(), written.end(), text.begin()));
}

TEST_F(SharedRegions, MustLieInsideTheirObject) {
  EXPECT_TRUE(add("whole", 0, 10'000));
  EXPECT_TRUE(add("end", 9'999, 1));
  for (const auto& [offset, bytes] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0, 10'001}, {1, 10'000}, {10'000, 1}, {20'000, 1}, {0, 0}, {UINT64_MAX, 2}, {2, UINT64_MAX}}) {
    const auto status = add("r", offset, bytes);
    ASSERT_FALSE(status) << offset << " " << bytes;
    EXPECT_EQ(code(status.error()), "invalid_argument");
    EXPECT_THAT(status.error().message, HasSubstr("of an object of 10000"));
  }
}

TEST_F(SharedRegions, GiveOnlyPartsThatAreInside) {
  ASSERT_TRUE(add("r", 0, 100));
  const auto part = [&](std::uint64_t offset, std::uint64_t bytes) {
    return regions.find(wire::SharedPart{"r", offset, bytes});
  };
  EXPECT_TRUE(part(0, 100));
  EXPECT_TRUE(part(100, 0));
  for (const auto& found :
       {part(0, 101), part(1, 100), part(101, 0), part(UINT64_MAX, 2), part(2, UINT64_MAX)}) {
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().message, HasSubstr("are not inside shared memory 'r' (key '/neph-serve-test-"));
  }
}

TEST_F(SharedRegions, GiveNoPartThatIsLargerThanAnyRequest) {
  object.resize(2 * a_lot);
  ASSERT_TRUE(add("r", 0, 2 * a_lot));
  EXPECT_TRUE(regions.find(wire::SharedPart{"r", 0, a_lot}));
  const auto refused = regions.find(wire::SharedPart{"r", 0, a_lot + 1});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "1048577 bytes in shared memory 'r'; this server takes up to 1048576 a request");
}

TEST_F(SharedRegions, OfAnObjectThatIsCutShortAreAnErrorAndNotASignal) {
  ASSERT_TRUE(add("r", 0, 10'000));
  const auto region = *regions.find("r");
  object.resize(100);
  std::vector<std::byte> memory(200);
  for (const auto& status :
       {region->read(0, memory), region->read(5'000, memory), region->write(0, memory)}) {
    ASSERT_FALSE(status);
    EXPECT_EQ(code(status.error()), "invalid_argument");
    EXPECT_THAT(status.error().message, HasSubstr("no longer has the 10000 bytes that were registered"));
  }
  EXPECT_EQ(object.size(), 100U) << "a client's object must not grow again";
  EXPECT_TRUE(region->read(0, std::span(memory).first(100)));
}

TEST_F(SharedRegions, OutliveTheNameOfTheirObjectAndTheirOwn) {
  ASSERT_TRUE(add("r", 0, 100));
  object.unlink();
  const auto region = *regions.find("r");
  ASSERT_TRUE(regions.remove("r"));
  EXPECT_FALSE(regions.find("r"));
  std::vector<std::byte> memory(100);
  EXPECT_TRUE(region->read(0, memory));
  const auto again = add("r", 0, 100);
  ASSERT_FALSE(again);
  EXPECT_EQ(code(again.error()), "not_found");
}

TEST_F(SharedRegions, AreListedAndRemovedByNameOrAll) {
  ASSERT_TRUE(add("b", 8, 16));
  ASSERT_TRUE(add("a", 0, 8));
  const auto all = regions.list("");
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 2U);
  EXPECT_EQ(all->front().name, "a");
  EXPECT_EQ(all->back().offset, 8U);
  EXPECT_EQ(all->back().byte_size, 16U);
  ASSERT_EQ(regions.list("b")->size(), 1U);
  EXPECT_EQ(code(regions.list("c").error()), "not_found");
  EXPECT_EQ(add("a", 0, 8).error().message, "shared memory 'a' is registered already; unregister it first");
  EXPECT_TRUE(regions.remove("never there"));
  ASSERT_TRUE(regions.remove(""));
  EXPECT_TRUE(regions.list("")->empty());
}

TEST(RegionsNotAllowed, SayHowToAllowThem) {
  Regions regions(false, a_lot);
  for (const auto& status : {regions.add({}), regions.remove("")}) {
    ASSERT_FALSE(status);
    EXPECT_EQ(code(status.error()), "unsupported");
    EXPECT_THAT(status.error().message, HasSubstr("--shared-memory"));
  }
  EXPECT_FALSE(regions.list(""));
  EXPECT_FALSE(regions.find("r"));
}

TEST(RegionsOfNothing, NameTheKey) {
  Regions regions(true, a_lot);
  const auto status = regions.add({.name = "r", .key = "/neph-serve-test-none", .byte_size = 1});
  ASSERT_FALSE(status);
  EXPECT_EQ(code(status.error()), "not_found");
  EXPECT_THAT(status.error().message, HasSubstr("'/neph-serve-test-none'"));
  EXPECT_FALSE(regions.add({.name = "r", .key = "/../etc/passwd", .byte_size = 1}));
  EXPECT_FALSE(regions.add({.name = "r", .key = "", .byte_size = 1}));
}

}  // namespace
}  // namespace neph::serve
