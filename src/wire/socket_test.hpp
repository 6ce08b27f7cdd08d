// A TCP connection of a test: sends bytes as they are, and reads replies without a client's help.
#pragma once

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace neph::wire {

class RawSocket {
 public:
  explicit RawSocket(std::uint16_t port) : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(descriptor_, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    const int on = 1;
    ::setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const timeval limit{.tv_sec = 20, .tv_usec = 0};  // a test that hangs says so
    ::setsockopt(descriptor_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  ~RawSocket() {
    if (descriptor_ >= 0) close();
  }
  RawSocket(RawSocket&& other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), read_(std::move(other.read_)) {}
  RawSocket& operator=(RawSocket&&) = delete;

  /// What the other side has closed meanwhile is not sent.
  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  void end_sending() { ::shutdown(descriptor_, SHUT_WR); }
  /// Ends with a reset instead of a farewell.
  void reset() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
  }
  void close() { ::close(std::exchange(descriptor_, -1)); }

  /// Whatever comes next; empty at the end.
  std::string some() {
    if (!read_.empty()) return std::exchange(read_, {});
    char buffer[1 << 16];
    const auto got = ::recv(descriptor_, buffer, sizeof buffer, 0);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      ADD_FAILURE() << "neither a byte nor the end came";
    return got > 0 ? std::string(buffer, static_cast<std::size_t>(got)) : std::string();
  }

  /// One HTTP reply, head and body; what follows it is kept for the next call.
  std::string reply() {
    std::string text = some();
    std::size_t end = std::string::npos, whole = std::string::npos;
    for (;;) {
      if (end == std::string::npos && (end = text.find("\r\n\r\n")) != std::string::npos) {
        constexpr std::string_view name = "Content-Length: ";
        const auto at = text.find(name);
        std::size_t length = 0;
        if (at < end) std::from_chars(text.data() + at + name.size(), text.data() + end, length);
        whole = end + 4 + length;
      }
      if (text.size() >= whole) break;
      const auto more = some();
      if (more.empty()) return text;
      text += more;
    }
    read_ = text.substr(whole);
    return text.substr(0, whole);
  }

 private:
  int descriptor_;
  std::string read_;
};

}  // namespace neph::wire
