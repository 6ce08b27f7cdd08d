// Errors as values. Every function that can fail for a reason outside the program returns a Result;
// exceptions of libraries are caught in the file that calls the library. A message says what was wrong and
// what to do about it.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include <fmt/core.h>

namespace neph {

/// The eight kinds of failure. Each has one exit code (below) and, at a server, one HTTP and one gRPC status.
enum class ErrorCode {
  invalid_argument,  ///< the caller asked for something that makes no sense
  not_found,         ///< a file, name or id does not exist
  unavailable,       ///< it exists but cannot be had now: no permission, locked, busy, killed
  timeout,           ///< it took longer than the caller allowed
  io,                ///< the operating system refused to read or write: disk full, device error
  corrupt,           ///< data that should be well-formed is not
  unsupported,       ///< well-formed, but this build or machine cannot do it
  internal,          ///< a defect of this program
};

struct Error {
  ErrorCode code = ErrorCode::internal;
  std::string message;    ///< what was wrong
  std::string hint{};     ///< what may help, where the message does not say: "did you mean 'batch'?"
  std::string subject{};  ///< what it is about, as it was asked for: a field, an option, a column

  /// For people and protocols: "MESSAGE; HINT".
  std::string text() const { return hint.empty() ? message : message + "; " + hint; }
  /// Another thing that may help.
  void add_hint(std::string_view more) { hint.append(hint.empty() ? "" : "; ").append(more); }
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

std::string_view to_string(ErrorCode code);

/// Exit code of the process: 2 for invalid_argument (as getopt programs do), 3..9 for the others in their
/// order.
int exit_code(ErrorCode code);

/// The error of `errno` value `number`, with the code that fits it; `what` names the file or action.
Error system_error(std::string_view what, int number);

template <class... Args>
[[nodiscard]] tl::unexpected<Error> fail(ErrorCode code, fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<Error>(Error{code, fmt::format(format, std::forward<Args>(args)...)});
}

/// The error with where it was seen before its message: "FILE: MESSAGE".
[[nodiscard]] inline tl::unexpected<Error> fail_in(std::string_view where, Error error) {
  error.message = fmt::format("{}: {}", where, error.message);
  return tl::unexpected<Error>(std::move(error));
}

}  // namespace neph

#define NEPH_JOIN_(a, b) a##b
#define NEPH_JOIN(a, b) NEPH_JOIN_(a, b)

/// `NEPH_TRY(auto x, f());` declares x from f()'s value, or returns f()'s error from the enclosing function.
#define NEPH_TRY(declaration, expression) NEPH_TRY_(NEPH_JOIN(result_, __LINE__), declaration, expression)
#define NEPH_TRY_(result, declaration, expression)                 \
  auto result = (expression);                                      \
  if (!result) return ::tl::unexpected(std::move(result).error()); \
  declaration = std::move(*result)

/// `NEPH_CHECK(f());` returns f()'s error from the enclosing function, if there is one.
#define NEPH_CHECK(expression)                                                                      \
  do {                                                                                              \
    if (auto status_ = (expression); !status_) return ::tl::unexpected(std::move(status_).error()); \
  } while (false)
