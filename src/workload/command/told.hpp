// What is told of a command while it runs, and by whom: the common words of all sources. Times are seconds of
// CLOCK_MONOTONIC.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/describe.hpp"

namespace neph::workload::command {

/// The one that stands first is believed where two tell the same.
enum class Teller { events, keras, torch, mllog, output };
constexpr auto enum_names(Teller) {
  return std::array{Named{Teller::events, "NEPH_EVENTS"}, Named{Teller::keras, "hooks in Keras"},
                    Named{Teller::torch, "hooks in PyTorch"}, Named{Teller::mllog, ":::MLLOG lines"},
                    Named{Teller::output, "the command's output"}};
}

/// loop: over data, without steps of learning in it: what it is depends on what stands around it.
enum class SpanKind { data_load, prepare, epoch, loop, verify, save };
constexpr auto enum_names(SpanKind) {
  return std::array{Named{SpanKind::data_load, "data_load"}, Named{SpanKind::prepare, "prepare"},
                    Named{SpanKind::epoch, "epoch"},         Named{SpanKind::loop, "loop"},
                    Named{SpanKind::verify, "verify"},       Named{SpanKind::save, "save"}};
}

/// Loss and accuracy are those that were told last.
enum class Value {
  train_loss,
  test_loss,
  test_accuracy,
  train_accuracy,
  samples_per_step,
  samples_per_s,
  step_s,
  train_samples,
  test_samples
};
constexpr auto enum_names(Value) {
  return std::array{Named{Value::train_loss, "train_loss"},
                    Named{Value::test_loss, "test_loss"},
                    Named{Value::test_accuracy, "test_accuracy"},
                    Named{Value::train_accuracy, "train_accuracy"},
                    Named{Value::samples_per_step, "samples_per_step"},
                    Named{Value::samples_per_s, "samples_per_s"},
                    Named{Value::step_s, "step_s"},
                    Named{Value::train_samples, "train_samples"},
                    Named{Value::test_samples, "test_samples"}};
}

/// Ends of steps of what steps by itself: a process, and in it an optimizer.
struct Steps {
  std::int64_t stream = 0;
  std::vector<double> ends_s{};
};
struct Span {
  SpanKind kind = SpanKind::loop;
  double begin_s = 0;
  double end_s = 0;
  std::int64_t steps = 0;    ///< 0: not told
  std::int64_t samples = 0;  ///< learnt from; 0: not told
  std::int64_t bytes = 0;    ///< written; 0: not told
  bool is_whole = true;      ///< false: a loop that was left early
  std::int64_t pid = 0;      ///< 0: not told
};
struct Begin {
  SpanKind kind;
  double at_s;
};
struct End {
  SpanKind kind;
  double at_s;
};
struct Figure {
  Value value;
  double number;
};
/// A process that can be told of: Python, or a framework in it, has been hooked.
struct Hello {
  std::string who;
};

struct Told {
  Teller by = Teller::events;
  std::int64_t pid = 0;  ///< 0: not told
  std::variant<Hello, Steps, Span, Begin, End, Figure> what{};
};

/// What one teller told.
struct Story {
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<double>> steps_s;  ///< by process and stream
  std::vector<Span> spans;
  std::map<Value, double> values;
  std::map<Value, std::vector<std::pair<double, double>>> course;  ///< moments and values of each
  std::map<std::pair<std::int64_t, SpanKind>, double> open;        ///< begun and not ended, by process
};

/// All that was told. Threads: one.
struct Tellings {
  /// `now_s`: the moment of a figure.
  void add(Told told, double now_s = 0);

  std::map<Teller, Story> by;
  std::vector<std::string>
      hooked;  ///< Python, torch, keras, and that nothing caught an exception: as they came
};

}  // namespace neph::workload::command
