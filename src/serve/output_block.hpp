// Memory for the outputs of one execution, lent to the replies that are made of it. Only for files of this
// module.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "core/aligned.hpp"
#include "wire/wire.hpp"

namespace neph::serve {

class OutputBlocks;

/// One buffer per output of the model, for its largest batch. While it is taken it keeps its home: a reply
/// may still be on its way to a slow client when its model has been unloaded.
class OutputBlock final : public wire::Exchange::Lease {
 public:
  std::byte* data(std::size_t port) const { return reinterpret_cast<std::byte*>(memory_[port].get()); }
  /// No other block of its home ever has the same: an address may come again, with other memory.
  std::uint64_t number() const { return number_; }

  /// A reply that points into it; it comes back when the last of them is written, and its owner has let go.
  void lend(wire::Exchange& exchange) {
    ++users_;
    exchange.lease = this;
  }
  void written(wire::Exchange&) override { let_go(); }
  /// Whether a reply points into it.
  bool is_lent() const { return users_.load() > 1; }
  /// Called once by who has taken it.
  void let_go();

 private:
  friend class OutputBlocks;
  std::shared_ptr<OutputBlocks> home_;  ///< while it is taken
  std::vector<AlignedFloats> memory_;
  std::uint64_t number_ = 0;
  std::atomic<int> users_{0};
};

/// Threads: any.
class OutputBlocks : public std::enable_shared_from_this<OutputBlocks> {
 public:
  /// `bytes` per output; of the blocks that nobody uses `kept` stay, for the next executions. There are at
  /// most `most`.
  static std::shared_ptr<OutputBlocks> make(std::vector<std::size_t> bytes, std::size_t kept,
                                            std::size_t most = std::numeric_limits<std::size_t>::max()) {
    return std::shared_ptr<OutputBlocks>(new OutputBlocks(std::move(bytes), kept, most));
  }
  /// Null when there is no memory for one more, or there are as many as may be.
  OutputBlock* take();
  /// Blocks that wait to be taken.
  std::size_t idle() const;

 private:
  friend class OutputBlock;
  OutputBlocks(std::vector<std::size_t> bytes, std::size_t kept, std::size_t most)
      : bytes_(std::move(bytes)), kept_(kept), most_(most) {
    free_.reserve(kept_);  // here: where a block comes back there may be no memory
  }
  std::unique_ptr<OutputBlock> take_free();
  std::unique_ptr<OutputBlock> make_block();
  void give_back(std::unique_ptr<OutputBlock> block);

  const std::vector<std::size_t> bytes_;
  const std::size_t kept_, most_;
  std::atomic<std::uint64_t> made_{0};
  std::atomic<std::size_t> there_{0};  ///< free and taken
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<OutputBlock>> free_;  ///< under mutex_
};

}  // namespace neph::serve
