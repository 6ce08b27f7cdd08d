// Inference messages of gRPC, for the server and the client: read in place, written around their tensors.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/message.hpp"

namespace neph::wire {

/// Fills an empty request from the bytes of a ModelInferRequest. Raw contents stay in `from`; typed contents
/// are decoded into the request's own memory. Errors: invalid_argument (not such a message, text that is not
/// UTF-8, more than most_tensors or most_parameters, data that does not fit type and shape, more than
/// `most_bytes` in `from` and the decoded contents together).
Status read_infer_request(std::string_view from, std::uint64_t most_bytes, InferRequest& request);
/// The same of a ModelInferResponse, without a limit in bytes. Errors: also corrupt (not such a message).
Status read_infer_reply(std::string_view from, InferReply& reply);

/// A message in pieces that point into `text` and into tensors.
struct OutgoingMessage {
  std::string text;
  std::vector<std::span<const std::byte>> pieces;

  void clear();
  std::uint64_t bytes() const;
};

/// Most bytes of a message: the length that every implementation of gRPC can read.
inline constexpr std::uint64_t most_message_bytes = (std::uint64_t{1} << 31) - 1;

/// A ModelInferRequest. The request's tensors stay until it is written.
void write_infer_request(const InferRequest& request, OutgoingMessage& out);

// A server's messages have gRPC's five bytes in front.

/// A message whose content is `text`. It is moved from.
void write_message(std::string text, OutgoingMessage& out);
/// A ModelInferResponse, or where `streamed` a ModelStreamInferResponse with it. The reply's tensors stay
/// until it is written. Errors: unsupported (longer than most_message_bytes).
Status write_infer_reply(const InferReply& reply, bool streamed, OutgoingMessage& out);
/// A ModelStreamInferResponse with an error, of the request with that id.
void write_stream_error(std::string_view error, const InferReply& reply, OutgoingMessage& out);

}  // namespace neph::wire
