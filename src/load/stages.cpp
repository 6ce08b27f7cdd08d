#include "load/stages.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace neph::load {
namespace {

double server_s(const Sample& sample) {
  return std::accumulate(sample.server.begin(), sample.server.end(), 0.0);
}

/// Between the sending and the first byte (or all, where the transport does not tell), not in the server.
double outside_s(const Sample& sample) {
  const auto heard = sample.first_byte < 0 ? sample.done : sample.first_byte;
  return static_cast<double>(heard - sample.sent) * 1e-9 - server_s(sample);
}

}  // namespace

void add_stages(const std::vector<Sample>& samples, RunResult& result) {
  std::int64_t n = 0;
  double response = 0, issue = 0, connect = 0, outside = 0, receive = 0;
  double least = std::numeric_limits<double>::infinity();
  std::array<double, server_stages.size()> server{};
  for (const auto& sample : samples) {
    if (sample.outcome != Outcome::answered) continue;
    ++n;
    response += sample.response_s();
    issue += sample.issue_delay_s();
    connect += static_cast<double>(sample.sent - sample.issued) * 1e-9;
    receive += sample.receive_s();
    for (std::size_t i = 0; i < server.size(); ++i) server[i] += sample.server[i];
    outside += outside_s(sample);
    least = std::min(least, std::max(0.0, outside_s(sample)));
  }
  if (n == 0) return;
  const auto stage = [&](const char* name, double busy_s) { result.stages.push_back({name, busy_s, n}); };
  stage("issue", issue);
  stage("connect", connect);
  const bool told = std::accumulate(server.begin(), server.end(), 0.0) > 0;
  if (told) {
    const double network = least * static_cast<double>(n);
    stage("network", network);
    for (std::size_t i = 0; i < server.size(); ++i)
      if (server[i] > 0) stage(server_stages[i].name, server[i]);
    stage("unexplained", outside - network);
    result.figures.push_back(
        figure(metric::unexplained_share, {.value = (outside - network) / response, .n = n}));
  } else {
    stage("network_and_server", outside);
  }
  stage("receive", receive);
}

}  // namespace neph::load
