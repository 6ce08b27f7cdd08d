#include "load/sender.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

#include <fmt/format.h>

namespace neph::load {
namespace {

/// A client of a closed loop whose request found nobody there rests for so long: a server that is gone would
/// else be asked as fast as the kernel can say no.
constexpr Nanoseconds rest_after_nobody = std::chrono::milliseconds(10);

// The transports wait in whole milliseconds, rounded up: so long before an arrival their waiting ends, and
// the rest is slept in short steps, between which replies are taken. A look at a client that has nothing to
// tell takes no longer than the 0.9 µs that it is allowed.
constexpr Nanoseconds coarse_wait = std::chrono::microseconds(1200);
constexpr Nanoseconds nap = std::chrono::microseconds(50);
constexpr Nanoseconds look = Nanoseconds(900);
/// Looks without a reply until there are none: a reply takes the client up to three of its own events.
constexpr int looks = 4;
constexpr int most_looks = 100;

// gRPC's looks take until the next millisecond of its clock: then a look is for when there has been none for
// so long, and an arrival is slept for at once.
constexpr Nanoseconds slow_look = std::chrono::microseconds(200);
constexpr int slow_looks = 4;  // in a row: one may just have lost its core
constexpr Nanoseconds between_slow_looks = std::chrono::milliseconds(1);

/// Decoding costs as much as a server's answer may: replies are decoded until one is right, and then one in
/// so many; after a wrong one all.
constexpr std::int64_t decoded_every = 1000;

/// Replies that nothing was sent for are waited for as long as the slowest reply took, within these: a server
/// that answers twice may still be at it when each request has had a reply.
constexpr Nanoseconds least_afterwards = std::chrono::milliseconds(50),
                      most_afterwards = std::chrono::seconds(1);

/// How long a run may go on without a look at whether it is to end.
constexpr Nanoseconds attention = std::chrono::milliseconds(50);

/// What /proc/thread-self/schedstat says; zeros where the kernel does not tell.
ThreadUse use_of_this_thread() {
  ThreadUse use;
  std::FILE* file = std::fopen("/proc/thread-self/schedstat", "re");
  if (file == nullptr) return use;
  unsigned long long ran = 0, waited = 0;
  if (std::fscanf(file, "%llu %llu", &ran, &waited) == 2)
    use = {Nanoseconds(static_cast<std::int64_t>(ran)), Nanoseconds(static_cast<std::int64_t>(waited))};
  std::fclose(file);
  return use;
}

Outcome outcome_of(const Status& status, bool given_up) {
  if (status) return Outcome::answered;
  if (given_up) return Outcome::abandoned;
  if (status.error().code == ErrorCode::unavailable) return Outcome::unavailable;
  return status.error().code == ErrorCode::timeout ? Outcome::timed_out : Outcome::failed;
}

bool fits(const wire::Shape& shape, const std::vector<std::int64_t>& declared) {
  return shape.rank() != declared.size() ||  // some servers declare sizes without the batch
         std::equal(shape.begin(), shape.end(), declared.begin(),
                    [](auto size, auto known) { return known < 0 || size == known; });
}

Status check_outputs_of(const wire::InferReply& reply, const std::vector<wire::TensorMetadata>& known) {
  if (known.empty()) return {};
  std::set<std::string_view> seen;
  for (const auto& output : reply.outputs) {
    const auto declared =
        std::find_if(known.begin(), known.end(), [&](const auto& each) { return each.name == output.name; });
    if (declared == known.end())
      return fail(ErrorCode::corrupt, "output '{}', which the model does not have by its metadata",
                  output.name);
    if (!seen.insert(output.name).second) return fail(ErrorCode::corrupt, "output '{}' twice", output.name);
    if (enum_name(output.type) != declared->datatype || !fits(output.shape, declared->shape))
      return fail(ErrorCode::corrupt, "output '{}' is {} [{}], by the model's metadata {} [{}]", output.name,
                  enum_name(output.type), fmt::join(output.shape, ", "), declared->datatype,
                  fmt::join(declared->shape, ", "));
  }
  return {};
}

}  // namespace

Sender::Sender(Task task, const Clock& clock, SampleLog& log, const std::atomic<bool>& enough)
    : task_(std::move(task)), clock_(clock), log_(log), enough_(enough), next_request_(task_.first_request) {
  const auto ready = static_cast<std::size_t>(closed() ? task_.clients : 1024);
  for (std::size_t i = 0; i < ready; ++i) free_.push_back(&flights_.emplace_back());
}

void Sender::run(wire::Client& client, Moment start, const std::stop_token& stop) {
  client_ = &client;
  start_ = start;
  stop_ = stop;
  until_ = [this] { return asked_to_end() || rests_anew_ || (held_ && in_flight_ < task_.in_flight); };
  clock_.sleep_until(start);
  if (closed())
    for (auto* flight : free_) resting_.push_back({flight, start});
  while (sending(clock_.now())) {
    note_measure();
    if (!send_if_due())
      wait();
    else if (!closed())
      take_replies();  // however late the schedule is, nobody's reply waits for it
  }
  if (held_ && !asked_to_end())  // until the time was over
    held_back_ += task_.schedule.end() - std::lower_bound(task_.schedule.begin() + std::ptrdiff_t(next_),
                                                          task_.schedule.end(), task_.begin_measure);
  leaving_ = true;
  if (measuring_) {
    last_ = use_of_this_thread();
    last_at_ = clock_.now();
  }
  drain();
}

bool Sender::sending(Moment now) const {
  if (asked_to_end()) return false;
  if (!closed())
    return next_ < task_.schedule.size() && (task_.give_up.count() == 0 || now < start_ + task_.give_up);
  return now < start_ + task_.end && (task_.count == 0 || counted_ < task_.count);
}

/// Far away where nothing is due before something else happens.
Moment Sender::next_due() const {
  if (closed()) return resting_.empty() ? Moment::max() : resting_.front().until;
  return held_ ? Moment::max() : start_ + task_.schedule[next_];
}

bool Sender::send_if_due() {
  const auto now = clock_.now();
  if (closed()) {
    if (resting_.empty() || now < resting_.front().until) return false;
    const auto rest = resting_.front();
    resting_.pop_front();
    send(*rest.flight, rest.until, now);
    return true;
  }
  const auto due = start_ + task_.schedule[next_];
  if (now < due) return false;
  if (task_.in_flight > 0 && in_flight_ >= task_.in_flight) {
    held_ = true;
    return false;
  }
  held_back_ += held_ && task_.schedule[next_] >= task_.begin_measure;
  held_ = false;
  ++next_;
  if (free_.empty()) free_.push_back(&flights_.emplace_back());
  auto* flight = free_.back();
  free_.pop_back();
  send(*flight, due, now);
  return true;
}

void Sender::send(Flight& flight, Moment scheduled, Moment issued) {
  flight.scheduled = scheduled;
  flight.issued = issued;
  flight.request = task_.requests[next_request_];
  if (++next_request_ == task_.requests.size()) next_request_ = 0;
  if (task_.deadline.count() > 0) flight.deadline = issued + task_.deadline;
  flight.keeps_reply = sent_++ % decoded_every == 0 || !seen_right_ || seen_wrong_;
  counted_ += scheduled - start_ >= task_.begin_measure;
  ++in_flight_;
  if (measuring_) most_in_flight_ = std::max(most_in_flight_, in_flight_);
  client_->send(flight);
}

void Sender::ended(wire::Call& call) {
  auto& flight = static_cast<Flight&>(call);
  --in_flight_;
  ++ended_;
  if (flight.keeps_reply && flight.outcome) {
    flight.outcome = decoded(flight);
    (flight.outcome ? seen_right_ : seen_wrong_) = true;
  }
  if (flight.outcome) longest_service_ = std::max(longest_service_, flight.done - flight.sent);
  const auto sample = sample_of(flight);
  if (first_failure_.empty() && sample.outcome == Outcome::failed &&
      sample.scheduled >= task_.begin_measure.count())
    first_failure_ = flight.outcome.error().text();
  log_.add(sample);
  if (closed())
    go_on(flight);
  else
    free_.push_back(&flight);
}

Status Sender::decoded(Flight& flight) const {
  wire::InferReply reply;
  auto status = client_->decode(flight, reply);
  if (status) status = check_outputs_of(reply, task_.outputs);
  flight.reply = {};  // it may be large
  return status;
}

/// A client of the closed loop is free again.
void Sender::go_on(Flight& flight) {
  if (leaving_ || !sending(flight.done)) return;
  const bool nobody = !flight.outcome && flight.outcome.error().code == ErrorCode::unavailable;
  if (!nobody) return send(flight, flight.done, flight.done);
  rests_anew_ |= resting_.empty();  // until now nobody was waited for
  resting_.push_back({&flight, flight.done + rest_after_nobody});
}

Sample Sender::sample_of(const Flight& flight) const {
  const auto at = [this](Moment moment) { return (moment - start_).count(); };
  return {.scheduled = at(flight.scheduled),
          .issued = at(flight.issued),
          .sent = at(flight.sent),
          .first_byte = flight.first_byte ? at(*flight.first_byte) : -1,
          .done = at(flight.done),
          .server = seconds_of(flight.server),
          .outcome = outcome_of(flight.outcome, giving_up_)};
}

/// For the next arrival or client that goes on, or until it is time to look around. A closed loop sends from
/// the replies themselves: only a client that rests is waited for, and not so exactly.
void Sender::wait() {
  rests_anew_ = false;
  const auto due = next_due();
  const auto look_around = clock_.now() + attention;
  if (closed()) return client_->run_until(std::min({due, look_around, start_ + task_.end}), until_);
  if (clock_.now() < due - coarse_wait) {
    client_->run_until(std::min(due - coarse_wait, look_around), until_);
    last_look_ = clock_.now();
    return;
  }
  while (clock_.now() < due && !until_()) {
    take_replies();
    clock_.sleep_until(looks_are_slow() ? due : std::min(due, clock_.now() + nap));
  }
}

bool Sender::looks_are_slow() const { return slow_in_a_row_ >= slow_looks; }

/// Those that are there already.
void Sender::take_replies() {
  for (int all = 0, in_vain = 0; in_vain < looks && all < most_looks; ++all) {
    const auto from = clock_.now();
    if (looks_are_slow() && from - last_look_ < between_slow_looks) return;
    const auto before = ended_;
    client_->run_until(from + look, until_);
    last_look_ = clock_.now();
    in_vain = ended_ == before ? in_vain + 1 : 0;
    if (in_vain > 0) slow_in_a_row_ = last_look_ - from > slow_look ? slow_in_a_row_ + 1 : 0;
    if (next_ < task_.schedule.size() && clock_.now() >= next_due()) return;
  }
}

/// Waits for what is in flight, and gives up what does not come.
void Sender::drain() {
  const auto longest =
      task_.deadline.count() > 0 ? task_.deadline + std::chrono::milliseconds(100) : task_.drain_timeout;
  const auto over = [this] { return in_flight_ == 0 || stop_.stop_requested(); };
  const auto until = clock_.now() + longest;
  while (!over() && clock_.now() < until) client_->run_until(std::min(until, clock_.now() + attention), over);
  giving_up_ = true;
  if (in_flight_ > 0) client_->abort();
  if (!stop_.stop_requested())
    stray_replies_ = client_->stray_replies(std::clamp(longest_service_, least_afterwards, most_afterwards));
}

/// The first time round after the warm-up: from here on what the thread uses counts, and what the warm-up
/// could not send would take the time of what does.
void Sender::note_measure() {
  const auto now = clock_.now();
  if (measuring_ || now < start_ + task_.begin_measure) return;
  measuring_ = true;
  const auto is_overdue = [&](Nanoseconds at) { return at < task_.begin_measure && start_ + at < now; };
  for (; next_ < task_.schedule.size() && is_overdue(task_.schedule[next_]); ++next_) held_ = false;
  most_in_flight_ = in_flight_;
  first_ = use_of_this_thread();
  first_at_ = clock_.now();
}

}  // namespace neph::load
