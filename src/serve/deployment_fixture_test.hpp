// A deployment of the fake engine, and requests to it.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "serve/deployment.hpp"
#include "serve/exchange_test.hpp"
#include "serve/fake_engine_test.hpp"

namespace neph::serve {

class DeploymentTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Deployment>> try_open(const ModelOptions& options, const Clock& on) {
    return Deployment::open(engine.model(), {"m", "7"}, options, "fake_model", regions, on);
  }
  void open(const ModelOptions& options) {
    auto opened = try_open(options, clock);
    ASSERT_TRUE(opened) << opened.error().message;
    deployment = std::move(*opened);
  }
  void send(TestExchange& exchange) {
    exchange.received = clock.now();
    deployment->run(deployment->accept(exchange));
  }
  /// A request that keeps the only instance until the test ends its execution.
  void occupy() {
    send(occupant);
    engine.started(engine.started_so_far());
  }

  TestClock clock;
  FakeEngine engine{clock};
  Regions regions{false, 1 << 20};
  TestExchange occupant{1000, 1};
  std::unique_ptr<Deployment> deployment;
};

}  // namespace neph::serve
