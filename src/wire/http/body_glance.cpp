#include "wire/http/body_glance.hpp"

#include "wire/json/infer_json.hpp"
#include "wire/message.hpp"

namespace neph::wire {
namespace {

constexpr std::size_t most_text = std::size_t{1} << 20;  ///< of JSON in which outputs are looked for

bool is_space(char byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }

/// Whether a list that is not empty stands at a key "outputs".
bool has_outputs(std::string_view text) {
  constexpr std::string_view key = "\"outputs\"";
  const auto skip = [&](std::size_t& at, char wanted) {
    while (at < text.size() && is_space(text[at])) ++at;
    return at < text.size() && text[at] == wanted && ++at > 0;
  };
  for (auto at = text.find(key); at != std::string_view::npos; at = text.find(key, at)) {
    at += key.size();
    if (skip(at, ':') && skip(at, '[') && skip(at, '{')) return true;
  }
  return false;
}

}  // namespace

void BodyGlance::take(std::string_view piece) {
  if (piece.empty()) return;
  if (bytes_ == 0) first_ = piece.front();
  last_ = piece.back();
  bytes_ += piece.size();
  if (json_bytes_) {
    text_ += piece.substr(0, std::min<std::uint64_t>(*json_bytes_, most_text) - text_.size());
    return;
  }
  if (has_outputs_ || text_.size() > most_text) return;
  if (text_.empty() && (has_outputs_ = has_outputs(piece))) return;  // the usual case, without a copy
  text_ += piece;
  has_outputs_ = has_outputs(text_);
}

Status BodyGlance::check(std::string& right) const {
  if (json_bytes_ && *json_bytes_ > bytes_)
    return fail(ErrorCode::corrupt, "no reply of an inference: {} bytes, of which {} are to be JSON", bytes_,
                *json_bytes_);
  const auto may_be = [](char byte, char wanted) { return byte == wanted || is_space(byte); };
  const auto binary_bytes = bytes_ - json_bytes_.value_or(bytes_);
  if (bytes_ < 2 || !may_be(first_, '{') || (binary_bytes == 0 && !may_be(last_, '}')))
    return fail(ErrorCode::corrupt, "no reply of an inference: {} bytes that are no JSON object", bytes_);
  if (!json_bytes_) return has_outputs_ ? Status() : check_outputs({}, text_);
  const auto seen = text_ + std::to_string(binary_bytes);
  if (seen == right || *json_bytes_ > most_text) return {};
  NEPH_CHECK(check_json(binary_bytes));
  right = seen;
  return {};
}

Status BodyGlance::check_json(std::uint64_t binary_bytes) const {
  InferReply reply;
  BinarySizes sizes;
  NEPH_CHECK(read_json(text_, reply, sizes));
  NEPH_CHECK(check_outputs(reply, text_));
  std::uint64_t announced = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (reply.outputs[i].shared) continue;
    if (!sizes[i]) NEPH_CHECK(check_tensor(reply.outputs[i]));
    if (sizes[i]) NEPH_CHECK(check_bytes(reply.outputs[i], *sizes[i]));
    announced += sizes[i].value_or(0);
  }
  if (announced != binary_bytes)
    return fail(ErrorCode::corrupt, "{} bytes behind the JSON, which announces {}", binary_bytes, announced);
  return {};
}

}  // namespace neph::wire
