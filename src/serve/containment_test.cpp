// What is thrown on a request's way costs that request an error, and nothing else.
#include <new>
#include <stdexcept>

#include <gtest/gtest.h>

#include "serve/deployment_fixture_test.hpp"

namespace neph::serve {
namespace {

class Containment : public DeploymentTest {
 protected:
  template <class Thrown>
  void throw_at_each_call(bool handed_over, const Thrown& thrown, const std::string& code) {
    constexpr std::int64_t width = 1 << 14;  // bound in place, and lent
    engine.inputs[0].shape = engine.outputs[0].shape = {-1, width};
    engine.ends_at_once = true;
    if (!handed_over) engine.cost = [](std::int64_t) { return Nanoseconds(1000); };
    for (int at = 1;; ++at) {
      engine.at_call = [](const char*) {};
      open({.max_batch = 2});
      int calls = 0;
      engine.at_call = [&](const char*) {
        if (++calls == at) throw thrown;
      };
      TestExchange exchange(1, 2, width);
      send(exchange);
      const bool was_thrown = calls >= at;
      engine.at_call = [](const char*) {};
      EXPECT_EQ(exchange.code(), was_thrown ? code : "ok") << "call " << at;
      for (int i = 0; i < 8; ++i) {  // in every instance
        TestExchange next(5, i % 2 + 1, width);
        send(next);
        ASSERT_EQ(next.code(), "ok") << "call " << at;
        EXPECT_EQ(next.floats()[0], 5) << "call " << at;
        next.written();
      }
      exchange.written();
      EXPECT_TRUE(deployment->drain(clock.now()));
      EXPECT_EQ(deployment->pending(), 0);
      deployment.reset();
      if (!was_thrown) {
        EXPECT_GT(at, 2) << "nothing but starts has thrown";
        return;
      }
    }
  }
};

TEST_F(Containment, OfWhatAnEngineThrowsWhereRequestsAreHandedOver) {
  throw_at_each_call(true, std::bad_alloc(), "unavailable");
  throw_at_each_call(true, std::runtime_error("x"), "internal");
}

TEST_F(Containment, OfWhatAnEngineThrowsWhereRequestsComeIn) {
  throw_at_each_call(false, std::bad_alloc(), "unavailable");
  throw_at_each_call(false, 7, "internal");
}

/// A transport that cannot write a reply has its own way to say so.
TEST_F(Containment, OfWhatATransportThrows) {
  class Throwing final : public wire::Exchange {
   public:
    explicit Throwing(TestExchange& from) { request = from.request; }
    void finish(Status) override { throw std::bad_alloc(); }
  };
  engine.ends_at_once = true;
  open({.max_batch = 2});
  TestExchange from(1, 1), after(3, 1);
  Throwing exchange(from);
  deployment->run(deployment->accept(exchange));
  send(after);
  EXPECT_EQ(after.code(), "ok");
  EXPECT_TRUE(deployment->drain(clock.now()));
}

}  // namespace
}  // namespace neph::serve
