#include "image/picture_set.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <system_error>
#include <utility>

#include <sys/stat.h>

#include "image/decoder.hpp"
#include "image/file_bytes.hpp"
#include "image/header.hpp"
#include "image/parallel.hpp"
#include "image/prepare.hpp"

namespace neph::image {
namespace {

namespace fs = std::filesystem;

bool sounds_like_picture(const fs::path& path) {
  auto suffix = path.extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return suffix == ".jpg" || suffix == ".jpeg" || suffix == ".png" || suffix == ".bmp";
}

/// The header, from as much of the file as it takes: JPEG files put colour profiles and thumbnails before it.
Result<Header> header_of(const InputFile& file, std::vector<std::byte>& buffer) {
  for (std::size_t ask = 4096;; ask *= 8) {
    const auto size = std::min(ask, static_cast<std::size_t>(file.bytes()));
    if (buffer.size() < size) buffer.resize(size);
    NEPH_TRY(const std::size_t got, file.read_at(0, std::span(buffer).first(size)));
    const bool whole = got < ask;
    NEPH_TRY(const auto header, read_header(std::span<const std::byte>(buffer).first(got), whole));
    if (header) return *header;
  }
}

/// Programs append to JPEG files, rarely: the end marker mostly stands in the last bytes.
Result<bool> ends_as_jpeg(const InputFile& file, std::vector<std::byte>& buffer) {
  for (const std::int64_t ask : {std::int64_t{64}, file.bytes()}) {
    const auto size = std::min(ask, file.bytes());
    if (buffer.size() < static_cast<std::size_t>(size)) buffer.resize(static_cast<std::size_t>(size));
    NEPH_TRY(const auto got,
             file.read_at(file.bytes() - size, std::span(buffer).first(static_cast<std::size_t>(size))));
    if (has_jpeg_end(std::span<const std::byte>(buffer).first(got))) return true;
  }
  return false;
}

Result<Picture> judge(const fs::path& path, const ScanOptions& options, std::vector<std::byte>& buffer) {
  NEPH_TRY(const InputFile file, InputFile::open(path));
  if (file.bytes() == 0) return fail(ErrorCode::corrupt, "empty");
  if (file.bytes() < options.min_file_bytes)
    return fail(ErrorCode::invalid_argument, "too small a file: {} bytes, {} are the least", file.bytes(),
                options.min_file_bytes);
  if (file.bytes() > options.max_file_bytes)
    return fail(ErrorCode::invalid_argument, "too large a file: {} bytes, {} are the most", file.bytes(),
                options.max_file_bytes);
  NEPH_TRY(const Header header, header_of(file, buffer));
  NEPH_CHECK(check_pixels(header, options.max_pixels));
  if (std::min(header.width, header.height) < options.min_side)
    return fail(ErrorCode::invalid_argument,
                "too small an image: {} x {} pixels, {} on the shorter side are the least", header.width,
                header.height, options.min_side);
  if (header.format == Format::jpeg) {
    NEPH_TRY(const bool ended, ends_as_jpeg(file, buffer));
    if (!ended) return fail(ErrorCode::corrupt, "cut short: a JPEG without its end marker");
  }
  return Picture{.path = path.string(),
                 .format = header.format,
                 .bytes = file.bytes(),
                 .width = header.width,
                 .height = header.height};
}

/// Walks the tree. Folders are known by device and inode, so that no chain of links is followed twice.
class Walk {
 public:
  Walk(const ScanOptions& options, PictureSet& set) : options_(options), set_(set) {}

  void enter(const fs::path& folder) {
    if (!is_new(folder)) return;
    std::error_code error;
    fs::directory_iterator entry(folder, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) visit(entry->path());
    if (error) reject(folder, fmt::format("cannot be listed: {}", error.message()));
  }

 private:
  void visit(const fs::path& path) {
    std::error_code error;
    const auto status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) return reject(path, "a link to nothing");
    if (error) return reject(path, error.message());
    if (status.type() == fs::file_type::directory) {
      if (sounds_like_picture(path))
        reject(path, "a folder in spite of its name (what lies in it is looked at)");
      return enter(path);
    }
    if (status.type() != fs::file_type::regular) return reject(path, "not a regular file");
    if (path.filename() == prepared_manifest) return;
    auto picture = judge(path, options_, buffer_);
    if (picture)
      set_.usable.push_back(std::move(*picture));
    else
      reject(path, std::move(picture.error().message));
  }

  bool is_new(const fs::path& folder) {
    struct stat info {};
    return ::stat(folder.c_str(), &info) != 0 || seen_.emplace(info.st_dev, info.st_ino).second;
  }

  void reject(const fs::path& path, std::string reason) {
    set_.rejected.push_back({path.string(), std::move(reason)});
  }

  const ScanOptions& options_;
  PictureSet& set_;
  std::vector<std::byte> buffer_;
  std::set<std::pair<dev_t, ino_t>> seen_;
};

void sort_by_path(PictureSet& set) {
  const auto by_path = [](const auto& a, const auto& b) { return a.path < b.path; };
  std::sort(set.usable.begin(), set.usable.end(), by_path);
  std::sort(set.rejected.begin(), set.rejected.end(), by_path);
}

Status check_folder(const fs::path& folder) {
  std::error_code error;
  const auto status = fs::status(folder, error);
  if (status.type() == fs::file_type::not_found)
    return fail(ErrorCode::not_found, "no folder '{}': give a folder with images", folder.string());
  if (!error && status.type() != fs::file_type::directory)
    return fail(ErrorCode::invalid_argument, "{} is not a folder: give a folder with images",
                folder.string());
  if (!error) fs::directory_iterator(folder, error);
  if (error)
    return tl::unexpected(system_error(fmt::format("cannot list {}", folder.string()), error.value()));
  return {};
}

/// "" for a picture that decodes to its end.
std::string fault_of(const Picture& picture, Decoder& decoder, std::vector<std::byte>& buffer) {
  const auto bytes = read_into(picture.path, buffer);
  if (!bytes) return bytes.error().message;
  const auto status = decoder.verify(*bytes);
  return status ? "" : status.error().message;
}

}  // namespace

std::int64_t PictureSet::bytes() const {
  std::int64_t sum = 0;
  for (const auto& picture : usable) sum += picture.bytes;
  return sum;
}

Result<PictureSet> scan(const fs::path& folder, const ScanOptions& options) {
  NEPH_CHECK(check_folder(folder));
  PictureSet set{.folder = folder.string()};
  Walk(options, set).enter(folder);
  sort_by_path(set);
  return set;
}

Result<PictureSet> check(const fs::path& folder, const ScanOptions& options, std::int64_t threads,
                         const PictureProgress& progress, std::stop_token stop) {
  NEPH_TRY(PictureSet set, scan(folder, options));
  const auto count = static_cast<std::int64_t>(set.usable.size());
  std::vector<std::string> faults(set.usable.size());
  const SteadyClock clock;
  const auto make_worker = [&] {
    return [&, decoder = std::make_shared<Decoder>(Transform{}, clock, options.max_pixels),
            buffer = std::vector<std::byte>()](std::int64_t i) mutable {
      const auto at = static_cast<std::size_t>(i);
      faults[at] = fault_of(set.usable[at], *decoder, buffer);
    };
  };
  NEPH_CHECK(for_each_piece(count, threads, make_worker, progress, stop));

  PictureSet checked{.folder = set.folder, .rejected = std::move(set.rejected)};
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (faults[i].empty())
      checked.usable.push_back(std::move(set.usable[i]));
    else
      checked.rejected.push_back({std::move(set.usable[i].path), std::move(faults[i])});
  }
  sort_by_path(checked);
  return checked;
}

}  // namespace neph::image
