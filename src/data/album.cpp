#include "data/album.hpp"

#include <algorithm>
#include <cctype>
#include <map>

#include "core/random.hpp"
#include "data/album_split.hpp"
#include "data/packed.hpp"

namespace neph::data {
namespace {

using Parts = std::vector<std::string_view>;

Parts parts_of(std::string_view name) {
  Parts parts;
  while (!name.empty()) {
    const auto end = std::min(name.find('/'), name.size());
    if (const auto part = name.substr(0, end); !part.empty() && part != ".") parts.push_back(part);
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return parts;
}

bool is_half(std::string_view name) {
  return name == "train" || name == "test" || name == "val" || name == "validation";
}

/// Archives have a folder around everything.
void strip_common(std::vector<Parts>& all) {
  const auto has_first = [&](const Parts& parts) { return parts.size() > 2 && parts[0] == all[0][0]; };
  while (!all.empty() && all[0].size() > 2 && !is_half(all[0][0]) &&
         std::all_of(all.begin(), all.end(), has_first))
    for (auto& parts : all) parts.erase(parts.begin());
}

struct Halves {
  std::vector<Stored> train, test;
  std::vector<std::string> classes;
  std::string test_note;
};

/// Gives labels by the classes' names, in their order byte by byte.
Status label(std::vector<std::pair<std::string, Stored>>& train,
             std::vector<std::pair<std::string, Stored>>& test, Halves& halves) {
  std::map<std::string, std::int32_t, std::less<>> numbers;
  for (const auto& [name, image] : train) numbers[name] = 0;
  for (auto& [name, number] : numbers) {
    number = static_cast<std::int32_t>(halves.classes.size());
    halves.classes.push_back(name);
  }
  for (auto* half : {&train, &test})
    for (auto& [name, image] : *half) {
      const auto found = numbers.find(name);
      if (found == numbers.end())
        return fail(ErrorCode::corrupt, "{}: the training half has no class '{}'", image.name, name);
      image.label = found->second;
      (half == &train ? halves.train : halves.test).push_back(std::move(image));
    }
  return {};
}

/// A tenth of each class, at least one where a class has two.
void set_aside(Halves& halves, std::uint64_t seed) {
  Random random(seed);
  shuffle(halves.train, random);
  std::vector<std::size_t> wanted(halves.classes.size());
  for (const auto& image : halves.train) ++wanted[static_cast<std::size_t>(image.label)];
  for (auto& count : wanted) count = count < 2 ? 0 : std::max<std::size_t>(1, (count + 5) / 10);
  std::vector<Stored> kept;
  for (auto& image : halves.train) {
    auto& count = wanted[static_cast<std::size_t>(image.label)];
    const bool is_aside = count > 0;
    if (is_aside) --count;
    (is_aside ? halves.test : kept).push_back(std::move(image));
  }
  halves.train = std::move(kept);
  const auto by_name = [](const Stored& a, const Stored& b) { return a.name < b.name; };
  std::sort(halves.train.begin(), halves.train.end(), by_name);
  std::sort(halves.test.begin(), halves.test.end(), by_name);
  halves.test_note = fmt::format("a tenth of each class, set aside with seed {}", seed);
}

std::string_view test_folder(const std::vector<Parts>& all) {
  for (const std::string_view name : {"test", "val", "validation"})
    if (std::any_of(all.begin(), all.end(), [&](const Parts& parts) { return parts[0] == name; }))
      return name;
  return "";
}

Result<Halves> sort_images(std::vector<Stored> images, const Request& request) {
  std::sort(images.begin(), images.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  std::vector<Parts> all;
  for (const auto& image : images) all.push_back(parts_of(image.name));
  strip_common(all);
  const bool has_halves =
      std::any_of(all.begin(), all.end(), [](const Parts& parts) { return parts[0] == "train"; });
  const auto test_name = has_halves ? test_folder(all) : "";
  std::vector<std::pair<std::string, Stored>> train, test;
  for (std::size_t i = 0; i < images.size(); ++i) {
    const auto& parts = all[i];
    if (parts.size() < (has_halves ? 3 : 2))
      return fail(ErrorCode::invalid_argument, "{} in {} lies in no class folder; images lie in {}",
                  images[i].name, request.path.string(),
                  has_halves ? "train/CLASS/ and test/CLASS/" : "CLASS/");
    if (!has_halves) {
      train.emplace_back(parts[0], std::move(images[i]));
    } else if (parts[0] == "train") {
      train.emplace_back(parts[1], std::move(images[i]));
    } else if (parts[0] == test_name) {
      test.emplace_back(parts[1], std::move(images[i]));
    } else if (!is_half(parts[0])) {
      return fail(ErrorCode::invalid_argument, "{} in {} lies in neither train/ nor test/", images[i].name,
                  request.path.string());
    }
  }
  Halves halves;
  NEPH_CHECK(label(train, test, halves));
  if (halves.test.empty()) set_aside(halves, request.options.seed);
  if (halves.test.empty())
    return fail(ErrorCode::invalid_argument, "{} has no class with two images, so that none can be set aside",
                request.path.string());
  return halves;
}

}  // namespace

bool is_image_name(std::string_view name) {
  const auto dot = name.rfind('.');
  if (dot == name.npos) return false;
  std::string ending(name.substr(dot + 1));
  for (auto& letter : ending) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return ending == "jpg" || ending == "jpeg" || ending == "png" || ending == "bmp";
}

Result<Set> album_set(Set set, Album album, const Request& request) {
  set.form = album.folder.empty() ? "archive of images" : "folders of images";
  if (album.images.empty())
    return fail(ErrorCode::invalid_argument, "{} has no images (.jpg, .png, .bmp)", request.path.string());
  NEPH_TRY(auto halves, sort_images(std::move(album.images), request));
  NEPH_CHECK(check_class_count(set.name, static_cast<std::int64_t>(halves.classes.size()), request.options));
  NEPH_TRY(const auto transform, album_transform(request.options));
  set.example_shape = request.options.example_shape;
  set.classes = std::move(halves.classes);
  set.test_note = std::move(halves.test_note);
  if (request.depth == Depth::headers) return set;
  const auto place = std::make_shared<const Place>(Place{std::move(album.folder), std::move(album.bytes)});
  const bool decoded = request.options.keep == Keep::memory;
  NEPH_CHECK(
      enough_for_album(halves.train.size() + halves.test.size(), transform, decoded, request.path.string()));
  NEPH_TRY(set.train, album_split(std::move(halves.train), place, transform, decoded));
  NEPH_TRY(set.test, album_split(std::move(halves.test), place, transform, decoded));
  return set;
}

}  // namespace neph::data
