// Scripts that do an experiment on a rented machine and release it: one file of POSIX sh, also as a task of
// SkyPilot and as user data of cloud-init. docs/method/script.md says what they do.
//
// What it does not do: rent, run or upload anything. Everything that differs between providers is data:
// releases/PROVIDER.sh, found by name.
//
// Threads: pure functions; the embedded files are read once. Cost: a script takes less than a millisecond.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/describe.hpp"
#include "core/seconds.hpp"
#include "price/price.hpp"
#include "record/experiment.hpp"
#include "script/limits.hpp"
#include "script/place.hpp"
#include "script/release.hpp"

namespace neph::script {

enum class Format { sh, sky, cloud_init };
constexpr auto enum_names(Format) {
  return std::array{Named{Format::sh, "sh"}, Named{Format::sky, "sky"},
                    Named{Format::cloud_init, "cloud-init"}};
}

/// How neph gets onto the machine; `both`: the work is done by the bundle's.
enum class Install { bundle, image, both };
constexpr auto enum_names(Install) {
  return std::array{Named{Install::bundle, "bundle"}, Named{Install::image, "image"},
                    Named{Install::both, "both"}};
}

/// What a user says of the machine and of what goes there and back.
struct Wishes {
  std::string offer;
  std::string results;
  std::string budget;
  std::string price;
  std::string rule;
  Seconds max_time{0};
  Install install = Install::bundle;
  std::string bundle;
  std::string image;
  std::vector<std::string> data;
  std::string release;
  std::string release_command;
  Format format = Format::sh;
};

template <class Visit, Describes<Wishes> Self>
void describe(Visit&& v, Self& s) {
  v("offer", s.offer,
    "the machine, as PROVIDER/INSTANCE+GPU:COUNT@REGION, of which the provider is needed; own/NAME: not "
    "rented");
  v("results", s.results,
    "where store and marks go: s3://BUCKET/PATH, gs://, scp://HOST/PATH, rclone://REMOTE/PATH, https://, or "
    "a folder there");
  v("budget", s.budget, "release the machine before it has cost more: 5USD, 500RUB");
  v("price", s.price, "of the machine, for --budget: 2.48USD/h");
  v("rule", s.rule, "how its time is billed, for --budget (neph price rules); empty: as the provider does");
  v("max_time", s.max_time,
    "release the machine after it was paid for so long; 0s: as the budget says, and without one after a day "
    "of the script",
    between(0, 1e8));
  v("install", s.install, "neph as its bundle, as its container image, or both, each measured");
  v("bundle", s.bundle,
    "from where the bundle comes (./dev bundle): an address as of --results; empty: it lies beside the "
    "script, or neph is there");
  v("image", s.image,
    "the container image: a name in a registry, or from where an archive of it comes (./dev image)");
  v("data", s.data, "from where a file, folder or .tar.gz comes that the experiment reads: [PATH=]ADDRESS");
  v("release", s.release,
    "how the machine is released: another provider's name, poweroff, or own for not at all");
  v("release_command", s.release_command, "command of a shell that releases the machine");
  v("format", s.format, "one file of POSIX sh, a task of SkyPilot, or user data of cloud-init");
}

/// The experiment, and what it needs where it runs.
struct Job {
  Experiment experiment;
  Json options = Json::object();  ///< what a TOML file of it has above the table, beside repeat and seed
  std::string title;              ///< "train mnist-cnn, experiment 12 of neph.db"
  std::string name;               ///< short, of the folder there: "12"; only its letters and digits are taken
  std::string command;            ///< that makes this script
  std::string version;            ///< of neph
  std::vector<std::string> files;      ///< that its runs read, by the paths that it has for them
  std::vector<std::string> engines;    ///< that its runs use
  std::vector<std::string> datasets;   ///< known by name
  std::vector<std::string> mentioned;  ///< words of its commands that are files here: they may be read
  std::vector<std::string> saved;      ///< files that its runs write, by the paths that it has for them
  double takes_s = 0;           ///< as its stored runs tell, boot and installation not counted; 0: not known
  bool has_containers = false;  ///< its runs start some
  bool needs_gpu = false;       ///< one of NVIDIA's
};

/// Seconds before a limit at which work ends: what was measured is saved, steps end, the release is asked
/// for.
constexpr std::int64_t kept_for_the_end_s(std::int64_t limit_s) {
  return limit_s < 1200 ? limit_s / 10 + 1 + limit_s / 20 : 190;
}

/// How long a machine is paid at the most: by budget, --max-time, or where neither is given a day; 0: as long
/// as it likes. `sure_s` is less where hours of the clock are paid, for the first may be nearly over.
struct Longest {
  std::int64_t seconds = 0, sure_s = 0;
};
/// Errors: as those of script().
Result<Longest> longest(const Job& job, const price::Offer& offer, const Wishes& wishes,
                        const std::vector<price::Rule>& rules);

/// What `wishes` release the machine by. Errors: as those of script().
Result<Release> release_of(const price::Offer& offer, const Wishes& wishes);

/// PATH of each --data [PATH=]ADDRESS. Errors: as those of script().
Result<std::vector<std::string>> brought(const Job& job, const Wishes& wishes);

/// A machine by its name alone: provider, instance, GPU, region, and its architecture where the name tells.
/// Errors: invalid_argument.
Result<price::Offer> offer_of_name(std::string_view name);

/// Errors: invalid_argument (something is missing, an address or a sum of money that makes no sense, no
/// release is known), not_found (rule, release), unsupported (a machine that SkyPilot does not know).
Result<std::string> script(const Job& job, const price::Offer& offer, const Wishes& wishes,
                           const std::vector<price::Rule>& rules);

}  // namespace neph::script
