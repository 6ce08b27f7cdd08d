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

/// Where this thread's part of std::cerr goes; null: where it went before.
thread_local std::ostringstream* text_of_thread = nullptr;

/// Parts what threads write to std::cerr: inferences of several run at once.
class ByThread final : public std::streambuf {
 public:
  explicit ByThread(std::streambuf* before) : before_(before) {}

 private:
  std::streambuf* target() const { return text_of_thread != nullptr ? text_of_thread->rdbuf() : before_; }
  int_type overflow(int_type c) override {
    return traits_type::eq_int_type(c, traits_type::eof()) ? traits_type::not_eof(c)
                                                           : target()->sputc(traits_type::to_char_type(c));
  }
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    return target()->sputn(text, count);
  }
  int sync() override { return target()->pubsync(); }

  std::streambuf* before_;
};

}  // namespace

Messages::Messages() : before_(text_of_thread) {
  // Once, to the end of the process.
  [[maybe_unused]] static const auto* const before = std::cerr.rdbuf(new ByThread(std::cerr.rdbuf()));
  text_of_thread = &text_;
}
Messages::~Messages() { text_of_thread = before_; }

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
