// Where a reader stands in the JSON of an inference request or reply: what each place may hold, and its name
// for messages.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace neph::wire {

/// Where the reader stands. `passing` is anything that nobody asked for, `data` a tensor's numbers.
enum class At : std::uint8_t {
  start,
  top,
  parameters,
  tensors,
  tensor,
  tensor_parameters,
  shape,
  data,
  requests,
  request,
  request_parameters,
  passing
};

/// The known keys of one object; other keys are passed over.
enum class Key : std::uint8_t {
  none,
  model_name,
  model_version,
  id,
  parameters,
  tensors,
  requests,
  name,
  datatype,
  shape,
  data
};

class Place {
 public:
  static constexpr std::size_t most_nesting = 32;

  /// `tensors_key` is "inputs" of a request and "outputs" of a reply; only a request asks for outputs.
  Place(std::string_view tensors_key, bool has_requests)
      : tensors_key_(tensors_key), has_requests_(has_requests) {}

  At at() const { return places_[depth_]; }
  Key key() const { return key_; }
  /// The last key of an object of parameters.
  std::string& parameter() { return parameter_; }

  /// False when it is nested too deep.
  bool enter(At where);
  void leave();
  void begin_again();
  void take_key(std::string_view name);
  /// Whether the value that comes is one that nobody asked for.
  bool is_unknown() const;
  /// Whether the list that ends is the outermost one of a tensor's data.
  bool at_last_of_data() const { return at() == At::data && places_[depth_ - 1] != At::data; }
  /// "inputs[0].shape"; `tensor` is the number of the tensor, `requests` how many outputs were asked for so
  /// far.
  std::string in_words(std::size_t tensor, std::size_t requests) const;

 private:
  Key known(std::string_view name) const;
  std::string_view key_in_words() const;

  std::string_view tensors_key_;
  bool has_requests_;
  std::array<At, most_nesting + 2> places_{};
  std::size_t depth_ = 0;
  Key key_ = Key::none;
  std::string parameter_;
};

}  // namespace neph::wire
