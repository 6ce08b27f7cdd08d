// A bare callback server of gRPC that answers ModelInfer without looking at it: what gRPC itself costs.
//
//   bare_grpc_echo [sink]      prints its port; serves until its standard input ends
//
// Replies with the request's raw contents; `sink`: with 4000 bytes, whatever came.
#include <iostream>
#include <string>

#include <grpcpp/grpcpp.h>
#include <inference.grpc.pb.h>

#include "os/memory.hpp"

namespace {

class Echo final : public inference::GRPCInferenceService::CallbackService {
 public:
  explicit Echo(bool sink) : sink_(sink) {}

  grpc::ServerUnaryReactor* ModelInfer(grpc::CallbackServerContext* context,
                                       const inference::ModelInferRequest* from,
                                       inference::ModelInferResponse* to) override {
    to->set_model_name(from->model_name());
    to->set_model_version("1");
    to->set_id(from->id());
    for (const auto& input : from->inputs()) {
      auto& output = *to->add_outputs();
      output.set_name("y");
      output.set_datatype(input.datatype());
      if (sink_) {
        output.add_shape(1);
        output.add_shape(1000);
      } else {
        output.mutable_shape()->CopyFrom(input.shape());
      }
    }
    if (sink_)
      to->add_raw_output_contents(std::string(4000, 'x'));
    else
      *to->mutable_raw_output_contents() = from->raw_input_contents();
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

 private:
  bool sink_;
};

}  // namespace

int main(int count, char** words) {
  neph::keep_heap();
  Echo echo(count > 1 && std::string(words[1]) == "sink");
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterService(&echo);
  const auto server = builder.BuildAndStart();
  std::cout << port << std::endl;
  std::cin.ignore(1 << 30, EOF);
  server->Shutdown(std::chrono::system_clock::now());
}
