// A bare Beast server that answers inference requests without looking at them: what HTTP itself costs.
//
//   bare_http_echo [sink]      prints its port; serves until its standard input ends
//
// Replies to POST with the body's bytes behind the JSON; `sink`: with 4000 bytes, whatever came.
#include <array>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/vector_body.hpp>
#include <charconv>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>  // before Asio: Boost 1.74 uses std::exchange without it
#include <vector>

#include <fmt/format.h>

#include "os/memory.hpp"

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(tcp::socket socket, bool sink) : socket_(std::move(socket)), sink_(sink) {
    socket_.set_option(tcp::no_delay(true));
    buffer_.reserve(1 << 16);
  }

  void read() {
    parser_.emplace();
    parser_->body_limit(1U << 30);
    http::async_read(socket_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) {
                       if (!error) self->answer();
                     });
  }

 private:
  void answer() {
    static const std::vector<char> fixed(4000, 'x');
    const auto& body = parser_->get().body();
    std::size_t json_bytes = body.size();
    const auto header = parser_->get()["Inference-Header-Content-Length"];
    std::from_chars(header.data(), header.data() + header.size(), json_bytes);
    const asio::const_buffer tensor =
        sink_ ? asio::buffer(fixed) : asio::buffer(body) + std::min(json_bytes, body.size());
    json_ = fmt::format(
        R"({{"model_name":"identity","model_version":"1","outputs":[{{"name":"y","datatype":"FP32",)"
        R"("shape":[1,{}],"parameters":{{"binary_data_size":{}}}}}]}})",
        tensor.size() / 4, tensor.size());
    head_ = fmt::format(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nInference-Header-Content-Length: {}\r\n"
        "Content-Type: application/octet-stream\r\n\r\n",
        json_.size() + tensor.size(), json_.size());
    out_ = {asio::buffer(head_), asio::buffer(json_), tensor};
    asio::async_write(socket_, out_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (!error) self->read();
    });
  }

  tcp::socket socket_;
  bool sink_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::vector_body<char>>> parser_;
  std::string json_, head_;
  std::array<asio::const_buffer, 3> out_;
};

void accept(tcp::acceptor& acceptor, std::vector<std::unique_ptr<asio::io_context>>& threads, bool sink,
            std::size_t next = 0) {
  acceptor.async_accept(*threads[next % threads.size()],
                        [&, sink, next](beast::error_code error, tcp::socket socket) {
                          if (!error) {
                            auto connection = std::make_shared<Connection>(std::move(socket), sink);
                            asio::post(*threads[next % threads.size()], [connection] { connection->read(); });
                          }
                          accept(acceptor, threads, sink, next + 1);
                        });
}

}  // namespace

int main(int count, char** words) {
  neph::keep_heap();
  std::vector<std::unique_ptr<asio::io_context>> threads;
  for (int i = 0; i < 2; ++i) threads.push_back(std::make_unique<asio::io_context>(1));
  tcp::acceptor acceptor(*threads[0], tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  accept(acceptor, threads, count > 1 && std::string(words[1]) == "sink");
  std::vector<std::jthread> running;
  for (auto& io : threads)
    running.emplace_back([&io] {
      const auto working = asio::make_work_guard(*io);
      io->run();
    });
  std::cout << acceptor.local_endpoint().port() << std::endl;
  std::cin.ignore(1 << 30, EOF);
  for (auto& io : threads) io->stop();
}
