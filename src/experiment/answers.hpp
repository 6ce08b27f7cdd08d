// Whether two runs that were given the same answered alike.
#pragma once

#include "record/run.hpp"

namespace neph::experiment {

/// The same classes; of items that one of them calls close (fact::close_answers), any. Where the classes were
/// not read (store::Detail::summary), close items are taken for all that differs.
bool answer_alike(const RunResult& a, const RunResult& b);

/// "3 of 500 answers" that differ; less where the classes were not read.
std::string how_many_differ(const RunResult& a, const RunResult& b);

}  // namespace neph::experiment
