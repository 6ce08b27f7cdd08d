#include "wire/http/listener.hpp"

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <thread>
#include <vector>

#include "os/thread.hpp"
#include "wire/http/connection.hpp"
#include "wire/listening.hpp"

namespace neph::wire {
namespace {

using tcp = asio::ip::tcp;
using Code = boost::system::error_code;

constexpr auto clock_interval = std::chrono::milliseconds(500);
constexpr Nanoseconds farewell = std::chrono::seconds(1);    // for handlers to run that were cut off
constexpr auto full_pause = std::chrono::milliseconds(100);  // after an accept that found no descriptor free

/// A thread with its connections, and a look at the clock for them.
struct Worker : HttpThread {
  Worker(Service& service_, const HttpOptions& options_, const Clock& clock_, asio::thread_pool& slow_,
         asio::thread_pool& cpu_pool_, asio::thread_pool& handshake_pool_)
      : HttpThread{service_, options_, clock_, slow_, cpu_pool_, handshake_pool_} {}

  void tick() {
    timer.expires_after(clock_interval);
    timer.async_wait([this](Code error) {
      if (error) return;
      const auto now = clock.now();
      const std::vector<HttpConnection*> all(connections.begin(), connections.end());
      for (auto* connection : all) connection->check_timeouts(now);
      tick();
    });
  }

  /// Takes a connection. One too many: the one that has waited for a request for longest goes, if one waits.
  void take(tcp::socket socket) {
    if (stopping) return;
    std::make_shared<HttpConnection>(*this, std::move(socket))->begin();
    if (static_cast<std::int64_t>(connections.size()) > most_connections) make_room();
  }

  /// One that was closed before still counts until its last handler has run, but does not wait any more.
  void make_room() {
    const auto order = [](HttpConnection* a, HttpConnection* b) {
      return a->idle_since().value_or(Moment::max()) < b->idle_since().value_or(Moment::max());
    };
    const auto longest = std::min_element(connections.begin(), connections.end(), order);
    if (longest != connections.end() && (*longest)->idle_since()) (*longest)->close();
  }

  /// A handler that finds no memory loses its connection, and no other.
  void run() {
    for (;;) try {
        io.run();
        return;
      } catch (const std::exception&) {
      }
  }

  void close_all() {
    const std::vector<HttpConnection*> all(connections.begin(), connections.end());
    for (auto* connection : all) connection->close();
  }

  void wind_down() {
    stopping = true;
    const std::vector<HttpConnection*> all(connections.begin(), connections.end());
    for (auto* connection : all) connection->wind_down();
  }

  std::int64_t most_connections = 1;
  asio::steady_timer timer{io};
  asio::executor_work_guard<asio::io_context::executor_type> guard{io.get_executor()};
  std::jthread thread;
};

/// Threads whose work holds connections: what was cut off must go while the connections' threads are there.
struct ConnectionWork : asio::thread_pool {
  using asio::thread_pool::thread_pool;
  void end() {
    stop();
    join();
    shutdown();
  }
};

class Listener final : public HttpListener {
 public:
  Listener(Service& service, const HttpOptions& options, const Clock& clock)
      : options_(options), clock_(clock) {
    const auto threads = std::max<std::int64_t>(1, options.threads);
    for (std::int64_t i = 0; i < threads; ++i) {
      workers_.push_back(
          std::make_unique<Worker>(service, options_, clock, slow_, cpu_pool_, handshake_pool_));
      workers_.back()->most_connections = std::max<std::int64_t>(1, options.max_connections / threads);
    }
    acceptor_.emplace(workers_.front()->io);
    pause_.emplace(workers_.front()->io);
  }
  ~Listener() override { stop(clock_.now()); }

  Status listen() {
    NEPH_TRY(tls_, tls_context(options_.tls));
    for (auto& worker : workers_) worker->tls = tls_.get();
    NEPH_CHECK(listen_on(options_.address, options_.port, *acceptor_));
    Code error;
    port_ = acceptor_->local_endpoint(error).port();
    return {};
  }

  void run() {
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      auto& worker = *workers_[i];
      worker.tick();
      worker.thread =
          start_thread(fmt::format("http-{}", i), [&worker](const std::stop_token&) { worker.run(); });
    }
    asio::post(workers_.front()->io, [this] { accept(); });
  }

  std::uint16_t port() const override { return port_; }

  std::int64_t connections() const override {
    std::int64_t sum = 0;
    for (const auto& worker : workers_) sum += worker->count;
    return sum;
  }

  void stop(Moment until) override {
    if (stopped_.exchange(true)) return;
    asio::post(workers_.front()->io, [this] {
      Code ignored;
      acceptor_->close(ignored);
      pause_->cancel();
    });
    for (auto& worker : workers_) asio::post(worker->io, [&worker = *worker] { worker.wind_down(); });
    wait_for_none(until);
    for (auto& worker : workers_) asio::post(worker->io, [&worker = *worker] { worker.close_all(); });
    wait_for_none(clock_.now() + farewell);
    for (auto& worker : workers_) worker->io.stop();
    for (auto& worker : workers_)
      if (worker->thread.joinable()) worker->thread.join();
    for (auto* pool : {&cpu_pool_, &handshake_pool_}) pool->end();
    slow_.join();
  }

 private:
  void wait_for_none(Moment until) const {
    constexpr auto glance = std::chrono::milliseconds(2);
    while (connections() > 0 && clock_.now() < until)
      clock_.sleep_until(std::min(until, clock_.now() + Nanoseconds(glance)));
  }

  void accept() {
    auto& worker = *workers_[next_++ % workers_.size()];
    acceptor_->async_accept(worker.io, [this, &worker](Code error, tcp::socket socket) {
      if (error == asio::error::operation_aborted || stopped_) return;
      if (error) return accept_later();
      asio::post(worker.io,
                 [&worker, socket = std::move(socket)]() mutable { worker.take(std::move(socket)); });
      accept();
    });
  }

  /// No descriptor is free, or the client had gone: neither is a reason to end, nor to try without a pause.
  void accept_later() {
    for (auto& each : workers_) asio::post(each->io, [&each = *each] { each.make_room(); });
    pause_->expires_after(full_pause);
    pause_->async_wait([this](Code error) {
      if (!error) accept();
    });
  }

  const HttpOptions options_;
  const Clock& clock_;
  std::unique_ptr<TlsContext> tls_;
  asio::thread_pool slow_{1};
  ConnectionWork cpu_pool_{2}, handshake_pool_{1};
  std::vector<std::unique_ptr<Worker>> workers_;
  std::optional<tcp::acceptor> acceptor_;
  std::optional<asio::steady_timer> pause_;
  std::size_t next_ = 0;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopped_{false};
};

}  // namespace

Result<std::unique_ptr<HttpListener>> HttpListener::start(Service& service, const HttpOptions& options,
                                                          const Clock& clock) {
  auto listener = std::make_unique<Listener>(service, options, clock);
  NEPH_CHECK(listener->listen());
  listener->run();
  return listener;
}

}  // namespace neph::wire
