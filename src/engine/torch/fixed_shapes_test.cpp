// Shapes that the graph computes, as exporters write them, in plans for training.
#include "engine/torch/gradient_fixture_test.hpp"

namespace neph::engine::torch_plugin {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// The sizes of what a plan computes of so many examples.
Sizes sizes_of(const net::Program& program, std::int64_t batch) {
  const auto ops = test_ops();
  auto plan = make_plan(program, ops, {}).value();
  Pass pass(ops, plan.parameters, plan.wanted);
  pass.begin(false, 0, plan.wanted.size());
  auto sizes = program.inputs[0].shape;
  sizes[0] = batch;
  pass.set(plan.input, ops.filled(sizes, usual_order(sizes), 0));
  plan.forward(pass);
  const auto made = pass.value(plan.output).sizes();
  return {made.begin(), made.end()};
}

/// "the batch" of x as a vector of one number, and other numbers.
void write_batch(Written& written) {
  written.integers("zero", {0}).integers("axis", {0});
  written.node("Shape", {"x"}, "sizes").node("Gather", {"sizes", "zero"}, "batch");
  written.program().constants = {"zero", "axis"};
}

/// A class token before the examples' own, positions, and attention of two heads, with all shapes computed.
Written attention() {
  Written written({2, 3, 4});
  write_batch(written);
  written.store("token", {1, 1, 4}).store("positions", {1, 9, 4}).store("w", {4, 4});
  written.integers("token_sizes", {1, 4})
      .integers("heads", {-1, 2, 2})
      .integers("width", {4})
      .integers("one", {1});
  for (const char* name : {"token_sizes", "heads", "width", "one"}) written.program().constants.insert(name);
  const std::map<std::string, net::NodeAttribute, std::less<>> first{{"axis", std::int64_t{0}}},
      second{{"axis", std::int64_t{1}}};
  written.node("Concat", {"batch", "token_sizes"}, "token_shape", first);
  written.node("Expand", {"token", "token_shape"}, "tokens").node("Concat", {"tokens", "x"}, "a", second);
  // As many positions as there are tokens.
  written.node("Shape", {"a"}, "all_sizes").node("Gather", {"all_sizes", "one"}, "length");
  written.node("Slice", {"positions", "zero", "length", "one"}, "own_positions");
  written.node("Add", {"a", "own_positions"}, "b").node("MatMul", {"b", "w"}, "c");
  written.node("Concat", {"batch", "heads"}, "split_shape", first).node("Reshape", {"c", "split_shape"}, "d");
  written.node("Transpose", {"d"}, "q", {{"perm", Sizes{0, 2, 1, 3}}});
  written.node("Transpose", {"d"}, "k", {{"perm", Sizes{0, 2, 3, 1}}});
  // The scale, 1 / sqrt(width of a head), of the sizes too.
  written.values("unit", {}, {1.0F}).integers("last", {3});
  written.program().constants.insert("last");
  written.node("Shape", {"d"}, "head_sizes").node("Gather", {"head_sizes", "last"}, "head_width");
  written.node("Cast", {"head_width"}, "head_float", {{"to", std::int64_t{1}}})
      .node("Sqrt", {"head_float"}, "root");
  written.node("Div", {"unit", "root"}, "scale");
  written.node("MatMul", {"q", "k"}, "products").node("Mul", {"products", "scale"}, "scores");
  written.node("Softmax", {"scores"}, "p").node("MatMul", {"p", "q"}, "e");
  written.node("Transpose", {"e"}, "f", {{"perm", Sizes{0, 2, 1, 3}}});
  written.node("Concat", {"batch", "length", "width"}, "joined_shape", first);
  return written.node("Reshape", {"f", "joined_shape"}, "y");
}

TEST(FixedShapes, OfAttentionAreLearntThrough) { expect_gradients(attention()); }

TEST(FixedShapes, GoWithAnyBatch) {
  for (const std::int64_t batch : {1, 2, 5})
    EXPECT_THAT(sizes_of(attention(), batch), ElementsAre(batch, 4, 4));
}

TEST(FixedShapes, LearnTheTensorsAndNotTheNumbers) {
  auto plan = make_plan(attention(), test_ops(), {}).value();
  std::vector<std::string> learnt;
  for (const auto& parameter : plan.parameters)
    if (parameter.trained) learnt.push_back(parameter.name);
  EXPECT_THAT(learnt, testing::UnorderedElementsAre("token", "positions", "w"));
}

TEST(FixedShapes, OfAllExamplesTogetherGrowWithTheBatch) {
  Written written({2, 3, 4});
  write_batch(written);
  written.integers("three", {3}).integers("rest", {4}).store("w", {4, 4});
  for (const char* name : {"three", "rest"}) written.program().constants.insert(name);
  written.node("Mul", {"batch", "three"}, "rows");
  written.node("Concat", {"rows", "rest"}, "flat_shape", {{"axis", std::int64_t{0}}});
  written.node("Reshape", {"x", "flat_shape"}, "flat").node("MatMul", {"flat", "w"}, "y");
  EXPECT_THAT(sizes_of(written, 5), ElementsAre(15, 4));
}

TEST(FixedShapes, ThatDependOnTheBatchOtherwiseAreRefusedByName) {
  Written written({2, 3, 4});
  write_batch(written);
  written.store("w", {4, 4}).node("Slice", {"x", "zero", "batch"}, "part").node("MatMul", {"part", "w"}, "y");
  const auto plan = make_plan(written, test_ops(), {});
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().code, ErrorCode::unsupported);
  EXPECT_THAT(plan.error().message,
              AllOf(HasSubstr("part_node"), HasSubstr("'batch') depends on the batch")));
}

}  // namespace
}  // namespace neph::engine::torch_plugin
