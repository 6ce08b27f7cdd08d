#include "engine/torch/failure.hpp"

#include <array>
#include <iostream>

namespace neph::engine::torch_plugin {
namespace {

/// Of libtorch's functions, and of a package's.
constexpr std::array<std::string_view, 2> prefixes{"Exception in aoti_torch: ", "Error: "};

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

/// The first line behind the first prefix; where libtorch's own sources are to blame it goes on with a stack.
std::string Messages::reason() const {
  const auto text = text_.str();
  for (const auto prefix : prefixes) {
    const auto at = text.find(prefix);
    if (at == std::string::npos) continue;
    const auto line = text.substr(at + prefix.size());
    return line.substr(0, line.find('\n'));
  }
  return "it gives no reason";
}

Status Messages::check(Code code, std::string_view what) const {
  if (code == 0) return {};
  const auto why = reason();
  if (is_about_memory(why))
    return fail(ErrorCode::unavailable, "{}: memory ran out ({}); use a smaller batch", what, why);
  return fail(ErrorCode::unsupported, "{}: {}", what, why);
}

}  // namespace neph::engine::torch_plugin
