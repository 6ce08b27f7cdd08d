#include "load/payload.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <filesystem>

#include <fmt/ranges.h>

#include "core/random.hpp"
#include "core/shapes.hpp"
#include "os/file.hpp"

namespace neph::load {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

/// More than this is a slip in a shape, or a folder that was not meant.
constexpr std::size_t most_bytes = std::size_t{8} << 30;
constexpr std::size_t letters_of_a_string = 16;

struct Input {
  std::string name;
  wire::DataType type;
  wire::Shape shape;  ///< batch and all
  std::int64_t elements = 0;
};

template <class T>
void put(Bytes& bytes, T value) {
  const auto at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

void put_element(Bytes& bytes, std::string_view element) {
  put(bytes, static_cast<std::uint32_t>(element.size()));
  const auto* begin = reinterpret_cast<const std::byte*>(element.data());
  bytes.insert(bytes.end(), begin, begin + element.size());
}

void put_random(Bytes& bytes, wire::DataType type, Random& random) {
  using wire::DataType;
  switch (type) {
    case DataType::f32:
      return put(bytes, static_cast<float>(random.bits() >> 40) * 0x1p-24F);
    case DataType::f64:
      return put(bytes, random.uniform());
    case DataType::f16:
      return put(bytes, static_cast<std::uint16_t>(0x3C00 | random.below(1024)));
    case DataType::bf16: {
      const float value = static_cast<float>(random.bits() >> 56) * 0x1p-8F;  // exact in eight bits
      return put(bytes, static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16));
    }
    case DataType::u8:
    case DataType::i8:
      return put(bytes, static_cast<std::uint8_t>(random.below(256)));
    case DataType::boolean:
      return put(bytes, static_cast<std::uint8_t>(random.below(2)));
    case DataType::u16:
    case DataType::i16:
      return put(bytes, static_cast<std::uint16_t>(random.below(2)));
    case DataType::u32:
    case DataType::i32:
      return put(bytes, static_cast<std::uint32_t>(random.below(2)));
    case DataType::u64:
    case DataType::i64:
      return put(bytes, random.below(2));
    case DataType::bytes: {
      std::string letters;
      for (std::size_t i = 0; i < letters_of_a_string; ++i)
        letters += static_cast<char>('a' + static_cast<char>(random.below(26)));
      return put_element(bytes, letters);
    }
  }
}

// ---- Shapes

/// By input, with those that are open in the same places. What was said once with ';' is read as well.
Result<InputShapes> shapes_given(std::string text, const std::vector<wire::TensorMetadata>& inputs) {
  if (text.empty()) return InputShapes{};
  std::replace(text.begin(), text.end(), ';', '+');
  if (text.ends_with('+')) text.pop_back();
  std::vector<std::string> names;
  InputShapes own;
  for (const auto& input : inputs) {
    names.push_back(input.name);
    own[input.name] = input.shape;
  }
  auto shapes = parse_shapes(text);
  if (shapes) shapes = named_shapes(*std::move(shapes), names);
  if (shapes) return with_like_ones(*std::move(shapes), own);
  auto error = std::move(shapes).error();
  error.code = ErrorCode::invalid_argument;
  return fail_in("--shape", std::move(error));
}

/// "input_ids:1x128", with the likeliest size where the model leaves one open.
std::string example_of(const wire::TensorMetadata& tensor, std::int64_t batch) {
  std::vector<std::int64_t> shape = tensor.shape;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] < 0) shape[i] = i == 0 ? batch : shape.size() == 4 ? 224 : 128;
  return shapes_text({{tensor.name, shape}});
}

tl::unexpected<Error> does_not_fit(const wire::TensorMetadata& tensor, std::string_view what) {
  return fail(ErrorCode::invalid_argument, "the model's input '{}' has the shape [{}]: {}", tensor.name,
              fmt::join(tensor.shape, ", "), what);
}

/// The model's shape with the batch in front, where it leaves that open, and the sizes given for the rest.
Result<wire::Shape> whole_shape(const wire::TensorMetadata& tensor, std::int64_t batch,
                                const std::vector<std::int64_t>& given) {
  const bool batched = !tensor.shape.empty() && tensor.shape.front() < 0;
  const std::size_t lead = batched && given.size() + 1 == tensor.shape.size() ? 1 : 0;
  if (!given.empty() && given.size() + lead != tensor.shape.size())
    return does_not_fit(
        tensor, fmt::format("--shape gives it {} size{}", given.size(), given.size() == 1 ? "" : "s"));
  if (batched && lead == 0 && !given.empty() && batch != 1 && given.front() != batch)
    return does_not_fit(tensor, fmt::format("--shape gives it a batch of {} and --batch one of {}; give one",
                                            given.front(), batch));
  if (!batched && batch != 1) return does_not_fit(tensor, "it has no batch dimension, --batch must be 1");
  wire::Shape whole;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    auto size = tensor.shape[i];
    if (i == 0 && batched && (lead == 1 || given.empty()))
      size = batch;
    else if (!given.empty() && size >= 0 && given[i - lead] != size)
      return does_not_fit(tensor, fmt::format("--shape says {} for {}", given[i - lead], size));
    else if (!given.empty())
      size = given[i - lead];
    if (size < 0)
      return does_not_fit(tensor, fmt::format("say which size the open ones are to have, --shape {}",
                                              example_of(tensor, batch)));
    if (!whole.push_back(size))
      return does_not_fit(tensor, fmt::format("more than {} dimensions", wire::Shape::most));
  }
  return whole;
}

/// Samples in a request: a whole shape of the first input that has them says it, too.
std::int64_t batch_of(const std::vector<wire::TensorMetadata>& inputs, const PayloadOptions& options,
                      const InputShapes& shapes) {
  if (options.batch != 1) return options.batch;
  for (const auto& input : inputs) {
    const auto given = shapes.find(input.name);
    if (input.shape.empty() || input.shape.front() >= 0 || given == shapes.end()) continue;
    return given->second.size() == input.shape.size() ? std::max<std::int64_t>(1, given->second.front()) : 1;
  }
  return 1;
}

Result<Input> input_of(const wire::TensorMetadata& tensor, const PayloadOptions& options,
                       const InputShapes& shapes) {
  const auto type = enum_value<wire::DataType>(tensor.datatype);
  if (!type)
    return fail(ErrorCode::unsupported, "the model's input '{}' is of type {}", tensor.name, tensor.datatype);
  const auto given = shapes.find(tensor.name);
  NEPH_TRY(const auto shape,
           whole_shape(tensor, options.batch,
                       given == shapes.end() ? std::vector<std::int64_t>() : given->second));
  const auto count = wire::elements(shape);
  const auto element = std::max(wire::element_bytes(*type), std::size_t{1});
  if (!count || static_cast<std::uint64_t>(*count) > most_bytes / element)
    return does_not_fit(tensor, "with the sizes given it is too large");
  return Input{tensor.name, *type, shape, *count};
}

// ---- Data

Bytes random_data(const Input& input, Random& random) {
  Bytes bytes;
  bytes.reserve(static_cast<std::size_t>(input.elements) *
                std::max<std::size_t>(1, wire::element_bytes(input.type)));
  for (std::int64_t i = 0; i < input.elements; ++i) put_random(bytes, input.type, random);
  return bytes;
}

/// By the first bytes of a JPEG or PNG file.
bool is_picture(std::string_view content) {
  return content.starts_with("\xff\xd8\xff") || content.starts_with("\x89PNG");
}

Result<Bytes> file_data(const Input& input, const fs::path& path, std::int64_t batch) {
  NEPH_TRY(const auto content, read_file(path));
  Bytes bytes;
  if (input.type == wire::DataType::bytes) {
    for (std::int64_t i = 0; i < input.elements; ++i) put_element(bytes, content);
    return bytes;
  }
  const auto whole = static_cast<std::size_t>(input.elements) * wire::element_bytes(input.type);
  const auto sample = whole / static_cast<std::size_t>(batch);
  const bool has_samples = whole % static_cast<std::size_t>(batch) == 0;
  if (content.size() != whole && !(has_samples && content.size() == sample))
    return fail(ErrorCode::invalid_argument, "{}: {} bytes; the input '{}' has {}, a sample of it {}{}",
                path.string(), content.size(), input.name, whole, sample,
                is_picture(content) ? "; to send image files, start the server with --payload jpeg" : "");
  const auto* begin = reinterpret_cast<const std::byte*>(content.data());
  while (bytes.size() < whole) bytes.insert(bytes.end(), begin, begin + content.size());
  return bytes;
}

Result<std::vector<fs::path>> files_of(const std::string& input) {
  std::error_code error;
  if (!fs::is_directory(input, error)) return std::vector<fs::path>{input};
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(input, error), end; !error && at != end; at.increment(error))
    if (at->is_regular_file(error)) files.push_back(at->path());
  if (error) return tl::unexpected(system_error(input, error.value()));
  if (files.empty()) return fail(ErrorCode::not_found, "{}: no file in it", input);
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

Result<Payload> Payload::make(const wire::ModelMetadata& model, const PayloadOptions& options) {
  if (model.inputs.empty())
    return fail(ErrorCode::unsupported, "the server says of no input of the model '{}'", model.name);
  NEPH_TRY(const auto shapes, shapes_given(options.shape, model.inputs));
  std::vector<Input> inputs;
  for (const auto& tensor : model.inputs) {
    NEPH_TRY(auto input, input_of(tensor, options, shapes));
    inputs.push_back(std::move(input));
  }
  std::vector<fs::path> files;
  if (!options.input.empty()) {
    NEPH_TRY(files, files_of(options.input));
  }
  const auto count = static_cast<std::size_t>(
      options.distinct > 0 ? options.distinct : std::max<std::int64_t>(1, std::ssize(files)));

  Payload payload;
  payload.batch_ = batch_of(model.inputs, options, shapes);
  payload.source_ = files.empty() ? "random" : fmt::format("from {}", options.input);
  Random random(options.seed);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < count; ++i) {
    wire::InferRequest request{.model = model.name, .version = options.version, .binary_outputs = true};
    for (const auto& input : inputs) {
      Bytes data;
      if (&input == inputs.data() && !files.empty()) {
        NEPH_TRY(data, file_data(input, files[i % files.size()], payload.batch_));
      } else {
        data = random_data(input, random);
      }
      bytes += data.size();
      if (bytes > most_bytes)
        return fail(ErrorCode::invalid_argument, "{} requests take more than {} bytes; lower --distinct",
                    count, most_bytes);
      payload.memory_.push_back(std::move(data));
      request.inputs.push_back(
          {.name = input.name, .type = input.type, .shape = input.shape, .data = payload.memory_.back()});
    }
    payload.requests_.push_back(std::move(request));
  }
  return payload;
}

Payload Payload::of(std::vector<wire::InferRequest> requests, std::int64_t batch,
                    const PayloadOptions& options) {
  if (options.distinct > 0 && options.distinct < std::ssize(requests))
    requests.resize(static_cast<std::size_t>(options.distinct));
  Payload payload;
  payload.batch_ = batch;
  payload.source_ = fmt::format("from {}", options.input);
  for (auto& request : requests) {
    request.version = options.version;
    for (auto& input : request.inputs)
      input.data = payload.memory_.emplace_back(input.data.begin(), input.data.end());
  }
  payload.requests_ = std::move(requests);
  return payload;
}

std::size_t Payload::bytes() const {
  std::size_t bytes = 0;
  for (const auto& input : requests_.front().inputs) bytes += input.data.size();
  return bytes;
}

std::string Payload::description() const {
  const auto& input = requests_.front().inputs.front();
  return fmt::format("{} {} {} [{}]", requests_.size(), source_, enum_name(input.type),
                     fmt::join(input.shape.begin(), input.shape.end(), ", "));
}

}  // namespace neph::load
