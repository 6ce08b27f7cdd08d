#include "wire/http2/call.hpp"

#include <array>
#include <boost/asio/dispatch.hpp>
#include <charconv>

#include <fmt/format.h>

#include "core/text.hpp"
#include "wire/http2/connection.hpp"

namespace neph::wire {

GrpcTurn::~GrpcTurn() { release_lease(); }

void GrpcTurn::release_lease() {
  if (lease != nullptr) std::exchange(lease, nullptr)->written(*this);
}

void GrpcTurn::finish(Status status) {
  outcome = std::move(status);
  auto& io = owners.first->home().io;
  boost::asio::dispatch(io, [this, owners = std::move(owners)] { owners.first->answer(*this); });
}

void GrpcTurn::reset(GrpcCall& call) {
  release_lease();
  call_ = &call;
  request.clear();
  reply.clear();
  stages = {};
  retry_after = usual_retry;
  deadline.reset();
  abandoned_.store(false, std::memory_order_relaxed);
  message.clear();
  is_packed = is_done = false;
  received_bytes = piece = piece_begin = 0;
  unsent = 0;
  out.clear();
  outcome = {};
}

bool GrpcCall::is_inference() const {
  return method->kind == GrpcMethod::Kind::infer || method->kind == GrpcMethod::Kind::infer_stream;
}

bool GrpcCall::is_stream() const {
  return method->kind == GrpcMethod::Kind::infer_stream || method->kind == GrpcMethod::Kind::reflection;
}

std::pair<GrpcStatus, std::string> grpc_status(const Error& error) {
  const auto code = [&] {
    switch (error.code) {
      case ErrorCode::invalid_argument:
      case ErrorCode::corrupt:
        return GrpcStatus::invalid_argument;
      case ErrorCode::not_found:
        return GrpcStatus::not_found;
      case ErrorCode::unavailable:
        return GrpcStatus::unavailable;
      case ErrorCode::timeout:
        return GrpcStatus::deadline_exceeded;
      case ErrorCode::unsupported:
        return GrpcStatus::unimplemented;
      case ErrorCode::io:
      case ErrorCode::internal:
        return GrpcStatus::internal;
    }
    return GrpcStatus::internal;
  };
  return {code(), error.text()};
}

std::optional<Nanoseconds> parse_timeout(std::string_view text) {
  constexpr std::size_t most_digits = 8;
  std::int64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc{} || end.ptr + 1 != text.data() + text.size() || text.size() - 1 > most_digits ||
      value < 0)
    return std::nullopt;
  switch (*end.ptr) {
    case 'H':
      return std::chrono::hours(value);
    case 'M':
      return std::chrono::minutes(value);
    case 'S':
      return std::chrono::seconds(value);
    case 'm':
      return std::chrono::milliseconds(value);
    case 'u':
      return std::chrono::microseconds(value);
    case 'n':
      return std::chrono::nanoseconds(value);
    default:
      return std::nullopt;
  }
}

std::string percent_encoded(std::string_view text) {
  std::string encoded;
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '%')
      encoded += c;
    else
      encoded += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return encoded;
}

}  // namespace neph::wire
