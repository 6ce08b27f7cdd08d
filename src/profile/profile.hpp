// Where the time of an inference goes: the engine's own account of its layers, joined to those of the model's
// file and held against what the machine can do. docs/method/profile.md says how and why.
//
// What it does not do: print, draw (report), store, judge answers.
// Threads: one; the engine starts its own. Ownership: values.
// Cost: the model is compiled once, and again for each repeat; repeat × 1.5 × duration of inferences; about a
// second for the machine's peaks.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/seconds.hpp"
#include "engine/engine.hpp"
#include "net/net.hpp"
#include "record/profile.hpp"

namespace neph::profile {

struct Spec {
  std::string model;
  net::BuildOptions sizes;
  engine::Runtime runtime;
  std::int64_t batch = 0;
  std::vector<std::string> shape;
  std::int64_t repeat = 5;
  std::int64_t count = 0;
  Seconds duration{1};
  std::int64_t seed = 1;
};

template <class Visit, Describes<Spec> Self>
void describe(Visit&& v, Self& s) {
  v("model", s.model, "model file (.onnx, .xml, .pb, .tflite) or a network's name (see neph net)");
  // Inferences side by side would share the cores, and each layer would seem slower than it is.
  const auto all_but_streams = [&v](std::string_view name, auto& member, std::string_view help,
                                    const Traits& traits = {}) {
    if (name != "streams") v(name, member, help, traits);
  };
  describe(all_but_streams, s.runtime);
  v("batch", s.batch, "first dimension of all inputs; 0: the file's, and 1 where it is left open",
    between(0, 1'000'000));
  v("shape", s.shape, "shape of an input, NAME:1x128 or of the only one 1x128; several: +, or once more");
  v("repeat", s.repeat, "times that the model is compiled and measured anew; intervals are over these",
    between(1, 1000));
  v("count", s.count, "inferences of a repeat; 0: as many as --duration allows, at most 200",
    between(0, 1'000'000));
  v("duration", s.duration, "of a repeat, where --count does not say it", between(0.01, 3600));
  v("seed", s.seed, "seed of the inputs and of a network's weights", at_least(0));
  describe(v, s.sizes);
}

/// Who waits for a profile.
struct Onlooker {
  std::function<void(std::int64_t done, std::int64_t total)> progress;  ///< of repeats
  std::function<bool()> wants_end;                                      ///< asked between inferences
};

/// Errors: those of model_file(), of the engine, and unsupported (the engine does not tell its layers' times;
/// an input that is text, or whose shape is left open), unavailable (the onlooker wanted the end).
Result<Profile> take(const Spec& spec, const Onlooker& onlooker);

}  // namespace neph::profile
