#include "wire/http2/connection.hpp"

#include <algorithm>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <new>

#include <sys/socket.h>

#include "wire/buffer_sequence.hpp"
#include "wire/min_transfer_rate.hpp"

namespace neph::wire {
namespace {

namespace asio = boost::asio;

constexpr std::uint32_t most_calls = 1024;      // of one connection at a time
constexpr std::uint32_t frame_bytes = 1 << 20;  // that may come at once
constexpr std::int32_t window_bytes = 4 << 20;  // of a call, that may come before it is looked at
constexpr std::int32_t connection_window_bytes = 16 << 20;
constexpr std::size_t most_write_bytes = 1 << 20;                // put together for one write, about
constexpr std::size_t most_waiting_frames = 256;                 // to be written, before nothing more is read
constexpr std::uint64_t most_resets = 2000, resets_per_s = 500;  // of calls, by the client
constexpr Nanoseconds idle_until_release = std::chrono::seconds(2);

std::string_view view(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

/// What nghttp2 calls: no exception may pass through it.
struct GrpcConnection::Callbacks {
  template <class Work>
  static int guarded(Work work) {
    return neph::guarded(work) ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;  // no memory: the connection ends
  }
  static GrpcConnection& self(void* data) { return *static_cast<GrpcConnection*>(data); }
  static GrpcCall* call_of(nghttp2_session* session, std::int32_t stream) {
    return static_cast<GrpcCall*>(nghttp2_session_get_stream_user_data(session, stream));
  }

  static int begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* data) {
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    return guarded([&] { self(data).begin_call(frame->hd.stream_id); });
  }
  static int header(nghttp2_session* session, const nghttp2_frame* frame, const std::uint8_t* name,
                    std::size_t name_size, const std::uint8_t* value, std::size_t value_size, std::uint8_t,
                    void* data) {
    auto* call = call_of(session, frame->hd.stream_id);
    if (call == nullptr || call->method != nullptr) return 0;  // trailers
    return guarded([&] { self(data).on_header(*call, view(name, name_size), view(value, value_size)); });
  }
  static int frame(nghttp2_session* session, const nghttp2_frame* frame, void* data) {
    auto* call = call_of(session, frame->hd.stream_id);
    if (call == nullptr || (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)) return 0;
    return guarded([&] {
      auto& connection = self(data);
      if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        connection.on_headers_end(*call);
      if ((frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0 && !call->is_closed) connection.on_end(*call);
    });
  }
  static int data_chunk(nghttp2_session* session, std::uint8_t, std::int32_t stream,
                        const std::uint8_t* bytes, std::size_t size, void* data) {
    auto* call = call_of(session, stream);
    if (call == nullptr) return nghttp2_session_consume_connection(session, size);
    return guarded([&] { self(data).on_data(*call, view(bytes, size)); });
  }
  static int stream_close(nghttp2_session*, std::int32_t stream, std::uint32_t, void* data) {
    return guarded([&] { self(data).forget(stream); });
  }
  /// A call that is answered before its request has ended is over.
  static int frame_sent(nghttp2_session* session, const nghttp2_frame* frame, void*) {
    const bool ends = frame->hd.type == NGHTTP2_HEADERS && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (ends && nghttp2_session_get_stream_remote_close(session, frame->hd.stream_id) == 0)
      nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_NO_ERROR);
    return 0;
  }
  static ssize_t read_length(nghttp2_session*, std::uint8_t, std::int32_t, std::int32_t session_window,
                             std::int32_t stream_window, std::uint32_t most, void*) {
    return std::min<ssize_t>({session_window, stream_window, std::min(most, frame_bytes)});
  }
  static ssize_t read_data(nghttp2_session*, std::int32_t, std::uint8_t*, std::size_t most,
                           std::uint32_t* flags, nghttp2_data_source* source, void* data) {
    ssize_t bytes = NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    guarded([&] { bytes = self(data).next_bytes(*static_cast<GrpcCall*>(source->ptr), most, *flags); });
    return bytes;
  }
  static int send_data(nghttp2_session*, nghttp2_frame*, const std::uint8_t* head, std::size_t bytes,
                       nghttp2_data_source* source, void* data) {
    return guarded([&] { self(data).put_data(*static_cast<GrpcCall*>(source->ptr), head, bytes); });
  }
};

nghttp2_data_source_read_callback GrpcConnection::data_callback() { return Callbacks::read_data; }

GrpcConnection::GrpcConnection(GrpcThread& home, asio::ip::tcp::socket socket)
    : home_(home),
      stream_(std::move(socket)),
      session_(nullptr, nghttp2_session_del),
      in_(read_bytes),
      watch_timer_(home.io),
      idle_since_(home.clock.now()) {
  Code ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  home_.connections.insert(this);
  ++home_.count;
}

GrpcConnection::~GrpcConnection() {
  home_.connections.erase(this);
  --home_.count;
}

Nanoseconds GrpcConnection::allowed(std::uint64_t bytes) const {
  return from_seconds(home_.options.patience_s + static_cast<double>(bytes) / least_bytes_per_s);
}

/// A handshake runs in a thread of its own, where its arithmetic does not stall the connections of this one.
void GrpcConnection::begin() {
  if (!start_session()) return close();
  if (home_.tls == nullptr) {
    flush();
    return read();
  }
  in_handshake_ = true;
  auto greeted = [self = shared_from_this()](Code error) mutable {
    auto& io = self->home_.io;
    asio::post(io, [self = std::move(self), error] {
      self->in_handshake_ = false;
      if (error || self->closed_ || self->home_.stopping) return self->close();
      self->flush();
      self->read();
    });
  };
  stream_.async_accept(*home_.tls,
                       asio::bind_executor(home_.handshake_pool.get_executor(), std::move(greeted)));
}

bool GrpcConnection::start_session() {
  nghttp2_session_callbacks* made = nullptr;
  nghttp2_option* options = nullptr;
  if (nghttp2_session_callbacks_new(&made) != 0 || nghttp2_option_new(&options) != 0) return false;
  const std::unique_ptr<nghttp2_session_callbacks, void (*)(nghttp2_session_callbacks*)> callbacks(
      made, nghttp2_session_callbacks_del);
  const std::unique_ptr<nghttp2_option, void (*)(nghttp2_option*)> option(options, nghttp2_option_del);
  nghttp2_session_callbacks_set_on_begin_headers_callback(made, Callbacks::begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(made, Callbacks::header);
  nghttp2_session_callbacks_set_on_frame_recv_callback(made, Callbacks::frame);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, Callbacks::data_chunk);
  nghttp2_session_callbacks_set_on_stream_close_callback(made, Callbacks::stream_close);
  nghttp2_session_callbacks_set_on_frame_send_callback(made, Callbacks::frame_sent);
  nghttp2_session_callbacks_set_data_source_read_length_callback(made, Callbacks::read_length);
  nghttp2_session_callbacks_set_send_data_callback(made, Callbacks::send_data);
  nghttp2_option_set_no_auto_window_update(options, 1);  // a call that is not read must not go on
  nghttp2_option_set_no_closed_streams(options, 1);      // for priorities, which are not heeded
  nghttp2_option_set_stream_reset_rate_limit(options, most_resets, resets_per_s);
  nghttp2_session* session = nullptr;
  if (nghttp2_session_server_new2(&session, made, this, options) != 0) return false;
  session_.reset(session);
  const std::array settings{nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, most_calls},
                            nghttp2_settings_entry{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window_bytes},
                            nghttp2_settings_entry{NGHTTP2_SETTINGS_MAX_FRAME_SIZE, frame_bytes}};
  return nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size()) == 0 &&
         nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, connection_window_bytes) == 0;
}

// ---- Reading

/// Not while what is to be written piles up: a client that takes nothing may not have more made for it.
void GrpcConnection::read() {
  if (reading_ || closed_) return;
  if (writing_ && nghttp2_session_get_outbound_queue_size(session_.get()) > most_waiting_frames) return;
  reading_ = true;
  stream_.async_read_some(asio::buffer(in_), [self = shared_from_this()](Code error, std::size_t bytes) {
    self->reading_ = false;
    self->on_read(error, bytes);
  });
}

/// What else has come is read at once, as large tensors come in many pieces; but others have their turn.
void GrpcConnection::on_read(Code error, std::size_t bytes) {
  constexpr int most_reads = 16;
  if (closed_) return;
  if (error) return close();
  if (lingering_) return read();
  receiving_ = true;
  for (int reads = 1; bytes > 0; ++reads) {
    const auto taken =
        nghttp2_session_mem_recv(session_.get(), reinterpret_cast<const std::uint8_t*>(in_.data()), bytes);
    if (taken < 0) {
      receiving_ = false;
      return close();
    }
    if (bytes < in_.size() || reads == most_reads || stream_.is_secure()) break;
    bytes = static_cast<std::size_t>(
        std::max<ssize_t>(0, ::recv(stream_.socket().native_handle(), in_.data(), in_.size(), MSG_DONTWAIT)));
  }
  receiving_ = false;
  flush();
  read();
}

// ---- Writing

void GrpcConnection::put(const std::uint8_t* bytes, std::size_t size) {
  out_.control.append(reinterpret_cast<const char*>(bytes), size);
  if (out_.pieces.empty() || out_.pieces.back().data != nullptr) out_.pieces.push_back({nullptr, 0});
  out_.pieces.back().size += size;
  out_.bytes += size;
}

/// Frames that nghttp2 has, and data of turns between them.
void GrpcConnection::collect() {
  while (out_.bytes < most_write_bytes) {
    const std::uint8_t* bytes = nullptr;
    const auto size = nghttp2_session_mem_send(session_.get(), &bytes);
    if (size < 0) return close();
    if (size == 0) break;
    put(bytes, static_cast<std::size_t>(size));
  }
}

void GrpcConnection::flush() {
  if (writing_ || receiving_ || closed_ || in_handshake_ || lingering_) return;
  out_.control.clear();
  out_.pieces.clear();
  out_.bytes = 0;
  if (!guarded([this] { collect(); })) close();  // no memory for what is half put together
  if (closed_) return;
  if (out_.pieces.empty()) {
    const bool is_over = nghttp2_session_want_read(session_.get()) == 0 || (home_.stopping && calls_.empty());
    return is_over ? linger() : void();
  }
  out_.buffers.clear();
  std::size_t control = 0;
  for (const auto& piece : out_.pieces) {
    out_.buffers.emplace_back(
        piece.data != nullptr ? static_cast<const void*>(piece.data) : out_.control.data() + control,
        piece.size);
    if (piece.data == nullptr) control += piece.size;
  }
  writing_ = true;
  write_due_ = home_.clock.now() + allowed(out_.bytes);
  asio::async_write(stream_, BufferSequence(out_.buffers),
                    [self = shared_from_this()](Code error, std::size_t) { self->on_written(error); });
}

void GrpcConnection::on_written(Code error) {
  writing_ = false;
  write_due_ = Moment::max();
  for (auto& turn : std::exchange(out_.turns, {})) give_back(std::move(turn));
  out_.pieces.clear();
  const auto calls = std::exchange(out_.calls, {});
  if (closed_) return;
  if (error) return close();
  receiving_ = true;  // a call whose bytes are being taken must not be found to be over
  const auto taken = guarded([&] {
    for (const auto& call : calls)
      if (!call->is_closed) take_waiting(*call);
  });
  receiving_ = false;
  if (!taken) return close();
  flush();
  read();
}

// ---- Ending

std::optional<Moment> GrpcConnection::idle_since() const {
  return calls_.empty() && !closed_ && !writing_ ? std::optional(idle_since_) : std::nullopt;
}

void GrpcConnection::check_timeouts(Moment now) {
  const auto self = shared_from_this();
  if (now > write_due_) return close();
  if (calls_.empty()) {
    if (now - idle_since_ > from_seconds(home_.options.patience_s)) {
      nghttp2_session_terminate_session(session_.get(), NGHTTP2_NO_ERROR);
      if (in_handshake_ || writing_) return close();
    }
  }
  if (now - spare_since_ > idle_until_release) spare_turns_.clear();
  for (const auto& [stream, call] : calls_)
    if (now > std::min(call->due, call->reply_due))
      nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, stream, NGHTTP2_CANCEL);
  flush();
}

void GrpcConnection::close() {
  const auto self = shared_from_this();
  if (std::exchange(closed_, true)) return;
  watch_timer_.cancel();
  Code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  if (!in_handshake_) stream_.close();  // else the handshake ends now, and closes it
  while (!calls_.empty()) forget(calls_.begin()->first);
}

/// Ends without cutting off what was written: where bytes of the client have not been read, a close would
/// reset the connection.
void GrpcConnection::linger() {
  constexpr Nanoseconds longest = std::chrono::seconds(1);
  if (std::exchange(lingering_, true)) return;
  Code failed;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, failed);
  if (failed) return close();
  write_due_ = home_.clock.now() + longest;
  read();
}

void GrpcConnection::wind_down() {
  const auto self = shared_from_this();
  if (in_handshake_) return close();
  if (calls_.empty()) {
    nghttp2_session_terminate_session(session_.get(), NGHTTP2_NO_ERROR);
    return flush();
  }
  nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_.get()), NGHTTP2_NO_ERROR, nullptr,
                        0);
  for (const auto& [stream, call] : calls_) {
    const bool is_cut = call->incoming || !call->waiting_bytes.empty() || !call->prefix.empty();
    const bool is_watch = call->method != nullptr && call->method->kind == GrpcMethod::Kind::health_watch;
    drop_waiting(*call);
    call->has_ended = true;
    if (is_cut || is_watch || call->messages == 0)
      end(*call, GrpcStatus::unavailable, "the server is stopping");
    call->is_refused = true;
    end_if_over(*call);
  }
  flush();
}

}  // namespace neph::wire
