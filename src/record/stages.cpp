#include "record/stages.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <optional>

namespace neph {
namespace {

std::optional<std::size_t> server_place(const StageKind& kind) {
  const auto found = std::find(server_stages.begin(), server_stages.end(), kind);
  if (found == server_stages.end()) return std::nullopt;
  return static_cast<std::size_t>(found - server_stages.begin());
}

}  // namespace

void RequestStages::add(const RequestTimes& request) {
  ++n_;
  sums_.issue_s += request.issue_s;
  sums_.send_s += request.send_s;
  sums_.connect_s += request.connect_s;
  for (std::size_t i = 0; i < server_stages.size(); ++i) sums_.server_s[i] += request.server_s[i];
  sums_.outside_s += request.outside_s;
  sums_.receive_s += request.receive_s;
  least_outside_s_ = std::min(least_outside_s_, std::max(0.0, request.outside_s));
}

bool RequestStages::server_tells() const {
  return std::accumulate(sums_.server_s.begin(), sums_.server_s.end(), 0.0) > 0;
}

std::vector<StageKind> RequestStages::kinds() const {
  std::vector<StageKind> all;
  std::copy_if(stage_kinds.begin(), stage_kinds.end(), std::back_inserter(all),
               [this](const StageKind& kind) { return has(kind); });
  return all;
}

bool RequestStages::has(const StageKind& kind) const {
  if (n_ == 0 || kind.of != StageOf::request || kind == stage::transport) return false;
  if (kind == stage::network || kind == stage::unexplained) return server_tells();
  if (kind == stage::network_and_server) return !server_tells();
  if (server_place(kind) && kind != stage::server_socket) return server_tells();
  return sum_s(kind) > 0;
}

double RequestStages::part_s(const StageKind& kind, const RequestTimes& times, double requests) const {
  if (kind == stage::issue) return times.issue_s;
  if (kind == stage::send) return times.send_s;
  if (kind == stage::connect) return times.connect_s;
  if (kind == stage::network) return least_outside_s_ * requests;
  if (kind == stage::unexplained) return times.outside_s - least_outside_s_ * requests;
  if (kind == stage::network_and_server) return times.outside_s;
  if (kind == stage::receive) return times.receive_s;
  const auto place = server_place(kind);
  return place ? times.server_s[*place] : 0;
}

}  // namespace neph
