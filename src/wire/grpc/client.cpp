#include "wire/grpc/client.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <grpc/support/log.h>
#include <grpcpp/alarm.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include "os/thread.hpp"
#include "wire/grpc/status.hpp"
#include "wire/protobuf/described.hpp"
#include "wire/protobuf/infer_message.hpp"
#include "wire/timing.hpp"

namespace neph::wire {
namespace {

constexpr int most_reply_bytes = 1 << 30;  // as over HTTP

std::string path_of(std::string_view method) {
  return fmt::format("/inference.GRPCInferenceService/{}", method);
}

/// The serialised message: sending it again takes a reference, not a copy.
struct GrpcOutgoing final : Outgoing {
  grpc::ByteBuffer message;
};

/// What comes out of the completion queue.
struct Event {
  bool is_wake = false;
};

/// Nothing but a reason to look up.
struct Wake : Event {
  Wake() : Event{.is_wake = true} {}
  grpc::Alarm alarm;
};

/// What the library needs of a call until it has ended.
struct Operation : Event {
  Call* call = nullptr;
  grpc::ClientContext context;
  grpc::ByteBuffer reply;
  grpc::Status status;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader;
};

std::chrono::system_clock::time_point system_time(Moment moment, const Clock& clock) {
  return std::chrono::system_clock::now() +
         std::chrono::duration_cast<std::chrono::microseconds>(moment - clock.now());
}

std::string_view view_of(const grpc::Slice& slice) {
  return {reinterpret_cast<const char*>(slice.begin()), slice.size()};
}

/// What stands before the first raw contents of a ModelInferResponse of `bytes` that begins so; empty where
/// they do not reach its end.
std::string_view before_contents(std::string_view begin, std::size_t bytes) {
  constexpr std::uint64_t raw_contents = 6 << 3 | protobuf::delimited;
  for (auto rest = begin; !rest.empty();) {
    auto content = rest;
    if (protobuf::take_varint(content) == raw_contents) {
      const auto length = protobuf::take_varint(content);
      const auto before = begin.size() - content.size();
      return length == bytes - before ? begin.substr(0, before) : std::string_view();
    }
    if (!protobuf::take_field(rest)) break;
  }
  return {};
}

void join(const grpc::ByteBuffer& buffer, std::string& text) {
  std::vector<grpc::Slice> slices;
  text.clear();
  if (!buffer.Dump(&slices).ok()) return;
  text.reserve(buffer.Length());
  for (const auto& slice : slices) text += view_of(slice);
}

/// A copy of the message, whose tensors may go.
grpc::Slice slice_of(const OutgoingMessage& message) {
  const auto bytes = message.bytes();
  auto* const copy = static_cast<std::byte*>(std::malloc(std::max<std::size_t>(1, bytes)));
  if (copy == nullptr) throw std::bad_alloc();  // gRPC's own memory would end the process
  auto* to = copy;
  for (const auto& piece : message.pieces) to = std::copy(piece.begin(), piece.end(), to);
  return {copy, bytes, std::free};
}

/// A connection that ended under a call. The library gives it the status of a server that refuses for now;
/// only its words differ.
bool is_cut_off(const grpc::Status& status) {
  const auto& words = status.error_message();
  return status.error_code() == grpc::StatusCode::UNAVAILABLE &&
         (words == "Socket closed" || words.starts_with("recvmsg:") || words.starts_with("sendmsg:"));
}

Result<std::shared_ptr<grpc::ChannelCredentials>> credentials_of(const Endpoint& endpoint,
                                                                 const TlsClient& tls) {
  if (!endpoint.secure) return grpc::InsecureChannelCredentials();
  NEPH_TRY(auto texts, read_tls(tls));
  return grpc::SslCredentials({std::move(texts.ca), std::move(texts.key), std::move(texts.certificate)});
}

/// A channel with a connection of its own, which sends what it is given once: the library's own retries would
/// hide failures from who counts them, and take a tenth of the processor time of a small request. Of what is
/// optional only deadlines and the reading of compressed replies are kept.
grpc::ChannelArguments arguments_of(const ClientOptions& options) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(most_reply_bytes);
  arguments.SetMaxSendMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_MINIMAL_STACK, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_DEADLINE_CHECKS, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 1);
  if (!options.tls.server_name.empty()) arguments.SetSslTargetNameOverride(options.tls.server_name);
  return arguments;
}

class GrpcClient final : public Client {
 public:
  GrpcClient(Endpoint endpoint, ClientOptions options, const Clock& clock, Ended ended)
      : endpoint_(std::move(endpoint)),
        options_(std::move(options)),
        clock_(clock),
        ended_(std::move(ended)) {}
  ~GrpcClient() override {
    ended_ = [](Call&) {};
    abort();
    queue_.Shutdown();
    void* tag = nullptr;
    for (bool ok = false; queue_.Next(&tag, &ok);) take(tag);
  }

  Status open() {
    gpr_set_log_function([](gpr_log_func_args*) {});  // its errors come back as ours, and only cli talks
    NEPH_TRY(const auto credentials, credentials_of(endpoint_, options_.tls));
    for (std::int64_t i = 0; i < std::max<std::int64_t>(1, options_.channels); ++i) {
      auto channel =
          grpc::CreateCustomChannel("dns:///" + endpoint_.address(), credentials, arguments_of(options_));
      NEPH_CHECK(greet(channel));
      stubs_.push_back(std::make_unique<grpc::GenericStub>(channel));
      channels_.push_back(std::move(channel));
    }
    return {};
  }

  Result<std::unique_ptr<Outgoing>> encode(const InferRequest& request) const override {
    OutgoingMessage message;
    write_infer_request(request, message);
    const auto slice = slice_of(message);
    auto made = std::make_unique<GrpcOutgoing>();
    made->message = grpc::ByteBuffer(&slice, 1);
    return std::unique_ptr<Outgoing>(std::move(made));
  }

  void send(Call& call) override {
    auto* operation = new Operation;
    operation->call = &call;
    in_flight_.insert(operation);
    authorise(operation->context);
    if (call.deadline) operation->context.set_deadline(system_time(*call.deadline, clock_));
    auto& stub = *stubs_[next_++ % stubs_.size()];
    call.sent = clock_.now();
    call.first_byte.reset();
    operation->reader = stub.PrepareUnaryCall(
        &operation->context, infer_method_, static_cast<const GrpcOutgoing&>(*call.request).message, &queue_);
    operation->reader->StartCall();
    operation->reader->Finish(&operation->reply, &operation->status, static_cast<Event*>(operation));
  }

  void run_until(Moment moment, const std::function<bool()>& enough) override {
    while (!enough() && clock_.now() < moment) {
      void* tag = nullptr;
      bool ok = false;
      const auto next = queue_.AsyncNext(&tag, &ok, system_time(moment, clock_));
      if (next == grpc::CompletionQueue::GOT_EVENT) take(tag);
    }
  }

  void wake() override {
    auto* event = new Wake;  // the queue gives it back
    event->alarm.Set(&queue_, system_time(clock_.now(), clock_), static_cast<Event*>(event));
  }

  Status decode(const Call& call, InferReply& reply) const override {
    NEPH_CHECK(read_infer_reply(call.reply, reply));
    return check_outputs(reply, "");
  }

  void abort() override {
    for (auto* operation : in_flight_) operation->context.TryCancel();
    while (!in_flight_.empty()) {
      void* tag = nullptr;
      bool ok = false;
      if (!queue_.Next(&tag, &ok)) return;
      take(tag);
    }
  }

  Result<std::string> get(const std::string&) override {
    return fail(ErrorCode::unsupported, "{} has no pages; give the address of its HTTP port",
                endpoint_.text());
  }

  Result<ModelMetadata> model_metadata(const std::string& model) override {
    NEPH_TRY(const auto reply, ask("ModelMetadata", named(model)));
    ModelMetadata metadata;
    if (!from_protobuf(reply, metadata)) return malformed("ModelMetadataResponse");
    return metadata;
  }

  Result<std::int64_t> max_batch_size(const std::string& model) override {
    NEPH_TRY(const auto reply, ask("ModelConfig", named(model)));
    const auto config = protobuf::content_of(reply, 1);
    const auto size = protobuf::find_field(config.value_or(""), 4, protobuf::varint);
    return size ? static_cast<std::int32_t>(size->value) : 0;
  }

  Result<std::vector<std::string>> models() override {
    std::string only_ready;
    protobuf::put_number(only_ready, 2, 1);
    NEPH_TRY(const auto reply, ask("RepositoryIndex", only_ready));
    std::set<std::string> names;  // an entry each version
    for (std::string_view rest = reply; !rest.empty();) {
      const auto field = protobuf::take_field(rest);
      RepositoryEntry entry;
      const bool is_entry = field && field->number == 1;
      if (!field || (is_entry && !take_value(*field, entry))) return malformed("RepositoryIndexResponse");
      if (is_entry && (entry.state.empty() || entry.state == "READY")) names.insert(entry.name);
    }
    return std::vector<std::string>(names.begin(), names.end());
  }

  Status ready(const std::string& model) override {
    NEPH_TRY(const auto reply, model.empty() ? ask("ServerReady", "") : ask("ModelReady", named(model)));
    const auto ready = protobuf::find_field(reply, 1, protobuf::varint);
    return ready && ready->value != 0 ? Status() : fail(ErrorCode::unavailable, "ready: false");
  }

 private:
  /// A request whose first field is a model's name.
  static std::string named(const std::string& model) {
    std::string request;
    protobuf::put_field(request, 1, model);
    return request;
  }

  tl::unexpected<Error> malformed(std::string_view type) const {
    return fail(ErrorCode::corrupt, "{}: the reply is not a {}", endpoint_.text(), type);
  }

  /// A call of the client's own, which is waited for.
  std::pair<grpc::Status, std::string> call(const std::shared_ptr<grpc::Channel>& channel,
                                            std::string_view method, const std::string& request) const {
    grpc::ClientContext context;
    authorise(context);
    context.set_deadline(system_time(clock_.now() + from_seconds(options_.connect_s), clock_));
    const std::stop_callback cancel(options_.stop, [&context] { context.TryCancel(); });
    const grpc::Slice slice(request);
    grpc::CompletionQueue queue;
    grpc::ByteBuffer reply;
    grpc::Status status;
    const auto reader = grpc::GenericStub(channel).PrepareUnaryCall(&context, path_of(method),
                                                                    grpc::ByteBuffer(&slice, 1), &queue);
    reader->StartCall();
    reader->Finish(&reply, &status, nullptr);
    void* tag = nullptr;
    bool ok = false;
    queue.Next(&tag, &ok);
    std::string text;
    join(reply, text);
    return {std::move(status), std::move(text)};
  }

  /// The reply in bytes.
  Result<std::string> ask(std::string_view method, const std::string& request) const {
    auto [status, reply] = call(channels_.front(), method, request);
    if (!status.ok()) return tl::unexpected(error_of(status, endpoint_.text()));
    return std::move(reply);
  }

  /// Asks whether somebody is there: a call that fails says why, which waiting for the connection would not.
  Status greet(const std::shared_ptr<grpc::Channel>& channel) const {
    const auto status = call(channel, "ServerLive", "").first;
    if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED)
      return fail(ErrorCode::unavailable, "{}: nobody answers there within {} s", endpoint_.text(),
                  options_.connect_s);
    if (status.error_code() == grpc::StatusCode::UNAVAILABLE)
      return tl::unexpected(error_of(status, endpoint_.text()));
    return {};  // whatever else it says, somebody said it
  }

  /// Of a reply that is not decoded: that outputs are there and that their bytes fit their shapes. One that
  /// differs from the last right one in its only raw contents alone is not read, nor joined.
  Status check(const grpc::ByteBuffer& reply) {
    std::vector<grpc::Slice> slices;
    if (!reply.Dump(&slices).ok() || slices.empty()) slices.assign(1, grpc::Slice());
    const auto around = before_contents(view_of(slices.front()), reply.Length());
    if (!around.empty() && around == right_) return {};
    if (slices.size() > 1) join(reply, joined_);
    checked_.clear();
    NEPH_CHECK(read_infer_reply(slices.size() > 1 ? joined_ : view_of(slices.front()), checked_));
    NEPH_CHECK(check_outputs(checked_, ""));
    right_ = around;
    return {};
  }

  void authorise(grpc::ClientContext& context) const {
    if (!options_.bearer_token.empty())
      context.AddMetadata("authorization", "Bearer " + options_.bearer_token);
  }

  void take(void* tag) {
    auto* event = static_cast<Event*>(tag);
    if (event->is_wake)
      delete static_cast<Wake*>(event);
    else
      end(static_cast<Operation*>(event));
  }

  void end(Operation* ended) {
    const std::unique_ptr<Operation> operation(ended);
    in_flight_.erase(ended);
    auto& call = *operation->call;
    call.done = clock_.now();
    const auto& trailing = operation->context.GetServerTrailingMetadata();
    const auto timing = trailing.find("server-timing");
    call.server = timing == trailing.end() ? StageTimes{}
                                           : parse_timing({timing->second.data(), timing->second.size()});
    call.outcome = guarded([&, &status = operation->status]() -> Status {
      if (is_cut_off(status))
        return fail(ErrorCode::io, "gRPC: {} before it had answered", status.error_message());
      if (!status.ok()) return tl::unexpected(error_of(status, "gRPC"));
      if (!call.keeps_reply) return check(operation->reply);
      join(operation->reply, call.reply);
      return {};
    });
    ended_(call);
  }

  const Endpoint endpoint_;
  const ClientOptions options_;
  const Clock& clock_;
  Ended ended_;
  grpc::CompletionQueue queue_;
  std::vector<std::shared_ptr<grpc::Channel>> channels_;
  std::vector<std::unique_ptr<grpc::GenericStub>> stubs_;
  std::unordered_set<Operation*> in_flight_;
  const std::string infer_method_ = path_of("ModelInfer");
  std::string joined_;  ///< the last reply that was joined; kept for its memory, as the next is as long
  std::string right_;   ///< of the last right reply: see check()
  InferReply checked_;
  std::size_t next_ = 0;
};

}  // namespace

Result<std::unique_ptr<Client>> connect_grpc(const Endpoint& endpoint, const ClientOptions& options,
                                             const Clock& clock, Client::Ended ended) {
  // A channel that is never used keeps the library and its threads until the process ends: where one of them
  // was refused, their end would be waited for without end.
  static const auto* const stays =
      new auto(grpc::CreateChannel("unused", grpc::InsecureChannelCredentials()));
  if (*stays == nullptr) return fail(ErrorCode::unavailable, "gRPC makes no channel");
  auto client = std::make_unique<GrpcClient>(endpoint, options, clock, std::move(ended));
  NEPH_CHECK(client->open());
  return client;
}

}  // namespace neph::wire
