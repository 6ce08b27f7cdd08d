// A model of known behaviour with a fixed batch, and its requests.
#pragma once

#include <atomic>

#include "core/clock.hpp"
#include "engine/engine.hpp"
#include "engine/identity/service_time.hpp"
#include "engine/streams.hpp"

namespace neph::engine {

/// Where an output's bytes come from.
struct RowCopy {
  std::size_t input;
  std::size_t input_row_bytes;
  std::size_t output_row_bytes;
};

/// All of a session that stays as it was made; its requests read it.
struct IdentityPlan {
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<RowCopy> copies;  ///< one for each output
  std::size_t rows;             ///< the batch
  ServiceTime service;
  bool busy;
};

class IdentitySession final : public Session {
 public:
  /// `clock` outlives the session.
  IdentitySession(IdentityPlan plan, const Device& device, std::int64_t streams, const Clock& clock);

  /// Before the first request. Errors: unavailable.
  Status begin() { return streams_.begin(); }
  const std::vector<Port>& inputs() const override { return plan_.inputs; }
  const std::vector<Port>& outputs() const override { return plan_.outputs; }
  Result<std::unique_ptr<Request>> make_request() override;
  std::int64_t optimal_requests() const override { return streams_.count(); }
  const Facts& facts() const override { return facts_; }

 private:
  friend class IdentityRequest;

  IdentityPlan plan_;
  const Clock& clock_;
  std::atomic<std::uint64_t> number_ = 0;  ///< of the next inference; its service time is drawn by it
  Streams streams_;
  Facts facts_;
};

}  // namespace neph::engine
