#include "wire/http/reply_head.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "core/json.hpp"
#include "core/text.hpp"

namespace neph::wire {
namespace {

bool same_name(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::optional<std::uint64_t> length_of(std::string_view digits) {
  std::uint64_t value = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) return std::nullopt;
  return value;
}

/// What the headers say, before they are held against each other.
struct Headers {
  std::optional<std::uint64_t> length;
  bool chunked = false;
};

Status read_header(std::string_view name, std::string_view value, Headers& headers, HttpReplyHead& found) {
  if (same_name(name, "content-length")) {
    const auto before = std::exchange(headers.length, length_of(value));
    if (!headers.length || (before && before != headers.length)) return no_reply("its Content-Length");
  } else if (same_name(name, "inference-header-content-length")) {
    found.json_bytes = length_of(value);
    if (!found.json_bytes) return no_reply("its Inference-Header-Content-Length");
  } else if (same_name(name, "connection")) {
    if (same_name(value, "close")) found.keep_alive = false;
    if (same_name(value, "keep-alive")) found.keep_alive = true;
  } else if (same_name(name, "server-timing")) {
    found.timing = value;
  } else if (same_name(name, "transfer-encoding")) {
    if (!same_name(value, "chunked"))
      return fail(ErrorCode::unsupported, "a Transfer-Encoding other than chunked: {}", value);
    if (std::exchange(headers.chunked, true)) return no_reply("a body in chunks of chunks");
  }
  return {};
}

/// RFC 9112, 6.3.
void settle_body(const Headers& headers, bool is_old, HttpReplyHead& found) {
  if (found.status < 200 || found.status == 204 || found.status == 304) return;
  if (headers.chunked) {
    found.body_end = BodyEnd::last_chunk;
    if (is_old || headers.length) found.keep_alive = false;  // somebody on the way may see another end
  } else if (headers.length) {
    found.content_length = *headers.length;
  } else {
    found.body_end = BodyEnd::end_of_connection;
    found.keep_alive = false;
  }
}

}  // namespace

tl::unexpected<Error> no_reply(std::string_view why) {
  return fail(ErrorCode::corrupt, "no reply of HTTP/1.1: {}", why);
}

Result<HttpReplyHead> parse_reply_head(std::string_view head) {
  HttpReplyHead found;
  constexpr std::string_view version = "HTTP/1.x ";
  const auto end_of_status = version.size() + 3;
  const bool is_old = head.starts_with("HTTP/1.0 ");
  if ((!is_old && !head.starts_with("HTTP/1.1 ")) || head.size() < end_of_status)
    return no_reply("its first line");
  const auto status = length_of(head.substr(version.size(), 3));
  if (!status || *status < 100) return no_reply("its status");
  found.status = static_cast<int>(*status);
  found.keep_alive = !is_old;

  Headers headers;
  head.remove_prefix(std::min(head.find("\r\n"), head.size() - 2) + 2);
  while (!head.empty() && !head.starts_with("\r\n")) {
    const auto end = head.find("\r\n");
    if (end == std::string_view::npos) return no_reply("a header without an end");
    const auto line = head.substr(0, end);
    head.remove_prefix(end + 2);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return no_reply("a header without a colon");
    NEPH_CHECK(read_header(line.substr(0, colon), trimmed(line.substr(colon + 1)), headers, found));
  }
  settle_body(headers, is_old, found);
  return found;
}

Error error_of_reply(int status, std::string_view body) {
  const auto code = status == 404                    ? ErrorCode::not_found
                    : status == 501                  ? ErrorCode::unsupported
                    : status == 504 || status == 408 ? ErrorCode::timeout
                    : status == 503 || status == 429 || status == 401 || status == 403
                        ? ErrorCode::unavailable
                    : status >= 500 ? ErrorCode::internal
                                    : ErrorCode::invalid_argument;
  const auto json = parse_json(body, "the reply");
  std::string words(body.substr(0, 200));
  if (json && json->is_object() && json->contains("error") && (*json)["error"].is_string())
    words = (*json)["error"].get<std::string>();
  const auto is_space = [](char byte) {
    return std::string_view(" \t\r\n").find(byte) != std::string_view::npos;
  };
  std::ranges::replace_if(words, is_space, ' ');
  words.erase(std::unique(words.begin(), words.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
              words.end());
  words = printable(trimmed(words));  // in one line, whatever page a proxy sends
  return {code, fmt::format("HTTP status {}{}{}", status, words.empty() ? "" : ": ", words)};
}

}  // namespace neph::wire
