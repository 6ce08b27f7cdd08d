#include "wire/grpc/stream.hpp"

#include <deque>
#include <memory>
#include <utility>

#include "wire/grpc/codec.hpp"
#include "wire/grpc/exchange.hpp"

namespace neph::wire {
namespace {

/// Requests of one stream that are under way or whose answers its client has not read; then no more are read.
constexpr std::size_t most_under_way = 128;

}  // namespace

/// The library calls it from several threads; what the service finishes comes from more.
class InferStream final : public InferStreams::Reactor {
 public:
  InferStream(InferStreams& home, const grpc::CallbackServerContext& context)
      : home_(home), context_(context), sending_(home.replies_) {
    StartRead(&incoming_);
  }

  void OnReadDone(bool read) override;
  void OnWriteDone(bool written) override;
  void OnCancel() override;
  void OnDone() override;
  void wind_down();

 private:
  /// One inference. Its message stays, as the tensors of the request point into it.
  struct Turn final : Exchange {
    explicit Turn(InferStream& stream_) : stream(stream_) {}
    void finish(Status status) override;
    void abandon() { abandoned_.store(true, std::memory_order_relaxed); }

    InferStream& stream;
    inference::ModelInferRequest message;
    inference::ModelStreamInferResponse response;
    bool done = false;
  };

  void take(Turn& turn);
  void write_first();
  bool is_over();

  InferStreams& home_;
  const grpc::CallbackServerContext& context_;
  ReplyWatch::Slot sending_;
  inference::ModelInferRequest incoming_;
  std::mutex mutex_;
  std::deque<std::unique_ptr<Turn>> turns_;  ///< in the order in which they were asked; the first is written
  bool reading_ = true, writing_ = false;
  bool closed_ = false;    ///< nothing more is read
  bool finished_ = false;  ///< Finish() has been called, or is about to be
};

// ---- Asked

void InferStream::OnReadDone(bool read) {
  Turn* turn = nullptr;
  bool over = false;
  {
    const std::scoped_lock lock(mutex_);
    reading_ = false;
    closed_ |= !read;
    if (!closed_) {
      turn = turns_.emplace_back(std::make_unique<Turn>(*this)).get();
      turn->message.Swap(&incoming_);
      incoming_.Clear();
      reading_ = turns_.size() < most_under_way;
      if (reading_) StartRead(&incoming_);
    }
    over = is_over();
  }
  if (turn != nullptr) take(*turn);
  if (over) Finish(grpc::Status::OK);
}

void InferStream::take(Turn& turn) {
  turn.received = turn.arrived = home_.clock_.now();
  if (const auto status = read_message(turn.message, turn.request); !status) return turn.finish(status);
  turn.deadline = deadline_of(context_, turn.request, turn.received);
  home_.service_.infer(turn);
}

// ---- Answered

void InferStream::Turn::finish(Status status) {
  auto& said = *response.mutable_infer_response();
  if (status)
    write_message(reply, said);
  else
    response.set_error_message(status.error().text());
  said.set_id(message.id());  // of an error too, so that its client knows of what
  if (const auto* wants = find(request.parameters, "triton_enable_empty_final_response");
      wants != nullptr && *wants == Value(true))
    (*said.mutable_parameters())["triton_final_response"].set_bool_param(true);
  if (lease != nullptr) std::exchange(lease, nullptr)->written(*this);  // the message has a copy
  auto& home = stream;  // this may go as soon as the lock is free
  const std::scoped_lock lock(home.mutex_);
  done = true;
  home.write_first();
}

void InferStream::write_first() {
  if (writing_ || turns_.empty() || !turns_.front()->done) return;
  writing_ = true;
  sending_.begin(context_, raw_bytes(turns_.front()->response.infer_response()));
  StartWrite(&turns_.front()->response);
}

/// An answer that could not be written is one that nobody waits for: the next ones fail as fast.
void InferStream::OnWriteDone(bool) {
  bool over = false;
  sending_.end();  // without the lock, which OnCancel wants
  {
    const std::scoped_lock lock(mutex_);
    writing_ = false;
    turns_.pop_front();
    write_first();
    if (!reading_ && !closed_) {
      reading_ = true;
      StartRead(&incoming_);
    }
    over = is_over();
  }
  if (over) Finish(grpc::Status::OK);
}

// ---- Ending

bool InferStream::is_over() { return closed_ && turns_.empty() && !std::exchange(finished_, true); }

void InferStream::OnCancel() {
  const std::scoped_lock lock(mutex_);
  for (const auto& turn : turns_) turn->abandon();
}

void InferStream::wind_down() {
  bool over = false;
  {
    const std::scoped_lock lock(mutex_);
    closed_ = true;
    over = is_over();
  }
  if (over) Finish(grpc::Status::OK);
}

void InferStream::OnDone() {
  {
    const std::scoped_lock lock(home_.mutex_);
    home_.open_.erase(this);
  }
  delete this;
}

InferStreams::Reactor* InferStreams::open(const grpc::CallbackServerContext& context) {
  const std::scoped_lock lock(mutex_);
  auto* stream = new InferStream(*this, context);
  open_.insert(stream);
  if (stopping_) stream->wind_down();
  return stream;
}

void InferStreams::wind_down() {
  const std::scoped_lock lock(mutex_);
  stopping_ = true;
  for (auto* stream : open_) stream->wind_down();
}

}  // namespace neph::wire
