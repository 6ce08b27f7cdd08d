#include "workload/infer/input_plan.hpp"

#include <gmock/gmock.h>

#include "workload/shape_lists.hpp"

namespace neph::workload {
namespace {

using engine::Element;
using testing::ElementsAre;
using testing::HasSubstr;
using Ports = std::vector<engine::Port>;
using Shape = std::vector<std::int64_t>;

const Ports bert{{"input_ids", Element::i64, {-1, -1}},
                 {"attention_mask", Element::i64, {-1, -1}},
                 {"token_type_ids", Element::i64, {-1, -1}}};

InputPlan first_plan(const Ports& inputs, const InferSpec& spec) {
  auto plans = input_plans(inputs, spec);
  EXPECT_TRUE(plans) << (plans ? "" : plans.error().text());
  return plans ? plans->front() : InputPlan();
}

std::string fault(const Ports& inputs, const InferSpec& spec) {
  const auto plans = input_plans(inputs, spec);
  return plans ? "" : plans.error().text();
}

TEST(InputPlan, OfAShapeGoesWithInputsThatAreOpenAlike) {
  const auto plan = first_plan(bert, {.shape = "input_ids:8x64"});
  for (const auto& input : plan.inputs) EXPECT_EQ(input.shape, (Shape{8, 64})) << input.name;
  EXPECT_EQ(plan.rows, 8);
  EXPECT_EQ(plan.item, Item::sequence);
  EXPECT_EQ(plan.tokens, 64);
  EXPECT_THAT(plan.assumed, ElementsAre());
  EXPECT_EQ(input_plans(bert, {.shape = "input_ids:8x64"})->size(), 1U);
}

TEST(InputPlan, AssumesWhatNobodySaysAndTellsOfIt) {
  const auto plans = input_plans(bert, {.batch = 2});
  ASSERT_GT(plans->size(), 1U) << "several are tried";
  EXPECT_EQ(plans->front().inputs[0].shape, (Shape{2, 128}));
  EXPECT_THAT(plans->front().assumed,
              ElementsAre("input_ids:2x128", "attention_mask:2x128", "token_type_ids:2x128"));
  EXPECT_EQ(plans->at(1).inputs[0].shape, (Shape{2, 512}));
}

TEST(InputPlan, KnowsImagesAndTheirSides) {
  const Ports detector{{"images", Element::f32, {-1, 3, -1, -1}}};
  const auto plan = first_plan(detector, {.images = "photos", .side = 320});
  EXPECT_EQ(plan.inputs[0].shape, (Shape{1, 3, 320, 320}));
  EXPECT_EQ(plan.item, Item::image);
  EXPECT_THAT(plan.assumed, ElementsAre());
  EXPECT_EQ(first_plan(detector, {}).inputs[0].shape, (Shape{1, 3, 224, 224}));
  const auto last = first_plan({{"pixels", Element::u8, {1, -1, -1, 3}}}, {.images = "photos"});
  EXPECT_EQ(last.inputs[0].shape, (Shape{1, 224, 224, 3}));
  EXPECT_EQ(last.item, Item::image);
}

TEST(InputPlan, LeavesAStateItsBatch) {
  const Ports vad{
      {"input", Element::f32, {-1, -1}}, {"state", Element::f32, {2, -1, 128}}, {"sr", Element::i64, {}}};
  const auto plan = first_plan(vad, {.batch = 4});
  EXPECT_EQ(plan.inputs[0].shape, (Shape{4, 512}));
  EXPECT_EQ(plan.inputs[1].shape, (Shape{2, 4, 128}));
  EXPECT_EQ(plan.inputs[2].shape, Shape{});
  EXPECT_EQ(plan.rows, 4);
  EXPECT_EQ(plan.item, Item::sample);
}

TEST(InputPlan, KeepsAFixedBatchUnlessAnotherIsAskedFor) {
  const Ports fixed{{"x", Element::f32, {8, 16}}};
  EXPECT_EQ(first_plan(fixed, {}).rows, 8);
  const auto changed = first_plan(fixed, {.batch = 2});
  EXPECT_TRUE(changed.is_batch_changed);
  EXPECT_EQ(changed.inputs[0].shape, (Shape{2, 16}));
  const Ports uneven{{"x", Element::f32, {1, 16}}, {"state", Element::f32, {2, 1, 8}}};
  EXPECT_EQ(first_plan(uneven, {}).inputs[1].shape, (Shape{2, 1, 8}));
  EXPECT_THAT(fault(uneven, {.batch = 3}), HasSubstr("no batch in common ('state' is [2, 1, 8])"));
}

TEST(InputPlan, CountsNoLayersOfAStateAsItems) {
  const engine::Port state{"cache", Element::f32, {2, 1, 64}}, sound{"sound", Element::f32, {1, 512}};
  EXPECT_EQ(first_plan({state, sound}, {}).rows, 1);
  EXPECT_EQ(first_plan({sound, state}, {}).rows, 1);
  EXPECT_EQ(first_plan({{"cache", Element::f32, {2, 4, 64}}, {"sound", Element::f32, {4, 512}}}, {}).rows, 4);
  const Ports photo_and_words{{"pixels", Element::f32, {1, 3, 64, 64}}, {"input_ids", Element::i64, {3, 77}}};
  EXPECT_EQ(first_plan(photo_and_words, {}).rows, 1) << "three channels are no three items";
}

TEST(InputPlan, TakesPartsOfOneGraphForOneItem) {
  const Ports graph{
      {"atoms", Element::f32, {-1, 4}}, {"bonds", Element::i64, {2, -1}}, {"e", Element::f32, {-1, 1}}};
  const auto plan = first_plan(graph, {.shape = "atoms:10x4+bonds:2x20+e:20x1"});
  EXPECT_EQ(plan.rows, 1);
  EXPECT_EQ(plan.inputs[0].shape, (Shape{10, 4}));
  EXPECT_EQ(plan.inputs[2].shape, (Shape{20, 1}));
  EXPECT_THAT(fault(graph, {.shape = "atoms:10x4+bonds:2x20+e:20x1", .batch = 10}),
              HasSubstr("leave one out"));
}

TEST(InputPlan, RefusesShapesThatContradict) {
  EXPECT_THAT(fault(bert, {.shape = "input_id:1x128"}), HasSubstr("did you mean 'input_ids'?"));
  EXPECT_THAT(fault(bert, {.shape = "input_ids:1x2x3"}), HasSubstr("does not fit input 'input_ids'"));
  EXPECT_THAT(fault(bert, {.shape = "input_ids:8x128", .batch = 4}), HasSubstr("leave one out"));
  EXPECT_THAT(fault(bert, {.shape = "1x128"}), HasSubstr("the model has 3 inputs"));
}

TEST(InputPlan, HasClassesOnlyWhereThereAreScoresOfAnImage) {
  const Ports classifier{{"x", Element::f32, {-1, 3, 64, 64}}};
  const auto plan = first_plan(classifier, {.images = "photos", .batch = 2});
  EXPECT_TRUE(has_classes(plan, {{"y", Element::f32, {2, 1000}}}));
  EXPECT_TRUE(has_classes(plan, {{"y", Element::f32, {2, 1000, 1, 1}}}));
  EXPECT_FALSE(has_classes(plan, {{"y", Element::f32, {2, 84, 8400}}})) << "a detector";
  EXPECT_FALSE(has_classes(plan, {{"y", Element::f32, {2, 100}}, {"boxes", Element::f32, {2, 100, 4}}}));
  EXPECT_FALSE(has_classes(plan, {{"box", Element::f32, {2, 4}}, {"face", Element::f32, {2, 2}}}))
      << "which of them has the classes nobody knows";
  EXPECT_FALSE(has_classes(plan, {{"found", Element::f32, {-1, 7}}})) << "as many as it finds";
  EXPECT_FALSE(has_classes(plan, {{"y", Element::i64, {2, 1}}}));
  EXPECT_FALSE(has_classes(first_plan(bert, {}), {{"y", Element::f32, {1, 2}}}));
}

TEST(ShapeLists, NameTheirInputOnce) {
  EXPECT_EQ(with_shape_names({{"shape", {"ids:1x128", "8x128", "x:1x2+y:3", "4"}}})["shape"],
            (Json{"ids:1x128", "ids:8x128", "x:1x2+y:3", "4"}));
  EXPECT_EQ(with_shape_names({{"shape", "1x128"}})["shape"], "1x128");
}

}  // namespace
}  // namespace neph::workload
