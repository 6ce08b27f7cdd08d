#include "workload/train/checkpoint.hpp"

#include <bit>
#include <cstring>

#include "core/json.hpp"
#include "net/net.hpp"
#include "os/file.hpp"

namespace neph::workload {
namespace {

static_assert(std::endian::native == std::endian::little, "floats are copied as they lie in memory");

constexpr std::size_t alignment = 8;
constexpr std::string_view safetensors_ending = ".safetensors";
constexpr std::string_view onnx_ending = ".onnx";

std::int64_t elements(const std::vector<std::int64_t>& shape) {
  std::int64_t product = 1;
  for (const auto size : shape) product *= size;
  return product;
}

}  // namespace

Result<std::string> safetensors(const Weights& weights, const Shapes& shapes) {
  Json header = Json::object();
  header["__metadata__"] = {{"format", "pt"}};
  std::uint64_t offset = 0;
  for (const auto& [name, values] : weights) {
    const auto known = shapes.find(name);
    const auto shape = known == shapes.end() ? std::vector{std::ssize(values)} : known->second;
    if (elements(shape) != std::ssize(values))
      return fail(ErrorCode::internal, "tensor '{}' has {} elements, and its shape has {}", name,
                  values.size(), elements(shape));
    const auto end = offset + values.size() * sizeof(float);
    header[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  auto text = dump_json(header);
  text.resize((text.size() + alignment - 1) / alignment * alignment, ' ');
  const std::uint64_t length = text.size();
  std::string file(sizeof length, '\0');
  std::memcpy(file.data(), &length, sizeof length);
  file.reserve(file.size() + text.size() + offset);
  file += text;
  for (const auto& [name, values] : weights)
    file.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  return file;
}

Status check_checkpoint(const std::filesystem::path& path) {
  const auto ending = path.extension();
  if (ending == safetensors_ending || ending == onnx_ending) return {};
  return fail(ErrorCode::invalid_argument, "--save {}: its ending says what it is; take {} or {}",
              path.string(), safetensors_ending, onnx_ending);
}

Status write_checkpoint(const std::filesystem::path& path, const Weights& weights, const Shapes& shapes,
                        const std::filesystem::path& source) {
  NEPH_CHECK(check_checkpoint(path));
  if (path.extension() == onnx_ending) {
    if (source.extension() != onnx_ending)
      return fail(ErrorCode::unsupported, "--save {}: {} is no ONNX model; save it as {}", path.string(),
                  source.string(), safetensors_ending);
    return net::write_trained(source, weights, path);
  }
  NEPH_TRY(const auto file, safetensors(weights, shapes));
  return write_file(path, file);
}

}  // namespace neph::workload
