#include "engine/identity/session.hpp"

#include <cstring>
#include <utility>

#include <sys/prctl.h>

namespace neph::engine {
namespace {

/// The kernel lets a sleeping thread wake up to 50 µs late, to wake several at once. Not this one, for a
/// while.
class PromptWake {
 public:
  PromptWake() : usual_(prctl(PR_GET_TIMERSLACK)) { prctl(PR_SET_TIMERSLACK, 1UL); }
  ~PromptWake() { prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(usual_)); }
  PromptWake(const PromptWake&) = delete;
  PromptWake& operator=(const PromptWake&) = delete;

 private:
  int usual_;
};

void pass_until(Moment end, bool busy, const Clock& clock) {
  if (busy) {
    while (clock.now() < end) {
    }
    return;
  }
  const PromptWake prompt;
  clock.sleep_until(end);
}

/// Rows of one width after the other: the first bytes of each row of `from`. They may share memory.
void copy_rows(std::byte* to, const std::byte* from, const RowCopy& copy, std::size_t rows) {
  if (copy.input_row_bytes == copy.output_row_bytes) {
    std::memmove(to, from, rows * copy.output_row_bytes);
    return;
  }
  for (std::size_t row = 0; row < rows; ++row)
    std::memmove(to + row * copy.output_row_bytes, from + row * copy.input_row_bytes, copy.output_row_bytes);
}

}  // namespace

class IdentityRequest final : public Request, private Job {
 public:
  explicit IdentityRequest(IdentitySession& session)
      : session_(session), inputs_(session.plan_.inputs.size()), outputs_(session.plan_.outputs.size()) {}
  ~IdentityRequest() override { session_.streams_.wait_for(*this); }

  Status bind_input(std::size_t port, void* data, std::size_t bytes) override {
    if (in_flight()) return still_in_flight();
    NEPH_CHECK(check_binding("input", session_.plan_.inputs, port, data, bytes));
    inputs_[port] = static_cast<const std::byte*>(data);
    return {};
  }

  Status bind_output(std::size_t port, void* data, std::size_t bytes) override {
    if (in_flight()) return still_in_flight();
    NEPH_CHECK(check_binding("output", session_.plan_.outputs, port, data, bytes));
    outputs_[port] = static_cast<std::byte*>(data);
    return {};
  }

  Status infer() override {
    if (in_flight()) return still_in_flight();
    return work();
  }

  Status start(std::function<void(Status)> done) override {
    if (!session_.streams_.start(*this, std::move(done))) return still_in_flight();
    return {};
  }

 private:
  static tl::unexpected<Error> still_in_flight() {
    return fail(ErrorCode::unavailable, "the request is still in flight; wait until it is done");
  }

  Status work() override {
    const auto& plan = session_.plan_;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const auto& copy = plan.copies[i];
      if (outputs_[i] == nullptr || inputs_[copy.input] == nullptr) return unbound(i);
      copy_rows(outputs_[i], inputs_[copy.input], copy, plan.rows);
    }
    if (plan.service.is_none()) return {};
    const auto begin = session_.clock_.now();
    const auto number = session_.number_.fetch_add(1, std::memory_order_relaxed);
    pass_until(plan.service.end(begin, plan.service.work(number)), plan.busy, session_.clock_);
    return {};
  }

  tl::unexpected<Error> unbound(std::size_t output) const {
    return fail(ErrorCode::invalid_argument, "output '{}' or its input '{}' has no memory; bind both first",
                session_.plan_.outputs[output].name,
                session_.plan_.inputs[session_.plan_.copies[output].input].name);
  }

  IdentitySession& session_;
  std::vector<const std::byte*> inputs_;
  std::vector<std::byte*> outputs_;
};

IdentitySession::IdentitySession(IdentityPlan plan, const Device& device, std::int64_t streams,
                                 const Clock& clock)
    : plan_(std::move(plan)), clock_(clock), streams_(streams) {
  const auto count = std::to_string(streams);
  set(facts_, fact::device, device.name);
  set(facts_, fact::device_name, device.description);
  set(facts_, fact::engine, "identity");
  set(facts_, fact::service, plan_.service.text() + (plan_.busy ? ", spinning" : ""));
  set(facts_, fact::threads, count);
  set(facts_, fact::streams, count);
  set(facts_, fact::requests, streams);
}

Result<std::unique_ptr<Request>> IdentitySession::make_request() {
  return std::make_unique<IdentityRequest>(*this);
}

}  // namespace neph::engine
