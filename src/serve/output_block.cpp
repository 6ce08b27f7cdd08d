#include "serve/output_block.hpp"

namespace neph::serve {

void OutputBlock::let_go() {
  if (--users_ == 0) home_.give_back(*this);
}

OutputBlock* OutputBlocks::take() {
  const std::scoped_lock lock(mutex_);
  if (free_.empty()) {
    auto block = std::make_unique<OutputBlock>(*this);
    for (const auto bytes : bytes_) {
      block->memory_.push_back(allocate_floats(bytes / sizeof(float) + 1));
      if (!block->memory_.back()) return nullptr;
    }
    all_.push_back(std::move(block));
    free_.push_back(all_.back().get());
  }
  auto* block = free_.back();  // the last that came back: its memory is still in the cache
  free_.pop_back();
  block->users_ = 1;
  return block;
}

void OutputBlocks::give_back(OutputBlock& block) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(&block);
}

}  // namespace neph::serve
