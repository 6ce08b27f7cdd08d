#include "load/ask_once.hpp"

namespace neph::load {
namespace {

constexpr Nanoseconds attention = std::chrono::milliseconds(200);

}  // namespace

Status ask_once(const wire::Endpoint& endpoint, const wire::ClientOptions& options,
                const wire::InferRequest& request, double deadline_s, const Clock& clock,
                const std::stop_token& stop) {
  bool over = false;
  wire::Call call;  // outlives the client, which ends it however this function does
  NEPH_TRY(const auto client,
           wire::Client::connect(endpoint, options, clock, [&](wire::Call&) { over = true; }));
  NEPH_TRY(const auto encoded, client->encode(request));
  call.request = encoded.get();
  call.keeps_reply = true;
  if (deadline_s > 0) call.deadline = clock.now() + from_seconds(deadline_s);
  client->send(call);
  while (!over && !stop.stop_requested()) client->run_until(clock.now() + attention, [&] { return over; });
  if (!over) {
    client->abort();
    return {};
  }
  NEPH_CHECK(call.outcome);
  wire::InferReply reply;
  return client->decode(call, reply);
}

}  // namespace neph::load
