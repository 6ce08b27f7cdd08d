#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/status.hpp>

#include <fmt/compile.h>

#include "wire/buffer_sequence.hpp"
#include "wire/http/connection.hpp"
#include "wire/timing.hpp"

namespace neph::wire {
namespace {

constexpr double linger_s = 2;
constexpr std::size_t worth_packing = 1024;
constexpr std::size_t most_packed_bytes = std::size_t{1} << 30;
constexpr std::size_t most_json_bytes = std::size_t{1}
                                        << 29;  ///< of tensors; their text is up to 4 times as much

std::string_view reason_phrase(int status) {
  const auto phrase = http::obsolete_reason(static_cast<http::status>(status));
  return {phrase.data(), phrase.size()};
}

}  // namespace

void HttpConnection::serve(Status read) {
  if (!read) return refuse(read.error());
  if (route_.to == Route::To::infer) {
    const auto self = self_ = shared_from_this();
    stages.socket = unseen_;
    arrived = received - unseen_;
    home_.service.infer(*this);
    if (doing_ == Doing::serving && buffer_.size() == 0)
      read_more();  // else the next request is there already
    return;
  }
  if (!takes_long(route_.to)) return answer_small(rest_reply(home_.service, route_, body_.bytes()));
  asio::post(home_.slow, [self = shared_from_this()]() mutable {
    auto said = rest_reply(self->home_.service, self->route_, self->body_.bytes());
    auto& io = self->home_.io;  // the connection itself goes back to its thread, and may end nowhere else
    asio::post(io, [self = std::move(self), said = std::move(said)] { self->answer_small(said); });
  });
}

void HttpConnection::finish(Status status) {
  outcome_ = std::move(status);
  auto& io = home_.io;
  asio::dispatch(io, [self = std::move(self_)] { self->answer(); });
}

void HttpConnection::answer() {
  if (!outcome_) return refuse(outcome_.error());
  std::size_t bytes = 0, json = 0;
  for (const auto& output : reply.outputs) {
    bytes += output.data.size();
    if (!output.shared && !wants_binary(request, output.name)) json += output.data.size();
  }
  if (json > most_json_bytes)
    return refuse(
        {ErrorCode::invalid_argument,
         fmt::format("{} bytes of outputs as JSON; this server writes up to {} so: ask for binary data", json,
                     most_json_bytes)});
  const bool heavy = json > heavy_bytes || (reply_coding_ != Coding::identity && bytes > heavy_bytes);
  make(heavy, &HttpConnection::write_reply, &HttpConnection::answer_inference);
}

Status HttpConnection::write_reply() {
  NEPH_CHECK(write_body(reply, request, out_));
  parts_.clear();
  parts_.push_back(bytes_of(out_.json));
  parts_.insert(parts_.end(), out_.data.begin(), out_.data.end());
  pack_parts();
  return {};
}

void HttpConnection::answer_inference(Status written) {
  if (!written) return refuse(written.error());
  write(200, out_.has_binary() ? "application/octet-stream" : "application/json",
        out_.has_binary() ? std::optional(out_.json.size()) : std::nullopt);
}

void HttpConnection::answer_small(const RestReply& said) {
  small_ = said.body;
  parts_.assign(1, bytes_of(small_));
  pack_parts();
  write(said.status, said.type, std::nullopt);
}

/// Replaces the parts by one, if the client takes packed replies and it is worth the while.
void HttpConnection::pack_parts() {
  std::size_t bytes = 0;
  for (const auto& part : parts_) bytes += part.size();
  is_packed_ = reply_coding_ != Coding::identity && bytes >= worth_packing && bytes <= most_packed_bytes;
  if (!is_packed_) return;
  pack(parts_, reply_coding_, packed_);
  parts_.assign(1, bytes_of(packed_));
}

void HttpConnection::write(int status, std::string_view type, std::optional<std::size_t> json_bytes) {
  doing_ = Doing::writing;
  std::size_t bytes = 0;
  for (const auto& part : parts_) bytes += part.size();
  head_.clear();
  const auto out = std::back_inserter(head_);
  fmt::format_to(out, FMT_COMPILE("HTTP/1.1 {} {}\r\nContent-Length: {}\r\n"), status, reason_phrase(status),
                 bytes);
  if (bytes > 0) fmt::format_to(out, FMT_COMPILE("Content-Type: {}\r\n"), type);
  if (json_bytes) fmt::format_to(out, FMT_COMPILE("{}: {}\r\n"), json_length_header, *json_bytes);
  if (is_packed_)
    fmt::format_to(out, "Content-Encoding: {}\r\n", reply_coding_ == Coding::gzip ? "gzip" : "deflate");
  if (status == 405)
    fmt::format_to(out, "Allow: {}\r\n",
                   allowed_methods({parser_->get().target().data(), parser_->get().target().size()}));
  if (status == 401) head_ += "WWW-Authenticate: Bearer\r\n";
  if (status == 503)
    fmt::format_to(out, "Retry-After: {}\r\n", std::chrono::ceil<std::chrono::seconds>(retry_after).count());
  timing_.clear();
  append_timing(stages, timing_);
  if (!timing_.empty()) fmt::format_to(out, FMT_COMPILE("Server-Timing: {}\r\n"), timing_);
  stages = {};
  head_ += keep_alive_ && !unread_ ? "\r\n" : "Connection: close\r\n\r\n";

  pieces_.clear();
  pieces_.push_back(asio::buffer(head_));
  if (parser_->get().method() != http::verb::head)  // RFC 9110, 9.3.2
    for (const auto& part : parts_) pieces_.push_back(asio::buffer(part.data(), part.size()));
  allow_s(home_.options.patience_s + static_cast<double>(bytes) / least_bytes_per_s);
  asio::async_write(stream_, BufferSequence(pieces_), then(&HttpConnection::on_written));
}

void HttpConnection::on_written(Code error) {
  if (lease != nullptr) std::exchange(lease, nullptr)->written(*this);
  if (error) return close();
  if (unread_ || !keep_alive_ || home_.stopping) return end();
  read_header();
}

/// TLS has a farewell of its own, without which a client must take the reply for cut off.
void HttpConnection::end() {
  if (!stream_.is_secure()) return unread_ ? linger() : close();
  doing_ = Doing::lingering;
  allow_s(linger_s);
  stream_.async_farewell(
      [self = shared_from_this()](Code) { self->unread_ ? self->linger() : self->close(); });
}

/// Ends without cutting off the reply: a client that is still sending would be reset, and lose what it has
/// not read.
void HttpConnection::linger() {
  Code failed;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, failed);
  if (failed) return close();
  doing_ = Doing::lingering;
  allow_s(linger_s);
  discard({});
}

void HttpConnection::discard(Code error) {
  if (error) return close();
  buffer_.clear();
  stream_.socket().async_read_some(buffer_.prepare(first_read_bytes), then(&HttpConnection::discard));
}

}  // namespace neph::wire
