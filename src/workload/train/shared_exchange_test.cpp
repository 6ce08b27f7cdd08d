#include "workload/train/shared_exchange.hpp"

#include <cmath>
#include <csignal>
#include <functional>
#include <thread>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/random.hpp"
#include "workload/train/ranks.hpp"

namespace neph::workload {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const SteadyClock steady;
constexpr Patience short_patience{
    .start = std::chrono::milliseconds(50), .least = std::chrono::milliseconds(50), .times = 1};

/// `body` of every rank, each in a thread of its own with an exchange of its own.
void in_threads(std::int64_t ranks, const std::function<void(SharedExchange&)>& body,
                const Patience& patience = {}) {
  auto first = SharedExchange::make(ranks, steady, patience);
  ASSERT_TRUE(first) << first.error().message;
  std::vector<std::jthread> others;
  for (std::int64_t rank = 1; rank < ranks; ++rank)
    others.emplace_back([&, rank, path = (*first)->path()] {
      auto joined = SharedExchange::join(path, rank, ranks, steady, patience);
      ASSERT_TRUE(joined) << joined.error().message;
      body(**joined);
    });
  body(**first);
}

float number(std::int64_t rank, int round, std::size_t i) {
  auto state = static_cast<std::uint64_t>(rank * 1'000'003 + round * 7919) + i;
  return static_cast<float>(static_cast<double>(split_mix(state) >> 40) * 1e-6 - 8);
}

void check_means(SharedExchange& exchange, std::int64_t count, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    const auto room = exchange.room(count);
    ASSERT_TRUE(room) << room.error().message;
    ASSERT_EQ(std::ssize(*room), count);
    for (std::size_t i = 0; i < room->size(); ++i) (*room)[i] = number(exchange.rank(), round, i);
    const auto means = exchange.mean(static_cast<double>(exchange.rank() + 1));
    ASSERT_TRUE(means) << means.error().message;
    ASSERT_EQ(std::ssize(*means), count);
    for (std::size_t i = 0; i < means->size(); i += 1 + means->size() / 100) {
      double sum = 0, weights = 0;
      for (std::int64_t rank = 0; rank < exchange.ranks(); ++rank) {
        sum += static_cast<double>(number(rank, round, i)) * static_cast<double>(rank + 1);
        weights += static_cast<double>(rank + 1);
      }
      ASSERT_NEAR((*means)[i], sum / weights, 1e-5) << "rank " << exchange.rank() << " at " << i;
    }
  }
}

TEST(SharedExchange, GivesAllRanksTheWeightedMean) {
  for (const std::int64_t ranks : {1, 2, 3, 5})
    in_threads(ranks, [](SharedExchange& exchange) {
      for (const std::int64_t count : {1, 17, 4096, 100'003, 3}) check_means(exchange, count, 5);
    });
}

TEST(SharedExchange, GivesAllTheSameBits) {
  std::array<std::vector<float>, 3> seen;
  in_threads(3, [&](SharedExchange& exchange) {
    auto room = *exchange.room(10'000);
    for (std::size_t i = 0; i < room.size(); ++i) room[i] = number(exchange.rank(), 1, i) / 3;
    const auto means = *exchange.mean(7);
    seen[static_cast<std::size_t>(exchange.rank())].assign(means.begin(), means.end());
    ASSERT_TRUE(exchange.meeting().come());
  });
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[0], seen[2]);
}

TEST(SharedExchange, LeavesOutARankWithoutExamples) {
  in_threads(2, [](SharedExchange& exchange) {
    auto room = *exchange.room(100);
    std::ranges::fill(room, exchange.rank() == 0 ? 3.0F : std::nanf(""));  // of a step before
    const auto means = exchange.mean(exchange.rank() == 0 ? 5 : 0);
    ASSERT_TRUE(means);
    EXPECT_EQ((*means)[50], 3.0F);
  });
}

TEST(SharedExchange, SpreadsWhatRank0Has) {
  in_threads(3, [](SharedExchange& exchange) {
    for (const std::size_t bytes : {1UL, 128UL, 1'000'001UL}) {
      check_means(exchange, 64, 2);
      std::vector<std::byte> all(bytes, std::byte(exchange.rank() == 0 ? 42 : 7));
      ASSERT_TRUE(exchange.from_rank_0(all));
      EXPECT_EQ(all, std::vector<std::byte>(bytes, std::byte(42)));
    }
    check_means(exchange, 64, 2);
  });
}

TEST(SharedExchange, RefusesRanksThatExchangeDifferentNumbers) {
  in_threads(2, [](SharedExchange& exchange) {
    const auto room = exchange.room(10 + exchange.rank());
    ASSERT_FALSE(room);
    EXPECT_EQ(room.error().code, ErrorCode::internal);
    EXPECT_THAT(room.error().message, HasSubstr("numbers to exchange"));
  });
}

TEST(SharedExchange, CountsTheTimeOfWaiting) {
  in_threads(2, [](SharedExchange& exchange) {
    ASSERT_TRUE(exchange.room(8));
    exchange.time_spent();
    const auto late = std::chrono::milliseconds(20);
    if (exchange.rank() == 1) steady.sleep_until(steady.now() + late);
    ASSERT_TRUE(exchange.mean(1));
    const auto spent = exchange.time_spent();
    if (exchange.rank() == 0) {
      EXPECT_GE(spent, late / 2);
    }
    EXPECT_EQ(exchange.time_spent(), Nanoseconds{}) << "told once";
  });
}

/// The first call has the ranks agree on room for the bytes, where one waits for the others too.
TEST(SharedExchange, CountsTheTimeOfTheFirstBytesToo) {
  in_threads(2, [](SharedExchange& exchange) {
    ASSERT_TRUE(exchange.meeting().come());
    const auto late = std::chrono::milliseconds(20);
    if (exchange.rank() == 1) steady.sleep_until(steady.now() + late);
    std::array<std::byte, 8> bytes{};
    ASSERT_TRUE(exchange.from_rank_0(bytes));
    if (exchange.rank() == 0) {
      EXPECT_GE(exchange.time_spent(), late / 2);
    }
  });
}

TEST(SharedExchange, RefusesRanksThatCannotBe) {
  EXPECT_EQ(SharedExchange::make(most_ranks + 1, steady).error().code, ErrorCode::invalid_argument);
  EXPECT_EQ(SharedExchange::make(0, steady).error().code, ErrorCode::invalid_argument);
  const auto one = SharedExchange::make(2, steady);
  ASSERT_TRUE(one);
  EXPECT_FALSE(SharedExchange::join((*one)->path(), 2, 2, steady));
  EXPECT_EQ(SharedExchange::join("/proc/self/fd/9999", 1, 2, steady).error().code, ErrorCode::unavailable);
}

TEST(Meeting, NamesWhoDoesNotCome) {
  const auto one = SharedExchange::make(3, steady, short_patience);
  ASSERT_TRUE(one);
  const auto two = SharedExchange::join((*one)->path(), 2, 3, steady, short_patience);
  ASSERT_TRUE(two);
  std::jthread other([&] { EXPECT_FALSE((*two)->meeting().come()); });
  const auto came = (*one)->meeting().come();
  ASSERT_FALSE(came);
  EXPECT_EQ(came.error().code, ErrorCode::unavailable);
  EXPECT_THAT(came.error().message, HasSubstr("rank 1 did not come"));
}

TEST(Meeting, EndsForAllWhenItIsCalledOff) {
  in_threads(3, [](SharedExchange& exchange) {
    ASSERT_TRUE(exchange.meeting().come());
    if (exchange.rank() == 2) return exchange.meeting().call_off(2);
    const auto came = exchange.meeting().come();
    ASSERT_FALSE(came);
    EXPECT_THAT(came.error().message, HasSubstr("rank 2 has left"));
    EXPECT_FALSE(exchange.meeting().come()) << "for good";
    if (exchange.rank() == 1) {
      EXPECT_FALSE(exchange.meeting().hear());
    }
  });
}

TEST(Meeting, HearsEveryWordOfRank0) {
  in_threads(3, [](SharedExchange& exchange) {
    auto& meeting = exchange.meeting();
    for (std::int64_t i = 1; i <= 200; ++i) {
      if (meeting.rank() == 0) {
        meeting.say({.task = Word::Task::step, .epoch = i, .samples = 3 * i});
      } else {
        const auto word = meeting.hear();
        ASSERT_TRUE(word);
        ASSERT_EQ(word->epoch, i);
        ASSERT_EQ(word->samples, 3 * i);
      }
      const auto slips = meeting.trade({static_cast<double>(10 * i + meeting.rank())});
      ASSERT_TRUE(slips);
      for (std::size_t rank = 0; rank < 3; ++rank)
        ASSERT_EQ((*slips)[rank][0], static_cast<double>(10 * i) + static_cast<double>(rank));
    }
  });
}

TEST(SharedExchange, JoinsProcesses) {
  const auto first = SharedExchange::make(2, steady);
  ASSERT_TRUE(first);
  const auto path = (*first)->path();
  const pid_t child = ::fork();
  if (child == 0) {
    const auto joined = SharedExchange::join(path, 1, 2, steady);
    if (joined)
      for (const std::int64_t count : {1000, 50'000}) check_means(**joined, count, 50);
    ::_exit(joined && !testing::Test::HasFailure() ? 0 : 1);
  }
  for (const std::int64_t count : {1000, 50'000}) check_means(**first, count, 50);
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(SharedExchange, DoesNotWaitForAProcessThatWasKilled) {
  const auto first = SharedExchange::make(2, steady, short_patience);
  ASSERT_TRUE(first);
  const auto path = (*first)->path();
  const pid_t child = ::fork();
  if (child == 0) {
    const auto joined = SharedExchange::join(path, 1, 2, steady);
    check_means(**joined, 100, 3);
    ::raise(SIGKILL);
  }
  check_means(**first, 100, 3);
  const auto means = (*first)->mean(1);
  ASSERT_FALSE(means);
  EXPECT_THAT(means.error().message, HasSubstr("rank 1 did not come"));
  ::waitpid(child, nullptr, 0);
}

using Weights = std::map<std::string, std::vector<float>, std::less<>>;

TEST(CheckAlike, SeesOneBit) {
  const auto check = [](const std::function<void(Weights&)>& change) {
    std::array<Status, 3> seen;
    in_threads(3, [&](SharedExchange& exchange) {
      Weights weights{{"a", {1, 2, 3}}, {"b", {0.0F, std::nanf("")}}};
      if (exchange.rank() == 2) change(weights);
      seen[static_cast<std::size_t>(exchange.rank())] = check_alike(exchange.meeting(), weights);
    });
    EXPECT_EQ(seen[0].has_value(), seen[1].has_value());
    EXPECT_EQ(seen[0].has_value(), seen[2].has_value());
    return seen[0];
  };
  EXPECT_TRUE(check([](Weights&) {}));
  const auto differs = [&](const std::function<void(Weights&)>& change) {
    const auto seen = check(change);
    ASSERT_FALSE(seen);
    EXPECT_EQ(seen.error().code, ErrorCode::internal);
    EXPECT_THAT(seen.error().message, HasSubstr("weights of rank 2 differ"));
  };
  differs([](Weights& weights) { weights["a"][1] = std::nextafter(2.0F, 3.0F); });
  differs([](Weights& weights) { weights["b"][0] = -0.0F; });
  differs([](Weights& weights) { weights["c"] = {}; });
}

}  // namespace
}  // namespace neph::workload
