#include "record/stages.hpp"

#include <cstdint>
#include <string>

#include <gmock/gmock.h>

namespace neph {
namespace {

using testing::ElementsAre;

RequestTimes request(double outside_s, double queue_s, double infer_s) {
  return {.connect_s = 0.001, .server_s = {0, 0, queue_s, 0, infer_s, 0}, .outside_s = outside_s};
}

std::vector<std::string> names(const RequestStages& stages) {
  std::vector<std::string> all;
  for (const auto& kind : stages.kinds()) all.emplace_back(kind.name);
  return all;
}

TEST(RequestStages, SplitWhatTheServerDoesNotTell) {
  RequestStages stages;
  for (const double outside_s : {0.005, 0.002}) stages.add(request(outside_s, 0, 0.007));
  EXPECT_THAT(names(stages), ElementsAre("connect", "network", "server_decode", "server_queue",
                                         "server_batch", "server_infer", "server_encode", "unexplained"));
  EXPECT_DOUBLE_EQ(stages.sum_s(stage::network), 0.004);
  EXPECT_DOUBLE_EQ(stages.sum_s(stage::unexplained), 0.003);
  EXPECT_DOUBLE_EQ(stages.sum_s(stage::server_infer), 0.014);
  EXPECT_DOUBLE_EQ(stages.of_s(stage::network, request(0.005, 0, 0.007)), 0.002);
  EXPECT_DOUBLE_EQ(stages.of_s(stage::unexplained, request(0.005, 0, 0.007)), 0.003);
}

TEST(RequestStages, OfAServerThatTellsNothingAreNotSplit) {
  RequestStages stages;
  stages.add(request(0.005, 0, 0));
  EXPECT_THAT(names(stages), ElementsAre("connect", "network_and_server"));
  EXPECT_DOUBLE_EQ(stages.sum_s(stage::network_and_server), 0.005);
  EXPECT_THAT(names(RequestStages()), testing::IsEmpty());
}

TEST(RequestStages, AddUpToTheResponseTime) {
  RequestStages stages;
  double response_s = 0;
  for (int i = 0; i < 50; ++i) {
    const RequestTimes one{.issue_s = 1e-4 * i,
                           .send_s = 2e-4,
                           .server_s = {1e-5, 2e-5, 1e-4 * i, 0, 1e-3, 3e-5},
                           .outside_s = 1e-3 - 2.1e-5 * i,  // the server's clock may say more than there was
                           .receive_s = 4e-5};
    for (const double part : one.server_s) response_s += part;
    response_s += one.issue_s + one.send_s + one.outside_s + one.receive_s;
    stages.add(one);
  }
  double sum_s = 0;
  for (const auto& kind : stages.kinds()) sum_s += stages.sum_s(kind);
  EXPECT_NEAR(sum_s, response_s, 1e-12);
}

TEST(RequestStages, KindsAreKnownByTheirNames) {
  for (const auto& kind : stage_kinds) EXPECT_EQ(find_stage(kind.name), &kind);
  EXPECT_EQ(find_stage("teleport"), nullptr);
}

}  // namespace
}  // namespace neph
