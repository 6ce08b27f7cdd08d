// The one file of sh: its parts put together. Only for files of this module.
#pragma once

#include <string>

#include "core/json_fwd.hpp"
#include "record/experiment.hpp"
#include "script/script.hpp"

namespace neph::script {

/// What a script is made for, looked at already.
struct Task {
  const Job& job;
  const Wishes& wishes;
  price::Offer offer;
  Release release;
  Limit limit;
  std::string budget;  ///< in words
  Place results;
  std::optional<Place> bundle, image_archive;
  std::string image;  ///< as docker calls it; empty: none
  struct Source {
    std::string path;  ///< where the experiment looks for it
    Place place;
    bool is_archive = false;
  };
  std::vector<Source> data;
};

/// "12-1f2e3d4c": another folder for another experiment, and for other wishes but those of money and time.
std::string task_name(const Task& task);
/// The longest time that is asked for, or a day where nothing is; 0: none.
struct Most {
  std::int64_t seconds = 0;
  bool is_default = false;
};
Most most_of(const Task& task);
/// What the bundle's archive is called.
std::string archive_name(const Job& job);
std::string sh_text(const Task& task);

/// `options` are what stands above the table besides repeat and seed. No line is more than one value, in
/// printable characters.
std::string spec_text(const Experiment& experiment, const Json& options);

}  // namespace neph::script
