// The nouns of a profile: where the time of an inference goes, layer by layer, and how near each layer comes
// to what the machine can do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/describe.hpp"
#include "core/estimate.hpp"

namespace neph {

/// A layer as the engine runs it, with those of the model's file that it does the work of.
struct ProfiledLayer {
  std::string name;         ///< of the first of those in the file; else the engine's
  std::string kind;         ///< what it does, in the words of `neph net`; else the engine's
  std::string engine_name;  ///< what the engine calls it
  std::string engine_kind;
  std::string kernel;                  ///< how the engine runs it; empty: not told
  Estimate self_s;                     ///< of one inference, without layers inside it
  double share = 0;                    ///< of all layers' time
  std::vector<std::string> parts;      ///< layers of the file, in its order; empty: none is known
  std::vector<std::string> operators;  ///< of those
  std::optional<double> flop;          ///< of one inference; nothing: not known
  std::optional<double> bytes;         ///< read and written, its weights included
};
template <class Visit, Describes<ProfiledLayer> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "of the layer in the model's file; of one that is not there the engine's");
  v("kind", s.kind, "what it does, in the words of neph net; of one that is not in the file the engine's");
  v("engine_name", s.engine_name, "what the engine calls it");
  v("engine_kind", s.engine_kind, "its operation as the engine calls it");
  v("kernel", s.kernel, "how the engine runs it; empty: not told");
  v("self_s", s.self_s, "of one inference, without layers inside it");
  v("share", s.share, "of the time of all layers");
  v("parts", s.parts, "layers of the file that it does the work of; empty: none is known");
  v("operators", s.operators, "their ONNX operators");
  v("flop", s.flop, "multiplications and additions of one inference; null: not known");
  v("bytes", s.bytes, "read and written by one inference, weights included; null: not known");
}

/// All layers of a kind together.
struct KindTime {
  std::string kind;
  std::int64_t layers = 0;
  Estimate self_s;
  double share = 0;
  std::optional<double> flop;   ///< of those of which it is known
  double flop_s = 0;            ///< the time of those
  std::optional<double> bytes;  ///< likewise
  double bytes_s = 0;
};
template <class Visit, Describes<KindTime> Self>
void describe(Visit&& v, Self& s) {
  v("kind", s.kind, "what the layers do");
  v("layers", s.layers, "how many the engine runs");
  v("self_s", s.self_s, "of one inference, all of them together");
  v("share", s.share, "of the time of all layers");
  v("flop", s.flop, "multiplications and additions, of the layers of which they are known");
  v("flop_s", s.flop_s, "the time of those layers");
  v("bytes", s.bytes, "read and written, of the layers of which they are known");
  v("bytes_s", s.bytes_s, "the time of those layers");
}

struct Profile {
  std::string model;
  std::string file;
  std::string engine;  ///< with its version
  std::string device;
  std::string precision;
  std::vector<std::string> inputs;  ///< "input 1x3x224x224"
  std::int64_t threads = 0;         ///< that the engine computed with
  std::int64_t repeats = 0;         ///< times that the model was compiled anew
  std::int64_t inferences = 0;      ///< that were timed with the engine's counters on, all repeats together
  Estimate plain_s;                 ///< an inference without counters
  Estimate profiled_s;              ///< an inference with them
  Estimate layers_s;                ///< the layers' times of one inference together
  double joined_share = 0;          ///< of that time, of layers that were found in the file
  std::optional<double> flop;       ///< of the whole network, as neph net counts; nothing: not known
  double joined_flop = 0;           ///< those of the layers that were found
  /// What the machine can do with so many threads; nothing: not measured (another device than the CPU).
  std::optional<double> peak_flop_per_s;
  std::optional<double> peak_bytes_per_s;
  std::string instructions;  ///< that the peak was measured with
  std::vector<KindTime> kinds;
  std::vector<ProfiledLayer> layers;  ///< those that take longest first
  std::vector<std::string> removed;   ///< layers of the file that no layer of the engine is known to do
  std::vector<std::string> notes;
};
template <class Visit, Describes<Profile> Self>
void describe(Visit&& v, Self& s) {
  v("model", s.model, "as it was given");
  v("file", s.file, "that was read");
  v("engine", s.engine, "with its version");
  v("device", s.device, "that it ran on");
  v("precision", s.precision, "arithmetic that was asked for, or that the engine says it uses");
  v("inputs", s.inputs, "names with shapes");
  v("threads", s.threads, "that the engine computed with");
  v("repeats", s.repeats, "times that the model was compiled anew");
  v("inferences", s.inferences, "timed with the engine's counters on, of all repeats");
  v("plain_s", s.plain_s, "an inference without the engine's counters");
  v("profiled_s", s.profiled_s, "an inference with them");
  v("layers_s", s.layers_s, "times of all layers of one inference together");
  v("joined_share", s.joined_share, "share of that time in layers that were found in the file");
  v("flop", s.flop, "multiplications and additions of the network, as neph net counts; null: not known");
  v("joined_flop", s.joined_flop, "those of the layers that were found");
  v("peak_flop_per_s", s.peak_flop_per_s, "measured peak of this machine with so many threads, in f32");
  v("peak_bytes_per_s", s.peak_bytes_per_s, "measured bandwidth of its memory with so many threads");
  v("instructions", s.instructions, "vector instructions that the peak was measured with");
  v("kinds", s.kinds, "the layers by what they do");
  v("layers", s.layers, "as the engine runs them, those that take longest first");
  v("removed", s.removed, "layers of the file that no layer of the engine is known to do");
  v("notes", s.notes, "what limits these figures");
}

}  // namespace neph
