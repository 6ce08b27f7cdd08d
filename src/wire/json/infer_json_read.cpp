#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/names.hpp"
#include "wire/json/infer_json.hpp"
#include "wire/json/json_cursor.hpp"
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
  std::uint64_t max_memory_bytes;
  std::string_view tensors_key;
};

/// Where a value stands: `key` of the body, or of an entry of one of its lists.
struct Where {
  std::string_view list;
  std::size_t entry = 0;
  std::string_view key;
  std::string_view parameter;

  /// "inputs[0].shape"
  std::string in_words() const {
    std::string words = list.empty() ? "" : fmt::format("{}[{}].", list, entry);
    words += key;
    return parameter.empty() ? words : fmt::format("{}.{}", words, parameter.substr(0, 100));
  }
};

std::string_view in_words(JsonKind kind) {  // in their order
  constexpr std::array<std::string_view, 7> words{"nothing",  "an object",     "a list", "text",
                                                  "a number", "true or false", "null"};
  return words[static_cast<std::size_t>(kind)];
}

template <class... Args>
tl::unexpected<Error> refuse(fmt::format_string<Args...> format, Args&&... args) {
  return fail(ErrorCode::invalid_argument, format, std::forward<Args>(args)...);
}

/// Walks through the text and fills the message as it goes.
class Reader {
 public:
  Reader(std::string_view text, const Target& target, BinarySizes& sizes)
      : json_(text), target_(target), sizes_(sizes) {}

  Status read() {
    NEPH_CHECK(each_field({.key = "the body (an object is expected)"}, [&](std::string_view key) -> Status {
      if (is_absent()) return skip();
      return read_field(key);
    }));
    if (!json_.at_end()) return json_.status();
    if (!error_.empty() && !target_.tensors.empty())
      return refuse("the reply has an error beside its outputs: '{}'", error_.substr(0, 200));
    return point_at_data();
  }

 private:
  /// Servers write null for what is optional and not there.
  bool is_absent() { return target_.requested == nullptr && json_.kind() == JsonKind::null; }
  Status skip() { return json_.skip(), json_.status(); }

  Status read_field(std::string_view key) {
    const Where where{.key = key};
    if (key == target_.tensors_key) {
      if (!target_.tensors.empty()) return refuse("{}: given twice", key);
      return each_entry(where, [&] { return read_tensor(); });
    }
    if (key == "error" && target_.requested == nullptr) return read_error();
    if (key == "outputs" && target_.requested != nullptr)
      return each_entry(where, [&] { return read_requested(); });
    if (key == "model_name") return read_text(where, target_.model);
    if (key == "model_version") return read_text(where, target_.version);
    if (key == "id") return read_text(where, target_.id);
    if (key != "parameters") return skip();
    return each_parameter({.key = "parameters"}, [&](std::string name, Value given) -> Status {
      if (name == "binary_data_output" && target_.binary_outputs != nullptr)
        return flag_of(name, given).map([&](bool flag) { *target_.binary_outputs = flag; });
      target_.parameters.push_back({std::move(name), std::move(given)});
      return count_kept(1);
    });
  }

  Status read_error() {
    if (json_.kind() == JsonKind::text) return read_text({.key = "error"}, error_);
    error_ = in_words(json_.kind());
    return skip();
  }

  Status read_tensor() {
    const auto i = target_.tensors.size();
    if (i == most_tensors) return refuse("{}: more than {}", target_.tensors_key, most_tensors);
    auto& tensor = target_.tensors.emplace_back();
    sizes_.emplace_back();
    parts_.emplace_back();
    std::optional<JsonCursor::Position> data;
    bool typed = false;
    const auto read = [&](std::string_view key) -> Status {
      const Where where{.list = target_.tensors_key, .entry = i, .key = key};
      if (key == "name") return read_text(where, tensor.name);
      if (key == "shape") return read_shape(where, tensor.shape);
      if (is_absent()) return skip();
      if (key == "data" && typed) return read_data(i);
      if (key == "data") data = json_.position();
      if (key == "datatype") {
        if (std::exchange(typed, true)) return refuse("{}: given twice", where.in_words());
        return read_type(where, tensor.type);
      }
      if (key != "parameters") return skip();
      return each_parameter(
          {.list = target_.tensors_key, .entry = i, .key = "parameters"},
          [&](std::string name, Value given) -> Status {
            if (name == "binary_data_size")
              return count_of(name, given).map([&](std::uint64_t bytes) { sizes_[i] = bytes; });
            const auto before = tensor.parameters.size();
            NEPH_CHECK(take_tensor_parameter(std::move(name), std::move(given), tensor));
            return count_kept(tensor.parameters.size() - before);
          });
    };
    NEPH_CHECK(each_field({.key = target_.tensors_key}, read));
    if (!data) return {};
    if (!typed) return refuse("{}[{}]: no datatype", target_.tensors_key, i);
    const auto behind = json_.position();
    json_.go_to(*data);
    NEPH_CHECK(read_data(i));
    json_.go_to(behind);
    return {};
  }

  Status read_requested() {
    const auto i = target_.requested->size();
    if (i == most_tensors) return refuse("outputs: more than {}", most_tensors);
    auto& output = target_.requested->emplace_back();
    return each_field({.key = "outputs"}, [&](std::string_view key) -> Status {
      if (key == "name") return read_text({.list = "outputs", .entry = i, .key = key}, output.name);
      if (key != "parameters") return skip();
      return each_parameter({.list = "outputs", .entry = i, .key = "parameters"},
                            [&](const std::string& name, const Value& given) {
                              return take_output_parameter(name, given, output);
                            });
    });
  }

  Status read_type(const Where& where, DataType& type) {
    std::string name;
    NEPH_CHECK(read_text(where, name));
    const auto known = enum_value<DataType>(name);
    if (!known)
      return unknown_name(ErrorCode::invalid_argument, "datatype", name, enum_choices<DataType>(),
                          where.in_words());
    type = *known;
    return {};
  }

  Status read_shape(const Where& where, Shape& shape) {
    if (shape.rank() > 0) return refuse("{}: given twice", where.in_words());
    return each_entry(where, [&]() -> Status {
      if (json_.kind() != JsonKind::number) return wrong(where);
      return with_scalar(where, [&](auto size) -> Status {
        using T = decltype(size);
        if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
          if (!std::in_range<std::int64_t>(size))
            return refuse("{}: {} is too large", where.in_words(), size);
          if (shape.push_back(static_cast<std::int64_t>(size))) return {};
          return refuse("{}: more than {} dimensions", where.in_words(), Shape::most);
        } else {
          return refuse("{}: a size is a whole number", where.in_words());
        }
      });
    });
  }

  // ---- A tensor's data

  /// Where in the message's memory it lies, which may still move.
  struct Part {
    bool given = false;
    std::size_t begin = 0, end = 0;
  };

  Status read_data(std::size_t i) {
    const Where where{.list = target_.tensors_key, .entry = i, .key = "data"};
    auto& memory = target_.memory;
    // Growing would take twice the memory for a while: there is room for all that is still to come, which is
    // at most eight bytes for a digit and its comma.
    if (memory.empty())
      memory.reserve(std::min<std::uint64_t>(4 * json_.bytes_left(), target_.max_memory_bytes));
    const auto begin = memory.size();
    TensorBytes bytes(target_.tensors[i].type, memory);
    NEPH_CHECK(read_row(where, bytes));
    parts_[i] = {true, begin, memory.size()};
    return {};
  }

  /// Of a reply a number that JSON cannot write, NaN or an infinity, comes as null.
  Status read_row(const Where& where, TensorBytes& bytes) {
    const auto type = target_.tensors[where.entry].type;
    const bool may_be_null = type == DataType::f32 || type == DataType::f64;
    const auto add = [&](auto element) {
      auto added = bytes.add(element);
      if (!added) added = refuse("{}: {}", where.in_words(), added.error().message);
      return added;
    };
    return each_entry(where, [&]() -> Status {
      const auto kind = json_.kind();
      if (kind == JsonKind::array) return read_row(where, bytes);
      if (target_.memory.size() + sizeof(double) > target_.max_memory_bytes) return no_room(where);
      if (kind == JsonKind::number) return with_number(add);
      if (kind == JsonKind::text) return add_text(where, bytes);
      if (may_be_null && is_absent()) {
        json_.null();
        return add(std::numeric_limits<double>::quiet_NaN());
      }
      return with_scalar(where, add);
    });
  }

  /// Its length goes before it, and is known behind it.
  Status add_text(const Where& where, TensorBytes& bytes) {
    auto& memory = target_.memory;
    const auto added = bytes.add(std::string_view());
    if (!added) return refuse("{}: {}", where.in_words(), added.error().message);
    const auto begin = memory.size();
    bool fits = true;
    const bool read = json_.text_pieces([&](std::string_view piece) {
      fits = fits && memory.size() + piece.size() <= target_.max_memory_bytes;
      const auto more = bytes_of(piece);
      if (fits) memory.insert(memory.end(), more.begin(), more.end());
    });
    if (!read) return json_.status();
    const auto length = static_cast<std::uint32_t>(memory.size() - begin);
    if (!fits || length != memory.size() - begin) return no_room(where);
    std::memcpy(memory.data() + begin - sizeof length, &length, sizeof length);
    return {};
  }

  tl::unexpected<Error> no_room(const Where& where) const {
    return refuse("{}: the request takes more than is allowed with its tensors (of which {} bytes fit)",
                  where.in_words(), target_.max_memory_bytes);
  }

  /// When all is read: the memory stays where it is from here on.
  Status point_at_data() {
    for (std::size_t i = 0; i < target_.tensors.size(); ++i)
      if (const auto& part = parts_[i]; part.given)
        target_.tensors[i].data = std::span(target_.memory).subspan(part.begin, part.end - part.begin);
    return {};
  }

  // ---- Values of one kind

  Status wrong(const Where& where) {
    const auto kind = json_.kind();
    if (kind == JsonKind::none) return json_.status();
    return refuse("{}: {} does not belong there", where.in_words(), in_words(kind));
  }

  template <class Take>
  Status each_field(const Where& where, Take take) {
    return json_.kind() == JsonKind::object ? json_.each_field(take) : wrong(where);
  }

  template <class Take>
  Status each_entry(const Where& where, Take take) {
    return json_.kind() == JsonKind::array ? json_.each_entry(take) : wrong(where);
  }

  template <class Take>
  Status with_number(Take take) {
    const auto number = json_.number();
    if (!number) return json_.status();
    if (number->kind == JsonNumber::Kind::natural) return take(number->natural);
    return number->kind == JsonNumber::Kind::real ? take(number->real) : take(number->negative);
  }

  /// Calls `take` with what a text, a truth value or a number is.
  template <class Take>
  Status with_scalar(const Where& where, Take take) {
    switch (json_.kind()) {
      case JsonKind::number:
        return with_number(take);
      case JsonKind::boolean:
        if (const auto flag = json_.boolean()) return take(*flag);
        break;
      case JsonKind::text: {
        const auto text = json_.text(text_);
        if (!text) break;
        text_bytes_ += text->size();
        if (text_bytes_ <= most_text_bytes) return take(*text);
        return refuse("{}: names, ids and parameters of more than {} bytes", where.in_words(),
                      most_text_bytes);
      }
      default:
        return wrong(where);
    }
    return json_.status();
  }

  Status read_text(const Where& where, std::string& to) {
    if (json_.kind() != JsonKind::text) return wrong(where);
    return with_scalar(where, [&](auto text) -> Status {
      if constexpr (std::is_same_v<decltype(text), std::string_view>) to = text;
      return {};
    });
  }

  Status count_kept(std::size_t parameters) {
    parameters_ += parameters;
    return parameters_ <= most_parameters ? Status{} : refuse("more than {} parameters", most_parameters);
  }

  /// Parameters with a meaning of their own go where they are used. One that is null is absent, of a reply's
  /// tensors too.
  template <class Take>
  Status each_parameter(const Where& where, Take take) {
    return each_field(where, [&](std::string_view name) -> Status {
      if (json_.kind() == JsonKind::null && (where.list.empty() || is_absent())) return skip();
      Where place = where;
      place.parameter = name;
      text_bytes_ += name.size();
      return with_scalar(place, [&](auto scalar) -> Status {
        Value given;
        if constexpr (std::is_same_v<decltype(scalar), std::string_view>)
          given = std::string(scalar);
        else
          given = scalar;
        const auto taken = take(std::string(name), std::move(given));
        return taken ? Status{} : refuse("{}: {}", place.in_words(), taken.error().message);
      });
    });
  }

  JsonCursor json_;
  const Target target_;
  BinarySizes& sizes_;
  std::vector<Part> parts_;  ///< one per tensor
  std::string text_, error_;
  std::size_t parameters_ = 0, text_bytes_ = 0;
};

}  // namespace

Status read_json(std::string_view text, InferRequest& request, BinarySizes& sizes,
                 std::uint64_t max_memory_bytes) {
  sizes.clear();
  return Reader(text,
                {.model = request.model,
                 .version = request.version,
                 .id = request.id,
                 .parameters = request.parameters,
                 .tensors = request.inputs,
                 .requested = &request.outputs,
                 .binary_outputs = &request.binary_outputs,
                 .memory = request.memory,
                 .max_memory_bytes = max_memory_bytes,
                 .tensors_key = "inputs"},
                sizes)
      .read();
}

Status read_json(std::string_view text, InferReply& reply, BinarySizes& sizes) {
  sizes.clear();
  return Reader(text,
                {.model = reply.model,
                 .version = reply.version,
                 .id = reply.id,
                 .parameters = reply.parameters,
                 .tensors = reply.outputs,
                 .requested = nullptr,
                 .binary_outputs = nullptr,
                 .memory = reply.memory,
                 .max_memory_bytes = unbounded,
                 .tensors_key = "outputs"},
                sizes)
      .read();
}

}  // namespace neph::wire
