// Telemetry against the truth on this machine. It is noisy, so CPU seconds are compared and never wall time.
#include <array>
#include <thread>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/host.hpp"
#include "host/sampler.hpp"
#include "os/thread.hpp"

namespace neph::host {
namespace {

using std::chrono::milliseconds;

void burn(double cpu_s) {
  const auto begin = thread_cpu_time();
  while (seconds(thread_cpu_time() - begin) < cpu_s) {
  }
}

const Series& find(const std::vector<Series>& all, const std::string& target, const std::string& name) {
  for (const auto& series : all)
    if (series.target == target && series.name == name) return series;
  ADD_FAILURE() << "no series " << target << "." << name;
  return all.front();
}

// What a rate's points add up to: each stands for the time since the one before.
double total(const Series& rate) {
  double sum = 0;
  for (std::size_t i = 1; i < rate.values.size(); ++i)
    sum += rate.values[i] * (rate.at_s[i] - rate.at_s[i - 1]);
  return sum;
}

class Live : public testing::Test {
 protected:
  void start(TelemetryOptions options = {}) {
    options.nvml_library = "";
    options.rate_hz = 50;
    auto started = Telemetry::start(options, clock_, clock_.now());
    ASSERT_TRUE(started) << started.error().message;
    telemetry_ = *std::move(started);
    std::this_thread::sleep_for(
        milliseconds(100));  // so that the first interval lies before what is measured
  }
  SteadyClock clock_;
  std::unique_ptr<Telemetry> telemetry_;
};

TEST_F(Live, ABurningLoaderIsMeasuredAsSuch) {
  constexpr double burnt_s =
      1.5;  // so long that a sampler that is held up for a tenth of a second hardly matters
  start();
  start_thread(
      "loader-0", [&](const std::stop_token&) { burn(burnt_s); }, end_process)
      ->join();
  const auto series = telemetry_->stop();
  // Up to one interval of a thread's life is seen by nobody and counts as rest.
  EXPECT_NEAR(total(find(series, "loader", "cpu")), burnt_s, 0.15 * burnt_s);
  EXPECT_NEAR(total(find(series, "process", "cpu")), burnt_s, 0.15 * burnt_s);
  EXPECT_NEAR(total(find(series, "process", "cpu_user")) + total(find(series, "process", "cpu_system")),
              burnt_s, 0.15 * burnt_s);
  EXPECT_GE(total(find(series, "machine", "cpu_user")) + total(find(series, "machine", "cpu_system")),
            0.8 * burnt_s);
  const auto& loader = find(series, "loader", "cpu");
  const auto& engine = find(series, "engine", "cpu");
  const auto& rest = find(series, "rest", "cpu");
  const auto& process = find(series, "process", "cpu");
  for (std::size_t i = 0; i < process.values.size(); ++i)
    EXPECT_NEAR(loader.values[i] + engine.values[i] + rest.values[i], process.values[i], 1e-6);
}

TEST_F(Live, TouchedMemoryAndItsFaultsAreSeen) {
  constexpr std::size_t bytes = 64 << 20;
  start();
  auto* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  ::madvise(memory, bytes, MADV_NOHUGEPAGE);  // one fault a page
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (std::size_t i = 0; i < bytes; i += page) static_cast<volatile char*>(memory)[i] = 1;
  telemetry_->mark();
  std::this_thread::sleep_for(milliseconds(100));
  const auto series = telemetry_->stop();
  ::munmap(memory, bytes);
  const auto& resident = find(series, "process", "memory_resident");
  EXPECT_GE(resident.values.back() - resident.values.front(), 0.95 * bytes);
  EXPECT_GE(find(series, "process", "memory_peak").values.back(), resident.values.back());
  const auto pages = static_cast<double>(bytes / page);
  EXPECT_GE(total(find(series, "process", "page_faults_minor")), 0.95 * pages);
}

TEST_F(Live, ChildrenCountWithTheProcess) {
  constexpr double burnt_s = 0.3;
  start();
  const pid_t child = ::fork();
  if (child == 0) {
    burn(burnt_s);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  const auto series = telemetry_->stop();
  EXPECT_NEAR(total(find(series, "rest", "cpu")), burnt_s, 0.2 * burnt_s);
  EXPECT_NEAR(total(find(series, "process", "cpu")), burnt_s, 0.2 * burnt_s);
}

TEST_F(Live, AnotherProcessCanBeWatchedUntilItEnds) {
  std::array<int, 2> watched{};  // a pipe: the child begins when it is being watched
  ASSERT_EQ(::pipe(watched.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char go = 0;
    if (::read(watched[0], &go, 1) != 1) ::_exit(1);
    burn(0.2);
    ::usleep(150'000);  // so that the end of it is read too
    ::_exit(0);
  }
  start({.pid = child});
  ASSERT_EQ(::write(watched[1], "!", 1), 1);
  ::waitpid(child, nullptr, 0);
  const auto series = telemetry_->stop();
  for (const int end : watched) ::close(end);
  EXPECT_NEAR(total(find(series, "process", "cpu")), 0.2, 0.05);
}

TEST_F(Live, AMarkTakesAReadingAtOnce) {
  auto started = Telemetry::start({.rate_hz = 0.1, .nvml_library = ""}, clock_, clock_.now());
  ASSERT_TRUE(started);
  std::this_thread::sleep_for(milliseconds(100));
  (*started)->mark();  // the next beat would come in ten seconds
  std::this_thread::sleep_for(milliseconds(100));
  const auto series = (*started)->stop();
  const auto& used = find(series, "machine", "memory_used");
  ASSERT_EQ(used.values.size(), 3U) << "at the start, at the mark, at the end";
  EXPECT_NEAR(used.at_s[1], 0.1, 0.05);
  EXPECT_TRUE((*started)->stop().empty());
  EXPECT_GT((*started)->cost_cpu_s(), 0);
}

TEST_F(Live, StartsQuicklyAndEndsWithoutBeingAsked) {
  const auto begin = thread_cpu_time();
  auto started = Telemetry::start({}, clock_, clock_.now());
  EXPECT_LT(seconds(thread_cpu_time() - begin), 0.005);
  started->reset();
}

TEST_F(Live, ProcessStartLiesInThePast) {
  const auto start_moment = process_start();
  ASSERT_TRUE(start_moment) << start_moment.error().message;
  EXPECT_GT(clock_.now(), *start_moment);
}

}  // namespace
}  // namespace neph::host
