#include "engine/identity/session.hpp"

#include <cstring>
#include <utility>

#include <sys/prctl.h>

#include "engine/streamed_request.hpp"

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

class IdentityRequest final : public StreamedRequest {
 public:
  explicit IdentityRequest(IdentitySession& session)
      : StreamedRequest(session.streams_, session.plan_.inputs, session.plan_.outputs), session_(session) {}
  ~IdentityRequest() override { wait(); }
  IdentityRequest(const IdentityRequest&) = delete;
  IdentityRequest& operator=(const IdentityRequest&) = delete;

 private:
  Status work() override {
    const auto& plan = session_.plan_;
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const auto& copy = plan.copies[i];
      if (outputs_[i] == nullptr || inputs_[copy.input] == nullptr) return unbound(i);
      copy_rows(static_cast<std::byte*>(outputs_[i]), static_cast<const std::byte*>(inputs_[copy.input]),
                copy, plan.rows);
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
