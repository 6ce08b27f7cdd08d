#include "serve/instance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "serve/deployment_fixture_test.hpp"

namespace neph::serve {
namespace {

using testing::ElementsAre;

using Instances = DeploymentTest;

TEST_F(Instances, HoldNothingOfOthersInRowsThatNobodyFills) {
  open({.max_batch = 4});
  TestExchange four(40, 4), three(30, 3), four_more(50, 4), three_more(60, 3);
  int count = 0;
  for (auto* each : {&four, &three, &four_more, &three_more}) {
    send(*each);
    engine.started(static_cast<std::size_t>(++count));
    engine.end_next();
    each->wait();
  }
  EXPECT_THAT(engine.started(4).first_values, ElementsAre(60, 61, 62, 0));
  EXPECT_EQ(three_more.floats()[0], 60);
}

}  // namespace
}  // namespace neph::serve
