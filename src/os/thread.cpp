#include "os/thread.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <system_error>

#include "core/text.hpp"

namespace neph {
namespace {

constexpr const char* defect = "a defect of neph, please report it: ";
enum class Gate { closed, open, given_up };

}  // namespace

Error thrown_error() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {ErrorCode::unavailable, "out of memory"};  // so short that it takes none
  } catch (const std::system_error& error) {
    return {ErrorCode::unavailable, error.what()};
  } catch (const std::exception& error) {
    return {ErrorCode::internal, std::string(defect) + error.what()};
  } catch (...) {
    return {ErrorCode::internal, std::string(defect) + "an exception of an unknown type"};
  }
}

void end_process(const Error& reason) {
  std::fprintf(stderr, "neph: %s\n", printable(reason.text()).c_str());
  std::_Exit(exit_code(reason.code));
}

void end_by_uncaught() {
  std::set_terminate([] {
    end_process(std::current_exception() ? thrown_error()
                                         : Error{.message = std::string(defect) + "terminate"});
  });
}

Result<std::vector<std::jthread>> start_threads(
    const std::string& name, std::int64_t count,
    std::function<void(std::int64_t, const std::stop_token&)> body, OnError on_error) {
  std::vector<std::jthread> threads;
  const auto gate = std::make_shared<std::atomic<Gate>>(Gate::closed);
  const auto started = guarded([&] {
    threads.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
      threads.emplace_back(
          [gate, name = fmt::format("{}-{}", name, i), i, body, on_error](const std::stop_token& stop) {
            name_this_thread(name);
            gate->wait(Gate::closed);
            if (*gate == Gate::given_up) return;
            if (const auto done = guarded([&] { body(i, stop); }); !done) on_error(done.error());
          });
  });
  *gate = started ? Gate::open : Gate::given_up;
  gate->notify_all();
  if (started) return threads;
  return tl::unexpected(Error{ErrorCode::unavailable,
                              fmt::format("cannot start thread {} of {} ({}): {}", threads.size() + 1, count,
                                          name, started.error().message),
                              "raise the limit of processes (ulimit -u, --pids-limit)"});
}

Result<std::jthread> start_thread(const std::string& name, std::function<void(const std::stop_token&)> body,
                                  OnError on_error) {
  const auto named = [name, body = std::move(body)](std::int64_t, const std::stop_token& stop) {
    name_this_thread(name);
    body(stop);
  };
  return start_threads(name, 1, named, std::move(on_error)).map([](auto&& threads) {
    return std::move(threads.front());
  });
}

Status on_threads(const std::string& name, std::int64_t count,
                  const std::function<void(std::int64_t)>& work) {
  std::mutex mutex;
  Status first;
  const auto note = [&](const Error& error) {
    const std::lock_guard lock(mutex);
    if (first) first = tl::unexpected(error);
  };
  NEPH_CHECK(start_threads(
      name, count, [&](std::int64_t i, const std::stop_token&) { work(i); }, note));
  return first;
}

}  // namespace neph
