// The file of a model of known behaviour (NAME.identity), TOML:
//
//   service_ms = 10           # how long an inference takes
//   stall_every_s = 5         # and every 5 s nothing goes on for half a second
//   stall_ms = 500
//   [[inputs]]
//   name = "x"
//   element = "f32"
//   shape = [-1, 16]          # the first dimension is the batch
//   [[outputs]]
//   name = "y"                # of the first input, its element and shape, unless `from`, `element`, `shape`
//   say
//                             # otherwise
//   [training]                # of steps of training: src/framework/scripts/identity.py reads it
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/describe.hpp"
#include "core/result.hpp"
#include "engine/engine.hpp"

namespace neph::engine {

enum class Distribution { fixed, lognormal, pareto };
constexpr auto enum_names(Distribution) {
  return std::array{Named{Distribution::fixed, "fixed"}, Named{Distribution::lognormal, "lognormal"},
                    Named{Distribution::pareto, "pareto"}};
}

struct IdentityInput {
  std::string name;
  Element element = Element::f32;
  std::vector<std::int64_t> shape;
};

template <class Visit, Describes<IdentityInput> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "of the input");
  v("element", s.element, "type of its elements");
  v("shape", s.shape, "its dimensions; the first is the batch: -1");
}

/// Each of its rows is the first bytes of the same row of an input.
struct IdentityOutput {
  std::string name;
  std::string from;
  std::optional<Element> element;
  std::vector<std::int64_t> shape;
};

template <class Visit, Describes<IdentityOutput> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "of the output");
  v("from", s.from, "the input whose bytes it has; the first");
  v("element", s.element, "type of its elements; its input's");
  v("shape", s.shape, "its dimensions, the first -1, no more bytes a row than its input; its input's");
}

struct IdentityFile {
  double service_ms = 0;
  Distribution distribution = Distribution::fixed;
  double p99_ms = 0;
  std::int64_t seed = 1;
  double per_item_ms = 0;
  double stall_every_s = 0;
  double stall_ms = 0;
  bool busy = false;
  std::vector<IdentityInput> inputs;
  std::vector<IdentityOutput> outputs;
};

inline constexpr double longest_service_ms = 3.6e6;

template <class Visit, Describes<IdentityFile> Self>
void describe(Visit&& v, Self& s) {
  v("service_ms", s.service_ms, "service time of an inference; of a distribution, its median",
    between(0, longest_service_ms));
  v("distribution", s.distribution, "of the service time");
  v("p99_ms", s.p99_ms, "99th percentile of the distribution", between(0, longest_service_ms));
  v("seed", s.seed, "of the service times", at_least(0));
  v("per_item_ms", s.per_item_ms, "further service time for each item of the batch",
    between(0, longest_service_ms));
  v("stall_every_s", s.stall_every_s, "time from stall to stall; the first is so long after loading",
    between(0, 1e6));
  v("stall_ms", s.stall_ms, "how long a stall holds up all inferences", between(0, 1e9));
  v("busy", s.busy, "spin on the processor instead of sleeping");
  v("inputs", s.inputs, "at least one");
  v("outputs", s.outputs, "at least one");
}

/// Complete and consistent: names are there and differ, every `from` names an input, every output has an
/// element and a shape. Errors: not_found, unavailable (permission), corrupt (with the file and the key).
Result<IdentityFile> read_identity_file(const std::filesystem::path& path);

/// Elements of one row (the shape without its first dimension) in bytes.
std::size_t row_bytes(Element element, const std::vector<std::int64_t>& shape);

}  // namespace neph::engine
