// Inputs and outputs of text.
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/models_for_tests.hpp"

namespace neph::engine {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;

std::vector<std::byte> bytes_of(const std::vector<std::string>& texts) {
  std::vector<std::byte> bytes;
  for (const auto& text : texts) {
    const auto at = bytes.size();
    const auto length = static_cast<std::uint32_t>(text.size());
    bytes.resize(at + sizeof length + text.size());
    std::memcpy(&bytes[at], &length, sizeof length);
    if (length > 0) std::memcpy(&bytes[at + sizeof length], text.data(), length);
  }
  return bytes;
}

std::vector<std::string> texts_of(const OpenOutput& output) {
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < output.bytes;) {
    std::uint32_t length = 0;
    std::memcpy(&length, output.data + at, sizeof length);
    texts.emplace_back(reinterpret_cast<const char*>(output.data + at + sizeof length), length);
    at += sizeof length + length;
  }
  return texts;
}

TEST(Text, IsTakenAndGivenWhateverItHolds) {
  const auto session = compile("joined.onnx", {.batch = 0});
  EXPECT_EQ(session->inputs()[1].element, Element::text);
  EXPECT_EQ(session->outputs()[0].element, Element::text);
  const auto request = request_of(*session);
  const std::vector<std::string> first{"cat", "", "a\0b"s, "мяу"},
      second{"s", "", "\n", std::string(70'000, 'x')};
  auto one = bytes_of(first), two = bytes_of(second);
  ASSERT_TRUE(request->bind_open_input(0, one.data(), std::array<std::int64_t, 1>{4}));
  ASSERT_TRUE(request->bind_open_input(1, two.data(), std::array<std::int64_t, 1>{4}));
  for (int i = 0; i < 2; ++i) {
    const auto status = request->infer();
    ASSERT_TRUE(status) << status.error().message;
    const auto output = request->open_output(0);
    ASSERT_TRUE(output) << output.error().message;
    EXPECT_THAT(output->shape, ElementsAre(4));
    EXPECT_THAT(texts_of(*output), ElementsAre("cats", "", "a\0b\n"s, "мяу" + second[3]));
  }
}

/// Memory that is bound is read anew by each inference.
TEST(Text, IsSeenInBoundMemory) {
  const auto session = compile("labels.onnx", {.batch = 2});
  EXPECT_THAT(session->inputs()[0].shape, ElementsAre(2, 2));
  EXPECT_TRUE(session->inputs()[0].is_open()) << "its memory is of any length";
  const auto request = request_of(*session);
  auto memory = bytes_of({"cat", "dog", "cow", "cat"});
  ASSERT_TRUE(request->bind_open_input(0, memory.data(), std::array<std::int64_t, 2>{2, 2}));
  std::array<std::int64_t, 4> labels{};
  if (!session->outputs()[0].is_open()) {
    ASSERT_TRUE(request->bind_output(0, labels.data(), sizeof labels));
  }
  const auto run = [&] {
    std::promise<Status> done;
    EXPECT_TRUE(request->start([&](Status status) { done.set_value(std::move(status)); }));
    const auto status = done.get_future().get();
    EXPECT_TRUE(status) << status.error().message;
    const auto output = request->open_output(0).value();
    std::memcpy(labels.data(), output.data, output.bytes);
  };
  run();
  EXPECT_THAT(labels, ElementsAre(7, 9, -1, 7));
  const auto other = bytes_of({"dog", "dog", "dog", "dog"});
  std::copy(other.begin(), other.end(), memory.begin());
  run();
  EXPECT_THAT(labels, ElementsAre(9, 9, 9, 9));
}

TEST(Text, OfAnotherShapeIsRefused) {
  const auto session = compile("labels.onnx", {.batch = 2});
  const auto request = request_of(*session);
  auto memory = bytes_of({"cat"});
  EXPECT_FALSE(request->bind_open_input(0, memory.data(), std::array<std::int64_t, 1>{1}));
  EXPECT_FALSE(request->infer()) << "nothing is bound";
}

}  // namespace
}  // namespace neph::engine
