// From what was asked for to where it lies and the form it has.
#include <cstdlib>

#include <fmt/ranges.h>

#include "core/names.hpp"
#include "data/forms.hpp"
#include "os/file.hpp"

namespace neph::data {
namespace {

namespace fs = std::filesystem;

/// A data set that has a name.
struct KnownSet {
  std::string name;                   ///< "fashion-mnist", as it is asked for
  std::string title;                  ///< "Fashion-MNIST"
  std::vector<std::string> files;     ///< folders and files in a place that hold it, the likeliest first
  std::vector<fs::path> more_places;  ///< paths of the set itself: where a package puts it
  std::string origin;                 ///< what to do where it is missing
  std::int64_t classes = 10;
};

// The checksums are those of the files unpacked: archives of the same files differ from mirror to mirror.
const std::vector<KnownSet>& known_sets() {
  static const std::vector<KnownSet> sets = {
      {.name = "fashion-mnist",
       .title = "Fashion-MNIST",
       .files = {"fashion-mnist", "FashionMNIST/raw", "fashion-mnist.npz"},
       .more_places = {"/usr/share/datasets/fashion-mnist"},
       .origin = "Debian has it: apt install dataset-fashion-mnist"},
      {.name = "mnist",
       .title = "MNIST",
       .files = {"mnist", "MNIST/raw", "mnist.npz"},
       .more_places = {},
       .origin = "put its four files there, from https://ossci-datasets.s3.amazonaws.com/mnist/ (a mirror of "
                 "http://yann.lecun.com/exdb/mnist/); SHA-256, unpacked: train-images-idx3-ubyte "
                 "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db, "
                 "train-labels-idx1-ubyte "
                 "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5, "
                 "t10k-images-idx3-ubyte "
                 "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7, "
                 "t10k-labels-idx1-ubyte "
                 "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
      {.name = "cifar10",
       .title = "CIFAR-10",
       .files = {"cifar10", "cifar-10-batches-bin", "cifar-10-binary.tar.gz", "cifar10-images.tar.gz",
                 "cifar10.npz"},
       .more_places = {},
       .origin = "put the binary version there, https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz "
                 "(described at https://www.cs.toronto.edu/~kriz/cifar.html), as it is; MD5 "
                 "c32a1d4ab5d03f1284b67883e8d87530"}};
  return sets;
}

std::vector<fs::path> places() {
  std::vector<fs::path> folders;
  if (const char* folder = std::getenv("NEPH_DATA"); folder && *folder) folders.emplace_back(folder);
  folders.emplace_back(".");
  folders.push_back(cache_folder() / "data");
  return folders;
}

/// The first path that is there. Errors: not_found, with the places and where to get it.
Result<fs::path> locate(const KnownSet& set) {
  std::error_code ignored;
  std::vector<std::string> looked;
  for (const auto& folder : places()) {
    for (const auto& file : set.files)
      if (fs::exists(folder / file, ignored)) return folder / file;
    looked.push_back((folder / set.files.front()).string());
  }
  for (const auto& path : set.more_places) {
    if (fs::exists(path, ignored)) return path;
    looked.push_back(path.string());
  }
  const char* unset = std::getenv("NEPH_DATA") ? "" : " ($NEPH_DATA is not set)";
  return tl::unexpected(
      Error{.code = ErrorCode::not_found,
            .message = fmt::format("{} is in none of {}{}", set.title, fmt::join(looked, ", "), unset),
            .hint = set.origin,
            .subject = set.name});
}

Result<Set> look_at_path(const Request& request) {
  std::error_code error;
  const bool is_folder = fs::is_directory(request.path, error);
  if (is_folder && is_idx_folder(request.path)) return look_at_idx(request);
  if (is_folder && is_cifar_folder(request.path)) return look_at_cifar_folder(request);
  if (is_folder) return look_at_image_folders(request);
  return request.path.extension() == ".npz" ? look_at_npz(request) : look_at_archive(request);
}

}  // namespace

std::string shape_text(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

std::int64_t values_in(const Shape& shape) {
  std::int64_t values = 1;
  for (const auto size : shape) values *= size;
  return values;
}

Status check_class_count(const Request& request, std::int64_t classes) {
  const auto wanted = request.options.classes;
  if (wanted <= 0 || classes <= wanted) return {};
  return fail(ErrorCode::invalid_argument, "{} has {} classes, and the network has {}", request.name, classes,
              wanted);
}

Status check_fit(const Request& request, const Shape& examples, std::int64_t classes) {
  const auto& wanted = request.options.example_shape;
  const bool is_flat = wanted.size() == 1 && wanted[0] == values_in(examples);
  if (!wanted.empty() && wanted != examples && !is_flat)
    return fail(
        ErrorCode::invalid_argument,
        "examples of {} are {} and the network takes {}; take a network of that input, or another set",
        request.name, shape_text(examples), shape_text(wanted));
  return check_class_count(request, classes);
}

Result<Set> look(const std::string& what, const Options& options) {
  if (what == "synth") {
    NEPH_CHECK(check_synth(options));
    return Set{.name = "synthetic", .form = Form::synthetic};
  }
  std::vector<std::string> names{"synth"};
  for (const auto& set : known_sets()) {
    names.push_back(set.name);
    if (set.name != what) continue;
    NEPH_TRY(auto path, locate(set));
    return look_at_path(
        {.path = std::move(path), .name = set.title, .classes = set.classes, .options = options});
  }
  std::error_code error;
  if (!what.empty() && fs::exists(what, error))
    return look_at_path({.path = what, .name = what, .options = options});
  auto refused = unknown_name(ErrorCode::not_found, "data set", what, names);
  refused.value().add_hint("a folder or file of that name is not there either");
  return refused;
}

}  // namespace neph::data
