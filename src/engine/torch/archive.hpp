// The files in a package: a zip archive without compression, as torch writes it. Safe on any bytes: every
// length is checked, and nothing of it is written but where it is told to.
//
// Threads: one. Cost: unpacking reads and writes each file once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/result.hpp"
#include "os/descriptors.hpp"

namespace neph::engine::torch_plugin {

struct Member {
  std::string name;          ///< "m/data/aotinductor/model/x.so", as the archive has it: any bytes
  std::uint64_t offset = 0;  ///< of its local header
  std::uint64_t bytes = 0;
  std::uint32_t crc = 0;
};

class Archive {
 public:
  /// Errors: not_found, unavailable (permission), io, corrupt (not a zip archive, cut short, damaged),
  /// unsupported (compressed or encrypted files).
  static Result<Archive> open(const std::filesystem::path& path);

  const std::vector<Member>& members() const { return members_; }
  /// Errors: corrupt (cut short, its checksum differs), those of writing.
  Status unpack(const Member& member, const std::filesystem::path& to) const;

 private:
  Archive(Descriptor file, std::uint64_t bytes) : file_(std::move(file)), bytes_(bytes) {}
  Result<std::string> read(std::uint64_t offset, std::uint64_t bytes) const;
  Result<std::string> read_directory() const;
  Status list();

  Descriptor file_;
  std::uint64_t bytes_;
  std::vector<Member> members_;
};

}  // namespace neph::engine::torch_plugin
