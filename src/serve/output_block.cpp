#include "serve/output_block.hpp"

#include <utility>

namespace neph::serve {

void OutputBlock::let_go() {
  if (--users_ > 0) return;
  const auto home = std::exchange(home_, nullptr);  // it may be the last that holds it
  home->give_back(std::unique_ptr<OutputBlock>(this));
}

OutputBlock* OutputBlocks::take() {
  auto block = take_free();
  if (!block) block = make_block();
  if (!block) return nullptr;
  block->users_ = 1;
  block->home_ = shared_from_this();
  return block.release();
}

std::size_t OutputBlocks::idle() const {
  const std::scoped_lock lock(mutex_);
  return free_.size();
}

/// The last that came back: its memory is still in the cache.
std::unique_ptr<OutputBlock> OutputBlocks::take_free() {
  const std::scoped_lock lock(mutex_);
  if (free_.empty()) return nullptr;
  auto block = std::move(free_.back());
  free_.pop_back();
  return block;
}

std::unique_ptr<OutputBlock> OutputBlocks::make_block() {
  auto block = std::make_unique<OutputBlock>();
  block->number_ = ++made_;
  block->memory_.reserve(bytes_.size());
  bool fits = ++there_ <= most_;
  for (const auto bytes : bytes_)
    fits = fits && block->memory_.emplace_back(allocate_floats(bytes / sizeof(float) + 1));
  if (fits) return block;
  --there_;
  return nullptr;
}

void OutputBlocks::give_back(std::unique_ptr<OutputBlock> block) {
  const std::scoped_lock lock(mutex_);
  if (free_.size() < kept_)
    free_.push_back(std::move(block));
  else
    --there_;
}  // behind the lock: what is not kept goes

}  // namespace neph::serve
