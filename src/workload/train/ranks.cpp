#include "workload/train/ranks.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/fnv1a.hpp"
#include "os/thread.hpp"
#include "record/order.hpp"
#include "record/views.hpp"
#include "workload/woken.hpp"

namespace neph::workload {
namespace {

constexpr auto longest_end = std::chrono::seconds(30);
/// A rank that others have left fails too, as a rule before it is seen why they left.
constexpr auto longest_search = std::chrono::seconds(1);

}  // namespace

Result<std::unique_ptr<Ranks>> Ranks::start(const Json& spec, std::int64_t count, const Clock& clock) {
  NEPH_TRY(auto exchange, SharedExchange::make(count, clock));
  std::unique_ptr<Ranks> ranks(new Ranks(std::move(exchange)));
  auto* const self = ranks.get();
  NEPH_TRY(ranks->thread_,
           start_thread(
               "ranks", [self, spec](const std::stop_token& stop) { self->look_after(spec, stop); },
               [self](const Error& error) { self->give_up(0, error); }));
  return ranks;
}

Ranks::~Ranks() {
  if (exchange_) exchange_->meeting().call_off(0);
}

/// The children are killed when this thread has ended, by the destructor of Other at the latest.
void Ranks::look_after(const Json& spec, const std::stop_token& stop) {
  for (std::int64_t rank = 1; rank < exchange_->ranks(); ++rank)
    if (auto started = start_one(spec, rank); !started) return give_up(rank, started.error());
  const Woken woken(stop);
  while (!stop.stop_requested()) {
    std::vector<launch::Child*> children;
    for (auto& other : others_)
      if (!other->is_over) children.push_back(other->child.get());
    if (children.empty()) return;
    launch::Child::wait(children, {}, woken.descriptor());
    for (auto& other : others_)
      if (!other->is_over && other->child->exit()) judge(*other);
  }
}

Status Ranks::start_one(const Json& spec, std::int64_t rank) {
  Order order{.workload = std::string(view::train.workload), .spec = spec, .started_s = {}, .clock = {}};
  order.part = Part{.rank = rank, .ranks = exchange_->ranks(), .memory = exchange_->path()};
  auto other = std::make_unique<Other>();
  other->rank = rank;
  NEPH_TRY(other->child, launch::here()->start({.arguments = {"worker"}, .files = {}}));
  other->child->on_line = [this, each = other.get()](std::string_view line) { hear(*each, line); };
  other->child->on_error_line = [rank](std::string_view line) {
    fmt::print(stderr, "rank {}: {}\n", rank, line);
  };
  other->child->say(dump_json(to_json(order)));
  others_.push_back(std::move(other));
  return {};
}

void Ranks::hear(Other& other, std::string_view line) {
  const auto event = decode_event(line);
  if (!event) return;
  if (const auto* error = std::get_if<Error>(&*event)) other.error = *error;
  other.has_result |= std::holds_alternative<RunResult>(*event);
}

void Ranks::judge(Other& other) {
  other.is_over = true;
  if (other.error)
    return give_up(other.rank, {.code = other.error->code,
                                .message = fmt::format("rank {}: {}", other.rank, other.error->message),
                                .hint = other.error->hint,
                                .subject = other.error->subject});
  if (!other.has_result) {
    const auto& said = other.child->stderr_tail();
    const int signal = other.child->ended_by();
    return give_up(other.rank,
                   {.code = ErrorCode::unavailable,
                    .message = fmt::format("rank {} {}{}", other.rank, other.child->how_it_ended(),
                                           said.empty() ? "" : ": " + said),
                    .subject = asks_to_end(signal) ? name_of_signal(signal) : ""});
  }
  const std::lock_guard lock(mutex_);
  ++over_;
  changed_.notify_all();
}

void Ranks::give_up(std::int64_t rank, Error error) {
  {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    changed_.notify_all();
  }
  exchange_->meeting().call_off(rank);
}

Status Ranks::finish() {
  std::unique_lock lock(mutex_);
  const auto others = static_cast<std::size_t>(exchange_->ranks() - 1);
  const bool is_over = changed_.wait_for(lock, longest_end, [&] { return error_ || over_ == others; });
  if (error_) return tl::unexpected(*error_);
  if (!is_over)
    return fail(ErrorCode::timeout, "{} of {} other processes did not end within {} s", others - over_,
                others, longest_end.count());
  return {};
}

Error Ranks::cause_of(Error error) {
  if (error.code != ErrorCode::unavailable) return error;
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, longest_search, [&] { return error_.has_value(); });
  const bool is_the_same = error_ && error_->message.ends_with(error.message);  // all ranks stumbled over it
  return error_ && !is_the_same ? *error_ : error;
}

Status check_alike(Meeting& meeting, const std::map<std::string, std::vector<float>, std::less<>>& weights) {
  std::uint64_t hash = fnv1a("");
  for (const auto& [name, values] : weights)
    hash = fnv1a({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)},
                 fnv1a(name, hash));
  const Slip mine{static_cast<double>(hash >> 32), static_cast<double>(hash & 0xffffffff)};
  NEPH_TRY(const auto slips, meeting.trade(mine));
  std::vector<std::size_t> others;
  for (std::size_t rank = 1; rank < slips.size(); ++rank)
    if (slips[rank] != slips[0]) others.push_back(rank);
  if (others.empty()) return {};
  return fail(
      ErrorCode::internal,
      "the weights of rank {} differ from those of rank 0: the processes learnt apart, and nothing of "
      "this run counts",
      fmt::join(others, ", "));
}

}  // namespace neph::workload
