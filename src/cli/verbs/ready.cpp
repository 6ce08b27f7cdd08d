// Whether a server is ready: for health checks of containers, and for scripts that wait for one.
#include <algorithm>

#include "cli/command.hpp"
#include "cli/verbs.hpp"
#include "core/clock.hpp"
#include "wire/wire.hpp"

namespace neph::cli {
namespace {

struct ReadyOptions {
  std::string url = "http://127.0.0.1:8000";
  std::string model;
  double wait_s = 0;
};
template <class Visit, Describes<ReadyOptions> Self>
void describe(Visit&& v, Self& s) {
  v("url", s.url,
    "the server's address, http:// or grpc:// (http://127.0.0.1:8000 unless told otherwise); any that speaks "
    "the Open Inference Protocol");
  v("model", s.model, "that this model of it is ready; empty: the server, with all of its models");
  v("wait_s", s.wait_s, "longest wait for readiness", between(0, 86'400));
}

Status ask(const wire::Endpoint& endpoint, const std::string& model, const Clock& clock) {
  NEPH_TRY(const auto client, wire::Client::connect(endpoint, {.connect_s = 2}, clock, [](wire::Call&) {}));
  const auto ready = client->ready(model);
  if (ready) return {};
  const auto what = model.empty() ? "" : fmt::format("its model '{}' is ", model);
  return fail(ErrorCode::unavailable, "{} is there, but {}not ready ({})", endpoint.text(), what,
              ready.error().text());
}

Status wait_until_ready(const ReadyOptions& options, const Clock& clock) {
  constexpr auto pause = std::chrono::milliseconds(100);
  NEPH_TRY(const auto endpoint, wire::parse_endpoint(options.url));
  const auto end = clock.now() + from_seconds(options.wait_s);
  for (;;) {
    auto status = ask(endpoint, options.model, clock);
    const bool is_hopeless = !status && status.error().code == ErrorCode::invalid_argument;
    if (status || is_hopeless || clock.now() >= end) return status;
    clock.sleep_until(std::min(clock.now() + pause, end));
  }
}

}  // namespace

void declare_ready(Command& command) {
  auto options = std::make_shared<ReadyOptions>();
  command.fields(*options, "url");
  command.footer(
      "Exit code 0: it is. It says nothing else.\n"
      "  neph ready http://127.0.0.1:8000 --wait 30s\n"
      "  neph ready grpc://127.0.0.1:8001 --model resnet50");
  command.action([options] { return wait_until_ready(*options, SteadyClock()); });
}

}  // namespace neph::cli
