// How each form of a data set is recognised, and whether its headers fit. Only for files of this module.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/data.hpp"

namespace neph::data {

using Shape = std::vector<std::int64_t>;

struct Request {
  std::filesystem::path path;
  std::string name;          ///< of the set
  std::int64_t classes = 0;  ///< of a set that is known by name; 0: not known
  const Options& options;
};

bool is_idx_folder(const std::filesystem::path& folder);
bool is_cifar_folder(const std::filesystem::path& folder);
bool is_image_name(std::string_view name);

// Errors: those of look().
Result<Set> look_at_idx(const Request& request);
Result<Set> look_at_cifar_folder(const Request& request);
Result<Set> look_at_npz(const Request& request);
Result<Set> look_at_image_folders(const Request& request);
/// A .tar or .tar.gz, as far as its first batch or image.
Result<Set> look_at_archive(const Request& request);

/// Errors: invalid_argument.
Status check_synth(const Options& options);

/// That the network takes examples of this shape, all their values in one dimension too, and has as many
/// classes. Errors: invalid_argument.
Status check_fit(const Request& request, const Shape& examples, std::int64_t classes);
/// That images can be scaled to what the network takes. Errors: invalid_argument (no shape), unsupported (not
/// square, channels other than 1 or 3).
Status check_image_shape(const Options& options);
/// Errors: invalid_argument where the set has more than the network.
Status check_class_count(const Request& request, std::int64_t classes);

/// [1, 28, 28] → "[1, 28, 28]".
std::string shape_text(const Shape& shape);
std::int64_t values_in(const Shape& shape);

}  // namespace neph::data
