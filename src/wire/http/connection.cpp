#include "wire/http/connection.hpp"

#include <algorithm>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/beast/http/read.hpp>
#include <charconv>

#include <fmt/format.h>
#include <sys/socket.h>

#include "core/text.hpp"
#include "wire/constant_time_compare.hpp"

namespace neph::wire {
namespace {

constexpr std::uint32_t header_limit = 16 << 10;
constexpr Nanoseconds idle_until_release = std::chrono::seconds(2);
constexpr std::size_t chunk_bytes = 1 << 16;
constexpr std::uint64_t most_small_bytes = 1 << 20;   // of a body that carries no tensors
constexpr std::uint64_t most_health_bytes = 4 << 10;  // of one that comes without a token
constexpr std::size_t kept_bytes = std::size_t{4} << 20;
constexpr std::size_t most_buffered_bytes = 128 << 10;

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }
beast::string_view view(std::string_view text) { return {text.data(), text.size()}; }

/// With its memory: a text that is given the value of an empty one would keep its own.
template <class T>
void give_back(T& thing) {
  const T old = std::move(thing);
  thing = T();
}

/// RFC 9112, 3.2: one Host, of characters that a host and its port may have.
bool has_host(const http::request_header<>& header) {
  const auto [first, last] = header.equal_range(http::field::host);
  if (first == last) return header.version() < 11;
  const auto host = view(first->value());
  return std::next(first) == last && std::all_of(host.begin(), host.end(), [](char c) {
           return c > ' ' && c != ',' && c != '/' && c != '?' && c != '#' && c != '@' && c != '\\';
         });
}

/// Whether a browser sends it for a page that is not this server's own.
bool is_of_other_origin(const http::request_header<>& header) {
  const auto site = view(header["Sec-Fetch-Site"]), origin = view(header[http::field::origin]);
  if (!site.empty() && site != "same-origin" && site != "none") return true;
  const auto host = origin.find("://");
  return !origin.empty() &&
         (host == origin.npos || !same_words(origin.substr(host + 3), view(header[http::field::host])));
}

/// The parser would also take "gzip, chunked", whose gzip is not undone.
bool is_chunked_or_plain(const http::request_header<>& header) {
  const auto [first, last] = header.equal_range(http::field::transfer_encoding);
  return first == last || (std::next(first) == last && beast::iequals(first->value(), "chunked"));
}

/// Empty where it is not there.
template <class Name>
Result<beast::string_view> only_value(const http::request_header<>& header, Name name) {
  const auto [first, last] = header.equal_range(name);
  if (first == last) return beast::string_view();
  if (std::next(first) == last) return first->value();
  return fail(ErrorCode::invalid_argument, "{} is given twice", view(first->name_string()));
}

Result<std::optional<std::uint64_t>> json_length(const http::request_header<>& fields) {
  NEPH_TRY(const auto header, only_value(fields, view(json_length_header)));
  if (header.empty()) return std::optional<std::uint64_t>{};
  std::uint64_t value = 0;
  const auto end = std::from_chars(header.data(), header.data() + header.size(), value);
  if (end.ec != std::errc{} || end.ptr != header.data() + header.size())
    return fail(ErrorCode::invalid_argument, "{}: '{}' is not a length", json_length_header, view(header));
  return std::optional<std::uint64_t>{value};
}

}  // namespace

HttpConnection::HttpConnection(HttpThread& home, asio::ip::tcp::socket socket)
    : home_(home), stream_(std::move(socket)) {
  Code ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  buffer_.max_size(most_buffered_bytes);  // also of what chunks say beside their data
  buffer_.reserve(first_read_bytes);
  home_.connections.insert(this);
  ++home_.count;
}

HttpConnection::~HttpConnection() {
  if (lease != nullptr) lease->written(*this);
  home_.connections.erase(this);
  --home_.count;
}

void HttpConnection::allow_s(double seconds) { due_ = home_.clock.now() + from_seconds(seconds); }

void HttpConnection::check_timeouts(Moment now) {
  if (doing_ != Doing::serving && now > due_) return close();
  if (home_.stopping) refuse_rest();
  if (doing_ == Doing::waiting && !buffers_released_ && now - since_ > idle_until_release)
    release_idle_buffers();
}

/// Gives back what large messages made it grow to: of 10,000 idle connections none may hold megabytes. One
/// that is asked every second keeps its memory.
void HttpConnection::release_idle_buffers() {
  buffers_released_ = true;
  body_.release();
  unpacked_.release();
  give_back(request);
  give_back(reply);
  give_back(out_);
  give_back(small_);
  give_back(packed_);
}

std::optional<Moment> HttpConnection::idle_since() const {
  return doing_ == Doing::waiting ? std::optional(since_) : std::nullopt;
}

void HttpConnection::close() {
  doing_ = Doing::ending;
  Code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  if (!in_handshake_) stream_.close();  // else the handshake ends now, and closes it
  abandoned_.store(true, std::memory_order_relaxed);
}

void HttpConnection::wind_down() {
  keep_alive_ = false;
  if (doing_ == Doing::waiting || in_handshake_) return close();
  refuse_rest();
}

/// What has not come by now is refused. A read that has just got some bytes is not cancelled by this, and
/// goes on: hence again at each look at the clock.
void HttpConnection::refuse_rest() {
  Code ignored;
  if (doing_ == Doing::reading) stream_.socket().cancel(ignored);
}

// ---- Reading

/// A handshake runs in a thread of its own, where its arithmetic does not stall the connections of this one.
void HttpConnection::begin() {
  if (home_.tls == nullptr) return read_header();
  in_handshake_ = true;
  doing_ = Doing::reading;
  allow_s(home_.options.patience_s);
  auto greeted = [self = shared_from_this()](Code error) mutable {
    auto& io = self->home_.io;
    asio::post(io, [self = std::move(self), error] {
      self->in_handshake_ = false;
      error || self->doing_ == Doing::ending || self->home_.stopping ? self->close() : self->read_header();
    });
  };
  stream_.async_accept(*home_.tls,
                       asio::bind_executor(home_.handshake_pool.get_executor(), std::move(greeted)));
}

void HttpConnection::read_header() {
  doing_ = Doing::waiting;
  buffers_released_ = false;
  since_ = home_.clock.now();
  due_ = since_ + from_seconds(home_.options.patience_s);
  parser_.emplace();
  parser_->header_limit(header_limit);
  limit_body(home_.options.max_body_bytes);
  parse_header();
}

/// Reads whatever comes. While a request is served this is the next one's beginning, or the end: so it is
/// noticed that the client has gone, and costs nothing, as the read has only begun earlier.
void HttpConnection::read_more() {
  if (std::exchange(reading_, true)) return;
  stream_.async_read_noted(buffer_.prepare(first_read_bytes),
                           [self = shared_from_this()](Code error, std::size_t bytes) {
                             self->reading_ = false;
                             self->on_more(error, bytes);
                           });
}

void HttpConnection::on_more(Code error, std::size_t bytes) {
  buffer_.commit(bytes);
  waited_ = stream_.waited();
  if (error) {
    keep_alive_ = false;  // what is under way is answered all the same
    if (error != asio::error::eof || stream_.is_secure())
      abandoned_.store(true, std::memory_order_relaxed);
    else if (doing_ == Doing::serving)
      probe_half_close();
  }
  if (doing_ != Doing::waiting) return;
  error ? close() : parse_header();
}

/// The end of what the client sends: TCP does not tell whether it still reads. One that does takes an interim
/// reply (RFC 9110, 15.2: at any time, any number of them); the machine of one that has gone resets the
/// connection.
void HttpConnection::probe_half_close() {
  if (parser_->get().version() < 11) return;  // HTTP/1.0 has no interim replies
  send_100_continue();
  stream_.socket().async_wait(asio::ip::tcp::socket::wait_error, [self = shared_from_this()](Code error) {
    if (!error) self->abandoned_.store(true, std::memory_order_relaxed);
  });
}

void HttpConnection::parse_header() {
  while (buffer_.size() > 0) {
    Code error;
    buffer_.consume(parser_->put(buffer_.data(), error));
    if (error == http::error::need_more) break;
    if (error) return refuse_header(error);
    if (parser_->is_header_done()) return on_header();
  }
  read_more();
}

void HttpConnection::on_header() {
  doing_ = Doing::reading;
  unseen_ = std::exchange(waited_, {});  // of a request that came with an earlier one nothing is known
  const auto& header = parser_->get();
  keep_alive_ = header.keep_alive() && !home_.stopping;
  body_.clear();
  body_coding_ = reply_coding_ = Coding::identity;
  retry_after = usual_retry;
  const bool bounded = is_chunked_or_plain(header);
  unread_ = !bounded || !parser_->is_done();
  auto route = parse_route(view(header.method_string()), view(header.target()));
  if (!stream_.notes_arrivals() && header.count(view(note_arrivals_header)) > 0) stream_.note_arrivals();
  if (!has_host(header))
    return refuse({ErrorCode::invalid_argument, "a request has one Host header, of a host"});
  if (!route) return refuse(route.error(), route.error().code == ErrorCode::unsupported ? 405 : 0);
  route_ = *std::move(route);
  if (!is_authorised()) return refuse({ErrorCode::unavailable, "a bearer token is wanted"}, 401);
  if (home_.options.only_metrics && route_.to != Route::To::metrics && !is_health(route_.to))
    return refuse({ErrorCode::not_found, "this port has /metrics and health, and nothing else"});
  if (is_control(route_.to) && is_of_other_origin(header))
    return refuse({ErrorCode::unavailable, "models and shared memory are not for pages of other origins"},
                  403);
  // The end of a body in another coding cannot be told from the beginning of the next request.
  if (!bounded) return refuse({ErrorCode::unsupported, "a Transfer-Encoding other than chunked"});
  auto json = json_length(header);
  if (!json) return refuse(json.error());
  json_bytes_ = *json;
  const auto packed = only_value(header, http::field::content_encoding);
  if (!packed) return refuse(packed.error());
  auto coding = parse_coding(view(*packed));
  if (!coding) return refuse(coding.error(), 415);
  body_coding_ = *coding;
  reply_coding_ = accepted_coding(view(header[http::field::accept_encoding]));
  if (beast::iequals(header[http::field::expect], "100-continue")) send_100_continue();
  if (route_.to != Route::To::infer)
    limit_body(std::min(most_body_bytes_, is_health(route_.to) ? most_health_bytes : most_small_bytes));
  if (parser_->chunked()) {
    allow_s(home_.options.patience_s);
    return read_chunked_body();
  }
  const auto length = parser_->content_length();
  if (length && *length > most_body_bytes_) return refuse_body();
  read_known_body(length ? *length : 0);
}

/// Or not: where it would have to wait it is left out, and a client that does not hear it sends its body
/// after a while.
void HttpConnection::send_100_continue() {
  static constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
  if (stream_.is_secure()) return;
  ::send(stream_.socket().native_handle(), go_on.data(), go_on.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

/// Answers what is no HTTP, and ends: nobody knows where the next request would begin.
void HttpConnection::refuse_header(Code error) {
  if (error.category() != http::make_error_code(http::error::bad_version).category() ||
      error == http::error::end_of_stream || error == http::error::partial_message)
    return close();
  unread_ = true;
  if (error == http::error::body_limit) return refuse_body();
  refuse({ErrorCode::invalid_argument, fmt::format("not a request of HTTP/1.1: {}", error.message())},
         error == http::error::header_limit ? 431 : 400);
}

/// Also of a packed one when unpacked.
void HttpConnection::limit_body(std::uint64_t bytes) {
  most_body_bytes_ = bytes;
  parser_->body_limit(bytes);
}

void HttpConnection::refuse_body() {
  refuse({ErrorCode::invalid_argument, fmt::format("the body is larger than {} bytes", most_body_bytes_)},
         413);
}

/// `status` 0: the one of the error's code.
void HttpConnection::refuse(const Error& error, int status) {
  auto refusal = error_reply(error);
  if (status != 0) refusal.status = status;
  answer_small(refusal);
}

bool HttpConnection::is_authorised() const {
  const auto& token = home_.options.bearer_token;
  if (token.empty() || is_health(route_.to)) return true;
  const auto given = view(parser_->get()[http::field::authorization]);
  constexpr std::string_view scheme = "Bearer ";
  return given.starts_with(scheme) && constant_time_equal(given.substr(scheme.size()), token);
}

void HttpConnection::read_known_body(std::uint64_t length) {
  if (!body_.reserve(length, json_bytes_.value_or(0)))
    return refuse({ErrorCode::unavailable, fmt::format("no memory for a body of {} bytes", length)});
  const auto there = std::min<std::size_t>(buffer_.size(), length);
  std::copy_n(static_cast<const std::byte*>(buffer_.data().data()), there, body_.bytes().data());
  buffer_.consume(there);
  if (there == length) return on_body({});
  allow_s(home_.options.patience_s + static_cast<double>(length) / least_bytes_per_s);
  const auto rest = body_.bytes().subspan(there);
  asio::async_read(stream_, asio::buffer(rest.data(), rest.size()), then(&HttpConnection::on_body));
}

void HttpConnection::read_chunked_body() {
  const auto filled = body_.size();
  if (!body_.extend(filled + chunk_bytes)) return refuse({ErrorCode::unavailable, "no memory for the body"});
  parser_->get().body() = {.data = body_.bytes().data() + filled, .size = chunk_bytes, .more = true};
  http::async_read(stream_, buffer_, *parser_, then(&HttpConnection::on_chunk));
}

void HttpConnection::on_chunk(Code error) {
  if (error == asio::error::operation_aborted) return on_body(error);
  if (error && error != http::error::need_buffer) return refuse_header(error);
  body_.truncate(body_.size() - parser_->get().body().size);
  if (parser_->is_done()) return on_body({});
  due_ += from_seconds(chunk_bytes / least_bytes_per_s);
  read_chunked_body();
}

void HttpConnection::on_body(Code error) {
  if (error == asio::error::operation_aborted && home_.stopping && doing_ == Doing::reading)
    return refuse({ErrorCode::unavailable, "the server is stopping"});
  if (error) return close();
  unread_ = false;
  received = home_.clock.now();
  doing_ = Doing::serving;
  const auto json = std::min<std::uint64_t>(json_bytes_.value_or(body_.size()), body_.size());
  const bool heavy =
      body_coding_ != Coding::identity || json > heavy_bytes;  // a few packed bytes may be many
  make(heavy, &HttpConnection::read_request, &HttpConnection::serve);
}

/// Unpacks the body, and reads it if it is one of inference.
Status HttpConnection::read_request() {
  if (body_coding_ != Coding::identity) {
    unpacked_.clear();
    NEPH_CHECK(unpack(body_.bytes(), most_body_bytes_, unpacked_));
    body_.swap(unpacked_);
    unpacked_.trim();
  }
  if (route_.to != Route::To::infer) return {};
  request.clear();
  reply.clear();
  if (request.memory.capacity() > kept_bytes) give_back(request.memory);
  NEPH_CHECK(read_body(body_.bytes(), json_bytes_, request, most_body_bytes_));
  request.model = route_.name;
  request.version = route_.version;
  deadline = deadline_after(received, find_integer(request.parameters, "timeout"));
  return {};
}

/// Has `work` done and then `next`, here; what is `heavy` on another thread, as it would hold up the other
/// connections of this one.
void HttpConnection::make(bool heavy, Status (HttpConnection::*work)(),
                          void (HttpConnection::*next)(Status)) {
  const auto whole = [work](HttpConnection& self) -> Status {
    try {
      return (self.*work)();
    } catch (const std::exception&) {  // no memory, or a length beyond what there can be
      return fail(ErrorCode::unavailable, "no memory for a message as large as this");
    }
  };
  if (!heavy) return (this->*next)(whole(*this));
  asio::post(home_.cpu_pool, [self = shared_from_this(), whole, next]() mutable {
    auto status = whole(*self);
    auto& io = self->home_.io;  // the connection goes back to its thread, and may end nowhere else
    asio::post(io, [self = std::move(self), status = std::move(status), next]() mutable {
      ((*self).*next)(std::move(status));
    });
  });
}

}  // namespace neph::wire
