#include <exception>

#include "net/onnx_graph.hpp"
#include "net/onnx_model.hpp"
#include "os/file.hpp"

namespace neph::net {
namespace {

Result<Network> read_from(std::string_view bytes, std::string_view source,
                          const std::filesystem::path* folder, const ReadOptions& options) try {
  const auto model = parse_model(bytes, source);
  if (!model) return fail_in_model(source, model.error());
  auto network = network_of(*model, opset_of(*model), folder, options);
  if (!network) return fail_in_model(source, network.error());
  return network;
} catch (const std::exception& error) {
  return fail(ErrorCode::unavailable, "{}: cannot be read: {}", source, error.what());
}

}  // namespace

Result<Network> read_onnx_bytes(std::string_view bytes, std::string_view source, const ReadOptions& options) {
  return read_from(bytes, source, nullptr, options);
}

Result<Network> read_onnx(const std::filesystem::path& path, const ReadOptions& options) try {
  NEPH_TRY(const auto bytes, read_file(path));
  const auto folder = path.parent_path();
  return read_from(bytes, path.string(), &folder, options);
} catch (const std::exception& error) {
  return fail(ErrorCode::unavailable, "{}: cannot be read: {}", path.string(), error.what());
}

}  // namespace neph::net
