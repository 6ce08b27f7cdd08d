// CIFAR-10's binary version: batches of records of one label and 3 x 32 x 32 bytes. Only for files of this
// module.
#pragma once

#include <array>
#include <string>

#include "data/byte_source.hpp"
#include "data/forms.hpp"
#include "data/packed.hpp"

namespace neph::data {

class CifarBatches {
 public:
  /// "data_batch_3.bin" → 3, "test_batch.bin" → 0; -1: none of them.
  static int number_of(std::string_view file);
  /// Batch `number`. Errors: corrupt (cut short).
  Status add(int number, ByteSource& source, const std::string& name);

  /// Errors: not_found (a batch), corrupt (batches of different sizes), and packed_set's.
  Result<Set> set(Set set, const Request& request);

 private:
  std::array<Half, 6> batches_;
};

}  // namespace neph::data
