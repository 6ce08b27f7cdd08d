#include "serve/reply.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/exchange_test.hpp"
#include "serve/shared_object_test.hpp"

namespace neph::serve {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> texts_of(std::span<const std::byte> data) {
  std::vector<std::string> texts;
  EXPECT_TRUE(wire::for_each_bytes(data, [&](auto element) {
    texts.emplace_back(reinterpret_cast<const char*>(element.data()), element.size());
  }));
  return texts;
}

class Replies : public testing::Test {
 protected:
  /// A model of outputs f32 [n, width], and a block that counts up from 0 through each of them.
  void make(const std::vector<std::int64_t>& widths, std::size_t rows = 4) {
    std::vector<std::size_t> bytes;
    for (const auto width : widths) {
      const auto row = static_cast<std::size_t>(width) * sizeof(float);
      signature.outputs.push_back(
          {.name = fmt::format("y{}", bytes.size()), .shape = {-1, width}, .row_bytes = row});
      bytes.push_back(rows * row);
    }
    blocks = OutputBlocks::make(bytes, 2);
    block = blocks->take();
    for (std::size_t port = 0; port < bytes.size(); ++port)
      for (std::size_t i = 0; i < bytes[port] / sizeof(float); ++i) values(port)[i] = static_cast<float>(i);
  }
  ~Replies() override {
    if (block != nullptr) block->let_go();
  }
  float* values(std::size_t port) const { return reinterpret_cast<float*>(block->data(port)); }

  void fill(std::int64_t first_row, std::int64_t rows, std::vector<WantedOutput> wanted = {},
            std::span<const engine::OpenOutput> open = {}) {
    if (wanted.empty())
      for (std::size_t port = 0; port < signature.outputs.size(); ++port) wanted.push_back({.port = port});
    job.clear();
    job.exchange = &exchange;
    job.rows = rows;
    job.outputs = std::move(wanted);
    exchange.finish({});
    fill_reply(signature, first_row, {*block, open}, job);
  }

  Signature signature;
  std::shared_ptr<OutputBlocks> blocks;
  OutputBlock* block = nullptr;
  TestExchange exchange;
  Job job;
};

TEST_F(Replies, HaveTheRowsOfTheirRequest) {
  make({3, 1});
  exchange.request.id = "seven";
  fill(2, 2);
  const auto& reply = exchange.reply;
  EXPECT_EQ(reply.id, "seven");
  ASSERT_EQ(reply.outputs.size(), 2U);
  EXPECT_EQ(reply.outputs[0].name, "y0");
  EXPECT_EQ(reply.outputs[0].shape, (wire::Shape{2, 3}));
  EXPECT_THAT(exchange.floats(0), ElementsAre(6, 7, 8, 9, 10, 11));
  EXPECT_THAT(exchange.floats(1), ElementsAre(2, 3));
}

TEST_F(Replies, OfSmallOutputsAreCopies) {
  make({3});
  fill(0, 1);
  EXPECT_EQ(exchange.lease, nullptr);
  EXPECT_FALSE(block->is_lent());
  values(0)[0] = -1;
  EXPECT_THAT(exchange.floats(), ElementsAre(0, 1, 2));
}

TEST_F(Replies, OfLargeOutputsAreLent) {
  make({8192, 8192});
  fill(1, 1);
  EXPECT_EQ(exchange.reply.outputs[1].data.data(), block->data(1) + 8192 * sizeof(float));
  EXPECT_TRUE(exchange.reply.memory.empty());
  ASSERT_TRUE(block->is_lent());
  exchange.written();
  EXPECT_FALSE(block->is_lent());
}

TEST_F(Replies, HaveTheOutputsThatWereAskedForInThatOrder) {
  make({1, 2, 3});
  fill(0, 1, {{.port = 2}, {.port = 0}});
  ASSERT_EQ(exchange.reply.outputs.size(), 2U);
  EXPECT_EQ(exchange.reply.outputs[0].name, "y2");
  EXPECT_THAT(exchange.floats(0), ElementsAre(0, 1, 2));
  EXPECT_THAT(exchange.floats(1), ElementsAre(0));
}

TEST_F(Replies, ForgetTheOneBefore) {
  make({2, 2});
  fill(0, 2);
  fill(3, 1, {{.port = 1}});
  ASSERT_EQ(exchange.reply.outputs.size(), 1U);
  EXPECT_EQ(exchange.reply.outputs[0].shape, (wire::Shape{1, 2}));
  EXPECT_THAT(exchange.floats(), ElementsAre(6, 7));
}

TEST_F(Replies, RankTheClassesOfEachRow) {
  make({5}, 2);
  const std::vector<float> scores{0.1F, 0.7F, -2, 0.7F, 3e38F, 9, 8, 7, 6, 5};
  std::copy(scores.begin(), scores.end(), values(0));
  fill(0, 2, {{.port = 0, .classification = 3}});
  const auto& tensor = exchange.reply.outputs[0];
  EXPECT_EQ(tensor.type, wire::DataType::bytes);
  EXPECT_EQ(tensor.shape, (wire::Shape{2, 3}));
  EXPECT_THAT(texts_of(tensor.data), ElementsAre(HasSubstr("000000:4"), "0.700000:1", "0.700000:3",
                                                 "9.000000:0", "8.000000:1", "7.000000:2"));
}

TEST_F(Replies, RankAsManyClassesAsThereAre) {
  make({2});
  fill(1, 1, {{.port = 0, .classification = 1000}});
  EXPECT_EQ(exchange.reply.outputs[0].shape, (wire::Shape{1, 2}));
  EXPECT_THAT(texts_of(exchange.reply.outputs[0].data), ElementsAre("3.000000:1", "2.000000:0"));
}

TEST_F(Replies, RankWhatIsNoNumberLast) {
  make({4}, 1);
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  const auto infinity = std::numeric_limits<float>::infinity();
  const std::array scores{nan, -infinity, infinity, 1.0F};
  std::copy(scores.begin(), scores.end(), values(0));
  fill(0, 1, {{.port = 0, .classification = 2}});
  EXPECT_THAT(texts_of(exchange.reply.outputs[0].data), ElementsAre("inf:2", "1.000000:3"));
}

TEST_F(Replies, MixCopiesClassesAndLoans) {
  make({3, 20'000}, 1);
  fill(0, 1, {{.port = 0, .classification = 1}, {.port = 1}});
  EXPECT_THAT(texts_of(exchange.reply.outputs[0].data), ElementsAre("2.000000:2"));
  EXPECT_EQ(exchange.reply.outputs[1].data.data(), block->data(1));
  exchange.written();
}

class SharedReplies : public Replies {
 protected:
  SharedReplies() {
    make({4});
    EXPECT_TRUE(regions.add({.name = "r", .key = object.key(), .byte_size = 64}));
  }
  WantedOutput into(std::uint64_t offset) {
    return {.port = 0, .shared_at = wire::SharedPart{"r", offset, 16}, .region = *regions.find("r")};
  }
  SharedObject object{64};
  Regions regions{true, 1 << 20};
};

TEST_F(SharedReplies, LieWhereTheClientWantsThem) {
  fill(1, 1, {into(8)});
  const std::array<float, 4> wanted{4, 5, 6, 7};
  EXPECT_TRUE(std::ranges::equal(object.read(8, 16), std::as_bytes(std::span(wanted))));
  const auto& tensor = exchange.reply.outputs[0];
  EXPECT_TRUE(tensor.data.empty());
  ASSERT_TRUE(tensor.shared);
  EXPECT_EQ(tensor.shared->offset, 8U);
  EXPECT_EQ(tensor.shared->bytes, 16U);
  EXPECT_FALSE(job.broken);
}

TEST_F(SharedReplies, AreBrokenWhenTheClientHasCutItsObjectShort) {
  auto wanted = into(8);
  object.resize(10);
  fill(1, 1, {std::move(wanted)});
  EXPECT_TRUE(job.broken);
  EXPECT_THAT(job.fault.message, HasSubstr("no longer has the 64 bytes"));
}

TEST_F(Replies, NameClassesWhereThereAreLabels) {
  make({3});
  signature.batched = false;
  signature.outputs[0].labels = {"cat", "dog"};
  fill(0, 1, {{.port = 0, .classification = 3}});
  const auto& output = exchange.reply.outputs.at(0);
  EXPECT_EQ(output.shape, (wire::Shape{3})) << "as of Triton's models without a batch";
  EXPECT_THAT(texts_of(output.data), ElementsAre("2.000000:2", "1.000000:1:dog", "0.000000:0:cat"));
}

TEST_F(Replies, HaveTheShapesThatAreDeclared) {
  make({3});
  signature.batched = false;
  signature.outputs[0].shape = {3};
  signature.outputs[0].engine_shape = {1, 3, 1};
  fill(0, 1);
  EXPECT_EQ(exchange.reply.outputs.at(0).shape, (wire::Shape{3}));
}

TEST_F(Replies, OfOpenShapeAreBroughtToWhatIsDeclared) {
  make({3});
  signature.batched = false;
  signature.outputs[0].open = true;
  const std::array<float, 6> values{};
  const auto shape_of = [&](std::vector<std::int64_t> came) {
    const std::vector<engine::OpenOutput> open{
        {reinterpret_cast<const std::byte*>(values.data()), sizeof values, std::move(came)}};
    fill(0, 1, {}, open);
    const auto& shape = exchange.reply.outputs.at(0).shape;
    return job.broken ? job.fault.message : fmt::format("{}", fmt::join(shape.begin(), shape.end(), "x"));
  };
  signature.outputs[0].shape = {-1};
  EXPECT_EQ(shape_of({6, 1}), "6x1") << "what came, where nothing is to be brought to another";
  signature.outputs[0].engine_shape = {-1, 1};
  EXPECT_EQ(shape_of({6, 1}), "6");
  EXPECT_EQ(shape_of({3, 2}), "output 'y0' came as [3, 2], and its configuration has [?, 1]");
  signature.outputs[0].engine_shape.reset();
  signature.outputs[0].shape = {1, 1};
  EXPECT_EQ(shape_of({}), "1x1") << "a scalar, which Triton does not have";
}

TEST_F(Replies, AboveTheLimitAreRefused) {
  make({4});
  signature.reply_bytes = 63;
  fill(0, 4);
  ASSERT_TRUE(job.broken);
  EXPECT_EQ(job.fault.message, "the reply would take 64 bytes or more, above 63 (--reply-bytes)");
  signature.reply_bytes = 64;
  fill(0, 4);
  EXPECT_FALSE(job.broken);
}

TEST_F(Replies, OfClassesCountAsTheyGrow) {
  make({4});
  signature.reply_bytes = 30;
  fill(0, 4, {{.port = 0, .classification = 4}});
  ASSERT_TRUE(job.broken);
  EXPECT_THAT(job.fault.message, HasSubstr("above 30 (--reply-bytes)"));
  EXPECT_LT(exchange.reply.memory.size(), 200U);
}

}  // namespace
}  // namespace neph::serve
