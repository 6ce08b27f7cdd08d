// Headers of IDX, of Keras' .npz and of archives, and CIFAR-10's batches, which have none.
#include "data/forms.hpp"

#include <algorithm>
#include <array>

#include <fmt/ranges.h>

#include "data/readers.hpp"

namespace neph::data {
namespace {

namespace fs = std::filesystem;

struct Half {
  std::string name;  ///< of the examples' file or member, for messages
  Shape shape;       ///< of all of them; [count, ...]

  Shape example() const { return {shape.begin() + 1, shape.end()}; }
};

Result<Set> checked(const Request& request, Form form, const Half& train, const Half& test) {
  for (const auto* half : {&train, &test})
    if (half->shape[0] == 0) return fail(ErrorCode::corrupt, "{} has no examples", half->name);
  if (train.example() != test.example())
    return fail(ErrorCode::corrupt, "{} has examples of {} and {} of {}", train.name,
                shape_text(train.example()), test.name, shape_text(test.example()));
  NEPH_CHECK(check_fit(request, train.example(), request.classes));
  return Set{request.name, form, request.path};
}

// IDX, the form of MNIST and of the sets that took its place: a magic number with the element's type and the
// number of dimensions, their sizes, big-endian, then the elements.

/// As it is distributed, as some unpackers name it, compressed or not.
Result<fs::path> find_idx(const fs::path& folder, std::string_view half, std::string_view what,
                          int dimensions) {
  std::error_code ignored;
  const auto path = [&](char joint, std::string_view ending) {
    return folder / fmt::format("{}-{}{}idx{}-ubyte{}", half, what, joint, dimensions, ending);
  };
  for (const char joint : {'-', '.'})
    for (const char* ending : {"", ".gz"})
      if (fs::exists(path(joint, ending), ignored)) return path(joint, ending);
  return fail(ErrorCode::not_found, "{} is missing, also as .gz", path('-', "").string());
}

Result<Shape> idx_shape(const fs::path& path) {
  constexpr std::uint8_t unsigned_byte = 0x08;
  const auto name = path.string();
  NEPH_TRY(const auto source, open_bytes(path));
  std::array<std::uint8_t, 4> magic{}, size{};
  NEPH_CHECK(read_whole(*source, magic, name, 0, magic.size()));
  if (magic[0] != 0 || magic[1] != 0 || magic[3] == 0 || magic[3] > 8)
    return fail(ErrorCode::corrupt, "{} is not an IDX file: it begins with {:02x} {:02x} {:02x} {:02x}", name,
                magic[0], magic[1], magic[2], magic[3]);
  if (magic[2] != unsigned_byte)
    return fail(ErrorCode::unsupported, "{} has elements of type 0x{:02x}; only bytes (0x08) are read", name,
                magic[2]);
  Shape shape;
  std::int64_t total = 1;
  for (unsigned i = 0; i < magic[3]; ++i) {
    NEPH_CHECK(read_whole(*source, size, name, 4 + 4 * i, 4 + 4 * magic[3]));
    const auto number = std::uint32_t{size[0]} << 24 | std::uint32_t{size[1]} << 16 |
                        std::uint32_t{size[2]} << 8 | std::uint32_t{size[3]};
    if (number == 0) return fail(ErrorCode::corrupt, "{} is empty: dimension {} is 0", name, i);
    if (__builtin_mul_overflow(total, number, &total))
      return fail(ErrorCode::corrupt, "{} claims more elements than can be", name);
    shape.push_back(number);
  }
  return shape;
}

Result<Half> idx_half(const fs::path& folder, std::string_view half_name) {
  NEPH_TRY(const auto images_path, find_idx(folder, half_name, "images", 3));
  NEPH_TRY(const auto labels_path, find_idx(folder, half_name, "labels", 1));
  Half half{.name = images_path.string(), .shape = {}};
  NEPH_TRY(half.shape, idx_shape(images_path));
  NEPH_TRY(const auto labels, idx_shape(labels_path));
  if (half.shape.size() < 3)
    return fail(ErrorCode::corrupt, "{} has {} dimensions: pictures are [count, height, width]", half.name,
                half.shape.size());
  if (labels.size() != 1)
    return fail(ErrorCode::corrupt, "{} has {} dimensions: labels are [count]", labels_path.string(),
                labels.size());
  if (half.shape[0] != labels[0])
    return fail(ErrorCode::corrupt, "{} has {} images and {} has {} labels", half.name, half.shape[0],
                labels_path.string(), labels[0]);
  if (half.shape.size() == 3) half.shape.insert(half.shape.begin() + 1, 1);  // one channel
  return half;
}

// CIFAR-10's binary version: batches of records of one label and 3 x 32 x 32 bytes.

constexpr std::string_view cifar_files[]{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                         "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"};

Result<Set> checked_cifar(const Request& request) {
  NEPH_CHECK(check_fit(request, {3, 32, 32}, 10));
  return Set{request.name, Form::cifar, request.path};
}

// Keras' .npz: x_train, y_train, x_test and y_test in a zip file of .npy.

Result<NpyHeader> npz_header(const ZipFile& file, const std::string& key, const std::string& name) {
  const auto found = std::ranges::find(file.members(), key, &ZipMember::name);
  if (found == file.members().end()) {
    std::vector<std::string> names;
    for (const auto& member : file.members()) names.push_back(member.name);
    return fail(ErrorCode::corrupt, "{} has no {}, only: {}", name, key, fmt::join(names, ", "));
  }
  const auto where = fmt::format("{} in {}", key, name);
  NEPH_TRY(const auto source, file.open_member(*found, where));
  return read_npy_header(*source, where);
}

/// [count, height, width, channels], by the network's shape, or because the last dimension is small.
bool is_channels_last(const Shape& shape, const Options& options) {
  if (shape.size() != 4 || options.example_shape == Shape(shape.begin() + 1, shape.end())) return false;
  return options.example_shape == Shape{shape[3], shape[1], shape[2]} || shape[3] <= 4;
}

Result<Half> npz_half(const ZipFile& file, std::string_view half_name, const Request& request) {
  const auto archive = request.path.string();
  const auto key = fmt::format("x_{}.npy", half_name), label_key = fmt::format("y_{}.npy", half_name);
  Half half{.name = fmt::format("{} in {}", key, archive), .shape = {}};
  NEPH_TRY(const auto examples, npz_header(file, key, archive));
  auto& shape = half.shape = examples.shape;
  if (shape.size() < 2)
    return fail(ErrorCode::corrupt, "{} has the shape {}; examples are [count, ...]", half.name,
                shape_text(shape));
  const bool is_byte = examples.kind == 'u' && examples.width == 1;
  if (!is_byte && (examples.kind != 'f' || examples.width < 4))
    return fail(ErrorCode::unsupported, "{}: examples are bytes, or floats of 32 or 64 bits", half.name);
  if (is_channels_last(shape, request.options))
    std::rotate(shape.begin() + 1, shape.end() - 1, shape.end());
  else if (shape.size() == 3 && request.options.example_shape != half.example())
    shape.insert(shape.begin() + 1, 1);  // one channel

  const auto label_name = fmt::format("{} in {}", label_key, archive);
  NEPH_TRY(const auto labels, npz_header(file, label_key, archive));
  const auto& each = labels.shape;
  if (labels.kind == 'f')
    return fail(ErrorCode::unsupported, "{} has floating-point labels; integers are read", label_name);
  if (each.empty() || each.size() > 2 || (each.size() == 2 && each[1] != 1))
    return fail(ErrorCode::unsupported,
                "{} has the shape {}; labels are [count] or [count, 1], one class each", label_name,
                shape_text(each));
  if (each[0] != shape[0])
    return fail(ErrorCode::corrupt, "{} has {} examples and {} has {} labels", half.name, shape[0],
                label_name, each[0]);
  return half;
}

}  // namespace

bool is_idx_folder(const fs::path& folder) {
  return find_idx(folder, "train", "images", 3) || find_idx(folder, "train", "labels", 1) ||
         find_idx(folder, "t10k", "images", 3) || find_idx(folder, "t10k", "labels", 1);
}

Result<Set> look_at_idx(const Request& request) {
  NEPH_TRY(const auto train, idx_half(request.path, "train"));
  NEPH_TRY(const auto test, idx_half(request.path, "t10k"));
  return checked(request, Form::idx, train, test);
}

bool is_cifar_folder(const fs::path& folder) {
  std::error_code ignored;
  return std::ranges::any_of(cifar_files,
                             [&](std::string_view file) { return fs::exists(folder / file, ignored); });
}

Result<Set> look_at_cifar_folder(const Request& request) {
  for (const auto file : cifar_files) NEPH_CHECK(open_bytes(request.path / file));
  return checked_cifar(request);
}

Result<Set> look_at_npz(const Request& request) {
  NEPH_TRY(const auto file, ZipFile::open(request.path));
  NEPH_TRY(const auto train, npz_half(file, "train", request));
  NEPH_TRY(const auto test, npz_half(file, "test", request));
  return checked(request, Form::npz, train, test);
}

Result<Set> look_at_archive(const Request& request) {
  NEPH_TRY(const auto source, open_bytes(request.path));
  TarNames names(*source, request.path.string());
  for (;;) {
    NEPH_TRY(const auto name, names.next());
    if (!name)
      return fail(ErrorCode::invalid_argument, "{} has neither CIFAR-10's batches nor images",
                  request.path.string());
    const auto file = name->substr(name->rfind('/') + 1);  // npos + 1 is 0
    if (file == "data_batch_1" || file == "test_batch")
      return tl::unexpected(Error{ErrorCode::unsupported,
                                  fmt::format("{} is CIFAR-10's Python version", request.path.string()),
                                  "the binary version is read: "
                                  "https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz"});
    if (std::ranges::find(cifar_files, file) != std::end(cifar_files)) return checked_cifar(request);
    if (!is_image_name(file)) continue;
    NEPH_CHECK(check_image_shape(request.options));
    return Set{request.name, Form::image_archive, request.path};
  }
}

}  // namespace neph::data
