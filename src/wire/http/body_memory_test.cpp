#include "wire/http/body_memory.hpp"

#include <algorithm>
#include <array>

#include <gmock/gmock.h>
#include <zlib.h>

#include "core/random.hpp"
#include "wire/http/gzip.hpp"

namespace neph::wire {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

TEST(BodyMemory, KeepsWhatItHoldsWhileItGrows) {
  BodyMemory body;
  for (const std::size_t aligned_at : {0, 5}) {
    ASSERT_TRUE(body.reserve(100, aligned_at));
    std::ranges::fill(body.bytes(), std::byte{1});
    std::size_t filled = 100;
    for (const auto bytes : {1000 * std::size_t{1}, 2 * mib, 3 * mib, 50 * mib}) {
      ASSERT_TRUE(body.extend(bytes));
      std::ranges::fill(body.bytes().subspan(filled), std::byte{1});
      filled = bytes;
      EXPECT_EQ(body.size(), bytes);
      EXPECT_EQ(std::ranges::count(body.bytes(), std::byte{1}), static_cast<std::ptrdiff_t>(bytes));
    }
    body.truncate(7);
    ASSERT_TRUE(body.extend(8));
    EXPECT_EQ(body.bytes()[6], std::byte{1});
  }
  ASSERT_TRUE(body.reserve(100, 5)) << "what was mapped";
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(body.bytes().data() + 5) % 64, 0U);
  body.release();
  EXPECT_EQ(body.size(), 0U);
}

TEST(Unpack, CountsWhatIsUnpackedAndWhatIsStillPacked) {
  std::string noise(3 * mib, ' ');
  Random random(1);
  for (auto& c : noise) c = static_cast<char>(random.below(256));
  const std::array parts{std::as_bytes(std::span(noise))};
  std::string packed;
  pack(parts, Coding::gzip, packed);
  const auto unpacked = [&](std::string text, std::size_t limit) {
    BodyMemory out;
    const auto status = unpack(std::as_writable_bytes(std::span(text)), limit, out);
    return status ? std::string(reinterpret_cast<const char*>(out.bytes().data()), out.size())
                  : status.error().message;
  };
  EXPECT_TRUE(unpacked(packed, 3 * mib) == noise);
  EXPECT_EQ(unpacked(packed, 3 * mib - 1).substr(0, 100),
            "the body is larger than 3145727 bytes when unpacked");

  std::string empty_blocks;
  while (empty_blocks.size() < mib) empty_blocks += std::string("\0\0\0\xff\xff", 5);
  std::string spaces(3 * mib, ' '), small(mib, ' ');
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(spaces.data());
  stream.avail_in = static_cast<uInt>(spaces.size());
  stream.next_out = reinterpret_cast<Bytef*>(small.data());
  stream.avail_out = static_cast<uInt>(small.size());
  deflate(&stream, Z_SYNC_FLUSH);
  small.resize(small.size() - stream.avail_out);
  deflateEnd(&stream);
  EXPECT_THAT(unpacked(small + empty_blocks, 5 * mib), testing::HasSubstr("cut short"));
  EXPECT_EQ(unpacked(small + empty_blocks, 3 * mib), "the body is larger than 3145728 bytes when unpacked");
}

}  // namespace
}  // namespace neph::wire
