// Processes that others started and that are still there when those have ended.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace neph {

struct Orphan {
  int pid = 0;
  std::string name;
};
/// Children of this process that live, without `but`.
std::vector<Orphan> children(std::span<const int> but);

/// Ends all children but `but` and what they started: SIGTERM, then SIGKILL when `grace_s` have passed. Takes
/// no longer than that and a second.
void end_children(std::span<const int> but, double grace_s);

/// While it lives this process is the parent of orphans among its descendants, so that none gets lost; those
/// that are there at its end are ended.
class Adoption {
 public:
  Adoption();
  ~Adoption();
  Adoption(const Adoption&) = delete;
  Adoption& operator=(const Adoption&) = delete;
  /// At once; none of them may be a Process that lives.
  void end_all() const { end_children(earlier_, 0); }

 private:
  std::vector<int> earlier_;  ///< children: this program took the place of one that had some (exec)
};

}  // namespace neph
