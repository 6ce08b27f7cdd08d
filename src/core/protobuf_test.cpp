#include "core/protobuf.hpp"

#include <gtest/gtest.h>

namespace neph::protobuf {
namespace {

std::string groups(int count, std::uint64_t number = 9) {
  std::string text;
  for (int i = 0; i < count; ++i) put_varint(text, number << 3 | group);
  put_number(text, 1, 5);
  put_field(text, 2, "x");
  for (int i = 0; i < count; ++i) put_varint(text, number << 3 | group_end);
  return text;
}

TEST(Protobuf, GroupsArePassedOver) {
  for (const int depth : {1, 2, 100}) {
    auto message = groups(depth);
    put_field(message, 3, "behind");
    std::string_view rest = message;
    const auto field = take_field(rest);
    ASSERT_TRUE(field) << depth;
    EXPECT_EQ(field->wire, group);
    EXPECT_EQ(field->number, 9U);
    EXPECT_EQ(field->content, "");
    EXPECT_EQ(field->whole, groups(depth));
    EXPECT_EQ(content_of(message, 3), "behind");
    EXPECT_EQ(content_of(message, 2), std::nullopt) << "it is the group's";
  }
}

TEST(Protobuf, GroupsEndWithTheirNumberAndAreNotDeep) {
  auto open = groups(2), crossed = groups(1);
  open.pop_back();
  crossed.back() = static_cast<char>(8 << 3 | group_end);
  for (const auto& wrong :
       {groups(101), groups(100'000), open, crossed, std::string(1, 9 << 3 | group_end)}) {
    std::string_view rest = wrong;
    EXPECT_EQ(take_field(rest), std::nullopt);
  }
}

TEST(Protobuf, FindsTheFirstFieldOfItsKind) {
  std::string message;
  put_field(message, 4, "text");
  put_number(message, 4, 300);
  put_number(message, 4, 301);
  EXPECT_EQ(find_field(message, 4, varint)->value, 300U);
  EXPECT_EQ(content_of(message, 4), "text");
  EXPECT_FALSE(find_field(message, 5, varint));
  EXPECT_FALSE(find_field(message + "\xff", 5, varint));
}

}  // namespace
}  // namespace neph::protobuf
