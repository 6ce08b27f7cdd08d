#include "wire/http/body_glance.hpp"

#include "wire/json/infer_json.hpp"
#include "wire/message.hpp"

namespace neph::wire {
namespace {

constexpr std::size_t most_text = std::size_t{1} << 20;  ///< of JSON in front of binary tensors
constexpr std::size_t most_quoted = 128;                 ///< of other JSON
constexpr std::string_view list = R"("outputs":[{)";     ///< in the outermost object

bool is_space(char byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }

}  // namespace

void BodyGlance::take(std::string_view piece) {
  bytes_ += piece.size();
  if (!json_bytes_) follow(piece);
  if (json_bytes_ || seen_of_list_ < list.size())
    text_ +=
        piece.substr(0, std::min<std::uint64_t>(json_bytes_.value_or(most_quoted), most_text) - text_.size());
}

void BodyGlance::follow(std::string_view piece) {
  const auto is_number = [](char byte) { return byte < '[' && byte != '"'; };  // and what is between them
  for (auto at = piece.begin(); at != piece.end(); ++at) {
    if (seen_of_list_ == list.size() && depth_ > 0 && !is_quoted_)
      at = std::find_if_not(at, piece.end(), is_number);
    if (at == piece.end()) return;
    const char byte = *at;
    if (!is_quoted_ && is_space(byte)) continue;
    if (depth_ == 0) has_more_ |= byte != '{' || is_closed_;
    if (seen_of_list_ < list.size()) {
      const bool fits = byte == list[seen_of_list_] && (seen_of_list_ > 0 || (depth_ == 1 && !is_quoted_));
      seen_of_list_ = fits ? seen_of_list_ + 1 : 0;
    }
    if (is_quoted_) {
      is_quoted_ = is_escaped_ || byte != '"';
      is_escaped_ = !is_escaped_ && byte == '\\';
    } else if (byte == '"') {
      is_quoted_ = true;
    } else if (byte == '{' || byte == '[') {
      ++depth_;
    } else if (byte == '}' || byte == ']') {
      is_closed_ = --depth_ == 0;
    }
  }
}

Status BodyGlance::check(std::string& right) const {
  if (json_bytes_ && *json_bytes_ > bytes_)
    return fail(ErrorCode::corrupt, "no reply of an inference: {} bytes, of which {} are to be JSON", bytes_,
                *json_bytes_);
  const bool is_object = json_bytes_ ? text_.starts_with('{') : is_closed_ && !has_more_;
  if (!is_object)
    return fail(ErrorCode::corrupt, "no reply of an inference: {} bytes that are not one JSON object",
                bytes_);
  if (!json_bytes_) return seen_of_list_ == list.size() ? Status() : check_outputs({}, text_);
  const auto binary_bytes = bytes_ - *json_bytes_;
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
