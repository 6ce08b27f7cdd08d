#include "wire/http2/call.hpp"

#include <array>
#include <boost/asio/dispatch.hpp>
#include <charconv>

#include <fmt/format.h>

#include "core/text.hpp"
#include "os/thread.hpp"
#include "wire/http2/connection.hpp"

namespace neph::wire {

GrpcTurn::~GrpcTurn() { release_lease(); }

void GrpcTurn::release_lease() {
  if (lease != nullptr) std::exchange(lease, nullptr)->written(*this);
}

void GrpcTurn::finish(Status status) {
  outcome = std::move(status);
  auto& io = owners.first->home().io;
  boost::asio::dispatch(io, [this, owners = std::move(owners)] {
    if (!guarded([&] { owners.first->answer(*this); })) owners.first->close();  // no memory
  });
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
  constexpr std::size_t most_bytes = 1024;  // clients take little of what stands in headers
  auto text = printable(error.text());
  if (text.size() > most_bytes) {
    auto end = most_bytes;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // whole characters
    text.replace(end, std::string::npos, "...");
  }
  return {code(), std::move(text)};
}

std::optional<Nanoseconds> parse_timeout(std::string_view text) {
  constexpr std::size_t most_digits = 8;
  std::int64_t value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc{} || end.ptr + 1 != text.data() + text.size() || text.size() - 1 > most_digits ||
      value < 0)
    return std::nullopt;
  constexpr std::string_view units = "HMSmun";
  constexpr std::array unit_s{3600.0, 60.0, 1.0, 1e-3, 1e-6, 1e-9};
  constexpr double longest_s = 366.0 * 24 * 3600;  // beyond it is as good as none
  const auto unit = units.find(*end.ptr);
  if (unit == std::string_view::npos) return std::nullopt;
  const double timeout_s = static_cast<double>(value) * unit_s[unit];
  return timeout_s < longest_s ? std::optional(from_seconds(timeout_s)) : std::nullopt;
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
