#include "wire/http/body.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace neph::wire {
namespace {

/// Gives each tensor with a binary size its part of `rest`, which they must use up.
Status take_binary(std::span<const std::byte> rest, const BinarySizes& sizes, std::vector<Tensor>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!sizes[i]) continue;
    if (tensors[i].shared)
      return fail(ErrorCode::invalid_argument, "tensor '{}': data both in shared memory and behind the JSON",
                  tensors[i].name);
    if (!tensors[i].data.empty())
      return fail(ErrorCode::invalid_argument, "tensor '{}': data both in the JSON and behind it",
                  tensors[i].name);
    if (*sizes[i] > rest.size())
      return fail(ErrorCode::invalid_argument, "tensor '{}': {} bytes announced, and {} are left of the body",
                  tensors[i].name, *sizes[i], rest.size());
    tensors[i].data = rest.first(*sizes[i]);
    rest = rest.subspan(*sizes[i]);
  }
  if (!rest.empty())
    return fail(ErrorCode::invalid_argument, "{} bytes behind the JSON that no tensor announces",
                rest.size());
  for (const auto& tensor : tensors) NEPH_CHECK(check_tensor(tensor));
  return {};
}

template <class Message, class... Limit>
Status read(std::span<const std::byte> body, std::optional<std::uint64_t> json_bytes, Message& message,
            std::vector<Tensor>& tensors, Limit... limit) {
  if (json_bytes && *json_bytes > body.size())
    return fail(
        ErrorCode::invalid_argument,
        "Inference-Header-Content-Length is {}, and the body has {} bytes; it is the length of the JSON part",
        *json_bytes, body.size());
  const auto json = body.first(json_bytes.value_or(body.size()));
  BinarySizes sizes;
  NEPH_CHECK(read_json({reinterpret_cast<const char*>(json.data()), json.size()}, message, sizes, limit...));
  return take_binary(body.subspan(json.size()), sizes, tensors);
}

/// Views of the tensors that go behind the JSON.
void collect(const std::vector<Tensor>& tensors, OutgoingBody& body) {
  body.data.clear();
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (body.binary[i]) body.data.push_back(tensors[i].data);
}

}  // namespace

Status read_body(std::span<const std::byte> body, std::optional<std::uint64_t> json_bytes,
                 InferRequest& request, std::uint64_t max_bytes) {
  if (json_bytes == 0) {
    request.raw = true;
    request.binary_outputs = true;
    request.inputs.push_back({});
    request.inputs.back().data = body;
    return {};
  }
  return read(body, json_bytes, request, request.inputs,
              max_bytes - std::min<std::uint64_t>(max_bytes, body.size()));
}

Status read_body(std::span<const std::byte> body, std::optional<std::uint64_t> json_bytes,
                 InferReply& reply) {
  return read(body, json_bytes, reply, reply.outputs);
}

bool wants_binary(const InferRequest& request, std::string_view output) {
  const auto found = std::find_if(request.outputs.begin(), request.outputs.end(),
                                  [&](const auto& requested) { return requested.name == output; });
  return found == request.outputs.end() ? request.binary_outputs
                                        : found->binary.value_or(request.binary_outputs);
}

std::size_t OutgoingBody::bytes() const {
  std::size_t sum = json.size();
  for (const auto& part : data) sum += part.size();
  return sum;
}

Status write_body(const InferRequest& request, OutgoingBody& body) {
  body.json.clear();
  body.binary.clear();
  for (const auto& input : request.inputs) body.binary.push_back(!input.shared && request.binary_inputs);
  collect(request.inputs, body);
  return write_json(request, body.binary, body.json);
}

Status write_body(const InferReply& reply, const InferRequest& request, OutgoingBody& body) {
  body.json.clear();
  body.binary.clear();
  for (const auto& output : reply.outputs)
    body.binary.push_back(!output.shared && wants_binary(request, output.name));
  collect(reply.outputs, body);
  return write_json(reply, body.binary, body.json);
}

}  // namespace neph::wire
