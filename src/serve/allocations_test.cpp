// Memory that a request asks of the heap, once there have been others like it: none.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "serve/exchange_test.hpp"
#include "serve/repository_test.hpp"
#include "serve/service.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(NEPH_TSAN)
constexpr bool counts_allocations = false;  // sanitizers have a heap of their own
#else
constexpr bool counts_allocations = true;
#endif

namespace {
std::atomic<std::int64_t> allocations{0};
std::atomic<std::int64_t> left_until_none{0};  ///< the allocation that makes it 0 is refused
}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(NEPH_TSAN)
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (left_until_none.load(std::memory_order_relaxed) > 0 && --left_until_none == 0) throw std::bad_alloc();
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace neph::serve {
namespace {

class Allocations : public testing::Test {
 protected:
  void SetUp() override {
    if (!counts_allocations) GTEST_SKIP() << "not the heap of the program";
  }
  void serve(double service_ms, const ModelOptions& options) {
    folder.write("m.identity", Repository::identity(service_ms));
    models = std::make_unique<Models>(options, regions, clock);
    service = std::make_unique<InferenceService>(*models, regions, "0");
    ASSERT_TRUE(models->find(folder / "m.identity", ""));
    ASSERT_TRUE(models->load_all());
  }
  void send(TestExchange& exchange) {
    exchange.again();
    exchange.received = clock.now();
    service->infer(exchange);
  }
  /// Over so many of the same request. Four at a time come first: when the next is sent, those before may
  /// still be on their way back to where they are used again, one in each thread that is kept from its core.
  std::int64_t of_requests(TestExchange& exchange, int count) {
    std::vector<std::unique_ptr<TestExchange>> others;
    for (int i = 0; i < 4; ++i) {
      others.push_back(std::make_unique<TestExchange>(1, exchange.request.inputs[0].shape[0]));
      others.back()->request.outputs = exchange.request.outputs;
    }
    for (int i = 0; i < count; ++i) {
      for (const auto& each : others) send(*each);
      for (const auto& each : others) EXPECT_TRUE(each->wait());
    }
    send(exchange);
    EXPECT_TRUE(exchange.wait());
    const auto before = allocations.load();
    for (int i = 0; i < count; ++i) {
      send(exchange);
      EXPECT_TRUE(exchange.wait());
    }
    return allocations - before;
  }

  void refuse_each(double service_ms, const ModelOptions& options, std::int64_t classes);

  Repository folder;
  SteadyClock clock;
  Regions regions{false, 1 << 20};
  std::unique_ptr<Models> models;
  std::unique_ptr<InferenceService> service;
};

/// Of each allocation on a request's way, the first of them refused, the second, ...: each request is
/// answered, and those after it.
void Allocations::refuse_each(double service_ms, const ModelOptions& options, std::int64_t classes) {
  for (std::int64_t at = 1;; ++at) {
    ASSERT_LT(at, 1000);
    serve(service_ms, options);
    TestExchange exchange(1, 4), after(1, 4);
    exchange.request.outputs = {{.name = "y", .classification = classes}};
    left_until_none = at;
    exchange.received = clock.now();
    service->infer(exchange);
    const auto code = exchange.code();
    const bool refused = left_until_none.exchange(0) == 0;
    EXPECT_TRUE(code == "ok" || (refused && code == "unavailable")) << at << ": " << code;
    for (int i = 0; i < 5; ++i) {
      send(after);
      EXPECT_EQ(after.code(), "ok") << at;
    }
    EXPECT_TRUE(models->ready());
    EXPECT_TRUE(models->unload("m"));
    if (!refused) return;
  }
}

TEST_F(Allocations, MayBeRefused) {
  refuse_each(0, {.max_batch = 4}, 0);
  refuse_each(0, {.max_batch = 4}, 2);
  refuse_each(0.1, {.max_batch = 2, .max_wait = {0.001}}, 3);
}

TEST_F(Allocations, AreNoneForARequestThatRunsWhereItCameIn) {
  serve(0, {});
  TestExchange exchange(1, 1);
  EXPECT_EQ(of_requests(exchange, 1000), 0);
}

TEST_F(Allocations, AreNoneForARequestThatIsHandedOver) {
  serve(0.1, {.max_batch = 8});
  TestExchange exchange(1, 3);
  EXPECT_EQ(of_requests(exchange, 50), 0);
}

TEST_F(Allocations, AreNoneForClassification) {
  serve(0, {.max_batch = 4});
  TestExchange exchange(1, 4);
  exchange.request.outputs = {{.name = "y", .classification = 2}};
  EXPECT_EQ(of_requests(exchange, 100), 0);
}

}  // namespace
}  // namespace neph::serve
