#include "engine/torch/failure.hpp"

#include <iostream>
#include <new>

namespace neph::engine::torch_plugin {
namespace {

constexpr std::string_view prefix = "Exception in aoti_torch: ";

bool is_about_memory(std::string_view reason) {
  for (const std::string_view sign : {"not enough memory", "can't allocate memory", "out of memory"})
    if (reason.find(sign) != std::string_view::npos) return true;
  return false;
}

}  // namespace

Messages::Messages() : before_(std::cerr.rdbuf(text_.rdbuf())) {}
Messages::~Messages() { std::cerr.rdbuf(before_); }

std::string Messages::reason() const {
  const auto text = text_.str();
  const auto at = text.find(prefix);
  if (at == std::string::npos) return {};
  // The first line; where libtorch's own sources are to blame it goes on with a stack.
  const auto line = text.substr(at + prefix.size());
  return line.substr(0, line.find('\n'));
}

Status guarded(const char* what, const std::function<Status()>& work) {
  const Messages messages;
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return fail(ErrorCode::unavailable, "{}: memory ran out; use a smaller batch", what);
  } catch (const Failure& failure) {
    const auto reason = messages.reason();
    if (is_about_memory(reason))
      return fail(ErrorCode::unavailable, "{}: memory ran out ({}); use a smaller batch", what, reason);
    return fail(ErrorCode::unsupported, "{}: torch cannot do {}{}{}", what, failure.what(),
                reason.empty() ? "" : ": ", reason);
  }
}

}  // namespace neph::engine::torch_plugin
