// Sessions whose plans differ: what one plan computed from the sizes of its inputs is not the next one's.
#include "engine/torch/session.hpp"

#include "engine/torch/fixture_test.hpp"

namespace neph::engine::torch_plugin {
namespace {

using ::testing::Each;

/// y = x times the sum of the sizes of x, which are computed as a network computes them.
Written times_its_sizes(Sizes input) {
  Written written(std::move(input));
  written.node("Shape", {"x"}, "s").node("Cast", {"s"}, "f", {{"to", std::int64_t{1}}});
  written.node("ReduceSum", {"f"}, "r", {{"keepdims", std::int64_t{0}}}).node("Mul", {"x", "r"}, "y");
  return written;
}

Result<std::unique_ptr<Session>> session_of(const Simplified& simple, const Sizes& sizes,
                                            const Options& options) {
  const auto& program = simple.program;
  return make_session(torch_library(), find_place(torch_library(), test_device()).value(), simple, {sizes},
                      {{.name = "x", .shape = program.inputs[0].shape}},
                      {{.name = "y", .shape = program.inputs[0].shape}}, options);
}

TEST(SizesInAPlan, AreThoseOfEachShape) {
  const auto simple = simplify_for_inference(times_its_sizes({-1, -1}));
  const auto session = session_of(simple, {-1, -1}, {.batch = 0}).value();
  const auto request = session->make_request().value();
  for (const auto& shape : {Sizes{2, 2}, Sizes{2, 3}, Sizes{1, 5}, Sizes{2, 2}}) {
    std::vector<float> input(static_cast<std::size_t>(product(shape)), 1);
    ASSERT_TRUE(request->bind_open_input(0, input.data(), shape));
    ASSERT_TRUE(request->infer());
    const auto output = request->open_output(0).value();
    ASSERT_EQ(output.shape, shape);
    const auto* numbers = reinterpret_cast<const float*>(output.data);
    EXPECT_THAT(std::vector<float>(numbers, numbers + input.size()),
                Each(static_cast<float>(shape[0] + shape[1])));
  }
}

/// Such a batch is planned for one example first, to see whether there is room.
TEST(SizesInAPlan, AreThoseOfALargeBatch) {
  const Sizes shape{2, (64 << 20) / 8};  // 64 MiB
  const auto simple = simplify_for_inference(times_its_sizes({-1, shape[1]}));
  const auto session = session_of(simple, shape, {.batch = shape[0]});
  ASSERT_TRUE(session) << session.error().text();
  const auto request = (*session)->make_request().value();
  std::vector<float> numbers(static_cast<std::size_t>(product(shape)), 0.5F);
  const auto bytes = numbers.size() * sizeof(float);
  std::vector<float> output(numbers.size());
  ASSERT_TRUE(request->bind_input(0, numbers.data(), bytes));
  ASSERT_TRUE(request->bind_output(0, output.data(), bytes));
  ASSERT_TRUE(request->infer());
  EXPECT_EQ(output.front(), static_cast<float>(shape[0] + shape[1]) / 2);
}

TEST(SizesInAPlan, LeaveSharedWhatComesFromTheFileAlone) {
  Written written({-1, 3});
  written.store("b", {3}).node("Neg", {"b"}, "n").node("Add", {"x", "n"}, "y");
  const auto simple = simplify_for_inference(written);
  const auto ops = test_ops();
  Uploaded uploaded;
  const auto one = make_inference_plan(simple, ops, {}, {{1, 3}}, uploaded).value();
  const auto five = make_inference_plan(simple, ops, {}, {{5, 3}}, uploaded).value();
  ASSERT_EQ(one.constants.size(), 1);
  ASSERT_EQ(five.constants.size(), 1);
  EXPECT_EQ(one.constants[0].second.data(), five.constants[0].second.data());
}

}  // namespace
}  // namespace neph::engine::torch_plugin
