#include "data/known_sets.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/ranges.h>

#include "os/file.hpp"

namespace neph::data {
namespace {

std::vector<std::string> digits() { return {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"}; }

KnownSet fashion_mnist() {
  return {.name = "fashion-mnist",
          .title = "Fashion-MNIST",
          .classes = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker",
                      "Bag", "Ankle boot"},
          .files = {"fashion-mnist", "FashionMNIST/raw", "fashion-mnist.npz"},
          .more_places = {"/usr/share/datasets/fashion-mnist"},
          .origin = "Debian has it: apt install dataset-fashion-mnist"};
}

// The checksums are those of the files unpacked: archives of the same files differ from mirror to mirror.
KnownSet mnist() {
  return {.name = "mnist",
          .title = "MNIST",
          .classes = digits(),
          .files = {"mnist", "MNIST/raw", "mnist.npz"},
          .more_places = {},
          .origin =
              "put its four files there, from https://ossci-datasets.s3.amazonaws.com/mnist/ (a mirror of "
              "http://yann.lecun.com/exdb/mnist/); SHA-256, unpacked: train-images-idx3-ubyte "
              "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db, "
              "train-labels-idx1-ubyte "
              "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5, "
              "t10k-images-idx3-ubyte "
              "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7, "
              "t10k-labels-idx1-ubyte "
              "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"};
}

KnownSet cifar10() {
  return {
      .name = "cifar10",
      .title = "CIFAR-10",
      .classes = {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"},
      .files = {"cifar10", "cifar-10-batches-bin", "cifar-10-binary.tar.gz", "cifar10-images.tar.gz",
                "cifar10.npz"},
      .more_places = {},
      .origin =
          "put the binary version there, https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz "
          "(described at https://www.cs.toronto.edu/~kriz/cifar.html), as it is; MD5 "
          "c32a1d4ab5d03f1284b67883e8d87530"};
}

std::vector<std::filesystem::path> places() {
  std::vector<std::filesystem::path> folders;
  if (const char* folder = std::getenv("NEPH_DATA"); folder && *folder) folders.emplace_back(folder);
  folders.emplace_back(".");
  folders.push_back(cache_folder() / "data");
  return folders;
}

}  // namespace

const std::vector<KnownSet>& known_sets() {
  static const std::vector<KnownSet> sets = {fashion_mnist(), mnist(), cifar10()};
  return sets;
}

const KnownSet* find_known(const std::string& name) {
  const auto& sets = known_sets();
  const auto found =
      std::find_if(sets.begin(), sets.end(), [&](const auto& set) { return set.name == name; });
  return found == sets.end() ? nullptr : &*found;
}

Result<std::filesystem::path> locate(const KnownSet& set) {
  std::error_code ignored;
  std::vector<std::string> looked;
  const auto is_there = [&](const std::filesystem::path& path) {
    return std::filesystem::exists(path, ignored);
  };
  for (const auto& folder : places()) {
    for (const auto& file : set.files)
      if (is_there(folder / file)) return folder / file;
    looked.push_back((folder / set.files.front()).string());
  }
  for (const auto& path : set.more_places) {
    if (is_there(path)) return path;
    looked.push_back(path.string());
  }
  const char* unset = std::getenv("NEPH_DATA") ? "" : " ($NEPH_DATA is not set)";
  return tl::unexpected(
      Error{.code = ErrorCode::not_found,
            .message = fmt::format("{} is in none of {}{}", set.title, fmt::join(looked, ", "), unset),
            .hint = set.origin,
            .subject = set.name});
}

}  // namespace neph::data
