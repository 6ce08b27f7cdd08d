#include "workload/files.hpp"

#include <fstream>

#include <fmt/format.h>

#include "core/fnv1a.hpp"

namespace neph::workload {
namespace {

/// Results may lie beside a model under its name (m.json, m.html), weights too.
bool may_be_weights(const launch::File& file) {
  if (!file.field.empty()) return true;
  const auto ending = file.path.extension().string();
  return ending == ".bin" || ending == ".weights" || ending.ends_with("data");
}

}  // namespace

std::string content_hash(const launch::Files& files) {
  auto hash = fnv1a("");
  std::string piece(std::size_t{1} << 20, '\0');
  for (const auto& file : files) {
    if (!may_be_weights(file)) continue;
    std::ifstream stream(file.path, std::ios::binary);
    if (!stream) return {};
    do {
      stream.read(piece.data(), std::ssize(piece));
      hash = fnv1a({piece.data(), static_cast<std::size_t>(stream.gcount())}, hash);
    } while (stream);
    if (stream.bad()) return {};
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace neph::workload
