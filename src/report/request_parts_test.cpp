#include "report/request_parts.hpp"

#include <gtest/gtest.h>

namespace neph::report {
namespace {

TEST(RequestParts, SplitWhatTheServerDoesNotTell) {
  neph::Run run;
  run.result.samples = {{"infer_s", {0.010, 0.014}},     {"send_s", {0.001, 0.001}},
                        {"transport_s", {0.002, 0.005}}, {"server_infer_s", {0.007, 0.008}},
                        {"server_queue_s", {0.0, 0.0}},  {"receive_s", {0.0001, 0.0001}}};
  auto parts = request_parts({run}, 0);
  EXPECT_NEAR(parts["network"].value, 2, 1e-9);
  EXPECT_NEAR(parts["unexplained"].value, 1.5, 1e-9);
  EXPECT_NEAR(parts["infer"].value, 7.5, 1e-9);
  EXPECT_FALSE(parts.contains("server_queue"));

  run.result.samples[3].values = {0, 0};  // a stranger that says nothing of itself
  parts = request_parts({run}, 0);
  EXPECT_NEAR(parts["network_and_server"].value, 3.5, 1e-9);
  EXPECT_FALSE(parts.contains("unexplained"));
}

TEST(RequestParts, AreTheSameHoweverTheyWereStored) {
  neph::Run split, earlier;
  split.result.samples =
      earlier.result.samples = {{"infer_s", {0.010, 0.014}}, {"server_infer_s", {0.008, 0.009}}};
  split.result.samples.push_back({"network_s", {0.002, 0.002}});
  split.result.samples.push_back({"unexplained_s", {0, 0.003}});
  earlier.result.samples.push_back({"transport_s", {0.002, 0.005}});
  const auto now = request_parts({split}, 0), before = request_parts({earlier}, 0);
  ASSERT_EQ(now.size(), 3U);
  for (const auto& [part, estimate] : now) EXPECT_NEAR(estimate.value, before.at(part).value, 1e-9) << part;
}

}  // namespace
}  // namespace neph::report
