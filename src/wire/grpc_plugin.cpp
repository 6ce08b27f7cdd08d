#include "wire/grpc_plugin.hpp"

#include <string>

#include <fmt/ranges.h>

#include "os/plugin.hpp"

namespace neph::wire {

namespace fs = std::filesystem;

std::vector<fs::path> grpc_folders() {
  return {program_folder(), (program_folder() / "../lib/neph").lexically_normal()};
}

Result<std::unique_ptr<GrpcPlugin>> load_grpc(const std::vector<fs::path>& folders) {
  constexpr const char* file = "neph-wire-grpc.so";
  std::vector<std::string> looked_in;
  for (const auto& folder : folders) {
    if (std::error_code absent; fs::exists(folder / file, absent))
      return load_plugin<GrpcPlugin>("gRPC", folder / file, NEPH_GRPC_SYMBOL);
    looked_in.push_back(folder.string());
  }
  return fail(ErrorCode::not_found, "gRPC needs {}, which is not in {}; HTTP works without it", file,
              fmt::join(looked_in, ", "));
}

}  // namespace neph::wire
