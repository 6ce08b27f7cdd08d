#include "serve/batching.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/fake_engine_test.hpp"

namespace neph::serve {
namespace {

using engine::Element;
using testing::ElementsAre;
using testing::HasSubstr;

class Plans : public testing::Test {
 protected:
  Plan plan(const ModelOptions& options = {.max_batch = 4}) {
    model = fake.model();
    auto made = plan_sessions(*model, options);
    EXPECT_TRUE(made) << made.error().message;
    return made ? *std::move(made) : Plan{};
  }
  static std::vector<std::int64_t> sizes(const Plan& plan) {
    std::vector<std::int64_t> all;
    for (const auto& each : plan.sessions) all.push_back(each.rows);
    return all;
  }
  std::string reason(const ModelOptions& options = {.max_batch = 4}) {
    const auto made = plan(options);
    EXPECT_FALSE(made.batched);
    EXPECT_THAT(sizes(made), ElementsAre(1));
    return made.reason;
  }

  TestClock clock;
  FakeEngine fake{clock};
  std::unique_ptr<engine::Model> model;
};

TEST_F(Plans, BatchWhatTheFileLeavesOpenAndRowsAllow) {
  fake.knows_its_rows = false;
  const auto made = plan();
  EXPECT_TRUE(made.batched);
  EXPECT_EQ(made.reason, "");
  EXPECT_THAT(sizes(made), ElementsAre(1, 2, 4));
}

TEST_F(Plans, DoNotBatchRowsThatHaveAPartInEachOther) {
  fake.knows_its_rows = false;
  fake.mixes_rows = true;
  for (const std::int64_t most : {1, 4})
    EXPECT_THAT(reason({.max_batch = most}), HasSubstr("output 'y' of a row changes by up to"));
  EXPECT_TRUE(plan({.batching = Batching::on, .max_batch = 4}).batched) << "who says so knows it";
}

TEST_F(Plans, DoNotBatchWhatTheGraphForbids) {
  fake.knows_its_rows = false;
  fake.row_facts = {.coupling = "a mean goes over the rows"};
  EXPECT_EQ(reason(), "a mean goes over the rows");
  EXPECT_TRUE(plan({.batching = Batching::on, .max_batch = 4}).batched) << "who says so knows it";
  fake.row_facts = {.state = "it keeps state"};
  EXPECT_EQ(reason(), "it keeps state");
  EXPECT_EQ(reason({.batching = Batching::on, .max_batch = 4}), "it keeps state");
}

TEST_F(Plans, KeepShapesThatTheFileFixes) {
  fake.inputs = {{"x", Element::f32, {3, 4}}};
  EXPECT_EQ(reason(), "input 'x' has the fixed first dimension of [3, 4]");
  EXPECT_EQ(reason({.batching = Batching::on, .max_batch = 4}), reason())
      << "that is not for the user to say";
  EXPECT_EQ(plan().sessions.front().session->inputs()[0].shape, (std::vector<std::int64_t>{3, 4}));
  fake.inputs = {};
  EXPECT_EQ(reason(), "the model has no inputs");
  fake.inputs = {{"x", Element::f32, {}}};
  EXPECT_EQ(reason(), "input 'x' is a single number: []");
  fake.inputs = {{"x", Element::f32, {-1, -1}}};
  EXPECT_EQ(reason(), "input 'x' is open beyond its first dimension: [?, ?]");
  fake.inputs = {{"x", Element::f32, {-1, 4}}};
  fake.outputs = {{"y", Element::f32, {1, 4}}};
  EXPECT_EQ(reason(), "output 'y' has the fixed first dimension of [1, 4]");
}

TEST_F(Plans, DoAsTheyAreTold) {
  EXPECT_EQ(reason({.batching = Batching::off, .max_batch = 4}), "as asked");
  fake.inputs = {{"x", Element::f32, {3, 4}}};
  model = fake.model();
  ModelOptions too_large;
  too_large.max_batch = 4;
  too_large.batch_sizes = "9";
  EXPECT_FALSE(plan_sessions(*model, too_large)) << "sizes are looked at all the same";
}

TEST_F(Plans, DoNotBatchText) {
  fake.inputs = {{"x", Element::text, {-1, 4}}};
  EXPECT_EQ(reason(), "input 'x' is text");
}

TEST_F(Plans, BatchWhatAConfigurationFixes) {
  fake.inputs = {{"x", Element::f32, {-1, -1}}};
  ModelOptions options{.max_batch = 4};
  options.declared = {.file = "config.pbtxt", .max_batch_size = 4, .inputs = {{.name = "x", .dims = {4}}}};
  const auto made = plan(options);
  EXPECT_TRUE(made.batched) << made.reason;
  EXPECT_THAT(sizes(made), ElementsAre(1, 2, 4));
  EXPECT_EQ(made.sessions.back().session->inputs()[0].shape, (std::vector<std::int64_t>{4, 4}));
}

}  // namespace
}  // namespace neph::serve
