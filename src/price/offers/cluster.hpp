// A cluster of one's own, as SkyPilot's file of Slurm prices has it: parts of a job have prices, and jobs
// have any size. Only for files of this module; others include price/price.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "price/offer.hpp"

namespace neph::price {

inline constexpr std::string_view cluster_provider = "slurm";

struct JobShape {
  double vcpus = 0, gib = 0;
  std::string gpu{};
  std::int64_t gpus = 0;
};

/// "16CPU--64GB", "16CPU--64GB--V100:1", as SkyPilot calls them.
std::optional<JobShape> job_shape(std::string_view name);
std::string shape_name(const JobShape& shape);

/// The offer's unit prices for a job of that size.
Offer job_of(const Offer& priced, const JobShape& shape);

/// The job in each region and zone that has a price for it. What names a place that was asked for goes before
/// what is of any place; a GPU's own price before that of any GPU, and for a job without one a price that
/// names no GPU before one that does.
std::vector<Offer> jobs_of(const JobShape& shape, std::string_view region, std::span<const Offer> offers);

/// Jobs that stand for all: 1, 2, 4 to 64 vCPUs with 4 GiB each, and where the GPU has a name 1, 2, 4 and 8
/// of it with 8 vCPUs each. The offer has unit prices.
std::vector<Offer> usual_jobs(const Offer& priced);
inline constexpr std::string_view usual_jobs_note =
    "a cluster has jobs of any size; shown are 1 to 64 vCPUs with 4 GiB each, and GPUs with 8 vCPUs each: "
    "--offer slurm/16CPU--64GB--V100:1 bills any other";

}  // namespace neph::price
