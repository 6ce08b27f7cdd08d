// Clients that behave badly over gRPC: they must not hold up others, nor what the server needs.
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <inference.grpc.pb.h>
#include <sys/resource.h>

#include "wire/echo_service_test.hpp"
#include "wire/grpc_listener.hpp"
#include "wire/socket_test.hpp"

namespace neph::wire {
namespace {

const SteadyClock steady_clock;

/// HTTP/2 (RFC 9113) as far as a client that asks and takes no answer needs it.
class Http2 {
 public:
  explicit Http2(std::uint16_t port) : socket_(port) {}
  /// The preface, and settings that leave the other side no window for data.
  void greet() {
    socket_.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    frame(4, 0, 0, std::string("\0\4\0\0\0\0", 6));
    fill(9);  // the other side's settings, whose limits hold when they are acknowledged
    frame(4, 1, 0, "");
  }
  void ask(std::uint32_t stream, std::string_view method, const google::protobuf::Message& request) {
    std::string head;
    for (const auto& [name, value] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
             {":method", "POST"},
             {":scheme", "http"},
             {":path", method},
             {":authority", "x"},
             {"te", "trailers"},
             {"content-type", "application/grpc"}})
      head += fmt::format("{}{}{}{}{}", '\0', static_cast<char>(name.size()), name,
                          static_cast<char>(value.size()), value);
    frame(1, 4, stream, head);
    const auto body = request.SerializeAsString();
    frame(0, 1, stream, std::string(1, '\0') + number(body.size(), 4) + body);
  }
  /// Which streams are reset, in the order in which that is said: so many, or all until the end.
  std::vector<std::uint32_t> resets(std::size_t count = SIZE_MAX) {
    std::vector<std::uint32_t> streams;
    while (streams.size() < count && fill(9)) {
      const auto bytes = at(0) << 16 | at(1) << 8 | at(2);
      if (!fill(9 + bytes)) break;
      if (at(3) == 3) streams.push_back(at(5) << 24 | at(6) << 16 | at(7) << 8 | at(8));
      read_.erase(0, 9 + bytes);
    }
    return streams;
  }

 private:
  static std::string number(std::size_t value, int bytes) {
    std::string text;
    while (bytes-- > 0) text += static_cast<char>(value >> 8 * bytes);
    return text;
  }
  void frame(char type, char flags, std::uint32_t stream, const std::string& payload) {
    socket_.send(number(payload.size(), 3) + type + flags + number(stream, 4) + payload);
  }
  std::uint32_t at(std::size_t index) const { return static_cast<std::uint8_t>(read_[index]); }
  bool fill(std::size_t bytes) {
    while (read_.size() < bytes) {
      const auto more = socket_.some();
      if (more.empty()) return false;
      read_ += more;
    }
    return true;
  }

  RawSocket socket_;
  std::string read_;
};

class GrpcFaults : public testing::Test {
 protected:
  void SetUp() override {
    if (grpc_blinds_tsan) GTEST_SKIP() << "tsan cannot see into gRPC's library";
  }
  void TearDown() override { service_.answer_all(); }
  void start(double patience_s) {
    auto started = GrpcListener::start(service_, {.port = 0, .patience_s = patience_s}, steady_clock);
    ASSERT_TRUE(started) << started.error().message;
    listener_ = std::move(*started);
    connect();
  }
  /// Anew: by itself the library shares connections.
  void connect() {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    channel_ = grpc::CreateCustomChannel(fmt::format("127.0.0.1:{}", listener_->port()),
                                         grpc::InsecureChannelCredentials(), arguments);
    stub_ = inference::GRPCInferenceService::NewStub(channel_);
  }
  static inference::ModelInferRequest request_of(std::size_t bytes) {
    inference::ModelInferRequest request;
    request.set_model_name("echo");
    auto& input = *request.add_inputs();
    input.set_name("x");
    input.set_datatype("UINT8");
    input.add_shape(static_cast<std::int64_t>(bytes));
    request.add_raw_input_contents(std::string(bytes, 'x'));
    return request;
  }
  grpc::Status infer() {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(10));
    inference::ModelInferResponse reply;
    return stub_->ModelInfer(&context, request_of(8), &reply);
  }
  static constexpr auto infer_method = "/inference.GRPCInferenceService/ModelInfer";

  EchoService service_;
  std::unique_ptr<GrpcListener> listener_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<inference::GRPCInferenceService::Stub> stub_;
};

TEST_F(GrpcFaults, ConnectionsWithoutACallEnd) {
  start(0.2);
  Http2 silent(listener_->port()), greeted(listener_->port());
  greeted.greet();
  const auto begin = steady_clock.now();
  EXPECT_TRUE(silent.resets().empty()) << "until its end";
  EXPECT_TRUE(greeted.resets().empty());
  EXPECT_LT(seconds(steady_clock.now() - begin), 5);
  EXPECT_TRUE(infer().ok());
  const auto patience = std::chrono::system_clock::now() + std::chrono::seconds(10);
  EXPECT_TRUE(channel_->WaitForStateChange(GRPC_CHANNEL_READY, patience)) << "its connection is ended too";
  EXPECT_TRUE(infer().ok()) << "on a new one";
}

TEST_F(GrpcFaults, ACallIsNoIdleConnection) {
  start(0.2);
  service_.delay = std::chrono::milliseconds(600);
  EXPECT_TRUE(infer().ok());
}

TEST_F(GrpcFaults, RepliesThatNobodyTakesAreCancelled) {
  start(0.2);
  Http2 deaf(listener_->port());
  deaf.greet();
  std::vector<std::uint32_t> asked;
  for (std::uint32_t stream = 1; stream < 601; stream += 2) {
    deaf.ask(stream, infer_method, request_of(8));
    asked.push_back(stream);
  }
  deaf.ask(601, "/inference.GRPCInferenceService/ServerMetadata", inference::ServerMetadataRequest());
  asked.push_back(601);
  deaf.ask(603, "/grpc.health.v1.Health/Check", inference::ServerMetadataRequest());
  asked.push_back(603);
  EXPECT_TRUE(infer().ok()) << "meanwhile";
  EXPECT_THAT(deaf.resets(asked.size()), testing::UnorderedElementsAreArray(asked));
  EXPECT_EQ(service_.taken(), 301);
  EXPECT_TRUE(infer().ok());
}

TEST_F(GrpcFaults, OneConnectionHasSoManyCalls) {
  start(60);
  Http2 greedy(listener_->port());
  greedy.greet();
  for (std::uint32_t stream = 1; stream < 2 * 1100; stream += 2)
    greedy.ask(stream, infer_method, request_of(1));
  greedy.resets();  // until its end
  EXPECT_LE(service_.taken(), 1024);
  EXPECT_TRUE(infer().ok());
}

TEST_F(GrpcFaults, AStreamWhoseAnswersNobodyTakesIsCancelled) {
  start(0.2);
  Http2 deaf(listener_->port());
  deaf.greet();
  deaf.ask(1, "/inference.GRPCInferenceService/ModelStreamInfer", request_of(8));
  EXPECT_THAT(deaf.resets(1), testing::ElementsAre(1));
  EXPECT_TRUE(infer().ok());
}

/// Lets this process open so many files more than it has.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t more) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int lowest = ::dup(0);
    ::close(lowest);
    const rlimit few{static_cast<rlim_t>(lowest) + more, before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() {
    give_back(taken_.size());
    ::setrlimit(RLIMIT_NOFILE, &before_);
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

  std::size_t take_all() {
    for (int next = ::dup(0); next >= 0; next = ::dup(0)) taken_.push_back(next);
    return taken_.size();
  }
  void give_back(std::size_t count) {
    for (; count > 0; --count, taken_.pop_back()) ::close(taken_.back());
  }

 private:
  rlimit before_{};
  std::vector<int> taken_;
};

TEST_F(GrpcFaults, ConnectionsLeaveDescriptorsToOthers) {
  start(60);
  FewDescriptors few(250);
  std::vector<RawSocket> idle;
  for (int i = 0; i < 130; ++i) idle.emplace_back(listener_->port());  // both ends are in this process
  for (int i = 100; i < 130; ++i)
    while (!idle[static_cast<std::size_t>(i)].some().empty()) {
    }
  EXPECT_GT(few.take_all(), 20U);
  few.give_back(few.take_all());
  idle.clear();
  EXPECT_TRUE(infer().ok());
}

TEST_F(GrpcFaults, NoDescriptorForAConnectionIsNotTheEnd) {
  start(60);
  FewDescriptors few(100);
  few.take_all();
  few.give_back(1);
  const RawSocket waits(listener_->port());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  few.give_back(few.take_all());
  connect();
  EXPECT_TRUE(infer().ok());
}

}  // namespace
}  // namespace neph::wire
