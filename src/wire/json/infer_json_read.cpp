#include <utility>

#include <fmt/format.h>

#include "core/names.hpp"
#include "wire/json/events.hpp"
#include "wire/json/infer_json.hpp"
#include "wire/json/place.hpp"
#include "wire/parameters.hpp"
#include "wire/tensor_bytes.hpp"

namespace neph::wire {
namespace {

/// The fields of a message, request or reply, that the JSON fills.
struct Target {
  std::string& model;
  std::string& version;
  std::string& id;
  Parameters& parameters;
  std::vector<Tensor>& tensors;
  std::vector<RequestedOutput>* requested;  ///< of a request
  bool* binary_outputs;
  std::vector<std::byte>& memory;
  std::string_view tensors_key;
};

/// Takes the events of JsonEvents. Each function returns false to stop.
class Reader {
 public:
  Reader(const Target& target, BinarySizes& sizes)
      : target_(target), sizes_(sizes), place_(target.tensors_key, target.requested != nullptr) {}

  const std::string& fault() const { return fault_; }
  /// Some tensor's data came before its type: it must be read once more, with the types known.
  bool again() const { return types_late_; }
  void begin_again() {
    second_ = true;
    place_.begin_again();
    tensor_ = 0;
    target_.memory.clear();
  }

  /// When all is read: the memory stays where it is from here on.
  void point_at_data() {
    for (std::size_t i = 0; i < target_.tensors.size(); ++i)
      if (numbers_[i].bytes > 0 || numbers_[i].given)
        target_.tensors[i].data = std::span(target_.memory).subspan(numbers_[i].begin, numbers_[i].bytes);
  }

  bool null() { return at() == At::parameters || wrong("null"); }
  bool boolean(bool value) { return scalar(value); }
  bool integer(std::int64_t value) { return scalar(value); }
  bool natural(std::uint64_t value) { return scalar(value); }
  bool real(double value) { return scalar(value); }
  bool text(std::string_view value) { return scalar(value); }

  bool begin_object() {
    switch (at()) {
      case At::start:
        return enter(At::top);
      case At::top:
        if (place_.key() == Key::parameters) return enter(At::parameters);
        break;
      case At::tensors:
        return begin_tensor() && enter(At::tensor);
      case At::tensor:
        if (place_.key() == Key::parameters) return enter(At::tensor_parameters);
        break;
      case At::requests:
        return begin_request() && enter(At::request);
      case At::request:
        if (place_.key() == Key::parameters) return enter(At::request_parameters);
        break;
      default:
        break;
    }
    return pass("an object");
  }

  bool begin_list() {
    switch (at()) {
      case At::top:
        if (place_.key() == Key::tensors) return enter(At::tensors);
        if (place_.key() == Key::requests) return enter(At::requests);
        break;
      case At::tensor:
        if (place_.key() == Key::shape) return begin_shape() && enter(At::shape);
        if (place_.key() == Key::data) return begin_data() && enter(At::data);
        break;
      case At::data:
        return enter(At::data);
      default:
        break;
    }
    return pass("a list");
  }

  bool end_object() {
    if (at() == At::tensor) ++tensor_;
    return leave();
  }
  bool end_list() { return leave(); }

  bool key(std::string_view name) {
    place_.take_key(name);
    return true;
  }

  void fault(std::size_t byte, std::string_view words) { refuse("not JSON at byte {}: {}", byte, words); }

 private:
  /// Where in the message's memory a tensor's numbers lie.
  struct Numbers {
    std::size_t begin = 0;
    std::size_t bytes = 0;
    bool given = false;
  };

  At at() const { return place_.at(); }
  bool enter(At where) { return place_.enter(where) || refuse("nested deeper than {}", Place::most_nesting); }
  bool leave() {
    if (place_.at_last_of_data()) end_data();
    place_.leave();
    return true;
  }

  template <class... Args>
  bool refuse(fmt::format_string<Args...> format, Args&&... args) {
    fault_ = fmt::format(format, std::forward<Args>(args)...);
    return false;
  }
  /// A value of a key that nobody asked for is passed over; one of a known key has the wrong kind.
  bool pass(std::string_view kind) { return place_.is_unknown() ? enter(At::passing) : wrong(kind); }
  bool wrong(std::string_view kind) {
    return place_.is_unknown() || refuse("{}: {} does not belong there", place_in_words(), kind);
  }

  std::string place_in_words() const {
    const auto requested = target_.requested != nullptr ? target_.requested->size() : 0;
    return place_.in_words(tensor_, requested);
  }

  // ---- Values

  template <class T>
  bool scalar(T value) {
    constexpr bool text = std::is_same_v<T, std::string_view>;
    constexpr bool whole = std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint64_t>;
    constexpr auto kind = text ? "text" : std::is_same_v<T, bool> ? "true or false" : "a number";
    if (second_ && at() != At::data) return true;  // has been read
    switch (at()) {
      case At::data:
        return types_late_for_this_ || put(value);
      case At::shape:
        if constexpr (whole) return put_size(value);
        break;
      case At::top:
        if constexpr (text) {
          if (place_.key() == Key::model_name) return assign(target_.model, value);
          if (place_.key() == Key::model_version) return assign(target_.version, value);
          if (place_.key() == Key::id) return assign(target_.id, value);
        }
        break;
      case At::tensor:
        if constexpr (text) {
          if (place_.key() == Key::name) return assign(current().name, value);
          if (place_.key() == Key::datatype) return put_type(value);
        }
        break;
      case At::request:
        if constexpr (text)
          if (place_.key() == Key::name) return assign(target_.requested->back().name, value);
        break;
      case At::parameters:
      case At::tensor_parameters:
      case At::request_parameters:
        if constexpr (text)
          return put_parameter(std::string(value));
        else
          return put_parameter(value);
      default:
        break;
    }
    return wrong(kind);
  }

  bool assign(std::string& to, std::string_view from) {
    to = from;
    return true;
  }

  Tensor& current() { return target_.tensors[tensor_]; }

  bool begin_tensor() {
    if (second_) return true;
    if (target_.tensors.size() == most_tensors)
      return refuse("{}: more than {}", target_.tensors_key, most_tensors);
    target_.tensors.push_back({});
    sizes_.emplace_back();
    numbers_.emplace_back();
    typed_.push_back(false);
    return true;
  }

  bool begin_request() {
    if (second_) return true;
    if (target_.requested->size() == most_tensors) return refuse("outputs: more than {}", most_tensors);
    target_.requested->push_back({});
    return true;
  }

  bool begin_shape() {
    return second_ || current().shape.rank() == 0 || refuse("{}: given twice", place_in_words());
  }

  bool put_type(std::string_view name) {
    if (typed_[tensor_]) return refuse("{}: given twice", place_in_words());
    const auto type = enum_value<DataType>(name);
    if (!type)
      return refuse("{}", unknown_name("datatype", name, enum_choices<DataType>(), place_in_words()));
    current().type = *type;
    typed_[tensor_] = true;
    return true;
  }

  template <class T>
  bool put_size(T size) {
    if (!std::in_range<std::int64_t>(size)) return refuse("{}: {} is too large", place_in_words(), size);
    if (!current().shape.push_back(static_cast<std::int64_t>(size)))
      return refuse("{}: more than {} dimensions", place_in_words(), Shape::most);
    return true;
  }

  bool begin_data() {
    types_late_for_this_ = !typed_[tensor_];
    if (second_ && types_late_for_this_) return refuse("{}[{}]: no datatype", target_.tensors_key, tensor_);
    types_late_ |= types_late_for_this_;
    numbers_[tensor_] = {target_.memory.size(), 0, true};
    return true;
  }
  void end_data() { numbers_[tensor_].bytes = target_.memory.size() - numbers_[tensor_].begin; }

  template <class T>
  bool put(const T& value) {
    return take(TensorBytes(current().type, target_.memory).add(value));
  }

  /// Stops at an error, which gets the place before it.
  bool take(const Status& status) {
    return status || refuse("{}: {}", place_in_words(), status.error().message);
  }

  // ---- Parameters: those with a meaning of their own go where they are used

  bool put_parameter(Value value) {
    switch (at()) {
      case At::tensor_parameters:
        if (place_.parameter() == "binary_data_size") return put_size_behind(value);
        return take(take_tensor_parameter(place_.parameter(), std::move(value), current()));
      case At::request_parameters:
        return take(take_output_parameter(place_.parameter(), value, target_.requested->back()));
      default:
        if (place_.parameter() == "binary_data_output" && target_.binary_outputs != nullptr)
          return put_binary_outputs(value);
        target_.parameters.push_back({std::move(place_.parameter()), std::move(value)});
        return true;
    }
  }

  bool put_size_behind(const Value& value) {
    const auto count = count_of(place_.parameter(), value);
    if (!count) return take(tl::unexpected(count.error()));
    sizes_[tensor_] = *count;
    return true;
  }

  bool put_binary_outputs(const Value& value) {
    const auto flag = flag_of(place_.parameter(), value);
    if (!flag) return take(tl::unexpected(flag.error()));
    *target_.binary_outputs = *flag;
    return true;
  }

  const Target target_;
  BinarySizes& sizes_;
  Place place_;
  std::size_t tensor_ = 0;
  std::vector<Numbers> numbers_;
  std::vector<bool> typed_;
  bool types_late_ = false;
  bool types_late_for_this_ = false;
  bool second_ = false;
  std::string fault_;
};

Status read(std::string_view text, const Target& target, BinarySizes& sizes) {
  sizes.clear();
  Reader reader(target, sizes);
  const auto pass = [&] { return JsonEvents(text, reader).read(); };
  bool well = pass();
  if (well && reader.again()) {
    reader.begin_again();
    well = pass();
  }
  if (!well) return fail(ErrorCode::invalid_argument, "{}", reader.fault());
  reader.point_at_data();
  return {};
}

}  // namespace

Status read_json(std::string_view text, InferRequest& request, BinarySizes& sizes) {
  return read(text,
              {.model = request.model,
               .version = request.version,
               .id = request.id,
               .parameters = request.parameters,
               .tensors = request.inputs,
               .requested = &request.outputs,
               .binary_outputs = &request.binary_outputs,
               .memory = request.memory,
               .tensors_key = "inputs"},
              sizes);
}

Status read_json(std::string_view text, InferReply& reply, BinarySizes& sizes) {
  return read(text,
              {.model = reply.model,
               .version = reply.version,
               .id = reply.id,
               .parameters = reply.parameters,
               .tensors = reply.outputs,
               .requested = nullptr,
               .binary_outputs = nullptr,
               .memory = reply.memory,
               .tensors_key = "outputs"},
              sizes);
}

}  // namespace neph::wire
