#include "wire/http_reply_head.hpp"

#include <algorithm>
#include <charconv>

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

}  // namespace

Result<HttpReplyHead> parse_reply_head(std::string_view head) {
  const auto corrupt = [](std::string_view why) {
    return fail(ErrorCode::corrupt, "no reply of HTTP/1.1: {}", why);
  };
  HttpReplyHead found;
  constexpr std::string_view version = "HTTP/1.1 ";
  const auto end_of_status = version.size() + 3;
  if (!head.starts_with(version) || head.size() < end_of_status) return corrupt("its first line");
  const auto status = length_of(head.substr(version.size(), 3));
  if (!status || *status < 100) return corrupt("its status");
  found.status = static_cast<int>(*status);

  std::optional<std::uint64_t> length;
  head.remove_prefix(std::min(head.find("\r\n"), head.size() - 2) + 2);
  while (!head.empty() && !head.starts_with("\r\n")) {
    const auto end = head.find("\r\n");
    if (end == std::string_view::npos) return corrupt("a header without an end");
    const auto line = head.substr(0, end);
    head.remove_prefix(end + 2);
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return corrupt("a header without a colon");
    const auto name = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
    if (same_name(name, "content-length")) {
      length = length_of(value);
      if (!length) return corrupt("its Content-Length");
    } else if (same_name(name, "inference-header-content-length")) {
      found.json_bytes = length_of(value);
      if (!found.json_bytes) return corrupt("its Inference-Header-Content-Length");
    } else if (same_name(name, "connection")) {
      found.keep_alive = !same_name(value, "close");
    } else if (same_name(name, "server-timing")) {
      found.timing = value;
    } else if (same_name(name, "transfer-encoding")) {
      return corrupt("a body in chunks, which no inference server sends");
    }
  }
  const bool bodiless = found.status < 200 || found.status == 204 || found.status == 304;
  if (!length && !bodiless) return corrupt("a body without a length");
  found.content_length = length.value_or(0);
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
  return {code, fmt::format("HTTP status {}{}{}", status, words.empty() ? "" : ": ", words)};
}

}  // namespace neph::wire
