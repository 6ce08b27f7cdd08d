#include "wire/http/chunks.hpp"

#include <gmock/gmock.h>

namespace neph::wire {
namespace {

using testing::HasSubstr;

struct Taken {
  std::string data, fault;
  bool done = false;
  std::size_t bytes = 0;
  bool operator==(const Taken&) const = default;
};

/// Piece by piece, each of the next so many bytes.
Taken take(std::string_view text, std::initializer_list<std::size_t> cuts = {}, std::uint64_t most = 100) {
  Chunks chunks(most);
  Taken taken;
  const auto piece_until = [&](std::size_t end) {
    auto piece = text.substr(taken.bytes, end - taken.bytes);
    const auto before = piece.size();
    const auto status = chunks.take(piece, &taken.data);
    taken.bytes += before - piece.size();
    if (!status) taken.fault = status.error().message;
  };
  for (const auto cut : cuts)
    if (taken.fault.empty() && !chunks.done()) piece_until(cut);
  if (taken.fault.empty() && !chunks.done()) piece_until(text.size());
  taken.done = chunks.done();
  return taken;
}

std::string data_of(std::string_view text) {
  const auto taken = take(text);
  return taken.done ? taken.data : "not done: " + taken.fault;
}

std::string fault_of(std::string_view text, std::uint64_t most = 100) { return take(text, {}, most).fault; }

constexpr std::string_view whole =
    "3\r\nabc\r\n00A;x=\"1;2\";y\r\n0123456789\r\n1 ; z\r\n\n\r\n00\r\nServer-Timing: a\r\nX:\r\n\r\n";

TEST(Chunks, AreTakenWhereverTheyAreCut) {
  const auto expected = take(whole);
  EXPECT_EQ(expected.data, "abc0123456789\n");
  EXPECT_TRUE(expected.done);
  EXPECT_EQ(expected.bytes, whole.size());
  for (std::size_t first = 0; first <= whole.size(); ++first)
    for (auto second = first; second <= whole.size(); ++second)
      ASSERT_EQ(take(whole, {first, second}), expected) << first << ' ' << second;
}

TEST(Chunks, AreNotDoneBeforeTheirEnd) {
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    const auto taken = take(whole.substr(0, bytes));
    EXPECT_FALSE(taken.done) << bytes;
    EXPECT_EQ(taken.fault, "") << bytes;
  }
}

TEST(Chunks, LeaveWhatFollowsThem) {
  const auto taken = take("1\r\na\r\n0\r\n\r\nHTTP/1.1 200 OK");
  EXPECT_EQ(taken.data, "a");
  EXPECT_TRUE(taken.done);
  EXPECT_EQ(taken.bytes, 11U);
}

TEST(Chunks, CountInDigitsOfEitherCaseAndManyZeros) {
  EXPECT_EQ(data_of("0\r\n\r\n"), "");
  EXPECT_EQ(data_of(std::string(60'000, '0') + "1\r\na\r\n0\r\n\r\n"), "a");
  EXPECT_EQ(data_of("1a\r\n" + std::string(26, 'x') + "\r\n1A\r\n" + std::string(26, 'y') + "\r\n0\r\n\r\n"),
            std::string(26, 'x') + std::string(26, 'y'));
}

TEST(Chunks, AreReadWithoutKeepingTheirData) {
  Chunks chunks(100);
  auto bytes = whole;
  EXPECT_TRUE(chunks.take(bytes, nullptr));
  EXPECT_TRUE(chunks.done());
}

TEST(Chunks, HaveALimitAllTogether) {
  EXPECT_EQ(fault_of("2\r\nab\r\n3\r\nabc\r\n0\r\n\r\n", 5), "");
  EXPECT_THAT(fault_of("2\r\nab\r\n4\r\n", 5), HasSubstr("more than 5 bytes"));
  EXPECT_THAT(fault_of("1\r\n", 0), HasSubstr("more than 0 bytes"));
  EXPECT_THAT(fault_of("10000000000000000\r\n"), HasSubstr("more than 100 bytes")) << "2^64";
  constexpr auto any = ~std::uint64_t{0};
  EXPECT_EQ(fault_of("ffffffffffffffff\r\n", any), "");
  EXPECT_THAT(fault_of("10000000000000000\r\n", any), HasSubstr("more than"));
  EXPECT_THAT(fault_of("1\r\na\r\nffffffffffffffff\r\n", any), HasSubstr("more than"));
}

TEST(Chunks, HaveALimitOfWhatIsNoData) {
  const std::string much(70'000, 'x');
  EXPECT_THAT(fault_of("1;" + much), HasSubstr("64 KiB"));
  EXPECT_THAT(fault_of(std::string(70'000, '0')), HasSubstr("64 KiB"));
  EXPECT_THAT(fault_of("0\r\nX: " + much), HasSubstr("64 KiB"));
  std::string many = "0\r\n";
  for (int i = 0; i < 20'000; ++i) many += "X:\r\n";
  EXPECT_THAT(fault_of(many), HasSubstr("64 KiB"));
  std::string long_extensions;
  for (int i = 0; i < 3; ++i) long_extensions += "1;" + std::string(40'000, 'x') + "\r\na\r\n";
  EXPECT_EQ(data_of(long_extensions + "0\r\n\r\n"), "aaa");
}

TEST(Chunks, ThatAreNone) {
  for (const auto* text : {"\r\n", ";x\r\n", " 1\r\n", "x\r\n", "-1\r\n", "\n", "1\r\na\r\n\r\n"})
    EXPECT_THAT(fault_of(text), HasSubstr("a chunk without a size")) << text;
  EXPECT_THAT(fault_of("0x1\r\n"), HasSubstr("the size of a chunk"));
  EXPECT_THAT(fault_of("1\na\r\n"), HasSubstr("the size of a chunk"));
  EXPECT_THAT(fault_of("1\rx"), HasSubstr("carriage return that ends no line"));
  EXPECT_THAT(fault_of("1;x\na"), HasSubstr("without a carriage return"));
  EXPECT_THAT(fault_of("1\r\nab\r\n"), HasSubstr("longer than its size"));
  EXPECT_THAT(fault_of("1\r\na\n"), HasSubstr("longer than its size"));
  EXPECT_THAT(fault_of("1\r\na0\r\n\r\n"), HasSubstr("longer than its size"));
  EXPECT_THAT(fault_of("1\r\na\r0"), HasSubstr("carriage return that ends no line"));
  EXPECT_THAT(fault_of("0\r\n\n"), HasSubstr("without a carriage return"));
  EXPECT_THAT(fault_of("0\r\nX: y\n"), HasSubstr("without a carriage return"));
  EXPECT_THAT(fault_of("0\r\n\rX"), HasSubstr("carriage return that ends no line"));
}

}  // namespace
}  // namespace neph::wire
