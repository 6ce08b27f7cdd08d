// Answers made of an execution's outputs. Only for files of this module.
#pragma once

#include <cstdint>
#include <span>

#include "engine/engine.hpp"
#include "serve/job.hpp"
#include "serve/output_block.hpp"
#include "serve/signature.hpp"

namespace neph::serve {

/// The outputs of an execution: those of fixed shape in a block, those that are open where the engine put
/// them.
struct ExecutionOutputs {
  OutputBlock& block;
  std::span<const engine::OpenOutput> open;  ///< by port; empty where none is open
};

/// Fills the reply of the job's exchange with its rows, which begin at `first_row`. Small outputs and open
/// ones are copied into the reply's own memory, large ones lent. The job is broken when its client's shared
/// memory does not take what it should.
void fill_reply(const Signature& signature, std::int64_t first_row, ExecutionOutputs outputs, Job& job);

}  // namespace neph::serve
