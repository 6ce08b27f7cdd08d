// A TCP connection of a test: sends bytes as they are, and reads replies without a client's help.
#pragma once

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace neph::wire {

inline sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

class RawSocket {
 public:
  explicit RawSocket(std::uint16_t port) : RawSocket(Descriptor{::socket(AF_INET, SOCK_STREAM, 0)}) {
    const auto to = loopback(port);
    EXPECT_EQ(::connect(descriptor_, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  }
  struct Descriptor {
    int number;
  };
  explicit RawSocket(Descriptor descriptor) : descriptor_(descriptor.number) {
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

  /// One HTTP reply or request, head and body; what follows it is kept for the next call.
  std::string reply() {
    std::string text = some();
    std::size_t end = std::string::npos, whole = std::string::npos;
    for (;;) {
      if (end == std::string::npos && (end = text.find("\r\n\r\n")) != std::string::npos) {
        constexpr std::string_view name = "\r\nContent-Length: ";
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

/// Takes connections, for a server that sends bytes as they are.
class RawListener {
 public:
  RawListener() : descriptor_(::socket(AF_INET, SOCK_STREAM, 0)) {
    auto at = loopback(0);
    socklen_t size = sizeof at;
    EXPECT_EQ(::bind(descriptor_, reinterpret_cast<sockaddr*>(&at), size), 0);
    EXPECT_EQ(::listen(descriptor_, 16), 0);
    EXPECT_EQ(::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&at), &size), 0);
    port_ = ntohs(at.sin_port);
  }
  ~RawListener() { ::close(descriptor_); }
  RawListener(RawListener&&) = delete;
  RawListener& operator=(RawListener&&) = delete;

  std::uint16_t port() const { return port_; }
  /// Empty once it has been stopped, which any thread may do.
  std::optional<RawSocket> accept() {
    const auto descriptor = ::accept(descriptor_, nullptr, nullptr);
    if (descriptor < 0) return std::nullopt;
    return std::optional<RawSocket>(std::in_place, RawSocket::Descriptor{descriptor});
  }
  void stop() { ::shutdown(descriptor_, SHUT_RDWR); }

 private:
  int descriptor_;
  std::uint16_t port_ = 0;
};

}  // namespace neph::wire
