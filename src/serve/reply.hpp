// Answers made of an execution's outputs. Only for files of this room.
#pragma once

#include "serve/job.hpp"
#include "serve/output_block.hpp"
#include "serve/signature.hpp"

namespace neph::serve {

/// Fills the reply of the job's exchange with its rows, which begin at `first_row` of the block. Small
/// outputs are copied into the reply's own memory, large ones lent. The job is broken when its client's
/// shared memory does not take what it should.
void fill_reply(const Signature& signature, std::int64_t first_row, OutputBlock& block, Job& job);

}  // namespace neph::serve
