// Arrays as numpy stores them, whatever they are for: .npz, .npy, a folder of .npy.
#include <algorithm>

#include "data/data.hpp"
#include "data/npy.hpp"
#include "data/zip.hpp"
#include "os/memory.hpp"

namespace neph::data {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view ending = ".npy";

Result<Array> read_array(ByteSource& source, std::string_view file, const std::string& where) {
  NEPH_TRY(const auto header, read_npy_header(source, where));
  NEPH_CHECK(enough_memory(header.elements() * header.width, where));
  Array array{.name = std::string(file.substr(0, file.size() - ending.size())),
              .kind = header.kind,
              .width = header.width,
              .shape = header.shape};
  NEPH_TRY(array.bytes, read_npy_elements(source, header, where));
  return array;
}

Result<std::vector<Array>> read_npz(const fs::path& path) {
  NEPH_TRY(const auto file, open_random(path));
  NEPH_TRY(const auto members, list_zip(*file, path.string()));
  std::vector<Array> arrays;
  for (const auto& member : members) {
    const auto where = fmt::format("{} in {}", member.name, path.string());
    if (!member.name.ends_with(ending))
      return fail(ErrorCode::unsupported, "{} is no .npy; write the file with numpy.savez", where);
    NEPH_TRY(const auto source, open_member(*file, member, where));
    NEPH_TRY(auto array, read_array(*source, member.name, where));
    arrays.push_back(std::move(array));
  }
  if (arrays.empty()) return fail(ErrorCode::invalid_argument, "{} has no array in it", path.string());
  return arrays;
}

Result<Array> read_npy(const fs::path& path) {
  NEPH_TRY(const auto source, open_bytes(path));
  return read_array(*source, path.filename().string(), path.string());
}

Result<std::vector<Array>> read_folder(const fs::path& folder) {
  std::vector<Array> arrays;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() != ending) continue;
    NEPH_TRY(auto array, read_npy(at->path()));
    arrays.push_back(std::move(array));
  }
  if (error) return fail(ErrorCode::io, "{}: {}", folder.string(), error.message());
  if (arrays.empty())
    return fail(ErrorCode::invalid_argument, "{} has no .npy file; write one for each input, NAME.npy",
                folder.string());
  return arrays;
}

}  // namespace

Result<std::vector<Array>> read_arrays(const fs::path& path) {
  std::error_code ignored;
  std::vector<Array> arrays;
  if (fs::is_directory(path, ignored)) {
    NEPH_TRY(arrays, read_folder(path));
  } else if (path.extension() == ending) {
    NEPH_TRY(auto array, read_npy(path));
    arrays.push_back(std::move(array));
  } else {
    NEPH_TRY(arrays, read_npz(path));
  }
  std::ranges::sort(arrays, {}, &Array::name);
  return arrays;
}

}  // namespace neph::data
