#include "wire/grpc/client.hpp"

#include <cstdlib>
#include <cstring>
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
#include <inference.grpc.pb.h>

#include "os/thread.hpp"
#include "wire/grpc/codec.hpp"
#include "wire/grpc/reply_glance.hpp"
#include "wire/grpc/status.hpp"
#include "wire/timing.hpp"

namespace neph::wire {
namespace {

constexpr const char* infer_method = "/inference.GRPCInferenceService/ModelInfer";

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

std::string text_of(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string text;
  if (!buffer.Dump(&slices).ok()) return text;
  text.reserve(buffer.Length());
  for (const auto& slice : slices) text.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return text;
}

/// A tensor as it stands in a message: one copy, where a message's own string and its serialised form take
/// three.
grpc::Slice raw_field(std::span<const std::byte> data) {
  const auto head = raw_field_head(data.size());
  auto* const to = static_cast<std::byte*>(std::malloc(head.size() + data.size()));
  if (to == nullptr) throw std::bad_alloc();  // gRPC's own memory would end the process
  std::memcpy(to, head.data(), head.size());
  if (!data.empty()) std::memcpy(to + head.size(), data.data(), data.size());
  return {to, head.size() + data.size(), std::free};
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
  arguments.SetMaxReceiveMessageSize(-1);
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
    inference::ModelInferRequest head;
    write_head(request, head);
    std::vector<grpc::Slice> slices{grpc::Slice(head.SerializeAsString())};
    for (const auto& input : request.inputs)
      if (!input.shared) slices.push_back(raw_field(input.data));
    auto made = std::make_unique<GrpcOutgoing>();
    made->message = grpc::ByteBuffer(slices.data(), slices.size());
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
        &operation->context, infer_method, static_cast<const GrpcOutgoing&>(*call.request).message, &queue_);
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
    inference::ModelInferResponse message;
    if (!message.ParseFromString(call.reply))
      return fail(ErrorCode::corrupt, "the reply is no ModelInferResponse");
    NEPH_CHECK(read_message(message, reply));
    own_data(reply);  // the message goes
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
    inference::ModelMetadataRequest asked;
    asked.set_name(model);
    NEPH_TRY(const auto said, ask(&Stub::ModelMetadata, asked));
    ModelMetadata metadata{.name = said.name(),
                           .versions = {said.versions().begin(), said.versions().end()},
                           .platform = said.platform()};
    for (const auto& input : said.inputs()) metadata.inputs.push_back(port_of(input));
    for (const auto& output : said.outputs()) metadata.outputs.push_back(port_of(output));
    return metadata;
  }

  Result<std::int64_t> max_batch_size(const std::string& model) override {
    inference::ModelConfigRequest asked;
    asked.set_name(model);
    NEPH_TRY(const auto said, ask(&Stub::ModelConfig, asked));
    return said.config().max_batch_size();
  }

  Result<std::vector<std::string>> models() override {
    inference::RepositoryIndexRequest asked;
    asked.set_ready(true);
    NEPH_TRY(const auto said, ask(&Stub::RepositoryIndex, asked));
    std::set<std::string> names;  // an entry each version
    for (const auto& entry : said.models())
      if (entry.state().empty() || entry.state() == "READY") names.insert(entry.name());
    return std::vector<std::string>(names.begin(), names.end());
  }

  Status ready(const std::string& model) override {
    inference::ModelReadyRequest asked;
    asked.set_name(model);
    bool is_ready = false;
    if (model.empty()) {
      NEPH_TRY(const auto said, ask(&Stub::ServerReady, inference::ServerReadyRequest()));
      is_ready = said.ready();
    } else {
      NEPH_TRY(const auto said, ask(&Stub::ModelReady, asked));
      is_ready = said.ready();
    }
    return is_ready ? Status() : fail(ErrorCode::unavailable, "ready: false");
  }

 private:
  using Stub = inference::GRPCInferenceService::StubInterface;

  /// A call of the client's own.
  template <class Asked, class Said>
  Result<Said> ask(grpc::Status (Stub::*method)(grpc::ClientContext*, const Asked&, Said*),
                   const Asked& asked) {
    const auto stub = inference::GRPCInferenceService::NewStub(channels_.front());
    grpc::ClientContext context;
    authorise(context);
    context.set_deadline(system_time(clock_.now() + from_seconds(options_.connect_s), clock_));
    const std::stop_callback cancel(options_.stop, [&context] { context.TryCancel(); });
    Said said;
    if (const auto status = ((*stub).*method)(&context, asked, &said); !status.ok())
      return tl::unexpected(error_of(status, endpoint_.text()));
    return said;
  }

  /// Asks whether somebody is there: a call that fails says why, which waiting for the connection would not.
  Status greet(const std::shared_ptr<grpc::Channel>& channel) const {
    grpc::ClientContext context;
    authorise(context);
    context.set_deadline(system_time(clock_.now() + from_seconds(options_.connect_s), clock_));
    const std::stop_callback cancel(options_.stop, [&context] { context.TryCancel(); });
    inference::ServerLiveResponse live;
    const auto status = inference::GRPCInferenceService::NewStub(channel)->ServerLive(
        &context, inference::ServerLiveRequest(), &live);
    if (status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED)
      return fail(ErrorCode::unavailable, "{}: nobody answers there within {} s", endpoint_.text(),
                  options_.connect_s);
    if (status.error_code() == grpc::StatusCode::UNAVAILABLE)
      return tl::unexpected(error_of(status, endpoint_.text()));
    return {};  // whatever else it says, somebody said it
  }

  static TensorMetadata port_of(const inference::ModelMetadataResponse::TensorMetadata& said) {
    return {said.name(), said.datatype(), {said.shape().begin(), said.shape().end()}};
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
      if (!call.keeps_reply) return glance_.check(operation->reply);
      call.reply = text_of(operation->reply);
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
  ReplyGlance glance_;
  std::size_t next_ = 0;
};

}  // namespace

Result<std::unique_ptr<Client>> connect_grpc(const Endpoint& endpoint, const ClientOptions& options,
                                             const Clock& clock, Client::Ended ended) {
  auto client = std::make_unique<GrpcClient>(endpoint, options, clock, std::move(ended));
  NEPH_CHECK(client->open());
  return client;
}

}  // namespace neph::wire
