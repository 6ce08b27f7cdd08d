// Data sets that have names: where their files are looked for, and where they come from. Only for files of
// this module.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/result.hpp"

namespace neph::data {

struct KnownSet {
  std::string name;   ///< "fashion-mnist", as it is asked for
  std::string title;  ///< "Fashion-MNIST"
  std::vector<std::string> classes;
  std::vector<std::string>
      files;  ///< names of folders and files in a place that hold it, the likeliest first
  std::vector<std::filesystem::path> more_places;  ///< paths of the set itself: where a package puts it
  std::string origin;                              ///< what to do where it is missing
};

const std::vector<KnownSet>& known_sets();
/// nullptr: none has this name.
const KnownSet* find_known(const std::string& name);

/// The first that is there: in $NEPH_DATA, in the current folder, in data/ of neph's cache, where Debian puts
/// it. Errors: not_found, with the places and where to get it.
Result<std::filesystem::path> locate(const KnownSet& set);

}  // namespace neph::data
