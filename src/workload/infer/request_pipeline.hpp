// Batches as requests to a server that speaks the Open Inference Protocol.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "workload/infer/batch_runner.hpp"
#include "workload/infer/examples.hpp"

namespace neph::workload {

/// What a request of the run looks like.
struct RequestForm {
  std::string model;
  std::vector<engine::Port> inputs;    ///< of pictures: the only one
  std::vector<std::string> outputs;    ///< names of those that are asked for
  bool files = false;                  ///< the pictures' files as BYTES, instead of tensors
  std::int64_t fixed_batch = 0;        ///< pictures of every request, where the model fixes that; else 0
  Examples* examples = nullptr;        ///< what the batches' slots are numbers of; none: pictures
  std::optional<Nanoseconds> timeout;  ///< a request without an answer for so long has failed
};

/// Adds the tensors of an example. Errors: unsupported (more dimensions than a request's tensor has).
Status add_example(const std::vector<engine::Port>& inputs, const std::vector<ExampleTensor>& example,
                   wire::InferRequest& request);

/// Threads: the client's calls end on the driving thread; loaders only wake it. A request that fails is a
/// batch of failed pictures, and the run goes on.
class RequestPipeline final : public BatchRunner {
 public:
  /// Errors: those of wire::Client::connect.
  static Result<std::unique_ptr<RequestPipeline>> make(const wire::Endpoint& server,
                                                       const wire::ClientOptions& options, RequestForm form,
                                                       const Clock& clock, std::int64_t depth);
  ~RequestPipeline() override;

  Status run(image::BatchSource& source, const Finished& finished, const std::stop_token& stop) override;

 private:
  /// A request in flight, or room for one.
  struct Lane : wire::Call {
    std::unique_ptr<wire::Outgoing> outgoing;
    image::Batch batch;
    std::vector<std::byte> packed;  ///< of file payloads: the batch's BYTES elements
    InferTimes times;
    wire::InferReply answer;
    AlignedFloats pixels;                          ///< as the input's element, where that is not f32
    std::vector<std::vector<std::byte>> values{};  ///< of the outputs: in the reply they may lie at any byte
    std::vector<std::vector<std::int64_t>> shapes{};
    std::vector<std::string> names{};
    std::vector<Output> outputs{};
  };
  class Listening;

  RequestPipeline(RequestForm form, const Clock& clock) : form_(std::move(form)), clock_(clock) {}
  Status send(Lane& lane, image::Batch batch);
  Status fill(wire::InferRequest& request, Lane& lane) const;
  void fill_files(wire::Tensor& input, Lane& lane) const;
  Status fill_pixels(wire::Tensor& input, Lane& lane) const;
  std::optional<image::Batch> next_batch(image::BatchSource& source, bool wait);
  void wait(bool for_batch);
  bool finish(Lane& lane, const Finished& finished);
  static void fail_all(image::Batch& batch, const std::string& reason);
  Status read_outputs(Lane& lane) const;

  const RequestForm form_;
  const Clock& clock_;
  std::unique_ptr<wire::Client> client_;
  wire::InferRequest request_;

  std::mutex mutex_;
  bool offered_ = false;  ///< under mutex_: the source has a batch
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::vector<Lane*> free_;
  std::vector<Lane*> ended_;  ///< in the order in which they ended
};

}  // namespace neph::workload
