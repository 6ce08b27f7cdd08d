// From which length of the work on some candidates are cheaper than others. Only for files of this module.
#pragma once

#include <vector>

#include "advise/candidate.hpp"

namespace neph::advise {

inline constexpr double longest_work = 1000;  ///< times what was measured: further nobody looks

/// The share of a job's time that grows with the work.
double work_share(const Job& job);

/// The least that any of them costs where the work is so many times as long.
double least_cost(const std::vector<const Candidate*>& some, const std::vector<Job>& jobs, double times);

/// From which length of the work on the second are always cheaper than the first: as a multiple of what was
/// measured. 0: at any length; infinite: at none.
double turning_point(const std::vector<const Candidate*>& first, const std::vector<const Candidate*>& second,
                     const std::vector<Job>& jobs);

}  // namespace neph::advise
