#include <array>

#include "core/names.hpp"
#include "core/protobuf.hpp"
#include "wire/protobuf/infer_message.hpp"

namespace neph::wire {
namespace {

using protobuf::put_field;
using protobuf::put_head;
using protobuf::put_number;

/// Room in front of a message's text for gRPC's five bytes and the head of the field that the message is in
/// (a byte, and at most five of length).
constexpr std::size_t front_room = 11;

void put_value(std::string& to, const Value& value) {
  std::visit(
      [&](const auto& choice) {
        using T = std::remove_cvref_t<decltype(choice)>;
        if constexpr (std::is_same_v<T, bool>) {
          put_number(to, 1, choice ? 1 : 0);
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
          put_number(to, 2, static_cast<std::uint64_t>(choice));
        } else if constexpr (std::is_same_v<T, std::string>) {
          put_field(to, 3, choice);
        } else if constexpr (std::is_same_v<T, double>) {
          protobuf::put_varint(to, 4 << 3 | protobuf::eight_bytes);
          to.append(reinterpret_cast<const char*>(&choice), sizeof choice);
        } else {
          put_number(to, 5, choice);
        }
      },
      value);
}

/// An entry of a map<string, InferParameter>.
void put_parameter(std::string& to, std::uint64_t number, const Parameter& parameter) {
  std::string value, entry;
  put_value(value, parameter.value);
  put_field(entry, 1, parameter.name);
  put_field(entry, 2, value);
  put_field(to, number, entry);
}

void put_shared(std::string& to, std::uint64_t number, const std::optional<SharedPart>& shared) {
  if (!shared) return;
  const auto put_count = [&](const char* name, std::uint64_t count) {
    put_parameter(to, number, {name, static_cast<std::int64_t>(count)});
  };
  put_parameter(to, number, {"shared_memory_region", shared->region});
  put_count("shared_memory_byte_size", shared->bytes);
  if (shared->offset != 0) put_count("shared_memory_offset", shared->offset);
}

/// An input of a request, or an output of a reply.
void put_tensor(std::string& to, const Tensor& tensor, const std::optional<SharedPart>& shared) {
  std::string message, shape;
  put_field(message, 1, tensor.name);
  put_field(message, 2, enum_name(tensor.type));
  for (const auto size : tensor.shape) protobuf::put_varint(shape, static_cast<std::uint64_t>(size));
  put_field(message, 3, shape);
  for (const auto& parameter : tensor.parameters) put_parameter(message, 4, parameter);
  put_shared(message, 4, shared);
  put_field(to, 5, message);
}

void put_requested(std::string& to, const RequestedOutput& output) {
  std::string message;
  put_field(message, 1, output.name);
  if (output.classification > 0) put_parameter(message, 2, {"classification", output.classification});
  put_shared(message, 2, output.shared);
  put_field(to, 6, message);
}

/// The fields that a request and a reply have in common.
template <class Message>
void put_names(std::string& to, const Message& from) {
  if (!from.model.empty()) put_field(to, 1, from.model);
  if (!from.version.empty()) put_field(to, 2, from.version);
  if (!from.id.empty()) put_field(to, 3, from.id);
  for (const auto& parameter : from.parameters) put_parameter(to, 4, parameter);
}

/// All of a ModelInferResponse but its raw contents.
void put_reply(std::string& to, const InferReply& reply) {
  put_names(to, reply);
  for (const auto& output : reply.outputs) put_tensor(to, output, {});
}

/// Raw contents, and with them the message in its pieces.
void put_raw_contents(std::uint64_t number, const std::vector<std::span<const std::byte>>& contents,
                      OutgoingMessage& out) {
  std::vector<std::size_t> ends;  // of the text before each content
  for (const auto& content : contents) {
    put_head(out.text, number, content.size());
    ends.push_back(out.text.size());
  }
  const auto text = bytes_of(out.text);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    if (contents[i].empty()) continue;
    out.pieces.push_back(text.subspan(begin, ends[i] - begin));
    out.pieces.push_back(contents[i]);
    begin = ends[i];
  }
  if (begin < text.size()) out.pieces.push_back(text.subspan(begin));
}

/// Puts gRPC's five bytes, and where `streamed` the head of the field infer_response, in front of `bytes`
/// bytes of message; the first piece begins with them.
void put_front(std::uint64_t bytes, bool streamed, OutgoingMessage& out) {
  std::string field;
  if (streamed) put_head(field, 2, bytes);
  const auto length = bytes + field.size();
  std::string front(1, '\0');  // not compressed
  for (int shift = 24; shift >= 0; shift -= 8) front += static_cast<char>(length >> shift);
  front += field;
  const auto begin = front_room - front.size();
  out.text.replace(begin, front.size(), front);
  out.pieces.front() = out.pieces.front().subspan(begin);
}

}  // namespace

void OutgoingMessage::clear() {
  text.clear();
  pieces.clear();
}

std::uint64_t OutgoingMessage::bytes() const {
  std::uint64_t sum = 0;
  for (const auto& piece : pieces) sum += piece.size();
  return sum;
}

void write_infer_request(const InferRequest& request, OutgoingMessage& out) {
  out.clear();
  put_names(out.text, request);
  for (const auto& input : request.inputs) put_tensor(out.text, input, input.shared);
  for (const auto& output : request.outputs) put_requested(out.text, output);
  std::vector<std::span<const std::byte>> contents;
  for (const auto& input : request.inputs)
    if (!input.shared) contents.push_back(input.data);
  put_raw_contents(7, contents, out);
}

void write_message(std::string text, OutgoingMessage& out) {
  out.clear();
  out.text.assign(front_room, '\0');
  out.text += text;
  out.pieces.push_back(bytes_of(out.text));
  put_front(text.size(), false, out);
}

Status write_infer_reply(const InferReply& reply, bool streamed, OutgoingMessage& out) {
  out.clear();
  out.text.assign(front_room, '\0');
  put_reply(out.text, reply);
  std::vector<std::span<const std::byte>> contents;  // also in shared memory: clients count the entries
  for (const auto& output : reply.outputs)
    contents.push_back(output.shared ? std::span<const std::byte>() : output.data);
  put_raw_contents(6, contents, out);
  const auto bytes = out.bytes() - front_room;
  if (bytes + front_room > most_message_bytes)
    return fail(ErrorCode::unsupported,
                "the reply is a message of {} bytes, and gRPC carries at most {}: ask for fewer outputs or "
                "rows, or over HTTP",
                bytes, most_message_bytes);
  put_front(bytes, streamed, out);
  return {};
}

void write_stream_error(std::string_view error, const InferReply& reply, OutgoingMessage& out) {
  std::string text, response;
  put_field(text, 1, error);
  put_reply(response, reply);
  put_field(text, 2, response);
  write_message(std::move(text), out);
}

}  // namespace neph::wire
