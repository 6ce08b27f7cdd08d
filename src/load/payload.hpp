// What is sent: requests made once, before the clock starts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "wire/wire.hpp"

namespace neph::load {

struct PayloadOptions {
  std::string version;
  std::int64_t batch = 1;  ///< samples in a request, where the model has a batch dimension
  std::string input;       ///< file or folder for the first input; empty: random numbers
  /// Sizes that the model leaves open, with or without the batch: "NAME:3x224x224+OTHER:5", or "3x224x224" of
  /// the only input; once written with ";".
  std::string shape;
  std::int64_t distinct = 0;  ///< different requests, sent in turn; 0: one, or one for each file
  std::uint64_t seed = 1;     ///< of random numbers
};

/// Ownership: the requests' tensors point into it; it may be moved.
class Payload {
 public:
  /// Tensors of the shapes and types that the model says. Random numbers are uniform: floats from [0, 1)
  /// (FP16 from [1, 2)), bytes of any value, other integers 0 or 1, which every vocabulary and mask has,
  /// strings of 16 letters. A file is an element of BYTES as it lies (a JPEG), or else all bytes of the
  /// tensor or of one sample of it, then repeated for the batch. Errors: invalid_argument (a shape is missing
  /// or makes no sense, a file has the wrong size), not_found and others of files, unsupported.
  static Result<Payload> make(const wire::ModelMetadata& model, const PayloadOptions& options);

  /// Of requests that were made before, all or as many as options.distinct says; their data is copied.
  static Payload of(std::vector<wire::InferRequest> requests, std::int64_t batch,
                    const PayloadOptions& options);

  const std::vector<wire::InferRequest>& requests() const { return requests_; }
  std::size_t bytes() const;  ///< of one request's tensors, the first's
  /// Samples in a request: PayloadOptions::batch, or what a whole shape says in its place.
  std::int64_t batch() const { return batch_; }
  /// "16 random FP32 [8, 3, 224, 224]"
  std::string description() const;

 private:
  std::vector<wire::InferRequest> requests_;
  std::vector<std::vector<std::byte>> memory_;
  std::string source_;
  std::int64_t batch_ = 1;
};

}  // namespace neph::load
