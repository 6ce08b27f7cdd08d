#include "wire/parameters.hpp"

#include <utility>

namespace neph::wire {
namespace {

/// Whether the parameter is one of shared memory.
Result<bool> take_shared(const std::string& name, const Value& value, std::optional<SharedPart>& shared) {
  const bool region = name == "shared_memory_region", bytes = name == "shared_memory_byte_size",
             offset = name == "shared_memory_offset";
  if (!region && !bytes && !offset) return false;
  if (!shared) shared.emplace();
  if (region) {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) return fail(ErrorCode::invalid_argument, "parameter '{}': expected text", name);
    shared->region = *text;
  } else {
    NEPH_TRY((bytes ? shared->bytes : shared->offset), count_of(name, value));
  }
  return true;
}

}  // namespace

Result<std::uint64_t> count_of(const std::string& name, const Value& value) {
  if (const auto* natural = std::get_if<std::uint64_t>(&value)) return *natural;
  if (const auto* whole = std::get_if<std::int64_t>(&value); whole != nullptr && *whole >= 0)
    return static_cast<std::uint64_t>(*whole);
  return fail(ErrorCode::invalid_argument, "parameter '{}': expected a whole number from 0 on", name);
}

Result<bool> flag_of(const std::string& name, const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  return fail(ErrorCode::invalid_argument, "parameter '{}': expected true or false", name);
}

Status take_tensor_parameter(std::string name, Value value, Tensor& tensor) {
  NEPH_TRY(const bool taken, take_shared(name, value, tensor.shared));
  if (!taken) tensor.parameters.push_back({std::move(name), std::move(value)});
  return {};
}

Status take_output_parameter(const std::string& name, const Value& value, RequestedOutput& output) {
  NEPH_TRY(const bool taken, take_shared(name, value, output.shared));
  if (taken) return {};
  if (name == "binary_data") {
    NEPH_TRY(output.binary, flag_of(name, value));
  } else if (name == "classification") {
    NEPH_TRY(const auto count, count_of(name, value));
    if (!std::in_range<std::int64_t>(count))
      return fail(ErrorCode::invalid_argument, "parameter 'classification': {} is too large", count);
    output.classification = static_cast<std::int64_t>(count);
  }
  return {};
}

}  // namespace neph::wire
