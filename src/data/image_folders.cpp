// Folders of images, one per class: which belongs to which half and class, by their names.
#include <algorithm>
#include <cctype>
#include <map>

#include "data/forms.hpp"

namespace neph::data {
namespace {

namespace fs = std::filesystem;

constexpr int deepest = 8;  ///< folders; a link to a folder above would go on for ever

struct Image {
  std::string name;                ///< below the folder: "train/cat/1.jpg"
  std::vector<std::string> parts;  ///< of the name: "train", "cat", "1.jpg"
};

/// Every file below the folder with an image's ending, by name.
Result<std::vector<Image>> list(const fs::path& folder) {
  std::vector<Image> images;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::follow_directory_symlink, error), end;
  for (; !error && at != end; at.increment(error)) {
    if (at.depth() >= deepest) at.disable_recursion_pending();
    if (!is_image_name(at->path().native()) || at->is_directory(error)) continue;
    if (at->file_size(error); error)  // a link to nothing
      return fail_in(at->path().string(), system_error("cannot be read", error.value()));
    const auto name = at->path().lexically_relative(folder);
    images.push_back({.name = name.string(), .parts = {name.begin(), name.end()}});
  }
  if (error) return tl::unexpected(system_error(folder.string(), error.value()));
  std::ranges::sort(images, {}, &Image::name);
  return images;
}

bool is_half(std::string_view name) {
  return name == "train" || name == "test" || name == "val" || name == "validation";
}

/// How many folders lie around everything, as unpacked archives have them.
std::size_t folders_around(const std::vector<Image>& images) {
  const auto& first = images[0].parts;
  std::size_t top = 0;
  while (!is_half(first[top]) && std::ranges::all_of(images, [&](const Image& image) {
    return image.parts.size() > top + 2 && image.parts[top] == first[top];
  }))
    ++top;
  return top;
}

/// The number of classes. Names are HALF/CLASS/..., or CLASS/...; where there is no test half, a tenth is set
/// aside later.
Result<std::int64_t> classes_of(const std::vector<Image>& images, const std::string& folder) {
  const auto top = folders_around(images);
  const auto has = [&](std::string_view half) {
    return std::ranges::any_of(images, [&](const Image& image) { return image.parts[top] == half; });
  };
  const bool has_halves = has("train");
  const std::string_view test_half = has("test") ? "test" : has("val") ? "val" : "validation";
  std::map<std::string_view, std::int64_t> classes;  // with their images to learn from
  std::vector<const Image*> tests;
  const std::size_t at = has_halves ? top + 1 : top;  // of the class
  for (const auto& image : images) {
    if (image.parts.size() < at + 2)
      return fail(ErrorCode::invalid_argument, "{} in {} lies in no class folder; images lie in {}",
                  image.name, folder, has_halves ? "train/CLASS/ and test/CLASS/" : "CLASS/");
    const auto& half = image.parts[top];
    if (!has_halves || half == "train")
      ++classes[image.parts[at]];
    else if (half == test_half)
      tests.push_back(&image);
    else if (!is_half(half))
      return fail(ErrorCode::invalid_argument, "{} in {} lies in neither train/ nor test/", image.name,
                  folder);
  }
  for (const auto* image : tests)
    if (!classes.contains(image->parts[at]))
      return fail(ErrorCode::corrupt, "{}: the training half has no class '{}'", image->name,
                  image->parts[at]);
  if (tests.empty() && std::ranges::all_of(classes, [](const auto& entry) { return entry.second < 2; }))
    return fail(ErrorCode::invalid_argument, "{} has no class with two images, so that none can be set aside",
                folder);
  return std::ssize(classes);
}

}  // namespace

bool is_image_name(std::string_view name) {
  const auto dot = name.rfind('.');
  if (dot == name.npos) return false;
  std::string ending(name.substr(dot + 1));
  for (auto& letter : ending) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return ending == "jpg" || ending == "jpeg" || ending == "png" || ending == "bmp";
}

Status check_image_shape(const Options& options) {
  const auto& shape = options.example_shape;
  if (shape.size() != 3)
    return fail(ErrorCode::invalid_argument,
                "images are scaled to [channels, height, width]; the network takes {}", shape_text(shape));
  if (shape[1] != shape[2] || shape[1] < 1 || (shape[0] != 1 && shape[0] != 3))
    return fail(ErrorCode::unsupported,
                "images are scaled to squares of 1 or 3 channels; the network takes {}", shape_text(shape));
  return {};
}

Result<Set> look_at_image_folders(const Request& request) {
  const auto folder = request.path.string();
  NEPH_TRY(const auto images, list(request.path));
  if (images.empty()) return fail(ErrorCode::invalid_argument, "{} has no images (.jpg, .png, .bmp)", folder);
  NEPH_TRY(const auto classes, classes_of(images, folder));
  NEPH_CHECK(check_class_count(request, classes));
  NEPH_CHECK(check_image_shape(request.options));
  return Set{request.name, Form::image_folders, request.path};
}

}  // namespace neph::data
