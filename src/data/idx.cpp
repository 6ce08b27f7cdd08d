#include "data/idx.hpp"

#include <array>
#include <limits>

#include "data/forms.hpp"
#include "data/packed.hpp"

namespace neph::data {
namespace {

constexpr std::uint8_t unsigned_byte = 0x08;

std::uint64_t header_bytes(const IdxArray& array) { return 4 + 4 * array.shape.size(); }

/// Where the files of a half may lie: as they are distributed, as some unpackers name them, compressed or
/// not.
std::vector<std::filesystem::path> candidates(const std::filesystem::path& folder, std::string_view half,
                                              std::string_view what, int dimensions) {
  std::vector<std::filesystem::path> paths;
  for (const char* joint : {"-", "."})
    for (const char* ending : {"", ".gz"})
      paths.push_back(folder / fmt::format("{}-{}{}idx{}-ubyte{}", half, what, joint, dimensions, ending));
  return paths;
}

Result<std::filesystem::path> find(const std::filesystem::path& folder, std::string_view half,
                                   std::string_view what, int dimensions) {
  const auto paths = candidates(folder, half, what, dimensions);
  std::error_code ignored;
  for (const auto& path : paths)
    if (std::filesystem::exists(path, ignored)) return path;
  return fail(ErrorCode::not_found, "{} is missing, also as .gz", paths.front().string());
}

Result<IdxArray> read_file_of(const std::filesystem::path& path, Depth depth, Set& set) {
  NEPH_TRY(auto source, open_bytes(path));
  std::error_code ignored;
  set.bytes += static_cast<std::int64_t>(std::filesystem::file_size(path, ignored));
  if (depth == Depth::headers) return read_idx_header(*source, path.string());
  return read_idx(*source, path.string());
}

Result<Half> read_half(const Request& request, const char* half_name, Set& set) {
  NEPH_TRY(const auto pictures_path, find(request.path, half_name, "images", 3));
  NEPH_TRY(const auto labels_path, find(request.path, half_name, "labels", 1));
  NEPH_TRY(auto pictures, read_file_of(pictures_path, request.depth, set));
  NEPH_TRY(auto labels, read_file_of(labels_path, request.depth, set));
  if (pictures.shape.size() < 3)
    return fail(ErrorCode::corrupt, "{} has {} dimensions: pictures are [count, height, width]",
                pictures_path.string(), pictures.shape.size());
  if (labels.shape.size() != 1)
    return fail(ErrorCode::corrupt, "{} has {} dimensions: labels are [count]", labels_path.string(),
                labels.shape.size());
  if (pictures.shape[0] != labels.shape[0])
    return fail(ErrorCode::corrupt, "{} has {} images and {} has {} labels", pictures_path.string(),
                pictures.shape[0], labels_path.string(), labels.shape[0]);
  Half half{.count = pictures.shape[0],
            .values = std::move(pictures.values),
            .labels = {labels.values.begin(), labels.values.end()},
            .examples_name = pictures_path.string(),
            .labels_name = labels_path.string()};
  half.shape.assign(pictures.shape.begin() + 1, pictures.shape.end());
  if (half.shape.size() == 2) half.shape.insert(half.shape.begin(), 1);  // one channel
  return half;
}

}  // namespace

Result<IdxArray> read_idx_header(ByteSource& source, const std::string& name) {
  std::array<std::uint8_t, 4> magic{};
  NEPH_CHECK(read_whole(source, magic, name, 0, magic.size()));
  if (magic[0] != 0 || magic[1] != 0 || magic[3] == 0 || magic[3] > 8)
    return fail(ErrorCode::corrupt, "{} is no IDX file: it begins with {:02x} {:02x} {:02x} {:02x}", name,
                magic[0], magic[1], magic[2], magic[3]);
  if (magic[2] != unsigned_byte)
    return fail(ErrorCode::unsupported, "{} has elements of type 0x{:02x}; only bytes (0x08) are read", name,
                magic[2]);
  IdxArray array;
  std::uint64_t total = 1;
  const std::uint64_t header = 4 + std::uint64_t{4} * magic[3];
  for (int i = 0; i < magic[3]; ++i) {
    std::array<std::uint8_t, 4> size{};
    NEPH_CHECK(read_whole(source, size, name, 4 + 4 * static_cast<std::uint64_t>(i), header));
    const auto number = std::uint32_t{size[0]} << 24 | std::uint32_t{size[1]} << 16 |
                        std::uint32_t{size[2]} << 8 | std::uint32_t{size[3]};
    if (number == 0) return fail(ErrorCode::corrupt, "{} is empty: dimension {} is 0", name, i);
    if (total > std::uint64_t{std::numeric_limits<std::int64_t>::max()} / number)
      return fail(ErrorCode::corrupt, "{} claims more elements than can be", name);
    total *= number;
    array.shape.push_back(number);
  }
  return array;
}

Result<IdxArray> read_idx(ByteSource& source, const std::string& name) {
  NEPH_TRY(auto array, read_idx_header(source, name));
  const auto count = static_cast<std::uint64_t>(values_in(array.shape));
  NEPH_TRY(array.values, read_count(source, count, name, header_bytes(array)));
  NEPH_CHECK(expect_end(source, name));
  return array;
}

bool is_idx_folder(const std::filesystem::path& folder) {
  return find(folder, "train", "images", 3) || find(folder, "train", "labels", 1) ||
         find(folder, "t10k", "images", 3) || find(folder, "t10k", "labels", 1);
}

Result<Set> open_idx(const Request& request) {
  Set set;
  set.name = request.name;
  set.form = "IDX";
  NEPH_TRY(auto train, read_half(request, "train", set));
  NEPH_TRY(auto test, read_half(request, "t10k", set));
  return packed_set(std::move(set), std::move(train), std::move(test), request.classes, request.options);
}

}  // namespace neph::data
