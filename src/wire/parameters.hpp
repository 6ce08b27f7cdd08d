// Parameters that have a meaning of their own in the protocol: taken to where they are used, alike for JSON
// and gRPC.
#pragma once

#include <optional>
#include <string>

#include "wire/message.hpp"

namespace neph::wire {

/// The value as a whole number from 0 on. Errors: invalid_argument, naming the parameter; likewise below.
Result<std::uint64_t> count_of(const std::string& name, const Value& value);
Result<bool> flag_of(const std::string& name, const Value& value);

/// An input's or output's parameter: those of shared memory, or else one to be kept.
Status take_tensor_parameter(std::string name, Value value, Tensor& tensor);
/// A requested output's: classification, shared memory, binary_data; others are passed over.
Status take_output_parameter(const std::string& name, const Value& value, RequestedOutput& output);

}  // namespace neph::wire
