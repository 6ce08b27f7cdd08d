// What a connection does with its calls.
#include <algorithm>
#include <boost/asio/post.hpp>

#include <fmt/format.h>

#include "core/protobuf.hpp"
#include "core/text.hpp"
#include "wire/constant_time_compare.hpp"
#include "wire/http2/connection.hpp"
#include "wire/timing.hpp"

namespace neph::wire {
namespace {

namespace asio = boost::asio;

constexpr std::size_t most_header_bytes = 16 << 10;  // of a call
constexpr std::size_t prefix_bytes = 5;
constexpr std::size_t most_turns = 128;         // of a stream, under way or not taken; then no more are read
constexpr std::size_t most_unfinished = 2048;   // of a connection, also of calls that were given up
constexpr std::size_t most_open_turns = 2;      // of one that needs no token
constexpr std::ptrdiff_t most_open_calls = 16;  // of a connection, long ones or where a token is wanted
constexpr std::size_t most_spare_turns = 4;
constexpr std::uint64_t most_small_bytes = 1 << 20;  // of a message that carries no tensors
constexpr std::uint64_t most_open_bytes = 4 << 10;   // the same, where no token is wanted
constexpr std::size_t heavy_bytes = 256 << 10;       // to decode: more than about a millisecond
constexpr auto watch_interval = std::chrono::milliseconds(200);

/// Whether a message is read in no time: all but its raw contents is little, and no group has to be walked.
bool is_light(std::string_view message) {
  constexpr int most_fields = 64;
  if (message.size() <= heavy_bytes) return true;
  std::size_t rest = 0;
  for (int fields = 0; !message.empty(); ++fields) {
    auto behind = message;
    const auto tag = protobuf::take_varint(behind);
    if (!tag || (*tag & 7) == protobuf::group || fields == most_fields) return false;
    const auto next = protobuf::take_field(message);
    if (!next) return false;
    if (next->number != 7) rest += next->whole.size();
  }
  return rest <= heavy_bytes;
}

bool is_grpc(std::string_view content_type) {
  constexpr std::string_view grpc = "application/grpc";
  return content_type.starts_with(grpc) &&
         (content_type.size() == grpc.size() || content_type[grpc.size()] == '+' ||
          content_type[grpc.size()] == ';');
}

/// Where the first raw contents begin in a message of which `begin` has come; 0 where that is not known.
/// There the engine's tensor begins, and is used in place if it is aligned.
std::size_t raw_begin(std::string_view begin) {
  for (auto rest = begin; !rest.empty();) {
    auto content = rest;
    const auto tag = protobuf::take_varint(content);
    if (tag == (7 << 3 | protobuf::delimited) && protobuf::take_varint(content))
      return begin.size() - content.size();
    if (!protobuf::take_field(rest)) return 0;
  }
  return 0;
}

std::string_view text_of(GrpcTurn& turn) {
  const auto bytes = turn.message.bytes();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

// ---- Requests

void GrpcConnection::begin_call(std::int32_t stream) {
  auto call = std::make_shared<GrpcCall>(*this, stream);
  call->due = home_.clock.now() + allowed(0);
  nghttp2_session_set_stream_user_data(session_.get(), stream, call.get());
  calls_.emplace(stream, std::move(call));
}

void GrpcConnection::on_header(GrpcCall& call, std::string_view name, std::string_view value) {
  call.header_bytes += name.size() + value.size();
  if (call.header_bytes > most_header_bytes) return;
  if (name == ":path") call.path = value;
  if (name == ":method") call.is_post = value == "POST";
  if (name == "content-type") call.content_type = value;
  if (name == "grpc-encoding") call.coding_name = value;
  if (name == "grpc-timeout") call.timeout = value;
  if (name == "authorization") call.authorization = value;
}

void GrpcConnection::on_headers_end(GrpcCall& call) {
  if (!call.is_post || !is_grpc(call.content_type)) {
    call.is_refused = true;
    return respond(call, call.is_post ? 415 : 405);
  }
  if (call.header_bytes > most_header_bytes)
    return end(call, GrpcStatus::resource_exhausted,
               fmt::format("the call's header is larger than {} bytes", most_header_bytes));
  if (home_.stopping) return end(call, GrpcStatus::unavailable, "the server is stopping");
  call.method = find_method(call.path);
  if (call.method == nullptr)
    return end(call, GrpcStatus::unimplemented, "no such method: " + printable(call.path));
  if (!is_authorised(call)) return end(call, GrpcStatus::unauthenticated, "a bearer token is wanted");
  const bool is_long = call.method->kind == GrpcMethod::Kind::health_watch || call.is_stream();
  const auto is_open = [](const auto& each) {
    return each.second->method != nullptr && each.second->method->is_open;
  };
  if (call.method->is_open && (is_long || !home_.options.bearer_token.empty()) &&
      std::ranges::count_if(calls_, is_open) > most_open_calls)
    return end(call, GrpcStatus::resource_exhausted, "too many such calls of one connection");
  auto coding = parse_coding(call.coding_name);
  if (!coding)
    return end(call, GrpcStatus::unimplemented, "grpc-encoding: known are gzip, deflate and identity");
  call.coding = *coding;
  if (const auto timeout = parse_timeout(call.timeout)) call.deadline = home_.clock.now() + *timeout;
  if (call.method->kind == GrpcMethod::Kind::infer_stream)
    call.due = Moment::max();  // until a message begins
}

bool GrpcConnection::is_authorised(const GrpcCall& call) const {
  const auto& token = home_.options.bearer_token;
  return token.empty() || call.method->is_open || constant_time_equal(call.authorization, "Bearer " + token);
}

void GrpcConnection::on_data(GrpcCall& call, std::string_view data) {
  if (call.waiting_bytes.empty() || call.is_refused) take_messages(call, data);
  call.waiting_bytes += data;  // at most twice the windows of the call and of the connection
  const bool is_open = call.method != nullptr && call.method->is_open;
  if (!is_open || call.waiting().size() <= most_open_bytes) return;
  drop_waiting(call);
  end(call, GrpcStatus::resource_exhausted, "too many requests of one call");
}

/// Takes messages from the front of `data`, as long as there may be more turns.
void GrpcConnection::take_messages(GrpcCall& call, std::string_view& data) {
  const auto most = call.method != nullptr && call.method->is_open ? most_open_turns : most_turns;
  const auto all = data.size();
  while (!data.empty() && !call.is_refused && call.turns.size() < most)
    if (!take_data(call, data)) break;
  if (call.is_refused || call.is_closed) data = {};
  nghttp2_session_consume(session_.get(), call.stream, all - data.size());
}

/// Goes on with what came while too many turns were under way.
void GrpcConnection::take_waiting(GrpcCall& call) {
  if (call.waiting_bytes.empty()) return;
  auto rest = call.waiting();
  take_messages(call, rest);
  call.waiting_begin = call.waiting_bytes.size() - rest.size();
  if (rest.size() <= call.waiting_begin) {  // not each time: they may be many
    call.waiting_bytes.erase(0, call.waiting_begin);
    call.waiting_begin = 0;
    if (call.waiting_bytes.empty()) std::string().swap(call.waiting_bytes);  // the call may go on for long
  }
  if (call.has_ended && call.waiting_bytes.empty()) on_end(call);
}

/// What has not been looked at is given up, and its window with it.
void GrpcConnection::drop_waiting(GrpcCall& call) {
  call.incoming.reset();
  nghttp2_session_consume(session_.get(), call.stream, call.waiting().size());
  std::string().swap(call.waiting_bytes);
  call.waiting_begin = 0;
}

/// Takes what belongs to one message from the front of `data`. False: the call is over.
bool GrpcConnection::take_data(GrpcCall& call, std::string_view& data) {
  if (call.incoming && call.incoming->received_bytes == call.incoming->message.size()) {
    end(call, GrpcStatus::internal, "more than one message in a call that has one");
    return false;
  }
  if (!call.incoming) {
    const auto more = std::min(prefix_bytes - call.prefix.size(), data.size());
    call.prefix += data.substr(0, more);
    data.remove_prefix(more);
    if (call.prefix.size() < prefix_bytes) return true;
    begin_message(call, data);
    if (!call.incoming) return false;
  }
  auto& turn = *call.incoming;
  const auto more = std::min(turn.message.size() - turn.received_bytes, data.size());
  std::copy_n(data.data(), more, reinterpret_cast<char*>(turn.message.bytes().data()) + turn.received_bytes);
  turn.received_bytes += more;
  data.remove_prefix(more);
  if (turn.received_bytes == turn.message.size()) on_message(call);
  return true;
}

std::uint64_t GrpcConnection::most_bytes_of(const GrpcCall& call) const {
  if (call.is_inference()) return home_.options.max_message_bytes;
  return std::min(call.method->is_open ? most_open_bytes : most_small_bytes, home_.options.max_message_bytes);
}

/// `data` is what has come of it, perhaps nothing.
void GrpcConnection::begin_message(GrpcCall& call, std::string_view data) {
  std::uint64_t bytes = 0;
  for (const char c : std::string_view(call.prefix).substr(1))
    bytes = bytes << 8 | static_cast<unsigned char>(c);
  const auto flag = static_cast<unsigned char>(call.prefix.front());
  const bool is_packed = flag == 1;
  call.prefix.clear();
  const auto most = most_bytes_of(call);
  if (bytes > most)
    return end(call, GrpcStatus::resource_exhausted,
               fmt::format("a message of {} bytes; at most {} are allowed", bytes, most));
  if (flag > 1 || (is_packed && call.coding == Coding::identity))
    return end(call, GrpcStatus::internal, "a packed message without grpc-encoding");
  ++call.messages;
  if (unfinished_turns_ >= most_unfinished)
    return end(call, GrpcStatus::resource_exhausted, "too many requests of one connection");
  call.incoming = take_turn(call);
  call.incoming->is_packed = is_packed;
  if (!call.incoming->message.reserve(bytes, is_packed ? 0 : raw_begin(data))) {
    call.incoming.reset();
    return end(call, GrpcStatus::resource_exhausted,
               fmt::format("no memory for a message of {} bytes", bytes));
  }
  call.due = home_.clock.now() + allowed(bytes);
}

/// A unary call's message is served when the client has ended its side.
void GrpcConnection::on_message(GrpcCall& call) {
  if (!call.is_stream()) return;
  call.due = Moment::max();
  serve(*call.turns.emplace_back(std::move(call.incoming)));
}

void GrpcConnection::on_end(GrpcCall& call) {
  call.has_ended = true;
  if (call.is_refused || !call.waiting_bytes.empty()) return;
  const bool is_whole = call.prefix.empty() &&
                        (!call.incoming || call.incoming->received_bytes == call.incoming->message.size());
  if (!is_whole) return end(call, GrpcStatus::internal, "the last message is cut short");
  call.due = Moment::max();
  if (call.incoming) return serve(*call.turns.emplace_back(std::move(call.incoming)));
  if (call.messages == 0 && !call.is_stream())
    return end(call, GrpcStatus::internal, "a call without a message");
  end_if_over(call);
}

/// The stream has ended; what the service still has of it is given up.
void GrpcConnection::forget(std::int32_t stream) {
  const auto found = calls_.find(stream);
  if (found == calls_.end()) return;
  const auto call = found->second;
  calls_.erase(found);
  call->is_closed = true;
  nghttp2_session_consume_connection(session_.get(), call->waiting().size());
  nghttp2_session_set_stream_user_data(session_.get(), stream, nullptr);
  for (const auto& turn : call->turns) turn->abandon();
  if (!out_.pieces.empty()) out_.calls.push_back(call);  // what is being written may be of it
  if (calls_.empty()) idle_since_ = home_.clock.now();
}

// ---- Served

/// What runs elsewhere holds the owners, so that it can be dropped when the server ends.
template <class Work, class Then>
void GrpcConnection::serve_in(asio::thread_pool& pool, GrpcTurn& turn, Work work, Then then) {
  asio::post(pool, [this, &turn, work, then, owners = std::move(turn.owners)]() mutable {
    asio::post(home_.io, [&turn, then, made = work(), owners = std::move(owners)]() mutable {
      const auto connection = owners.first;
      turn.owners = std::move(owners);
      if (!guarded([&] { then(std::move(made)); })) connection->close();
    });
  });
}

void GrpcConnection::serve(GrpcTurn& turn) {
  auto& call = turn.call();
  turn.owners = {shared_from_this(), calls_.at(call.stream)};
  turn.received = turn.arrived = home_.clock.now();
  ++unfinished_turns_;
  const auto read = [this, &turn] { return read_request(turn); };
  const auto infer = [this, &turn](Status status) { serve_inference(turn, std::move(status)); };
  const auto answered = [this, &turn] { return answer_message(turn); };
  const auto finish = [this, &turn](Result<std::string> reply) { finish_message(turn, std::move(reply)); };
  switch (call.method->kind) {
    case GrpcMethod::Kind::infer:
    case GrpcMethod::Kind::infer_stream:
      if (!turn.is_packed && is_light(text_of(turn))) return infer(read());
      return serve_in(home_.cpu_pool, turn, read, infer);
    case GrpcMethod::Kind::unary:
    case GrpcMethod::Kind::reflection:
      return call.method->is_slow ? serve_in(home_.slow, turn, answered, finish) : finish(answered());
    case GrpcMethod::Kind::health_watch: {
      auto reply = answered();
      call.watched = text_of(turn);
      call.last_status = reply.value_or("");
      finish(std::move(reply));
      return watch();
    }
  }
}

/// On any thread.
Status GrpcConnection::unpack_message(GrpcTurn& turn) {
  if (!turn.is_packed) return {};
  BodyMemory unpacked;
  NEPH_CHECK(unpack(turn.message.bytes(), most_bytes_of(turn.call()), unpacked));
  turn.message.swap(unpacked);
  return {};
}

/// On any thread.
Status GrpcConnection::read_request(GrpcTurn& turn) {
  return guarded([&]() -> Status {
    NEPH_CHECK(unpack_message(turn));
    return read_infer_request(text_of(turn), home_.options.max_message_bytes, turn.request);
  });
}

void GrpcConnection::serve_inference(GrpcTurn& turn, Status read) {
  if (!read) return turn.finish(std::move(read));
  auto& call = turn.call();
  if (call.is_closed) return turn.finish(fail(ErrorCode::unavailable, "the client has gone"));
  turn.deadline = call.deadline;
  if (const auto requested = deadline_after(turn.received, find_integer(turn.request.parameters, "timeout")))
    turn.deadline = turn.deadline ? std::min(*turn.deadline, *requested) : *requested;
  home_.service.infer(turn);
}

/// On any thread.
Result<std::string> GrpcConnection::answer_message(GrpcTurn& turn) {
  return guarded([&]() -> Result<std::string> {
    NEPH_CHECK(unpack_message(turn));
    return turn.call().method->answer(home_.service, text_of(turn));
  });
}

void GrpcConnection::finish_message(GrpcTurn& turn, Result<std::string> message) {
  turn.message.release();
  if (message)
    write_message(*std::move(message), turn.out);
  else
    turn.outcome = tl::unexpected(message.error());
  const auto owners = std::move(turn.owners);
  answer(turn);
}

void GrpcConnection::watch() {
  if (std::exchange(watching_, true)) return;
  watch_timer_.expires_after(watch_interval);
  watch_timer_.async_wait([self = shared_from_this()](Code error) {
    self->watching_ = false;
    if (!error && !self->closed_ && !self->home_.stopping) self->look_at_watched();
  });
}

void GrpcConnection::look_at_watched() {
  for (const auto& [stream, call] : calls_) {
    if (call->last_status.empty()) continue;
    watch();
    const auto now = call->method->answer(home_.service, call->watched);
    if (!now || *now == call->last_status || !call->turns.empty()) continue;
    call->last_status = *now;
    auto& turn = *call->turns.emplace_back(take_turn(*call));
    write_message(*now, turn.out);
    make_ready(turn);
  }
  flush();
}

std::unique_ptr<GrpcTurn> GrpcConnection::take_turn(GrpcCall& call) {
  if (spare_turns_.empty()) return std::make_unique<GrpcTurn>(call);
  auto turn = std::move(spare_turns_.back());
  spare_turns_.pop_back();
  turn->reset(call);
  return turn;
}

void GrpcConnection::give_back(std::unique_ptr<GrpcTurn> turn) {
  turn->release_lease();
  spare_since_ = home_.clock.now();
  if (spare_turns_.size() < most_spare_turns && !closed_) spare_turns_.push_back(std::move(turn));
}

}  // namespace neph::wire
