// A port and the threads of its connections, alike for HTTP and gRPC.
#pragma once

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/clock.hpp"
#include "os/descriptors.hpp"
#include "os/thread.hpp"
#include "wire/listening.hpp"
#include "wire/service.hpp"
#include "wire/stream.hpp"
#include "wire/work_pool.hpp"

namespace neph::wire {

/// What the connections of one thread share.
template <class Connection, class Options>
struct ConnectionThread {
  Service& service;
  const Options& options;
  const Clock& clock;
  boost::asio::thread_pool& slow;                    ///< for answers that take long
  boost::asio::thread_pool& cpu_pool;                ///< for what would hold up the other connections
  boost::asio::thread_pool& handshake_pool;          ///< for handshakes, which wait for nothing else
  TlsContext* tls = nullptr;                         ///< null: in the clear
  std::unordered_set<Connection*> connections = {};  ///< of this thread only
  std::atomic<std::int64_t> count{0};
  bool stopping = false;
  boost::asio::io_context io{1};  ///< last: what it still holds when it goes uses the above
};

/// Connection has begin(), check_timeouts(now), idle_since(), close() and wind_down(), all called on its
/// thread, and counts itself in its thread's `connections` and `count`. Options has address, port, threads,
/// max_connections and tls.
template <class Connection, class Options>
class TcpListener {
  using tcp = boost::asio::ip::tcp;
  using Code = boost::system::error_code;

 public:
  /// Of the threads' names: "http" makes http-0, http-1, ...
  TcpListener(std::string role, Service& service, const Options& options, const Clock& clock)
      : role_(std::move(role)), options_(options), clock_(clock) {
    const auto threads = std::max<std::int64_t>(1, options.threads);
    for (std::int64_t i = 0; i < threads; ++i) {
      workers_.push_back(
          std::make_unique<Worker>(service, options_, clock, slow_, cpu_pool_, handshake_pool_));
      workers_.back()->most_connections = std::max<std::int64_t>(1, options.max_connections / threads);
    }
    acceptor_.emplace(workers_.front()->io);
    pause_.emplace(workers_.front()->io);
  }
  ~TcpListener() { stop(clock_.now()); }

  /// `tls` is null in the clear. Errors: those of listen_on, and of start_threads.
  Status start(std::unique_ptr<TlsContext> tls) {
    tls_ = std::move(tls);
    for (auto& worker : workers_) worker->tls = tls_.get();
    NEPH_CHECK(listen_on(options_.address, options_.port, *acceptor_));
    Code error;
    port_ = acceptor_->local_endpoint(error).port();
    NEPH_CHECK(slow_.begin(role_ + "-slow", 1));
    NEPH_CHECK(cpu_pool_.begin(role_ + "-cpu", 2));
    NEPH_CHECK(handshake_pool_.begin(role_ + "-tls", 1));
    for (auto& worker : workers_) worker->tick();
    NEPH_TRY(threads_, start_threads(role_, static_cast<std::int64_t>(workers_.size()),
                                     [this](std::int64_t i, const std::stop_token&) {
                                       workers_[static_cast<std::size_t>(i)]->run();
                                     }));
    boost::asio::post(workers_.front()->io, [this] { accept(); });
    return {};
  }

  std::uint16_t port() const { return port_; }

  std::int64_t connections() const {
    std::int64_t sum = 0;
    for (const auto& worker : workers_) sum += worker->count;
    return sum;
  }

  /// Takes no new connection, lets each end behind what is under way, and cuts off what is left at `until`.
  void stop(Moment until) {
    if (stopped_.exchange(true)) return;
    boost::asio::post(workers_.front()->io, [this] {
      Code ignored;
      acceptor_->close(ignored);
      pause_->cancel();
    });
    for (auto& worker : workers_) boost::asio::post(worker->io, [&worker = *worker] { worker.wind_down(); });
    wait_for_none(until);
    for (auto& worker : workers_) boost::asio::post(worker->io, [&worker = *worker] { worker.close_all(); });
    wait_for_none(clock_.now() + farewell);
    for (auto& worker : workers_) worker->io.stop();
    threads_.clear();
    for (auto* pool : {&cpu_pool_, &handshake_pool_}) pool->end();
    slow_.finish();
  }

 private:
  static constexpr auto clock_interval = std::chrono::milliseconds(500);
  static constexpr Nanoseconds farewell = std::chrono::seconds(1);  // for handlers to run that were cut off
  static constexpr auto full_pause =
      std::chrono::milliseconds(100);  // after an accept that found no descriptor free
  static constexpr rlim_t most_left_to_others = 64;

  using Thread = ConnectionThread<Connection, Options>;

  /// A thread with its connections, and a look at the clock for them.
  struct Worker : Thread {
    Worker(Service& service_, const Options& options_, const Clock& clock_, boost::asio::thread_pool& slow_,
           boost::asio::thread_pool& cpu_pool_, boost::asio::thread_pool& handshake_pool_)
        : Thread{service_, options_, clock_, slow_, cpu_pool_, handshake_pool_} {}

    template <class Visit>
    void each(Visit visit) {
      const std::vector<Connection*> all(this->connections.begin(), this->connections.end());
      for (auto* connection : all)
        if (this->connections.contains(connection)) visit(*connection);
    }

    void tick() {
      timer.expires_after(clock_interval);
      timer.async_wait([this](Code error) {
        if (error) return;
        const auto now = this->clock.now();
        each([&](Connection& connection) { connection.check_timeouts(now); });
        tick();
      });
    }

    /// Takes a connection. One too many: the one that has waited for a request for longest goes, if one
    /// waits.
    void take(tcp::socket socket) {
      if (this->stopping) return;
      std::make_shared<Connection>(*this, std::move(socket))->begin();
      if (static_cast<std::int64_t>(this->connections.size()) > most_connections) make_room();
    }

    /// One that was closed before still counts until its last handler has run, but does not wait any more.
    void make_room() {
      const auto order = [](Connection* a, Connection* b) {
        return a->idle_since().value_or(Moment::max()) < b->idle_since().value_or(Moment::max());
      };
      const auto longest = std::min_element(this->connections.begin(), this->connections.end(), order);
      if (longest != this->connections.end() && (*longest)->idle_since()) (*longest)->close();
    }

    /// A handler that finds no memory loses its connection, and no other.
    void run() {
      for (;;) try {
          this->io.run();
          return;
        } catch (const std::exception&) {
        }
    }

    void close_all() {
      each([](Connection& connection) { connection.close(); });
    }

    void wind_down() {
      this->stopping = true;
      each([](Connection& connection) { connection.wind_down(); });
    }

    std::int64_t most_connections = 1;
    boost::asio::steady_timer timer{this->io};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard{this->io.get_executor()};
  };

  void wait_for_none(Moment until) const {
    constexpr auto glance = std::chrono::milliseconds(2);
    while (connections() > 0 && clock_.now() < until)
      clock_.sleep_until(std::min(until, clock_.now() + Nanoseconds(glance)));
  }

  /// The system gives the lowest descriptor that is free: a high one means that those below are taken.
  static bool is_left_to_others(int descriptor) {
    const auto most = most_descriptors();
    return static_cast<rlim_t>(descriptor) >= most - std::min(most_left_to_others, most / 4);
  }

  void accept() {
    auto& worker = *workers_[next_++ % workers_.size()];
    acceptor_->async_accept(worker.io, [this, &worker](Code error, tcp::socket socket) {
      if (error == boost::asio::error::operation_aborted || stopped_) return;
      if (error) return accept_later();
      if (Connection::leaves_descriptors && is_left_to_others(socket.native_handle())) {
        socket.close(error);
      } else {
        boost::asio::post(
            worker.io, [&worker, socket = std::move(socket)]() mutable { worker.take(std::move(socket)); });
      }
      accept();
    });
  }

  /// No descriptor is free, or the client had gone: neither is a reason to end, nor to try without a pause.
  void accept_later() {
    for (auto& each : workers_) boost::asio::post(each->io, [&each = *each] { each.make_room(); });
    pause_->expires_after(full_pause);
    pause_->async_wait([this](Code error) {
      if (!error) accept();
    });
  }

  const std::string role_;
  const Options options_;
  const Clock& clock_;
  std::unique_ptr<TlsContext> tls_;
  WorkPool slow_, cpu_pool_, handshake_pool_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::jthread> threads_;
  std::optional<tcp::acceptor> acceptor_;
  std::optional<boost::asio::steady_timer> pause_;
  std::size_t next_ = 0;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopped_{false};
};

}  // namespace neph::wire
