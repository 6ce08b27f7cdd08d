#include "serve/job.hpp"

#include <utility>

namespace neph::serve {

float* Scratch::hold(std::size_t floats) {
  if (floats > floats_) {
    memory_.reset();  // first: not both at once
    memory_ = allocate_floats(floats);
    floats_ = memory_ ? floats : 0;
  }
  return memory_.get();
}

void Job::clear() {
  exchange = nullptr;
  rows = 0;
  bytes = 0;
  level = 0;
  arrived = {};
  inputs.clear();
  outputs.clear();
  copied.clear();
  pictures.clear();
  undecoded = 0;
  broken = false;
  fault = {};
  late = false;
  waits = false;
  alone = false;
  next = previous = nullptr;
}

std::size_t Job::kept_bytes() const {
  std::size_t kept = decoded.bytes() + ranking.capacity() * sizeof(std::size_t);
  for (const auto& memory : received) kept += memory.bytes();
  return kept;
}

void Job::let_go_memory() {
  decoded = {};
  received.clear();
  ranking = {};
}

void JobQueue::append(List& list, Job& job) {
  (list.last != nullptr ? list.last->next : list.first) = &job;
  job.previous = std::exchange(list.last, &job);
}

void JobQueue::push(Job& job) {
  auto& list = lists_[job.level];
  if (list.last == nullptr || list.last->arrived <= job.arrived)
    append(list, job);
  else
    insert(list, job);
  ++size_;
}

/// Somewhere before the last: near it, as a thread is overtaken by few.
void JobQueue::insert(List& list, Job& job) {
  Job* after = list.last;
  while (after->previous != nullptr && after->previous->arrived > job.arrived) after = after->previous;
  job.next = after;
  job.previous = std::exchange(after->previous, &job);
  (job.previous != nullptr ? job.previous->next : list.first) = &job;
}

Job& JobQueue::pop() {
  auto* list = lists_.data();
  while (list->first == nullptr) ++list;
  Job& job = *list->first;
  list->first = std::exchange(job.next, nullptr);
  (list->first != nullptr ? list->first->previous : list->last) = nullptr;
  --size_;
  return job;
}

}  // namespace neph::serve
