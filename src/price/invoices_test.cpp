// Invoices computed by hand, at least five for each rule that is built in. 3.6 an hour is 0.001 a second, 60
// an hour 1 a minute.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "core/values.hpp"
#include "price/around.hpp"

namespace neph::price {
namespace {

struct Invoice {
  const char* rule;
  const char* price;
  const char* starts;  ///< "BEGIN STAGE=LENGTH,...; BEGIN ...", on the rule's clock
  const char* billed;
  const char* total;
};

// 40 s + 5 min + 20 min + 15 s = 25 min 55 s = 1555 s, the published example.
#define PUBLISHED "boot=40s,install=5min,learn=20min,save=15s"

// clang-format off
constexpr Invoice invoices[] = {
    // AWS: seconds, at least 60 for each start; ordering and stopping are free.
    {"aws-ec2", "3.6USD/h", "2026-11-24T13:25 learn=59s", "60s", "0.06"},           // below the minimum
    {"aws-ec2", "3.6USD/h", "2026-11-24T13:25 learn=60s", "60s", "0.06"},           // on it
    {"aws-ec2", "3.6USD/h", "2026-11-24T13:25 learn=60.000000001s", "61s", "0.061"},
    {"aws-ec2", "3.6USD/h", "2026-11-24T13:25 learn=0", "60s", "0.06"},             // started all the same
    {"aws-ec2", "1USD/h", "2026-11-24T13:25 provision=10min", "0", "0.00"},         // never started
    {"aws-ec2", "3.6USD/h", "2026-11-24T13:59:30 provision=90s,learn=70s,poweroff=30s", "70s", "0.07"},
    {"aws-ec2", "12.24USD/h", "2026-11-24T13:25 " PUBLISHED, "1555s", "5.287"},     // 12.24 × 1555 / 3600
    {"aws-ec2", "3.6USD/h", "2026-11-24T23:59 learn=48h", "48h", "172.80"},         // 172800 × 0.001
    {"aws-ec2", "3.6USD/h", "2026-11-24T13:05 learn=10s; 2026-11-24T13:40 learn=15s", "2min", "0.12"},
    {"aws-ec2", "1.08USD/h", "2026-11-24T13:25 learn=1000s", "1000s", "0.30"},      // spot, 70 % less
    // Google: the same minimum; stopping is paid, stopped is free.
    {"gcp", "3.6USD/h", "2026-11-24T13:25 learn=1s", "60s", "0.06"},
    {"gcp", "3.6USD/h", "2026-11-24T13:25 learn=60s", "60s", "0.06"},
    {"gcp", "3.6USD/h", "2026-11-24T13:25 learn=30s,poweroff=31s", "61s", "0.061"},
    {"gcp", "3.6USD/h", "2026-11-24T13:25 learn=100s,off=1h", "100s", "0.10"},
    {"gcp", "3.6USD/h", "2026-11-24T23:59:30 learn=90s", "90s", "0.09"},
    {"gcp", "3.06USD/h", "2026-11-24T13:25 learn=12345s", "12345s", "10.49325"},    // 3.06 × 3.4291666...
    {"gcp", "3.6USD/h", "2026-11-24T13:00 learn=59s; 2026-11-24T14:00 learn=60s; 2026-11-24T15:00 learn=61s",
     "181s", "0.181"},                                                              // 60 + 60 + 61
    // Google in 2017: ten minutes, then minutes.
    {"gcp-2017", "6USD/h", "2017-03-01T13:25 learn=0", "10min", "1.00"},
    {"gcp-2017", "6USD/h", "2017-03-01T13:25 learn=1s", "10min", "1.00"},
    {"gcp-2017", "6USD/h", "2017-03-01T13:25 learn=10min", "10min", "1.00"},
    {"gcp-2017", "6USD/h", "2017-03-01T13:25 learn=601s", "11min", "1.10"},
    {"gcp-2017", "6USD/h", "2017-03-01T23:55 learn=11min", "11min", "1.10"},
    {"gcp-2017", "6USD/h", "2017-03-01T13:25 " PUBLISHED, "26min", "2.60"},
    {"gcp-2017", "6USD/h", "2017-03-01T13:00 learn=5min; 2017-03-01T13:05 learn=5min", "20min", "2.00"},
    // Azure: seconds; what is only shut down is paid. 0.9 an hour is 0.00025 a second.
    {"azure", "0.9USD/h", "2026-11-24T13:25 learn=0", "0", "0.00"},
    {"azure", "0.9USD/h", "2026-11-24T13:25 learn=1s", "1s", "0.00025"},
    {"azure", "0.9USD/h", "2026-11-24T13:59:59 learn=1.000000001s", "2s", "0.0005"},
    {"azure", "0.9USD/h", "2026-11-24T13:25 learn=10min,off=50min", "1h", "0.90"},
    {"azure", "0.9USD/h", "2026-11-24T13:25 provision=5min,learn=1h", "1h", "0.90"},
    {"azure", "0.9USD/h", "2026-11-24T20:00 learn=36h", "36h", "32.40"},
    {"azure", "0.9USD/h", "2026-11-24T13:00 learn=0.5s; 2026-11-24T14:00 learn=0.5s", "2s", "0.0005"},
    {"azure", "0.099USD/h", "2026-11-24T13:25 learn=2h", "2h", "0.198"},            // spot
    // Azure in 2017: whole minutes; one that was begun is free. A minute is 0.015.
    {"azure-2017", "0.9USD/h", "2017-03-01T13:25 learn=59s", "0", "0.00"},
    {"azure-2017", "0.9USD/h", "2017-03-01T13:25 learn=60s", "1min", "0.015"},
    {"azure-2017", "0.9USD/h", "2017-03-01T13:25 learn=119s", "1min", "0.015"},
    {"azure-2017", "0.9USD/h", "2017-03-01T13:25 " PUBLISHED, "25min", "0.375"},
    {"azure-2017", "0.9USD/h", "2017-03-01T23:30 learn=61min", "61min", "0.915"},
    {"azure-2017", "0.9USD/h", "2017-03-01T13:00 learn=59s; 2017-03-01T13:05 learn=61s", "1min", "0.015"},
    // Lambda: minutes from the boot on. A minute of 6.32 an hour is 0.1053333...
    {"lambda", "6.32USD/h", "2026-11-24T13:25 learn=0", "0", "0.00"},
    {"lambda", "6.32USD/h", "2026-11-24T13:25 learn=1s", "1min", "0.105333"},
    {"lambda", "6.32USD/h", "2026-11-24T13:25 boot=5min,learn=1min", "1min", "0.105333"},
    {"lambda", "6.32USD/h", "2026-11-24T13:25 learn=1min,off=1h", "61min", "6.425333"},
    {"lambda", "6.32USD/h", "2026-11-24T13:25 learn=2min", "2min", "0.210667"},
    {"lambda", "6.32USD/h", "2026-11-24T13:59:59 provision=3min,learn=30s,poweroff=31s", "2min", "0.210667"},
    {"lambda", "6.32USD/h", "2026-11-24T23:59 learn=2h", "2h", "12.64"},
    {"lambda", "6.32USD/h", "2026-11-24T13:00 learn=90s; 2026-11-24T13:05 learn=90s", "4min", "0.421333"},
    // RunPod: seconds. A second of 1.39 an hour is 0.000386111...
    {"runpod", "1.39USD/h", "2026-11-24T13:25 learn=0", "0", "0.00"},
    {"runpod", "1.39USD/h", "2026-11-24T13:25 learn=1s", "1s", "0.000386"},
    {"runpod", "1.39USD/h", "2026-11-24T13:25 learn=1.5s", "2s", "0.000772"},
    {"runpod", "1.39USD/h", "2026-11-24T23:30 learn=1h", "1h", "1.39"},
    {"runpod", "1.39USD/h", "2026-11-24T13:25 learn=1h,off=1h", "1h", "1.39"},      // its volume is not in it
    {"runpod", "1.39USD/h", "2026-11-24T13:00 learn=0.2s; 2026-11-24T13:01 learn=0.2s", "2s", "0.000772"},
    // RunPod serverless: start, work and idle time.
    {"runpod-serverless", "3.6USD/h", "2026-11-24T13:25 learn=0", "0", "0.00"},
    {"runpod-serverless", "3.6USD/h", "2026-11-24T13:25 learn=1s", "1s", "0.001"},
    {"runpod-serverless", "3.6USD/h", "2026-11-24T13:25 start=3s,learn=2s,idle=5s", "10s", "0.01"},
    {"runpod-serverless", "3.6USD/h", "2026-11-24T13:59:58 start=0.4s,learn=0.4s,idle=5s", "6s", "0.006"},
    {"runpod-serverless", "3.6USD/h", "2026-11-24T23:30 idle=1h", "1h", "3.60"},
    {"runpod-serverless", "3.6USD/h",
     "2026-11-24T13:00 start=2s,learn=0.5s,idle=5s; 2026-11-24T13:01 start=2s,learn=0.5s,idle=5s", "16s",
     "0.016"},                                                                      // 7.5 s, twice
    // Vast: creating is free, loading is paid, inactive is free but for its disk.
    {"vast", "3.6USD/h", "2026-11-24T13:25 learn=0", "0", "0.00"},
    {"vast", "3.6USD/h", "2026-11-24T13:25 learn=1ns", "1s", "0.001"},
    {"vast", "3.6USD/h", "2026-11-24T13:25 provision=5min,boot=10s,learn=1min", "70s", "0.07"},
    {"vast", "3.6USD/h", "2026-11-24T13:25 learn=1s,off=10h", "1s", "0.001"},
    {"vast", "3.6USD/h", "2026-11-24T23:30 learn=1h", "1h", "3.60"},
    {"vast", "3.6USD/h", "2026-11-24T13:00 learn=0.5s; 2026-11-24T13:01 learn=0.5s", "2s", "0.002"},
    // Scaleway without a GPU: hours from the start on, standby too.
    {"scaleway-cpu", "3EUR/h", "2026-11-24T13:25 learn=0", "0", "0.00"},
    {"scaleway-cpu", "3EUR/h", "2026-11-24T13:25 " PUBLISHED, "1h", "3.00"},
    {"scaleway-cpu", "3EUR/h", "2026-11-24T13:25 learn=1h", "1h", "3.00"},
    {"scaleway-cpu", "3EUR/h", "2026-11-24T13:25 learn=1h,save=1ns", "2h", "6.00"},
    {"scaleway-cpu", "3EUR/h", "2026-11-24T23:59 learn=2min", "1h", "3.00"},        // no hour of the clock
    {"scaleway-cpu", "3EUR/h", "2026-11-24T13:25 learn=30min,off=31min", "2h", "6.00"},
    {"scaleway-cpu", "3EUR/h", "2026-11-24T13:00 learn=1min; 2026-11-24T13:10 learn=1min", "2h", "6.00"},
    // Scaleway with a GPU: minutes.
    {"scaleway-gpu", "3EUR/h", "2026-11-24T13:25 learn=0", "0", "0.00"},
    {"scaleway-gpu", "3EUR/h", "2026-11-24T13:25 learn=1s", "1min", "0.05"},
    {"scaleway-gpu", "3EUR/h", "2026-11-24T13:59:30 learn=60s", "1min", "0.05"},
    {"scaleway-gpu", "3EUR/h", "2026-11-24T13:25 learn=61s", "2min", "0.10"},
    {"scaleway-gpu", "3EUR/h", "2026-11-24T13:25 " PUBLISHED, "26min", "1.30"},
    {"scaleway-gpu", "3EUR/h", "2026-11-24T23:59 learn=1min,off=1s", "2min", "0.10"},
    {"scaleway-gpu", "3EUR/h", "2026-11-24T13:00 learn=30s; 2026-11-24T13:10 learn=30s", "2min", "0.10"},
    // Yandex: seconds until it is stopped; stopped is free.
    {"yandex", "3.6RUB/h", "2026-11-24T13:25 learn=0", "0", "0.00"},
    {"yandex", "3.6RUB/h", "2026-11-24T13:25 learn=1s", "1s", "0.001"},
    {"yandex", "3.6RUB/h", "2026-11-24T13:25 learn=1.5s", "2s", "0.002"},
    {"yandex", "3.6RUB/h", "2026-11-24T23:59:59 learn=10s,poweroff=5s,off=1h", "15s", "0.015"},
    {"yandex", "1.08RUB/h", "2026-11-24T13:25 learn=1h", "1h", "1.08"},             // preemptible, 70 % less
    {"yandex", "3.6RUB/h", "2026-11-24T13:00 learn=0.5s; 2026-11-24T13:01 learn=0.5s", "2s", "0.002"},
    // Selectel: all hours of the clock that a server touches, also switched off; the most at once.
    {"selectel", "100RUB/h", "2026-11-24T13:25 learn=0", "0", "0.00"},
    {"selectel", "100RUB/h", "2026-11-24T13:25 learn=15min", "1h", "100.00"},       // the provider's example
    {"selectel", "100RUB/h", "2026-11-24T13:02 " PUBLISHED, "1h", "100.00"},        // to 13:27:55
    {"selectel", "100RUB/h", "2026-11-24T13:50 " PUBLISHED, "2h", "200.00"},        // to 14:15:55
    {"selectel", "100RUB/h", "2026-11-24T13:00 learn=1h", "1h", "100.00"},
    {"selectel", "100RUB/h", "2026-11-24T13:00 learn=1h,off=1ns", "2h", "200.00"},
    {"selectel", "100RUB/h", "2026-11-24T13:59:59.999999999 learn=1ns", "1h", "100.00"},
    {"selectel", "100RUB/h", "2026-11-24T13:55 provision=6min,learn=1min", "2h", "200.00"},
    {"selectel", "100RUB/h", "2026-11-24T23:59 learn=2min", "2h", "200.00"},        // across the day
    {"selectel", "100RUB/h", "2026-11-24T23:30 learn=48h", "49h", "4900.00"},
    {"selectel", "100RUB/h", "2026-11-24T13:05 learn=10min; 2026-11-24T13:40 learn=10min", "1h", "100.00"},
    {"selectel", "100RUB/h", "2026-11-24T13:50 learn=20min; 2026-11-24T14:30 learn=5min", "2h", "200.00"},
    {"selectel", "100RUB/h", "2026-11-24T13:50 learn=5min; 2026-11-24T15:05 learn=5min", "2h", "200.00"},
    // VK: minutes.
    {"vk", "6RUB/h", "2026-11-24T13:25 learn=0", "0", "0.00"},
    {"vk", "6RUB/h", "2026-11-24T13:25 learn=1s", "1min", "0.10"},
    {"vk", "6RUB/h", "2026-11-24T23:59:30 learn=60s", "1min", "0.10"},
    {"vk", "6RUB/h", "2026-11-24T13:25 learn=61s", "2min", "0.20"},
    {"vk", "6RUB/h", "2026-11-24T13:25 " PUBLISHED, "26min", "2.60"},
    {"vk", "6RUB/h", "2026-11-24T13:25 learn=48h", "48h", "288.00"},
    {"vk", "6RUB/h", "2026-11-24T13:00 learn=30s; 2026-11-24T13:05 learn=30s", "2min", "0.20"},
    // Without rounding; the sixth decimal is rounded half up.
    {"exact", "3.6USD/h", "2026-11-24T13:25 learn=0", "0", "0.00"},
    {"exact", "3.6USD/h", "2026-11-24T13:25 learn=1.5s", "1.5s", "0.0015"},
    {"exact", "3.6USD/h", "2026-11-24T13:25 learn=499999ns", "499999ns", "0.00"},   // 0.000000499999
    {"exact", "3.6USD/h", "2026-11-24T13:25 learn=500us", "500us", "0.000001"},     // 0.0000005
    {"exact", "3.6USD/h", "2026-11-24T13:59:59 learn=24h1ms", "24h1ms", "86.400001"},
    {"exact", "3.6USD/h", "2026-11-24T13:00 learn=250ms; 2026-11-24T13:01 learn=250ms", "500ms", "0.0005"},
    // Nobody's rule: seconds from the boot on.
    {"per-second", "3.6USD/h", "2026-11-24T13:25 learn=0", "0", "0.00"},
    {"per-second", "3.6USD/h", "2026-11-24T13:25 learn=1s", "1s", "0.001"},
    {"per-second", "3.6USD/h", "2026-11-24T13:59:59 learn=1.000000001s", "2s", "0.002"},
    {"per-second", "3.6USD/h", "2026-11-24T13:25 provision=1h,boot=40s,learn=20s,off=1h", "1min", "0.06"},
    {"per-second", "0.40USD/h", "2026-11-24T13:25 " PUBLISHED, "1555s", "0.172778"},  // 0.4 × 1555 / 3600
    {"per-second", "3.6USD/h", "2026-11-24T23:00 learn=0.1s; 2026-11-25T01:00 learn=0.1s", "2s", "0.002"},
    // As soon as the machine exists.
    {"sagemaker", "3.6USD/h", "2026-11-24T13:25 learn=0", "0", "0.00"},
    {"sagemaker", "3.6USD/h", "2026-11-24T13:25 learn=0.5s", "1s", "0.001"},
    {"sagemaker", "3.6USD/h", "2026-11-24T13:25 provision=5min,learn=1min", "6min", "0.36"},
    {"sagemaker", "3.6USD/h", "2026-11-24T23:59 provision=2min", "2min", "0.12"},
    {"sagemaker", "3.6USD/h", "2026-11-24T13:25 learn=1h,poweroff=1s,off=1h", "3601s", "3.601"},
    {"sagemaker", "3.6USD/h", "2026-11-24T13:00 learn=0.5s; 2026-11-24T13:01 learn=0.5s", "2s", "0.002"},
    // Russian providers of 2017: ten minutes to an hour, from the start on.
    {"ru-2017-10min", "60RUB/h", "2017-03-01T13:25 learn=0", "0", "0.00"},
    {"ru-2017-10min", "60RUB/h", "2017-03-01T13:25 learn=1s", "10min", "10.00"},
    {"ru-2017-10min", "60RUB/h", "2017-03-01T23:55 learn=10min", "10min", "10.00"},
    {"ru-2017-10min", "60RUB/h", "2017-03-01T13:25 learn=601s", "20min", "20.00"},
    {"ru-2017-10min", "60RUB/h", "2017-03-01T13:25 " PUBLISHED, "30min", "30.00"},
    {"ru-2017-10min", "60RUB/h", "2017-03-01T13:00 learn=1min; 2017-03-01T13:05 learn=1min", "20min", "20.00"},
    {"ru-2017-hour", "60RUB/h", "2017-03-01T13:25 learn=0", "0", "0.00"},
    {"ru-2017-hour", "60RUB/h", "2017-03-01T13:25 learn=1h", "1h", "60.00"},
    {"ru-2017-hour", "60RUB/h", "2017-03-01T13:25 learn=3601s", "2h", "120.00"},
    {"ru-2017-hour", "60RUB/h", "2017-03-01T13:25 " PUBLISHED, "1h", "60.00"},
    {"ru-2017-hour", "60RUB/h", "2017-03-01T23:50 learn=20min", "1h", "60.00"},
    {"ru-2017-hour", "60RUB/h", "2017-03-01T13:00 learn=1min; 2017-03-01T13:05 learn=1min", "2h", "120.00"},
};
// clang-format on

std::vector<Start> starts_of(std::string_view text, const Rule& rule) {
  std::vector<Start> starts;
  while (!text.empty()) {
    const auto end = std::min(text.find("; "), text.size());
    const auto one = text.substr(0, end);
    const auto space = one.find(' ');
    Start start{.begin = parse_instant(one.substr(0, space), rule.time_zone, {}).value()};
    const auto stages = expand_values(one.substr(space + 1)).value();
    for (const auto& stage : stages) start.stretches.push_back(parse_stage(stage, "stage").value());
    starts.push_back(std::move(start));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return starts;
}

TEST(Invoices, AreAsComputedByHand) {
  for (const auto& [name, price, starts, billed, total] : invoices) {
    const auto rule = find_rule(name, built_in_rules()).value();
    const auto result = bill(rule, parse_price(price).value(), starts_of(starts, rule)).value();
    EXPECT_EQ(result.billed, parse_length(billed).value()) << name << ", " << starts;
    EXPECT_EQ(decimal_text(result.amount), total) << name << ", " << starts;
    Exact sum = 0;
    for (const auto& line : result.lines) sum += line.amount;
    EXPECT_EQ(sum, result.amount) << name << ", " << starts;
  }
}

TEST(Invoices, AreThereForEachRule) {
  std::map<std::string, int> counts;
  for (const auto& invoice : invoices) ++counts[invoice.rule];
  for (const auto& rule : built_in_rules()) EXPECT_GE(counts[rule.name], 5) << rule.name;
}

/// Hours of a clock that is moved, which no provider's is whose rule is built in.
constexpr Invoice berlin[] = {
    {"", "1EUR/h", "2026-03-29T01:30 learn=1h", "2h", "2.00"},        // to 03:30: 1 and 3 o'clock
    {"", "1EUR/h", "2026-03-29T01:00 learn=1h", "1h", "1.00"},        // to 03:00 sharp
    {"", "1EUR/h", "2026-03-28T23:30 learn=24h", "25h", "25.00"},     // 24 hours, begun at both ends
    {"", "1EUR/h", "2026-10-25T01:30 learn=2h", "3h", "3.00"},        // 1, 2 and again 2 o'clock
    {"", "1EUR/h", "2026-10-25T02:30+02:00 learn=1h", "2h", "2.00"},  // to 02:30, an hour later
    {"", "1EUR/h", "2026-10-25T02:30+01:00 learn=29min", "1h", "1.00"},
};

TEST(Invoices, KnowTheHourThatIsSkippedAndTheOneThatIsThereTwice) {
  auto rule = find_rule("selectel", built_in_rules()).value();
  rule.time_zone = "Europe/Berlin";
  for (const auto& [name, price, starts, billed, total] : berlin) {
    const auto result = bill(rule, parse_price(price).value(), starts_of(starts, rule)).value();
    EXPECT_EQ(result.billed, parse_length(billed).value()) << starts;
    EXPECT_EQ(decimal_text(result.amount), total) << starts;
  }
}

}  // namespace
}  // namespace neph::price
