// Data sets: examples with labels, for training and for verifying it.
//
//   by name    "fashion-mnist", "mnist", "cifar10": from $NEPH_DATA/NAME, ./NAME, neph/data/NAME in the
//              user's cache ($XDG_CACHE_HOME or ~/.cache), or where Debian's package has it
//   a folder   IDX files (.gz too), CIFAR-10's binary batches, or images: train/CLASS/* and test/CLASS/* (or
//              val/), or CLASS/* alone
//   a file     .npz as Keras stores them; .tar or .tar.gz of CIFAR-10's binary batches, or of images in such
//              folders
//   "synth"    made up, of any shape, learnable
//
// What it does not do: shuffle, batch, augment, train. All of it is checked when it is opened, before any
// use.
//
// Threads: open() blocks; a Split may be read from several threads at once.
// Cost: in memory a picture's bytes as they are (u8), 47 MB for MNIST's 60,000; `Keep::files` reads images of
// folders when they are asked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/describe.hpp"
#include "core/result.hpp"

namespace neph::data {

/// Where images of folders are between their uses: decoded in memory, or in their files.
enum class Keep { memory, files };
constexpr auto enum_names(Keep) {
  return std::array{Named{Keep::memory, "memory"}, Named{Keep::files, "files"}};
}

struct Options {
  /// What the network takes: [channels, height, width], or any other shape of synth; empty: the set's own,
  /// where it has one. Of images the centre square is scaled to it; of other sets a difference is an error.
  std::vector<std::int64_t> example_shape{};
  std::int64_t classes = 0;  ///< that the network tells apart; more in the set are an error; 0: any
  /// Of images. Keep::files: a folder's are decoded each time they are asked for; an archive's stay encoded
  /// in memory.
  Keep keep = Keep::memory;
  std::int64_t synth_train = 2048, synth_test = 512;  ///< examples of synth
  std::int64_t synth_labels = 1;  ///< of an example of synth; more: a sequence for ctc along the longer of
                                  ///< the last two dimensions, without 0
  std::uint64_t seed = 1;         ///< of synth, and of the tenth that is set aside to verify
};

/// One half of a data set.
class Split {
 public:
  virtual ~Split() = default;
  virtual std::int64_t size() const = 0;
  virtual std::int64_t labels_per_example() const = 0;
  /// Examples `rows` as floats (pictures from 0 to 1, [channels, height, width]) and their labels, one after
  /// the other. Errors: corrupt (an image file, by name), io.
  virtual Status fill(std::span<const std::int64_t> rows, std::span<float> inputs,
                      std::span<std::int64_t> labels) const = 0;
};

struct Set {
  std::string name;  ///< "Fashion-MNIST", or the path
  std::string form;  ///< "IDX", "CIFAR-10 binary", "npz", "folders of images", "synthetic"
  std::vector<std::int64_t> example_shape{};
  std::vector<std::string> classes;  ///< their names; numbers where the set has none
  std::int64_t bytes = 0;            ///< that were read
  std::unique_ptr<Split> train, test;
  std::string test_note;  ///< where the test half is not the set's own: what it is
};

/// Errors: not_found (with the address and SHA-256 of what is missing, or the nearest name), corrupt (cut
/// short, counts that differ, a label that is no class; with file and place), invalid_argument (a shape or
/// number of classes that does not fit the network), unavailable (memory).
Result<Set> open(const std::string& what, const Options& options);

/// Where a set lies.
struct Location {
  std::filesystem::path path;    ///< empty: nowhere, as it is made up
  std::filesystem::path folder;  ///< of a set with a name: what $NEPH_DATA is where the name leads there
};
/// Errors: not_found, as open().
Result<Location> locate(const std::string& what);

/// One array of numpy's, of any shape.
struct Array {
  std::string name;       ///< of its file, without the ending: as numpy.savez() was told
  char kind = 'f';        ///< 'u', 'i', 'f', 'b' (true or false)
  std::size_t width = 4;  ///< bytes of an element, little-endian
  std::vector<std::int64_t> shape{};
  std::vector<std::uint8_t> bytes{};
};
/// All arrays of a .npz, of one .npy, or of the .npy files in a folder, by name. Errors: not_found, corrupt,
/// unsupported (text, big-endian, Fortran's order), invalid_argument (neither of them, a folder without any),
/// unavailable (memory), with file and place.
Result<std::vector<Array>> read_arrays(const std::filesystem::path& path);

/// Writes them as a .npz, each under its name. Errors: unsupported (4 GiB or more), those of write_file().
Status write_arrays(const std::filesystem::path& path, const std::vector<Array>& arrays);

/// As open(), as far as that costs no more than reading headers: what a plan can refuse. The set has no
/// halves.
Result<Set> look(const std::string& what, const Options& options);

}  // namespace neph::data
