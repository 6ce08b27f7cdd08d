#include "wire/http/client_connection.hpp"

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/write.hpp>
#include <utility>  // before Asio: Boost 1.74 uses std::exchange without it

#include <fmt/format.h>

#include "wire/buffer_sequence.hpp"
#include "wire/timing.hpp"

namespace neph::wire {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Code = Stream::Code;

constexpr std::size_t most_head_bytes = 64 << 10;
constexpr std::string_view begin_of_reply = "HTTP/1.";
constexpr std::uint64_t most_body_bytes = std::uint64_t{1} << 30;
constexpr std::size_t most_error_bytes = 64 << 10;  // that are kept of the body of an error

}  // namespace

void HttpClientConnection::carry(Call& call) {
  call_ = &call;
  start();
}

/// A server may close a connection that is idle: then a new one is made. What it closes later fails, since it
/// may have been read, and no request of an inference is sent twice (RFC 9110, 9.2.2).
void HttpClientConnection::start() {
  ++turn_;
  head_.clear();
  body_.clear();
  has_head_ = is_sent_ = false;
  call_->sent = home_.now();
  call_->first_byte.reset();
  look();
  stream_.socket().is_open() ? write() : connect();
}

void HttpClientConnection::look() {
  const auto seen = stream_.socket().is_open() ? stream_.idle() : Stream::Idle::quiet;
  stray_replies_ += seen == Stream::Idle::spoke;
  if (seen != Stream::Idle::quiet) shut();
}

void HttpClientConnection::connect() {
  asio::async_connect(stream_.socket(), home_.addresses(), then([this](Code error, const auto&) {
                        if (error) return fail_with(error);
                        Code ignored;
                        stream_.socket().set_option(tcp::no_delay(true), ignored);
                        stream_.note_arrivals();
                        home_.tls() != nullptr ? greet() : begin();
                      }));
}

void HttpClientConnection::greet() {
  stream_.async_connect(*home_.tls(), home_.server_name(),
                        then([this](Code error) { error ? fail_with(error) : begin(); }));
}

void HttpClientConnection::begin() {
  call_->sent = home_.now();
  write();
}

void HttpClientConnection::write() {
  pieces_ = static_cast<const HttpOutgoing&>(*call_->request).pieces;
  is_sent_ = true;
  asio::async_write(stream_, BufferSequence(pieces_), then([this](Code error, std::size_t) {
                      if (error) fail_with(error);
                    }));
  read();
}

/// Of the first bytes of a reply it matters when they came, not when there was time to read them.
void HttpClientConnection::read() {
  const auto buffer = asio::buffer(buffer_);
  if (call_->first_byte)
    return stream_.async_read_some(buffer,
                                   then([this](Code error, std::size_t bytes) { on_read(error, bytes); }));
  stream_.async_read_noted(buffer, then([this](Code error, std::size_t bytes) {
                             if (!error)
                               call_->first_byte = std::max(call_->sent, home_.now() - stream_.waited());
                             on_read(error, bytes);
                           }));
}

void HttpClientConnection::on_read(Code error, std::size_t bytes) {
  if (!error) return take(bytes);
  ends_body(error) ? finish() : fail_with(error);
}

/// Not a connection that is cut off: TLS says farewell.
bool HttpClientConnection::ends_body(Code error) const {
  return has_head_ && reply_.body_end == BodyEnd::end_of_connection && error == asio::error::eof;
}

void HttpClientConnection::take(std::size_t bytes) {
  std::string_view piece(buffer_.data(), bytes);
  if (has_head_) return take_body(piece);
  head_ += piece;
  if (!std::string_view(head_).starts_with(begin_of_reply.substr(0, head_.size())))
    return refuse(no_reply("its first bytes").value());  // another protocol's, whose end may never come
  const auto blank = head_.find("\r\n\r\n");
  if (blank == std::string::npos) {
    if (head_.size() > most_head_bytes) return refuse(no_reply("a head of more than 64 KiB").value());
    return read();
  }
  body_ = head_.substr(blank + 4);
  head_.resize(blank + 4);
  auto parsed = parse_reply_head(head_);
  if (!parsed) return refuse(parsed.error());
  reply_ = *parsed;
  if (reply_.status < 200) {  // 100 Continue: the real one follows
    head_ = std::exchange(body_, {});
    return take(0);
  }
  has_head_ = true;
  glance_ = BodyGlance(reply_.json_bytes);
  begin_body();
}

/// What has come of it with the head is in body_.
void HttpClientConnection::begin_body() {
  if (reply_.body_end == BodyEnd::length) {
    if (body_.size() > reply_.content_length) return refuse(no_reply("more than its Content-Length").value());
    if (reply_.content_length > most_body_bytes) return refuse(no_reply("a body of more than 1 GiB").value());
    left_ = reply_.content_length - body_.size();
    glance_.take(body_);
    return left_ > 0 ? read() : finish();
  }
  left_ = most_body_bytes;
  chunks_ = Chunks(most_body_bytes);
  const auto begun = std::exchange(body_, {});
  take_body(begun);
}

void HttpClientConnection::take_body(std::string_view piece) {
  const bool keeps = call_->keeps_reply || reply_.status != 200;
  const auto shorten_error = [this] {
    if (reply_.status != 200) body_.resize(std::min(body_.size(), most_error_bytes));
  };
  if (reply_.body_end == BodyEnd::last_chunk) {
    const auto taken = chunks_.take(piece, &body_);
    shorten_error();
    if (!taken) return refuse(taken.error());
    if (!keeps) {
      glance_.take(body_);
      body_.clear();
    }
    if (!piece.empty()) return refuse(no_reply("more than its last chunk").value());
    return chunks_.done() ? finish() : read();
  }
  const bool until_end = reply_.body_end == BodyEnd::end_of_connection;
  if (piece.size() > left_)
    return refuse(no_reply(until_end ? "a body of more than 1 GiB" : "more than its Content-Length").value());
  left_ -= piece.size();
  glance_.take(piece);
  if (keeps) body_ += piece;
  shorten_error();
  left_ > 0 || until_end ? read() : finish();
}

void HttpClientConnection::finish() {
  call_->server = parse_timing(reply_.timing);
  call_->json_bytes = reply_.json_bytes;
  if (!reply_.keep_alive || !quiet())
    shut();  // a reply before the request's end: what is left of that is lost
  if (is_late()) return end(fail(ErrorCode::timeout, "a reply, but not within the time allowed"));
  if (reply_.status != 200) return end(tl::unexpected(error_of_reply(reply_.status, body_)));
  if (is_inference() && !call_->keeps_reply)
    if (auto seen = glance_.check(right_); !seen) return end(std::move(seen));
  if (call_->keeps_reply) call_->reply = std::move(body_);
  end({});
}

void HttpClientConnection::fail_with(Code error) {
  const auto words = stream_.words_of(error);
  const bool lost = error == asio::error::connection_refused || error == asio::error::eof ||
                    error == asio::error::connection_reset || error == asio::error::broken_pipe ||
                    error.category() == asio::error::get_ssl_category() ||
                    error == asio::ssl::error::stream_truncated;
  shut();
  if (lost && is_sent_ && is_inference())  // it may have been read: the server has failed it
    return end(fail(ErrorCode::io, "{} before it had answered", words));
  end(fail(lost ? ErrorCode::unavailable : ErrorCode::io, "{}", words));
}

bool HttpClientConnection::is_late() const { return call_->deadline && home_.now() >= *call_->deadline; }

void HttpClientConnection::settle() {
  if (quiet() && std::exchange(unsettled_, false)) home_.settled(*this);
}

/// Gives up the call: nobody waits for its reply any more.
void HttpClientConnection::close() {
  shut();
  end(is_late() ? fail(ErrorCode::timeout, "no reply within the time allowed")
                : fail(ErrorCode::unavailable, "given up before it was answered"));
}

void HttpClientConnection::refuse(Error error) {
  shut();
  end(tl::unexpected(std::move(error)));
}

void HttpClientConnection::shut() { stream_.close(); }

void HttpClientConnection::end(Status outcome) {
  ++turn_;
  auto& call = *std::exchange(call_, nullptr);
  call.done = home_.now();
  call.outcome = std::move(outcome);
  unsettled_ = !quiet();
  home_.ended(*this, call);
}

}  // namespace neph::wire
