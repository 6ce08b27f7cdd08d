// What a worker says on its standard output, one JSON object a line, in the order in which it happens:
//   {"event":"began","machine":{...},"at_s":81.5}                   first: where it runs, and when that was
//   {"event":"phase","name":"measure","begin_s":1.2,"end_s":5.0}    a phase has ended
//   {"event":"progress","phase":"measure","done":96,"total":500,"left_s":null}    for people who wait
//   {"event":"note","text":"25.0/s met (0 of 1047 late)"}          for people too, a line that stays
//   {"event":"ended","at_s":87.5}                                  last but one
//   {"event":"warning", ...}   {"event":"result", ...}              the last line of a run that ended well
//   {"event":"error","code":"corrupt","message":"...","subject":"SIGTERM"}
//                                              the last line of a run that failed; subject: may be a signal
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "core/json.hpp"
#include "core/result.hpp"
#include "record/run.hpp"

namespace neph {

struct Progress {
  std::string phase;
  std::int64_t done = 0;
  std::int64_t total = 0;          ///< 0: not known
  std::optional<double> left_s{};  ///< until the run ends, at least; empty: not known
};

template <class Visit, Describes<Progress> Self>
void describe(Visit&& v, Self& s) {
  v("phase", s.phase, "the phase in progress");
  v("done", s.done, "items done");
  v("total", s.total, "items to do; 0: not known");
  v("left_s", s.left_s, "until the run ends, at least; null: not known");
}

/// Where a run is made, and its second 0.
struct Began {
  Json machine;     ///< the host's fingerprint
  double at_s = 0;  ///< of the host's CLOCK_MONOTONIC
};

template <class Visit, Describes<Began> Self>
void describe(Visit&& v, Self& s) {
  v("machine", s.machine, "fingerprint of the host");
  v("at_s", s.at_s, "of the host's monotonic clock: second 0 of the run");
}

struct Ended {
  double at_s = 0;  ///< of the host's CLOCK_MONOTONIC
};

template <class Visit, Describes<Ended> Self>
void describe(Visit&& v, Self& s) {
  v("at_s", s.at_s, "of the host's monotonic clock: the work is done");
}

/// What a run has found out on its way.
struct Note {
  std::string text;
};

template <class Visit, Describes<Note> Self>
void describe(Visit&& v, Self& s) {
  v("text", s.text, "one line");
}

using Event = std::variant<Began, Ended, Phase, Progress, Note, Warning, RunResult, Error>;

/// One line without its line feed.
std::string encode_event(const Event& event);
Result<Event> decode_event(std::string_view line);

/// Where a workload says what happens. Threads: any, one at a time (loaders tell their progress themselves).
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void emit(const Event& event) = 0;
};

}  // namespace neph
