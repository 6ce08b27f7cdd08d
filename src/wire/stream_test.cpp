#include "wire/stream.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <thread>

#include <gtest/gtest.h>

namespace neph::wire {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using namespace std::chrono_literals;

/// Both ends of a connection of the loopback.
class Streams : public testing::Test {
 protected:
  Streams() {
    tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
    other.connect(acceptor.local_endpoint());
    acceptor.accept(stream.socket());
  }
  void send(std::string_view text) { asio::write(other, asio::buffer(text)); }
  /// What the next read gives, or its error in words.
  std::string read() {
    begin_to_read();
    return end_reading();
  }
  void begin_to_read() {
    stream.async_read_noted(asio::buffer(buffer), [this](Stream::Code error, std::size_t bytes) {
      said = error ? error.message() : std::string(buffer.data(), bytes);
    });
  }
  std::string end_reading() {
    io.restart();
    io.run();
    return said;
  }

  /// The kernel may begin a while after it was asked.
  void wait_for_notes() {
    const auto end = std::chrono::steady_clock::now() + 5s;
    do {
      send("?");
      read();
    } while (stream.waited() == 0ms && std::chrono::steady_clock::now() < end);
  }

  asio::io_context io;
  Stream stream{io};
  tcp::socket other{io};
  std::array<char, 64> buffer{};
  std::string said;
};

TEST_F(Streams, TellHowLongBytesLayInTheSocket) {
  stream.note_arrivals();
  wait_for_notes();
  send("first");
  const auto sent = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() < sent + 3ms) std::this_thread::yield();
  EXPECT_EQ(read(), "first");
  EXPECT_GE(stream.waited(), 3ms);
  EXPECT_LE(stream.waited(), std::chrono::steady_clock::now() - sent + 1ms);
  const auto begun = std::chrono::steady_clock::now();
  begin_to_read();
  send("second");
  EXPECT_EQ(end_reading(), "second");
  EXPECT_GT(stream.waited(), 0ms) << "somebody had to wake up";
  EXPECT_LE(stream.waited(), std::chrono::steady_clock::now() - begun + 1ms);
}

TEST_F(Streams, TellNothingWhereArrivalsAreNotNoted) {
  send("first");
  EXPECT_EQ(read(), "first");
  EXPECT_EQ(stream.waited(), 0ms);
}

TEST_F(Streams, ReadAsOftenAsThereIsSomethingAndThenTheEnd) {
  stream.note_arrivals();
  send(std::string(buffer.size() + 8, 'a'));
  EXPECT_EQ(read(), std::string(buffer.size(), 'a'));
  EXPECT_EQ(read(), std::string(8, 'a'));
  other.close();
  EXPECT_EQ(read(), Stream::Code(asio::error::eof).message());
}

TEST_F(Streams, GiveUpReadingWhenClosed) {
  begin_to_read();
  stream.close();
  EXPECT_EQ(end_reading(), Stream::Code(asio::error::operation_aborted).message());
}

}  // namespace
}  // namespace neph::wire
