#include <cstring>
#include <thread>

#include <gmock/gmock.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <health.grpc.pb.h>
#include <inference.grpc.pb.h>

#include "wire/echo_service_test.hpp"
#include "wire/grpc_listener.hpp"

namespace neph::wire {
namespace {

using grpc::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;

const SteadyClock steady_clock;

class GrpcListenerTest : public testing::Test {
 protected:
  void SetUp() override {
    if (grpc_blinds_tsan) GTEST_SKIP() << "tsan cannot see into gRPC's library";
  }
  void TearDown() override { service_.answer_all(); }
  void start(GrpcOptions options = {}) {
    options.port = 0;
    auto started = GrpcListener::start(service_, options, steady_clock);
    ASSERT_TRUE(started) << started.error().message;
    listener_ = std::move(*started);
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    channel_ = grpc::CreateCustomChannel(fmt::format("127.0.0.1:{}", listener_->port()),
                                         grpc::InsecureChannelCredentials(), arguments);
    stub_ = inference::GRPCInferenceService::NewStub(channel_);
  }

  static inference::ModelInferRequest request_of(const std::vector<float>& values) {
    inference::ModelInferRequest request;
    request.set_model_name("echo");
    request.set_id("9");
    auto& input = *request.add_inputs();
    input.set_name("x");
    input.set_datatype("FP32");
    input.add_shape(1);
    input.add_shape(static_cast<std::int64_t>(values.size()));
    request.add_raw_input_contents(values.data(), values.size() * sizeof(float));
    return request;
  }

  grpc::Status infer(const inference::ModelInferRequest& request) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(20));
    if (!token_.empty()) context.AddMetadata("authorization", token_);
    reply_.Clear();
    return stub_->ModelInfer(&context, request, &reply_);
  }

  EchoService service_;
  std::unique_ptr<GrpcListener> listener_;
  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<inference::GRPCInferenceService::Stub> stub_;
  inference::ModelInferResponse reply_;
  std::string token_;
};

TEST_F(GrpcListenerTest, AnswersRawContents) {
  start();
  for (int i = 0; i < 3; ++i) {  // with messages that are used again
    ASSERT_TRUE(infer(request_of({1, 2.5F})).ok());
    EXPECT_EQ(reply_.id(), "9");
    EXPECT_EQ(reply_.model_version(), "1");
    EXPECT_THAT(reply_.outputs(0).shape(), ElementsAre(1, 2));
    EXPECT_EQ(reply_.raw_output_contents(0), request_of({1, 2.5F}).raw_input_contents(0));
  }
  const std::vector<float> picture(3 * 224 * 224, 0.5F);
  ASSERT_TRUE(infer(request_of(picture)).ok());
  EXPECT_EQ(reply_.raw_output_contents(0).size(), picture.size() * sizeof(float));
}

TEST_F(GrpcListenerTest, AnswersTypedContents) {
  start();
  auto request = request_of({});
  request.clear_raw_input_contents();
  auto& input = *request.mutable_inputs(0);
  input.set_shape(1, 3);
  input.set_datatype("INT8");
  for (const int value : {-128, 0, 127}) input.mutable_contents()->add_int_contents(value);
  ASSERT_TRUE(infer(request).ok());
  EXPECT_EQ(reply_.raw_output_contents(0), std::string("\x80\x00\x7f", 3));
  input.set_datatype("BYTES");
  input.mutable_contents()->Clear();
  for (const auto* word : {"", "a", "bc"}) input.mutable_contents()->add_bytes_contents(word);
  ASSERT_TRUE(infer(request).ok());
  EXPECT_EQ(reply_.raw_output_contents(0), std::string("\0\0\0\0\1\0\0\0a\2\0\0\0bc", 15));
}

TEST_F(GrpcListenerTest, KeepsManyCallsAtOnceApart) {
  start();
  service_.delay = std::chrono::milliseconds(5);
  std::vector<std::thread> callers;
  std::atomic<int> right{0};
  for (int c = 0; c < 8; ++c)
    callers.emplace_back([&, c] {
      for (int i = 0; i < 20; ++i) {
        const auto request = request_of({static_cast<float>(c), static_cast<float>(i)});
        inference::ModelInferResponse reply;
        grpc::ClientContext context;
        if (stub_->ModelInfer(&context, request, &reply).ok() &&
            reply.raw_output_contents(0) == request.raw_input_contents(0))
          ++right;
      }
    });
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(right, 160);
}

TEST_F(GrpcListenerTest, TellsTheCauseOfEachFault) {
  start();
  const auto expect = [&](const inference::ModelInferRequest& request, StatusCode code, const char* words) {
    const auto status = infer(request);
    EXPECT_EQ(status.error_code(), code);
    EXPECT_THAT(status.error_message(), HasSubstr(words));
  };
  auto request = request_of({1, 2});
  request.set_model_name("ecko");
  expect(request, StatusCode::NOT_FOUND, "no model 'ecko'");
  request = request_of({1, 2});
  request.mutable_inputs(0)->set_datatype("FP31");
  expect(request, StatusCode::INVALID_ARGUMENT, "did you mean 'FP32'?");
  request = request_of({1, 2});
  request.mutable_inputs(0)->set_shape(1, 3);
  expect(request, StatusCode::INVALID_ARGUMENT, "8 bytes of data; FP32 [1, 3] has 12");
  request.mutable_inputs(0)->set_shape(1, INT64_MAX);
  request.mutable_inputs(0)->set_shape(0, INT64_MAX);
  expect(request, StatusCode::INVALID_ARGUMENT, "too many elements");
  request = request_of({1, 2});
  request.add_raw_input_contents("more");
  expect(request, StatusCode::INVALID_ARGUMENT, "2 raw contents for 1 tensors");
  request = request_of({1, 2});
  request.mutable_inputs(0)->mutable_contents()->add_fp32_contents(1);
  expect(request, StatusCode::INVALID_ARGUMENT, "typed contents beside raw");
  request.clear_raw_input_contents();
  request.mutable_inputs(0)->set_datatype("UINT8");
  request.mutable_inputs(0)->mutable_contents()->add_uint_contents(256);
  expect(request, StatusCode::INVALID_ARGUMENT, "256 is beyond UINT8");
  request.mutable_inputs(0)->set_datatype("FP16");
  expect(request, StatusCode::INVALID_ARGUMENT, "send it as raw contents");
  request = request_of({1, 2});
  (*request.mutable_parameters())["empty"];
  expect(request, StatusCode::INVALID_ARGUMENT, "'empty' has no value");
  EXPECT_TRUE(infer(request_of({1, 2})).ok()) << "and serves the next one";
}

TEST_F(GrpcListenerTest, CutsTextsThatHeadersDoNotHold) {
  start();
  auto request = request_of({1, 2});
  request.set_model_name(std::string(70'000, 'm'));
  const auto status = infer(request);
  EXPECT_EQ(status.error_code(), StatusCode::NOT_FOUND);
  EXPECT_LT(status.error_message().size(), 1100U);
}

TEST_F(GrpcListenerTest, AStreamMayBeginLateAndEndWithoutAMessage) {
  start({.patience_s = 0.2});
  grpc::ClientContext context;
  const auto stream = stub_->ModelStreamInfer(&context);
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  EXPECT_TRUE(stream->Write(request_of({1})));
  inference::ModelStreamInferResponse said;
  EXPECT_TRUE(stream->Read(&said));
  stream->WritesDone();
  EXPECT_FALSE(stream->Read(&said));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(GrpcListenerTest, RefusesMessagesBeyondTheLimit) {
  start({.max_message_bytes = 1000});
  EXPECT_EQ(infer(request_of(std::vector<float>(1000))).error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_TRUE(infer(request_of({1, 2})).ok());
}

TEST_F(GrpcListenerTest, AnswersEverythingElse) {
  start();
  const auto ask = [&](auto method, auto request, auto& reply) {
    grpc::ClientContext context;
    return ((*stub_).*method)(&context, request, &reply);
  };
  using Stub = inference::GRPCInferenceService::Stub;
  inference::ModelMetadataRequest model;
  model.set_name("echo");
  inference::ModelMetadataResponse metadata;
  ASSERT_TRUE(ask(&Stub::ModelMetadata, model, metadata).ok());
  EXPECT_THAT(metadata.inputs(0).shape(), ElementsAre(-1, 2));
  inference::ModelConfigRequest wanted;
  wanted.set_name("echo");
  inference::ModelConfigResponse config;
  ASSERT_TRUE(ask(&Stub::ModelConfig, wanted, config).ok());
  EXPECT_EQ(config.config().input(0).data_type(), inference::TYPE_FP32);
  inference::ModelStatisticsResponse statistics;
  ASSERT_TRUE(ask(&Stub::ModelStatistics, inference::ModelStatisticsRequest(), statistics).ok());
  EXPECT_EQ(statistics.model_stats(0).inference_count(), 3U);
  inference::RepositoryModelLoadRequest load;
  load.set_model_name("none");
  inference::RepositoryModelLoadResponse loaded;
  EXPECT_EQ(ask(&Stub::RepositoryModelLoad, load, loaded).error_code(), StatusCode::NOT_FOUND);
  inference::SystemSharedMemoryStatusResponse regions;
  EXPECT_EQ(ask(&Stub::SystemSharedMemoryStatus, inference::SystemSharedMemoryStatusRequest(), regions)
                .error_code(),
            StatusCode::UNIMPLEMENTED);
  inference::ServerReadyResponse ready;
  ASSERT_TRUE(ask(&Stub::ServerReady, inference::ServerReadyRequest(), ready).ok());
  EXPECT_TRUE(ready.ready());
}

/// Whose context is the library's own, and not ours to give back.
TEST_F(GrpcListenerTest, SurvivesCallsOfMethodsThatThereAreNot) {
  start();
  grpc::GenericStub stub(channel_);
  for (int i = 0; i < 3; ++i) {
    grpc::ClientContext context;
    grpc::CompletionQueue queue;
    grpc::ByteBuffer reply;
    grpc::Status status;
    const auto call = stub.PrepareUnaryCall(&context, "/no.Such/Method", grpc::ByteBuffer(), &queue);
    call->StartCall();
    call->Finish(&reply, &status, nullptr);
    void* tag = nullptr;
    bool ok = false;
    ASSERT_TRUE(queue.Next(&tag, &ok));
    EXPECT_EQ(status.error_code(), StatusCode::UNIMPLEMENTED);
  }
  EXPECT_TRUE(infer(request_of({1, 2})).ok());
}

TEST_F(GrpcListenerTest, TellsItsHealth) {
  using grpc::health::v1::HealthCheckResponse;
  start({.bearer_token = "sesame"});
  const auto stub = grpc::health::v1::Health::NewStub(channel_);
  const auto state = [&](const std::string& name) {
    grpc::ClientContext context;
    grpc::health::v1::HealthCheckRequest request;
    request.set_service(name);
    HealthCheckResponse response;
    const auto status = stub->Check(&context, request, &response);
    return status.error_code() == StatusCode::NOT_FOUND ? HealthCheckResponse::SERVICE_UNKNOWN
                                                        : response.status();
  };
  for (const auto* name : {"", "inference.GRPCInferenceService", "echo"}) {
    service_.is_ready = true;
    EXPECT_EQ(state(name), HealthCheckResponse::SERVING) << name;
    service_.is_ready = false;
    EXPECT_EQ(state(name), HealthCheckResponse::NOT_SERVING) << name;
  }
  EXPECT_EQ(state("ecko"), HealthCheckResponse::SERVICE_UNKNOWN);

  grpc::ClientContext context;
  grpc::health::v1::HealthCheckRequest request;
  const auto watch = stub->Watch(&context, request);
  HealthCheckResponse response;
  for (const bool ready : {false, true, false}) {
    service_.is_ready = ready;
    ASSERT_TRUE(watch->Read(&response));
    EXPECT_EQ(response.status(), ready ? HealthCheckResponse::SERVING : HealthCheckResponse::NOT_SERVING);
  }
  const auto begin = steady_clock.now();
  listener_->stop(steady_clock.now() + std::chrono::seconds(10));
  EXPECT_LT(seconds(steady_clock.now() - begin), 5) << "those who watch do not hold up the end";
  EXPECT_FALSE(watch->Read(&response));
}

TEST_F(GrpcListenerTest, SeveralMayWatchOnOneConnection) {
  using grpc::health::v1::HealthCheckResponse;
  start();
  const auto stub = grpc::health::v1::Health::NewStub(channel_);
  std::array<grpc::ClientContext, 3> contexts;
  std::vector<std::unique_ptr<grpc::ClientReader<HealthCheckResponse>>> watches;
  HealthCheckResponse response;
  const auto expect = [&](HealthCheckResponse::ServingStatus status) {
    for (const auto& watch : watches) EXPECT_TRUE(watch->Read(&response) && response.status() == status);
  };
  for (auto& context : contexts) watches.push_back(stub->Watch(&context, {}));
  expect(HealthCheckResponse::SERVING);
  service_.is_ready = false;
  expect(HealthCheckResponse::NOT_SERVING);
  contexts[0].TryCancel();
  EXPECT_FALSE(watches[0]->Read(&response));
  watches.erase(watches.begin());
  service_.is_ready = true;
  expect(HealthCheckResponse::SERVING);
}

TEST_F(GrpcListenerTest, WantsTheToken) {
  start({.bearer_token = "sesame"});
  EXPECT_EQ(infer(request_of({1, 2})).error_code(), StatusCode::UNAUTHENTICATED);
  grpc::ClientContext context;
  EXPECT_EQ(stub_->ModelStreamInfer(&context)->Finish().error_code(), StatusCode::UNAUTHENTICATED);
  token_ = "Bearer sesame";
  EXPECT_TRUE(infer(request_of({1, 2})).ok());
}

TEST_F(GrpcListenerTest, AnswersWhatItHasTakenBeforeItStops) {
  start();
  service_.delay = std::chrono::milliseconds(200);
  grpc::Status status;
  std::thread caller([&] { status = infer(request_of({1, 2})); });
  while (service_.taken() == 0) std::this_thread::yield();
  listener_->stop(steady_clock.now() + std::chrono::seconds(10));
  caller.join();
  EXPECT_TRUE(status.ok()) << status.error_message();
}

TEST_F(GrpcListenerTest, SaysWhenToTryAgain) {
  start();
  service_.refusal = Error{ErrorCode::unavailable, "the queue is full"};
  service_.retry_after = std::chrono::milliseconds(1500);
  grpc::ClientContext context;
  const auto status = stub_->ModelInfer(&context, request_of({1, 2}), &reply_);
  EXPECT_EQ(status.error_code(), StatusCode::UNAVAILABLE);
  const auto& trailing = context.GetServerTrailingMetadata();
  ASSERT_TRUE(trailing.contains("grpc-retry-pushback-ms"));
  EXPECT_EQ(trailing.find("grpc-retry-pushback-ms")->second, "1500");
}

TEST_F(GrpcListenerTest, AnswersAStreamInOrder) {
  start();
  service_.delay = std::chrono::milliseconds(30);
  grpc::ClientContext context;
  const auto stream = stub_->ModelStreamInfer(&context);
  for (int i = 0; i < 300; ++i) {  // more than are read while nobody takes answers
    auto request = request_of({static_cast<float>(i)});
    request.set_id(std::to_string(i));
    if (i % 3 == 1) request.set_model_name("ecko");              // fails, and late
    if (i % 3 == 2) request.mutable_inputs(0)->set_shape(1, 7);  // fails at once
    if (i == 0) (*request.mutable_parameters())["triton_enable_empty_final_response"].set_bool_param(true);
    ASSERT_TRUE(stream->Write(request));
  }
  stream->WritesDone();
  inference::ModelStreamInferResponse said;
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(stream->Read(&said)) << i << ": " << stream->Finish().error_message();
    EXPECT_EQ(said.infer_response().id(), std::to_string(i));
    EXPECT_EQ(said.infer_response().parameters().contains("triton_final_response"), i == 0);
    if (i % 3 == 0) {
      EXPECT_EQ(said.error_message(), "");
      EXPECT_EQ(said.infer_response().raw_output_contents(0),
                request_of({static_cast<float>(i)}).raw_input_contents(0));
    } else {
      EXPECT_THAT(said.error_message(), HasSubstr(i % 3 == 1 ? "no model 'ecko'" : "4 bytes of data"));
    }
  }
  EXPECT_FALSE(stream->Read(&said));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(GrpcListenerTest, EndsAStreamBehindItsLastAnswer) {
  start();
  service_.delay = std::chrono::milliseconds(100);
  grpc::ClientContext context;
  const auto stream = stub_->ModelStreamInfer(&context);
  ASSERT_TRUE(stream->Write(request_of({1})));
  while (service_.taken() == 0) std::this_thread::yield();
  std::thread stopping([&] { listener_->stop(steady_clock.now() + std::chrono::seconds(10)); });
  inference::ModelStreamInferResponse said;
  EXPECT_TRUE(stream->Read(&said));
  EXPECT_EQ(said.error_message(), "");
  EXPECT_FALSE(stream->Read(&said));
  EXPECT_TRUE(stream->Finish().ok());
  stopping.join();
}

TEST_F(GrpcListenerTest, NoticesThatAClientHasGone) {
  start();
  service_.delay = std::chrono::seconds(20);
  grpc::ClientContext of_call, of_stream;
  of_call.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(100));
  const auto stream = stub_->ModelStreamInfer(&of_stream);
  ASSERT_TRUE(stream->Write(request_of({1})));
  while (service_.taken() == 0) std::this_thread::yield();
  EXPECT_EQ(stub_->ModelInfer(&of_call, request_of({1, 2}), &reply_).error_code(),
            StatusCode::DEADLINE_EXCEEDED);
  of_stream.TryCancel();
  service_.answer_all();
  EXPECT_EQ(service_.abandoned(), 2);
  EXPECT_EQ(stream->Finish().error_code(), StatusCode::CANCELLED);
}

TEST_F(GrpcListenerTest, SaysThatThePortIsTaken) {
  start();
  const auto second = GrpcListener::start(service_, {.port = listener_->port()}, steady_clock);
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("cannot listen on 127.0.0.1:"));
}

}  // namespace
}  // namespace neph::wire
