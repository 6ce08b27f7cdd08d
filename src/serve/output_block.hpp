// Memory for the outputs of one execution, lent to the replies that are made of it. Only for files of this
// room.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "core/aligned.hpp"
#include "wire/wire.hpp"

namespace neph::serve {

class OutputBlocks;

/// One buffer per output of the model, for its largest batch.
class OutputBlock final : public wire::Exchange::Lease {
 public:
  explicit OutputBlock(OutputBlocks& home) : home_(home) {}

  std::byte* data(std::size_t port) const { return reinterpret_cast<std::byte*>(memory_[port].get()); }
  /// A reply that points into it; it comes back when the last of them is written, and its owner has let go.
  void lend(wire::Exchange& exchange) {
    ++users_;
    exchange.lease = this;
  }
  void written(wire::Exchange&) override { let_go(); }
  /// Called once by who has taken it, when the outputs are in the replies.
  void let_go();

 private:
  friend class OutputBlocks;
  OutputBlocks& home_;
  std::vector<AlignedFloats> memory_;
  std::atomic<int> users_{0};
};

/// Threads: any. All blocks must be back before it goes.
class OutputBlocks {
 public:
  explicit OutputBlocks(std::vector<std::size_t> bytes) : bytes_(std::move(bytes)) {}
  /// Null when there is no memory for one more.
  OutputBlock* take();

 private:
  friend class OutputBlock;
  void give_back(OutputBlock& block);

  const std::vector<std::size_t> bytes_;  ///< per output
  std::mutex mutex_;
  std::vector<OutputBlock*> free_;
  std::vector<std::unique_ptr<OutputBlock>> all_;
};

}  // namespace neph::serve
