// Any bytes as each file that data sets and arrays lie in: IDX, .npy, zip, tar. An error or content that
// agrees with its header, never a crash, a hang, or memory out of proportion.
#include <cstdlib>
#include <fstream>

#include <stdlib.h>

#include "data/data.hpp"

namespace {

using namespace neph;
namespace fs = std::filesystem;

/// One file by the names of all forms, in memory where there is such a folder; gone with the program.
struct Folder {
  Folder() {
    const fs::path memory = "/dev/shm";
    std::string name =
        ((fs::exists(memory) ? memory : fs::temp_directory_path()) / "neph-fuzz-XXXXXX").string();
    path = ::mkdtemp(name.data());
    fs::create_directory(path / "idx");
    for (const auto* link :
         {"set.npz", "set.npy", "set.tar", "idx/train-images-idx3-ubyte", "idx/t10k-images-idx3-ubyte"})
      fs::create_symlink(path / "bytes", path / link);
    for (const auto* labels : {"idx/train-labels-idx1-ubyte", "idx/t10k-labels-idx1-ubyte"})
      write(labels, {"\0\0\x08\x01\0\0\0\2ab", 10});
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  void write(const char* name, std::string_view content) const {
    std::ofstream(path / name, std::ios::binary) << content;
  }
  fs::path path;
};

void look_at(const fs::path& path) {
  if (const auto set = data::look(path, {}); !set && set.error().message.empty()) std::abort();
}

void read(const fs::path& path) {
  const auto arrays = data::read_arrays(path);
  if (!arrays) return;
  for (const auto& array : *arrays) {
    auto bytes = array.width;
    for (const auto count : array.shape) bytes *= static_cast<std::size_t>(count);
    if (bytes != array.bytes.size()) std::abort();
  }
}

}  // namespace

/// The first byte selects the form.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const Folder folder;
  if (size == 0) return 0;
  folder.write("bytes", {reinterpret_cast<const char*>(bytes) + 1, size - 1});
  switch (bytes[0] % 5) {
    case 0:
      look_at(folder.path / "idx");
      break;
    case 1:
      look_at(folder.path / "set.npz");
      break;
    case 2:
      look_at(folder.path / "set.tar");
      break;
    case 3:
      read(folder.path / "set.npz");
      break;
    default:
      read(folder.path / "set.npy");
  }
  return 0;
}
