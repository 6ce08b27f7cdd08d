#include "engine/torch/package.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <optional>

#include <fmt/ranges.h>

#include "core/text.hpp"
#include "engine/torch/archive.hpp"
#include "os/file.hpp"

namespace neph::engine::torch_plugin {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view models_folder = "/data/aotinductor/";
constexpr const char* usual_model = "model";

struct Place {
  std::string model;
  std::string file;
};

/// "m/data/aotinductor/MODEL/FILE"; nullopt: another of the archive's files, which running it does not need.
Result<std::optional<Place>> place_of(const std::string& name) {
  const auto at = name.find(models_folder);
  if (at == std::string::npos) return std::nullopt;
  const auto rest = name.substr(at + models_folder.size());
  const auto slash = rest.find('/');
  if (slash == std::string::npos || slash + 1 == rest.size()) return std::nullopt;
  Place place{rest.substr(0, slash), rest.substr(slash + 1)};
  const auto& file = place.file;
  if (file == "." || file == ".." || file.find('/') != std::string::npos ||
      file.find('\0') != std::string::npos || file.size() > 255)
    return fail(ErrorCode::corrupt, "it has a file of the name '{}', which leads out of its folder",
                printable(name));
  return place;
}

using Files = std::map<std::string, const Member*>;

/// The files of the model to run.
Result<Files> files_of_model(const Archive& archive) {
  std::map<std::string, Files> models;
  for (const auto& member : archive.members()) {
    NEPH_TRY(auto place, place_of(member.name));
    if (place) models[place->model][place->file] = &member;
  }
  if (models.empty())
    return fail(ErrorCode::unsupported,
                "it has no compiled model: save it with torch._inductor.aoti_compile_and_package(), not with "
                "torch.export.save()");
  if (models.size() == 1) return models.begin()->second;
  if (const auto found = models.find(usual_model); found != models.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [name, files] : models) names.push_back(printable(name));
  return fail(ErrorCode::unsupported, "it has several models ({}) and none of the name 'model'",
              fmt::join(names, ", "));
}

/// The only file with the ending; empty: there is none.
std::string with_ending(const Files& files, std::string_view ending) {
  for (const auto& [name, member] : files)
    if (name.ends_with(ending)) return name;
  return {};
}

Result<std::string> text_of(const fs::path& folder, const std::string& file) {
  if (file.empty()) return std::string();
  return read_regular_file(folder / file);
}

/// "libtorch.so" of a build with CUDA opens all of that; nothing is used of it itself, and what it stands for
/// is open. Its name in the library becomes that of a part that is open as well.
Status need_less(const fs::path& library) {
  constexpr std::string_view needed("\0libtorch.so\0", 13), instead("\0libc10.so\0\0\0", 13);
  std::fstream file(library, std::ios::in | std::ios::out | std::ios::binary);
  std::string head(std::size_t{1} << 20, '\0');  // names of libraries stand before code and weights
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  file.clear();
  const auto at = head.find(needed);
  if (at == std::string::npos) return {};
  file.seekp(static_cast<std::streamoff>(at));
  file.write(instead.data(), static_cast<std::streamsize>(instead.size()));
  file.close();
  return file ? Status() : fail(ErrorCode::io, "{} cannot be changed", library.string());
}

}  // namespace

Result<Package> open_package(const fs::path& path) {
  NEPH_TRY(const auto archive, Archive::open(path));
  NEPH_TRY(const auto files, files_of_model(archive));
  const auto library = with_ending(files, ".wrapper.so");
  if (library.empty())
    return fail(ErrorCode::unsupported,
                "it has no compiled library (.wrapper.so): without aot_inductor.package_cpp_only it gets "
                "one");
  if (!with_ending(files, ".wrapper.json").empty())
    return fail(ErrorCode::unsupported,
                "it calls operators that need Python's torch (custom ones, or such without a C function)");
  NEPH_TRY(auto folder, TemporaryFolder::make());
  for (const auto& [name, member] : files) NEPH_CHECK(archive.unpack(*member, folder.path() / name));
  NEPH_TRY(const auto metadata, text_of(folder.path(), with_ending(files, ".wrapper_metadata.json")));
  NEPH_TRY(const auto wrapper, text_of(folder.path(), with_ending(files, ".wrapper.cpp")));
  NEPH_TRY(auto description, describe_package(metadata, wrapper));
  const auto file = folder.path() / library;
  NEPH_CHECK(need_less(file));
  return Package{std::move(folder), file, std::move(description)};
}

std::string lacking_instructions(std::string_view instructions, std::string_view flags) {
  constexpr std::array names{std::pair{"AVX2", "avx2"}, std::pair{"AVX512", "avx512f"},
                             std::pair{"AVX512_VNNI", "avx512_vnni"}, std::pair{"AMX_TILE", "amx_tile"}};
  const auto has = [](std::string_view words, std::string_view word) {
    return fmt::format(" {} ", words).find(fmt::format(" {} ", word)) != std::string::npos;
  };
  for (const auto& [torch, processor] : names)
    if (has(instructions, torch) && !has(flags, processor)) return torch;
  return {};
}

}  // namespace neph::engine::torch_plugin
