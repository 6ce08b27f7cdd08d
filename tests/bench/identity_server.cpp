// The work of the bare echo servers behind wire's listeners.
//
//   identity_server http|grpc [sink]      prints its port; serves until its standard input ends
#include <iostream>
#include <string>
#include <vector>

#include "core/heap.hpp"
#include "wire/wire.hpp"

namespace {

using namespace neph;

/// Outputs are the inputs; `sink`: 4000 bytes, whatever came.
class Identity final : public wire::Service {
 public:
  explicit Identity(bool sink) : sink_(sink), fixed_(4000, std::byte{'x'}) {}

  bool live() const override { return true; }
  bool ready() const override { return true; }
  Result<bool> model_ready(const std::string&, const std::string&) const override { return true; }
  wire::ServerMetadata metadata() const override { return {"identity", "1", {"binary_tensor_data"}}; }
  Result<wire::ModelMetadata> model_metadata(const std::string& model, const std::string&) const override {
    return wire::ModelMetadata{.name = model,
                               .versions = {"1"},
                               .platform = "none",
                               .inputs = {{"x", "FP32", {-1, -1}}},
                               .outputs = {{"y", "FP32", {-1, -1}}}};
  }
  Result<wire::ModelConfig> model_config(const std::string& model, const std::string&) const override {
    return wire::ModelConfig{.name = model};
  }
  Result<std::vector<wire::ModelStatistics>> statistics(const std::string&,
                                                        const std::string&) const override {
    return std::vector<wire::ModelStatistics>{};
  }
  std::vector<wire::RepositoryEntry> repository(bool) const override { return {}; }
  Status load(const std::string&) override { return {}; }
  Status unload(const std::string&) override { return {}; }
  Result<std::vector<wire::SharedRegion>> shared_regions(const std::string&) const override {
    return std::vector<wire::SharedRegion>{};
  }
  Status register_region(const wire::SharedRegion&) override { return {}; }
  Status unregister_region(const std::string&) override { return {}; }
  std::string metrics() const override { return {}; }

  void infer(wire::Exchange& exchange) override {
    exchange.reply.model = exchange.request.model;
    exchange.reply.version = "1";
    exchange.reply.id = exchange.request.id;
    exchange.reply.outputs = exchange.request.inputs;
    for (auto& output : exchange.reply.outputs) {
      output.name = "y";
      output.parameters.clear();
      if (!sink_) continue;
      output.shape = {1, 1000};
      output.data = fixed_;
    }
    exchange.finish({});
  }

 private:
  bool sink_;
  std::vector<std::byte> fixed_;
};

template <class Listener>
int serve(const Result<std::unique_ptr<Listener>>& listener) {
  if (!listener) {
    std::cerr << listener.error().message << "\n";
    return exit_code(listener.error().code);
  }
  std::cout << (*listener)->port() << std::endl;
  std::cin.ignore(1 << 30, EOF);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  keep_heap();
  const SteadyClock clock;
  Identity identity(count > 2 && std::string(words[2]) == "sink");
  if (count > 1 && std::string(words[1]) == "grpc")
    return serve(wire::GrpcListener::start(identity, {.port = 0}, clock));
  return serve(wire::HttpListener::start(identity, {.port = 0}, clock));
}
