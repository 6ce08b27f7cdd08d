// For tests: a folder with proc, sys and etc as some machine would show them.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <stdlib.h>

namespace neph {

class RecordedTree {
 public:
  RecordedTree() {
    std::string name = (std::filesystem::temp_directory_path() / "neph-os-test-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
  }
  ~RecordedTree() { std::filesystem::remove_all(root_); }
  RecordedTree(const RecordedTree&) = delete;
  RecordedTree& operator=(const RecordedTree&) = delete;

  const std::filesystem::path& root() const { return root_; }

  /// Writes in place, so that whoever holds the file open sees the new content, as with the kernel's files.
  void write(std::string_view file, std::string_view content) const {
    const auto path = root_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::trunc) << content;
  }
  void link(std::string_view file, std::string_view target) const {
    const auto path = root_ / file;
    std::filesystem::create_directories(path.parent_path());
    std::filesystem::create_directory_symlink(target, path);
  }

  struct Cpu {
    int number;
    int socket;
    std::string siblings;  ///< threads of its core
    std::string package;   ///< threads of its socket
  };
  void write_cpu(const Cpu& cpu) const {
    const auto folder = fmt::format("sys/devices/system/cpu/cpu{}/", cpu.number);
    write(folder + "topology/physical_package_id", fmt::format("{}\n", cpu.socket));
    write(folder + "topology/thread_siblings_list", cpu.siblings + "\n");
    write_cache(folder + "cache/index0/", 1, "Data", "48K", cpu.siblings);
    write_cache(folder + "cache/index1/", 1, "Instruction", "32K", cpu.siblings);
    write_cache(folder + "cache/index2/", 2, "Unified", "2M", cpu.siblings);
    write_cache(folder + "cache/index3/", 3, "Unified", "36864K", cpu.package);
  }
  void write_cache(const std::string& folder, int level, std::string_view type, std::string_view size,
                   std::string_view shared) const {
    write(folder + "level", fmt::format("{}\n", level));
    write(folder + "type", fmt::format("{}\n", type));
    write(folder + "size", fmt::format("{}\n", size));
    write(folder + "shared_cpu_list", fmt::format("{}\n", shared));
  }

 private:
  std::filesystem::path root_;
};

}  // namespace neph
