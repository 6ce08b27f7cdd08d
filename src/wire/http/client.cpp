#include "wire/http/client.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <set>
#include <unordered_set>
#include <utility>  // before Asio: Boost 1.74 uses std::exchange without it
#include <vector>

#include <fmt/format.h>

#include "core/json.hpp"
#include "wire/http/client_connection.hpp"
#include "wire/http/listener.hpp"
#include "wire/http/rest_route.hpp"

namespace neph::wire {
namespace {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;
using Code = boost::system::error_code;

constexpr auto deadline_interval = std::chrono::milliseconds(5);

class HttpClient final : public Client, public HttpClientConnection::Home {
 public:
  HttpClient(Endpoint endpoint, ClientOptions options, const Clock& clock, Ended ended)
      : endpoint_(std::move(endpoint)),
        options_(std::move(options)),
        clock_(clock),
        ended_(std::move(ended)) {}
  ~HttpClient() override {
    ended_ = [](Call&) {};
    abort();
    io_.poll();
  }

  Status open() {
    if (endpoint_.secure) {
      NEPH_TRY(tls_, tls_context(options_.tls));
    }
    Code error;
    tcp::resolver resolver(io_);
    const auto found = resolver.resolve(endpoint_.host, std::to_string(endpoint_.port), error);
    if (error)
      return fail(ErrorCode::unavailable, "{}: no such host ({})", endpoint_.text(), error.message());
    for (const auto& entry : found) addresses_.push_back(entry.endpoint());
    Call first;  // to see that somebody is there: whatever it says, somebody said it
    NEPH_TRY(const auto live, encode_plain("/v2/health/live"));
    first.request = live.get();
    first.deadline = clock_.now() + from_seconds(options_.connect_s);
    const auto status = perform(first);
    const bool spoke = first.first_byte && (status || status.error().code != ErrorCode::corrupt);
    if (!spoke) return fail(status.error().code, "{}: {}", endpoint_.text(), status.error().message);
    knows_binary_ = server_knows_binary();
    return {};
  }

  Result<std::unique_ptr<Outgoing>> encode(const InferRequest& request) const override {
    auto made = std::make_unique<HttpOutgoing>();
    made->is_inference = true;
    if (knows_binary_) {
      NEPH_CHECK(write_body(request, made->body));
    } else {
      auto in_json = request;
      in_json.binary_inputs = false;
      in_json.binary_outputs = false;
      NEPH_CHECK(write_body(in_json, made->body));
    }
    const auto version = request.version.empty() ? "" : "/versions/" + path_segment(request.version);
    made->head = fmt::format(
        "POST /v2/models/{}{}/infer HTTP/1.1\r\nHost: {}\r\n{}{}: 1\r\nContent-Type: {}\r\n{}Content-Length: "
        "{}\r\n\r\n",
        path_segment(request.model), version, endpoint_.address(), authorization(), note_arrivals_header,
        made->body.has_binary() ? "application/octet-stream" : "application/json",
        made->body.has_binary()
            ? fmt::format("Inference-Header-Content-Length: {}\r\n", made->body.json.size())
            : "",
        made->body.bytes());
    made->pieces = {asio::buffer(made->head), asio::buffer(made->body.json)};
    for (const auto& part : made->body.data) made->pieces.push_back(asio::buffer(part.data(), part.size()));
    return std::unique_ptr<Outgoing>(std::move(made));
  }

  void send(Call& call) override {
    if (call.deadline) watch_deadlines();
    if (idle_.empty()) {
      connections_.push_back(std::make_unique<HttpClientConnection>(*this, io_));
      idle_.push_back(connections_.back().get());
    }
    auto* connection = idle_.back();
    idle_.pop_back();
    busy_.insert(connection);
    connection->carry(call);
  }

  void run_until(Moment moment, const std::function<bool()>& enough) override {
    io_.restart();
    while (!enough() && clock_.now() < moment) {
      const auto left = moment - clock_.now();
      if (io_.run_one_for(left) == 0) {
        if (io_.stopped()) io_.restart();
        if (busy_.empty()) clock_.sleep_until(moment);  // nothing is under way that could end
      }
    }
  }

  void wake() override {
    asio::post(io_, [] {});
  }

  Status decode(const Call& call, InferReply& reply) const override {
    NEPH_CHECK(read_body(std::as_bytes(std::span(call.reply)), call.json_bytes, reply));
    return check_outputs(reply, call.reply);
  }

  std::int64_t stray_replies(Nanoseconds wait) override {
    for (const auto& connection : connections_) connection->acknowledge();
    clock_.sleep_until(clock_.now() + wait);
    std::int64_t count = 0;
    for (const auto& connection : connections_) {
      if (connection->call() == nullptr && connection->quiet()) connection->look();
      count += connection->stray_replies();
    }
    return count;
  }

  void abort() override {
    const std::vector<HttpClientConnection*> all(busy_.begin(), busy_.end());
    for (auto* connection : all) connection->close();
  }

  Result<ModelMetadata> model_metadata(const std::string& model) override {
    NEPH_TRY(const auto text, get("/v2/models/" + path_segment(model)));
    NEPH_TRY(const Json json, parse_json(text, endpoint_.text()));
    return metadata_of(json);
  }

  Result<std::int64_t> max_batch_size(const std::string& model) override {
    NEPH_TRY(const auto text, get("/v2/models/" + path_segment(model) + "/config"));
    NEPH_TRY(const Json json, parse_json(text, endpoint_.text()));
    const auto most = json.find("max_batch_size");
    return most != json.end() && most->is_number_integer() ? most->get<std::int64_t>() : 0;
  }

  /// By the repository's index; KServe's Python server has a list of names in its place.
  Result<std::vector<std::string>> models() override {
    auto text = fetch("/v2/repository/index", R"({"ready":true})");
    if (!text) text = get("/v2/models");
    if (!text) return tl::unexpected(text.error());
    NEPH_TRY(const Json json, parse_json(*text, endpoint_.text()));
    const auto* list = json.is_object() && json.contains("models") ? &json["models"] : &json;
    if (!list->is_array()) return fail(ErrorCode::corrupt, "{}: no list of models", endpoint_.text());
    std::set<std::string> names;
    for (const auto& entry : *list) {
      const Json name = entry.is_object() ? entry.value("name", Json()) : entry;
      const Json state = entry.is_object() ? entry.value("state", Json()) : Json();
      const bool is_ready = !state.is_string() || state == "READY";
      if (is_ready && name.is_string()) names.insert(name.get<std::string>());
    }
    return std::vector<std::string>(names.begin(), names.end());
  }

  Status ready(const std::string& model) override {
    NEPH_TRY(const auto text,
             get(model.empty() ? "/v2/health/ready" : "/v2/models/" + path_segment(model) + "/ready"));
    const auto json = parse_json(text, endpoint_.text());  // most have nothing more to say than 200
    if (json && json->is_object() && json->value("ready", Json(true)) == false)
      return fail(ErrorCode::unavailable, R"("ready": false)");
    return {};
  }

  Result<std::string> get(const std::string& target) override { return fetch(target); }

 private:
  /// With `content` it is posted there.
  Result<std::string> fetch(const std::string& target, std::string_view content = {}) {
    NEPH_TRY(const auto request, encode_plain(target, content));
    Call call;
    call.request = request.get();
    call.keeps_reply = true;
    call.deadline = clock_.now() + from_seconds(options_.connect_s);
    NEPH_CHECK(perform(call));
    return std::move(call.reply);
  }

  // ---- For connections

  const std::vector<tcp::endpoint>& addresses() const override { return addresses_; }
  Moment now() const override { return clock_.now(); }
  TlsContext* tls() const override { return tls_.get(); }
  const std::string& server_name() const override {
    return options_.tls.server_name.empty() ? endpoint_.host : options_.tls.server_name;
  }
  void ended(HttpClientConnection& connection, Call& call) override {
    busy_.erase(&connection);
    if (connection.quiet()) idle_.push_back(&connection);
    if (&call == own_call_)
      own_call_ = nullptr;
    else
      ended_(call);
  }

  void settled(HttpClientConnection& connection) override { idle_.push_back(&connection); }

  // ---- Its own

  std::string authorization() const {
    return options_.bearer_token.empty() ? ""
                                         : fmt::format("Authorization: Bearer {}\r\n", options_.bearer_token);
  }

  Result<std::unique_ptr<Outgoing>> encode_plain(std::string_view target,
                                                 std::string_view content = {}) const {
    auto made = std::make_unique<HttpOutgoing>();
    const auto about =
        fmt::format("Content-Type: application/json\r\nContent-Length: {}\r\n", content.size());
    made->head =
        fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n{}{}\r\n{}", content.empty() ? "GET" : "POST", target,
                    endpoint_.address(), authorization(), content.empty() ? "" : about, content);
    made->pieces = {asio::buffer(made->head)};
    return std::unique_ptr<Outgoing>(std::move(made));
  }

  /// A call of the client's own, to its end.
  Status perform(Call& call) {
    own_call_ = &call;
    send(call);
    while (own_call_ != nullptr) {
      if (options_.stop.stop_requested()) abort();
      run_until(clock_.now() + deadline_interval, [&] { return own_call_ == nullptr; });
    }
    return call.outcome;
  }

  /// Tensors as bytes are an extension, which MLServer for one does not have: such a server gets numbers. One
  /// that does not say what it knows is taken to know it.
  bool server_knows_binary() {
    const auto text = get("/v2");
    const auto about = text ? parse_json(*text, endpoint_.text()) : Result<Json>(Json());
    if (!about || !about->is_object()) return true;
    const auto extensions = about->value("extensions", Json());
    if (extensions.is_null()) return true;
    return std::find(extensions.begin(), extensions.end(), "binary_tensor_data") != extensions.end();
  }

  /// Others may add more than we know, and write null for what is absent: only what is wanted here is read.
  Result<ModelMetadata> metadata_of(const Json& json) const {
    const auto known = [](const Json& from, std::initializer_list<const char*> keys) {
      auto kept = Json::object();
      for (const auto* key : keys)
        if (const auto found = from.find(key); found != from.end() && !found->is_null()) kept[key] = *found;
      return kept;
    };
    const auto what = endpoint_.text() + ": metadata of the model";
    if (!json.is_object()) return fail(ErrorCode::corrupt, "{}: not a JSON object", what);
    auto kept = known(json, {"name", "versions", "platform", "inputs", "outputs"});
    for (const auto* list : {"inputs", "outputs"})
      if (kept.contains(list) && kept[list].is_array())
        for (auto& port : kept[list])
          if (port.is_object()) port = known(port, {"name", "datatype", "shape"});
    return from_json<ModelMetadata>(kept, what);
  }

  /// One timer for all calls: looks at each every few milliseconds.
  void watch_deadlines() {
    if (std::exchange(watching_, true)) return;
    timer_.expires_after(deadline_interval);
    timer_.async_wait([this](Code error) {
      watching_ = false;
      if (error) return;
      const auto at = clock_.now();
      std::vector<HttpClientConnection*> late;
      bool any = false;
      for (auto* connection : busy_) {
        const auto& deadline = connection->call()->deadline;
        any |= deadline.has_value();
        if (deadline && at >= *deadline) late.push_back(connection);
      }
      for (auto* connection : late) connection->close();
      if (any) watch_deadlines();
    });
  }

  const Endpoint endpoint_;
  const ClientOptions options_;
  const Clock& clock_;
  Ended ended_;
  std::unique_ptr<TlsContext> tls_;  ///< null: in the clear
  asio::io_context io_{1};
  asio::steady_timer timer_{io_};
  std::vector<tcp::endpoint> addresses_;
  std::vector<std::unique_ptr<HttpClientConnection>> connections_;
  std::vector<HttpClientConnection*> idle_;
  std::unordered_set<HttpClientConnection*> busy_;
  Call* own_call_ = nullptr;
  bool watching_ = false;
  bool knows_binary_ = true;  ///< the server takes tensors as bytes
};

}  // namespace

Result<std::unique_ptr<Client>> connect_http(const Endpoint& endpoint, const ClientOptions& options,
                                             const Clock& clock, Client::Ended ended) {
  auto client = std::make_unique<HttpClient>(endpoint, options, clock, std::move(ended));
  NEPH_CHECK(client->open());
  return client;
}

}  // namespace neph::wire
