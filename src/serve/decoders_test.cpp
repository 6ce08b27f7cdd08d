#include "serve/decoders.hpp"

#include <atomic>
#include <deque>
#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/no_threads_test.hpp"
#include "serve/exchange_test.hpp"

namespace neph::serve {
namespace {

using testing::ElementsAre;

/// Pictures of one grey pixel, [n, 1, 1, 1], level / 255.
class DecoderThreads : public testing::Test {
 protected:
  DecoderThreads() {
    signature.payload = Payload::uint8;
    signature.transform = {.resize_side = 1, .crop_side = 1, .channels = 1, .mean = {0}, .deviation = {1}};
    signature.inputs = {{.name = "x", .type = wire::DataType::u8, .shape = {-1, 1, 1, 1}, .row_bytes = 1}};
  }
  void give(Job& job, TestExchange& exchange, std::span<const std::byte> pixels) {
    job.exchange = &exchange;
    job.rows = static_cast<std::int64_t>(pixels.size());
    for (std::size_t i = 0; i < pixels.size(); ++i) job.pictures.push_back(pixels.subspan(i, 1));
  }
  std::vector<float> decoded(const Job& job) const {
    return {job.decoded.get(), job.decoded.get() + job.pictures.size()};
  }

  SteadyClock clock;
  Signature signature;
};

TEST_F(DecoderThreads, SayOnceThatAllPicturesOfAJobAreTensors) {
  const std::array<std::byte, 3> pixels{std::byte{0}, std::byte{255}, std::byte{51}};
  Job job;
  TestExchange exchange;
  give(job, exchange, pixels);
  std::promise<void> done;  // a second call would throw
  {
    Decoders decoders(signature, clock, [&](Job& ready) {
      EXPECT_EQ(&ready, &job);
      done.set_value();
    });
    ASSERT_TRUE(decoders.begin(2));
    decoders.add(job);
    done.get_future().wait();
  }
  EXPECT_FALSE(job.broken);
  EXPECT_THAT(decoded(job), ElementsAre(0, 1, testing::FloatNear(0.2F, 1e-6F)));
}

TEST_F(DecoderThreads, NameTheFirstPictureThatIsNone) {
  signature.payload = Payload::jpeg;
  const auto text = wire::bytes_of("ab");
  Job job;
  TestExchange exchange;
  give(job, exchange, text);
  std::promise<void> done;
  Decoders decoders(signature, clock, [&](Job&) { done.set_value(); });
  ASSERT_TRUE(decoders.begin(1));
  decoders.add(job);
  done.get_future().wait();
  ASSERT_TRUE(job.broken);
  EXPECT_THAT(job.fault.message, testing::StartsWith("image 0 of input 'x': "));
  EXPECT_EQ(to_string(job.fault.code), "invalid_argument");
}

TEST_F(DecoderThreads, LeaveOutWhatWasAbandoned) {
  signature.payload = Payload::jpeg;
  const auto text = wire::bytes_of("a");
  Job job;
  TestExchange exchange;
  exchange.abandon();
  give(job, exchange, text);
  std::promise<void> done;
  Decoders decoders(signature, clock, [&](Job&) { done.set_value(); });
  ASSERT_TRUE(decoders.begin(1));
  decoders.add(job);
  done.get_future().wait();
  EXPECT_FALSE(job.broken) << "nobody looked at it";
}

TEST_F(DecoderThreads, LeaveOutWhatIsTooLate) {
  signature.payload = Payload::jpeg;
  const auto text = wire::bytes_of("a");
  Job job;
  TestExchange exchange;
  exchange.deadline = clock.now();
  give(job, exchange, text);
  std::promise<void> done;
  Decoders decoders(signature, clock, [&](Job&) { done.set_value(); });
  ASSERT_TRUE(decoders.begin(1));
  decoders.add(job);
  done.get_future().wait();
  EXPECT_FALSE(job.broken) << "nobody looked at it";
}

TEST_F(DecoderThreads, ShareThePicturesOfManyJobs) {
  std::vector<std::byte> pixels(16, std::byte{255});
  std::atomic<int> left{200};
  std::promise<void> done;
  std::deque<std::pair<Job, TestExchange>> jobs(200);
  {
    Decoders decoders(signature, clock, [&](Job&) {
      if (--left == 0) done.set_value();
    });
    ASSERT_TRUE(decoders.begin(3));
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < 2; ++thread)
      threads.emplace_back([&, thread] {
        for (auto i = thread; i < jobs.size(); i += 2) {
          give(jobs[i].first, jobs[i].second, pixels);
          decoders.add(jobs[i].first);
        }
      });
    for (auto& thread : threads) thread.join();
    done.get_future().wait();
  }
  for (const auto& [job, exchange] : jobs) EXPECT_THAT(decoded(job), testing::Each(1.0F));
}

TEST_F(DecoderThreads, AreNotBegunWhereTheyCannotBeStarted) {
  const NoThreads limit;
  Decoders decoders(signature, clock, [](Job&) {});
  EXPECT_EQ(decoders.begin(3).error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace neph::serve
