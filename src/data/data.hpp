// Data sets as files: whether one fits a network before a training starts, one that is made up, and arrays as
// numpy stores them.
//
//   by name    "fashion-mnist", "mnist", "cifar10": from $NEPH_DATA/NAME, ./NAME, neph/data/NAME in the
//              user's cache ($XDG_CACHE_HOME or ~/.cache), or where Debian's package has it
//   a folder   IDX files (.gz too), CIFAR-10's binary batches, or images: train/CLASS/* and test/CLASS/* (or
//              val/), or CLASS/* alone
//   a file     .npz as Keras stores them; .tar or .tar.gz of CIFAR-10's binary batches, or of images in such
//              folders
//   "synth"    made up, of any shape, learnable
//
// What it does not do: read the examples of a set. The frameworks' scripts do (src/framework/scripts).
//
// Threads: all of it blocks, and keeps nothing between calls.
// Cost of look(): headers, or the names in a folder; of an archive as much as stands before its first image
// or batch.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/describe.hpp"
#include "core/result.hpp"

namespace neph::data {

enum class Form { idx, cifar, npz, image_folders, image_archive, synthetic };
constexpr auto enum_names(Form) {
  return std::array{Named{Form::idx, "IDX"},
                    Named{Form::cifar, "CIFAR-10 binary"},
                    Named{Form::npz, "npz"},
                    Named{Form::image_folders, "folders of images"},
                    Named{Form::image_archive, "archive of images"},
                    Named{Form::synthetic, "synthetic"}};
}

struct Options {
  /// What the network takes: [channels, height, width], or any other shape; empty: any. Images are scaled to
  /// it; of other sets a difference is an error, but for all values in one dimension.
  std::vector<std::int64_t> example_shape{};
  std::int64_t classes = 0;  ///< of the network; more in the set are an error; 0: any
  std::int64_t synth_train = 2048, synth_test = 512;  ///< examples of synth
  std::int64_t synth_labels = 1;  ///< of an example of synth; more: a sequence for ctc along the longer of
                                  ///< the last two dimensions, without 0
  std::uint64_t seed = 1;         ///< of synth
};

struct Set {
  std::string name;  ///< "Fashion-MNIST", or the path
  Form form = Form::npz;
  std::filesystem::path path{};  ///< folder or file; of synth empty, as it lies nowhere
};

/// Finds a set and checks its headers. Errors: not_found (with the address and SHA-256 of what is missing, or
/// the nearest name), corrupt (headers that are damaged or cut short, counts or shapes that differ, a class
/// that only the test half has; with file and place), invalid_argument (a shape or number of classes that
/// does not fit the network, images in no class folder), unsupported (elements of another type, CIFAR-10's
/// Python version, images for a network that takes no squares), io.
Result<Set> look(const std::string& what, const Options& options);

/// One array of numpy's, of any shape.
struct Array {
  std::string name;       ///< of its file, without the ending: as given to numpy.savez()
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

/// Synth, as scripts read a .npz: x_train, y_train, x_test, y_test. Examples are f32 [count, shape...], from
/// 0 to 1, labels i64 [count] or [count, synth_labels]; the same for the same options on every machine.
/// Errors: invalid_argument (options that make no examples).
Result<std::vector<Array>> make_synth(const Options& options);

}  // namespace neph::data
