// What a connection answers to its calls.
#include <string>
#include <vector>

#include "wire/http2/connection.hpp"
#include "wire/timing.hpp"

namespace neph::wire {
namespace {

constexpr std::size_t most_copied_bytes = 512;  // a piece of data that is cheaper to copy than to point to

nghttp2_nv field(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

/// The fields behind the last message, whose texts live as long as this.
class Trailers {
 public:
  explicit Trailers(const GrpcCall& call)
      : status_(std::to_string(static_cast<int>(call.status->first))),
        message_(percent_encoded(call.status->second)),
        timing_(call.timing) {
    fields.push_back(field("grpc-status", status_));
    if (!message_.empty()) fields.push_back(field("grpc-message", message_));
    if (!timing_.empty()) fields.push_back(field("server-timing", timing_));
    if (!call.retry_after) return;
    retry_ = std::to_string(std::chrono::ceil<std::chrono::milliseconds>(*call.retry_after).count());
    fields.push_back(field("grpc-retry-pushback-ms", retry_));
  }
  Trailers(const Trailers&) = delete;
  Trailers& operator=(const Trailers&) = delete;

  std::vector<nghttp2_nv> fields;

 private:
  const std::string status_, message_, timing_;
  std::string retry_;
};

}  // namespace

void GrpcConnection::answer(GrpcTurn& turn) {
  --unfinished_turns_;
  auto& call = turn.call();
  if (call.is_closed) return turn.release_lease();
  const bool streamed = call.method->kind == GrpcMethod::Kind::infer_stream;
  if (call.is_inference()) {
    if (const auto* wants = find(turn.request.parameters, "triton_enable_empty_final_response");
        streamed && wants != nullptr && *wants == Value(true))
      turn.reply.parameters.push_back({"triton_final_response", true});
    if (turn.outcome) turn.outcome = write_infer_reply(turn.reply, streamed, turn.out);
    if (!streamed) append_timing(turn.stages, call.timing);
  }
  if (!turn.outcome && streamed) {  // an error is of one answer, not of the stream
    turn.reply.outputs.clear();
    turn.reply.id = turn.request.id;
    write_stream_error(grpc_status(turn.outcome.error()).second, turn.reply, turn.out);
    turn.outcome = {};
  }
  if (!turn.outcome) {
    const auto error = turn.outcome.error();
    if (call.is_inference() && error.code == ErrorCode::unavailable) call.retry_after = turn.retry_after;
    std::erase_if(call.turns,
                  [&](const auto& each) { return each.get() == &turn; });  // others may be half sent
    auto [status, message] = grpc_status(error);
    end(call, status, std::move(message));
  } else {
    if (!call.is_stream() && call.method->kind != GrpcMethod::Kind::health_watch)
      call.status.emplace(GrpcStatus::ok, "");
    make_ready(turn);
  }
  flush();
}

/// It is written when those before it have been.
void GrpcConnection::make_ready(GrpcTurn& turn) {
  turn.is_done = true;
  turn.unsent = turn.out.bytes();
  send(turn.call());
}

void GrpcConnection::end(GrpcCall& call, GrpcStatus status, std::string message) {
  if (call.status || call.is_closed) return;
  call.is_refused = true;
  call.incoming.reset();
  call.due = Moment::max();
  call.status.emplace(status, std::move(message));
  send(call);
}

/// A stream ends behind its last answer.
void GrpcConnection::end_if_over(GrpcCall& call) {
  if (call.has_ended && call.turns.empty() && call.waiting_bytes.empty() && call.method != nullptr &&
      call.is_stream())
    end(call, GrpcStatus::ok, "");
}

void GrpcConnection::send(GrpcCall& call) {
  const bool has_message = !call.turns.empty() && call.turns.front()->is_done;
  const bool has_end = call.turns.empty() && call.status.has_value();
  if (!has_message && !has_end) return;
  if (call.reply_due == Moment::max())
    call.reply_due = home_.clock.now() + allowed(has_message ? call.turns.front()->unsent : 0);
  if (!call.response_begun) return respond(call, 200);
  if (std::exchange(call.deferred, false)) nghttp2_session_resume_data(session_.get(), call.stream);
}

/// Begins the response; it is whole where there is no message to come.
void GrpcConnection::respond(GrpcCall& call, int http_status) {
  call.response_begun = true;
  const auto status = std::to_string(http_status);
  std::vector<nghttp2_nv> fields{field(":status", status)};
  const auto submit = [&](nghttp2_data_provider* data) {
    nghttp2_submit_response(session_.get(), call.stream, fields.data(), fields.size(), data);
  };
  if (http_status != 200) {
    if (http_status == 405) fields.push_back(field("allow", "POST"));
    return submit(nullptr);
  }
  fields.push_back(field("content-type", "application/grpc"));
  fields.push_back(field("grpc-accept-encoding", "identity,deflate,gzip"));
  if (call.turns.empty()) {
    const Trailers trailers(call);
    fields.insert(fields.end(), trailers.fields.begin(), trailers.fields.end());
    return submit(nullptr);
  }
  nghttp2_data_provider data{.source = {.ptr = &call}, .read_callback = data_callback()};
  submit(&data);
}

/// How many bytes of messages the next frame has; behind the last come the trailers.
ssize_t GrpcConnection::next_bytes(GrpcCall& call, std::size_t most, std::uint32_t& flags) {
  std::uint64_t bytes = 0;
  auto turn = call.turns.begin();
  for (; turn != call.turns.end() && (*turn)->is_done && bytes <= most; ++turn) bytes += (*turn)->unsent;
  if (bytes > 0) flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (bytes > most) return static_cast<ssize_t>(most);
  if (turn == call.turns.end() && call.status) {
    flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    const Trailers trailers(call);
    nghttp2_submit_trailer(session_.get(), call.stream, trailers.fields.data(), trailers.fields.size());
  } else if (bytes == 0) {
    call.deferred = true;
    return NGHTTP2_ERR_DEFERRED;
  }
  return static_cast<ssize_t>(bytes);
}

/// A frame of data into what is written next.
void GrpcConnection::put_data(GrpcCall& call, const std::uint8_t* head, std::size_t bytes) {
  constexpr std::size_t head_bytes = 9;
  put(head, head_bytes);
  while (bytes > 0) {
    auto& turn = *call.turns.front();
    const auto piece = turn.out.pieces[turn.piece].subspan(turn.piece_begin);
    const auto part = piece.first(std::min(bytes, piece.size()));
    if (part.size() <= most_copied_bytes) {
      put(reinterpret_cast<const std::uint8_t*>(part.data()), part.size());
    } else {
      out_.pieces.push_back({part.data(), part.size()});
      out_.bytes += part.size();
    }
    bytes -= part.size();
    turn.unsent -= part.size();
    turn.piece_begin += part.size();
    if (part.size() == piece.size()) {
      ++turn.piece;
      turn.piece_begin = 0;
    }
    if (turn.unsent > 0) continue;
    out_.turns.push_back(std::move(call.turns.front()));
    call.turns.pop_front();
    call.reply_due = Moment::max();
  }
  send(call);  // the next one's time begins
  end_if_over(call);
  out_.calls.push_back(calls_.at(call.stream));
}

}  // namespace neph::wire
