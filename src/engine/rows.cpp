// Whether the rows of a batch are strangers to each other. A model whose first dimension is open may as well
// be one over a sequence (attention, a softmax over axis 0), whose answers change with what else is in the
// batch; no file says which, so it is tried.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "core/aligned.hpp"
#include "core/clock.hpp"
#include "core/random.hpp"
#include "core/result.hpp"
#include "engine/elements.hpp"
#include "engine/engine.hpp"

namespace neph::engine {
namespace {

/// Small tensors agree by chance: ones of a few integers are drawn again, as long as that takes no time.
constexpr int most_rounds = 8;
constexpr auto time_for_rounds = std::chrono::milliseconds(50);

/// Relative to the value, and to the largest of its row: that part is small, because boxes of 640 and scores
/// below 1 may stand in one tensor.
struct Rounding {
  double own = 0, largest = 0;
};
/// Between batch sizes: their kernels sum in another order.
constexpr Rounding between_sizes_f32{2e-3, 1e-4};
constexpr Rounding between_sizes_less{5e-2, 1e-2};  ///< half precisions and i8
/// At the same place of the same batch the same kernel does the same sums.
constexpr Rounding in_place_f32{1e-5, 1e-6};
constexpr Rounding in_place_half{1e-3, 1e-3};

enum class Draw {
  small,  ///< floats from [-1, 1), integers 0 and 1
  wide,   ///< floats from [-20, 20), integers as far as the model takes them
  loud,   ///< floats up to 1e4 and integers as wide
  poison  ///< NaN and infinities
};

using Memory = std::vector<AlignedFloats>;

Result<Memory> memory_for(const std::vector<Port>& ports) {
  Memory memory;
  for (const auto& port : ports) {
    memory.push_back(allocate_floats(port.bytes() / sizeof(float) + 1));
    if (!memory.back()) return fail(ErrorCode::unavailable, "no memory for '{}'", port.name);
  }
  return memory;
}

double drawn_float(Draw draw, Random& random) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const double number = 2 * random.uniform() - 1;
  switch (draw) {
    case Draw::small:
      return number;
    case Draw::wide:
      return 20 * number;
    case Draw::loud:
      return 1e4 * number;
    case Draw::poison:
      return number < -0.5 ? -infinite : number < 0 ? infinite : std::nan("");
  }
  return 0;
}

Rounding between_sizes(Element element, const Session& session) {
  if (!is_float(element)) return {};
  const auto used = get(session.facts(), fact::precision);
  const bool full = element != Element::f16 && element != Element::bf16 && (!used || *used == "f32");
  return full ? between_sizes_f32 : between_sizes_less;
}

Rounding in_place(Element element) {
  if (!is_float(element)) return {};
  return element == Element::f16 || element == Element::bf16 ? in_place_half : in_place_f32;
}

/// The largest difference that is none of rounding, of `count` elements; 0: there is none.
double difference(Element element, const void* expected, const void* found, std::size_t count,
                  Rounding allowed) {
  double largest = 0, worst = 0;
  for (std::size_t i = 0; i < count; ++i)
    if (const double a = element_value(element, expected, i); std::isfinite(a))
      largest = std::max(largest, std::abs(a));
  for (std::size_t i = 0; i < count; ++i) {
    const double a = element_value(element, expected, i);
    const double b = element_value(element, found, i);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double off = std::isfinite(a) && std::isfinite(b) ? std::abs(a - b) : HUGE_VAL;
    if (off > allowed.own * std::abs(a) + allowed.largest * largest) worst = std::max(worst, off);
  }
  return worst;
}

/// Bound once; rows of the batch on one side, one row on the other. Its questions give a sentence where a row
/// is no stranger, else an empty one.
class Trial {
 public:
  Trial(Session& alone, Session& together, std::int64_t rows, std::int64_t integers_below)
      : alone_(alone),
        together_(together),
        rows_(static_cast<std::size_t>(rows)),
        integers_below_(static_cast<std::uint64_t>(integers_below)) {}

  Status prepare() {
    NEPH_CHECK(open(alone_, one_));
    NEPH_CHECK(open(together_, all_));
    NEPH_TRY(inputs_, memory_for(together_.inputs()));
    NEPH_TRY(answers_, memory_for(together_.outputs()));
    return {};
  }

  /// Whether any output of a row has changed with the row: else its answers prove nothing.
  bool has_seen_change() const { return has_seen_change_; }

  Result<std::string> round() {
    NEPH_CHECK(draw_rows(Draw::small));
    const auto bit = bit_++ % static_cast<std::size_t>(std::bit_width(rows_ - 1));
    NEPH_TRY(auto found, alone());
    if (found.empty()) found = beside(Draw::loud, bit, 0);
    if (found.empty()) found = beside(Draw::loud, bit, 1);
    if (found.empty()) found = beside(Draw::poison, bit, bit_ % 2);
    if (!found.empty() || !draw_wide()) return found;
    const auto other = bit_++ % static_cast<std::size_t>(std::bit_width(rows_ - 1));
    const auto side = rounds_++ % 2;
    found = beside(Draw::wide, other, side);
    if (found.empty() && rows_ == 2) found = beside(Draw::wide, other, 1 - side);  // that costs little
    return found;
  }

 private:
  struct Side {
    Memory inputs, outputs;
    std::unique_ptr<Request> request;  ///< last: it uses the memory
  };

  static Status open(Session& session, Side& side) {
    NEPH_TRY(side.inputs, memory_for(session.inputs()));
    NEPH_TRY(side.outputs, memory_for(session.outputs()));
    NEPH_TRY(side.request, session.make_request());
    for (std::size_t i = 0; i < side.inputs.size(); ++i)
      NEPH_CHECK(side.request->bind_input(i, side.inputs[i].get(), session.inputs()[i].bytes()));
    for (std::size_t i = 0; i < side.outputs.size(); ++i)
      NEPH_CHECK(side.request->bind_output(i, side.outputs[i].get(), session.outputs()[i].bytes()));
    return {};
  }

  std::byte* row_of(const AlignedFloats& memory, const Port& port, std::size_t row) const {
    return reinterpret_cast<std::byte*>(memory.get()) + row * (port.bytes() / rows_);
  }

  std::size_t values_of(const Port& port) const { return port.bytes() / rows_ / element_bytes(port.element); }

  void draw_row(Draw draw, std::size_t row) {
    const auto below = draw == Draw::small ? 2 : integers_below_;
    for (std::size_t number = 0; number < together_.inputs().size(); ++number) {
      const auto& port = together_.inputs()[number];
      auto* to = row_of(all_.inputs[number], port, row);
      for (std::size_t i = 0; i < values_of(port); ++i)
        set_element(port.element, to, i,
                    is_float(port.element)
                        ? drawn_float(draw, random_)
                        : static_cast<double>(random_.below(port.element == Element::boolean ? 2 : below)));
    }
  }

  /// New rows and what they are answered, to be compared with.
  Status draw_rows(Draw draw) {
    for (std::size_t row = 0; row < rows_; ++row) draw_row(draw, row);
    NEPH_CHECK(all_.request->infer());
    copy(all_.inputs, inputs_, together_.inputs());
    copy(all_.outputs, answers_, together_.outputs());
    look_for_change();
    return {};
  }

  /// False: the model takes no such numbers.
  bool draw_wide() {
    if (draw_rows(Draw::wide)) return true;
    integers_below_ = 2;
    return draw_rows(Draw::wide).has_value();
  }

  static void copy(const Memory& from, const Memory& to, const std::vector<Port>& ports) {
    for (std::size_t port = 0; port < ports.size(); ++port)
      std::memcpy(to[port].get(), from[port].get(), ports[port].bytes());
  }

  /// The first row, one in the middle, and the last, run by themselves.
  Result<std::string> alone() {
    for (const auto row : {std::size_t{0}, rows_ / 2, rows_ - 1}) {
      if (row == rows_ / 2 && rows_ == 2) continue;  // that is the last
      for (std::size_t port = 0; port < together_.inputs().size(); ++port)
        std::memcpy(one_.inputs[port].get(), row_of(inputs_[port], together_.inputs()[port], row),
                    together_.inputs()[port].bytes() / rows_);
      NEPH_CHECK(one_.request->infer());
      for (std::size_t number = 0; number < together_.outputs().size(); ++number) {
        const auto& port = together_.outputs()[number];
        const double worst =
            difference(port.element, one_.outputs[number].get(), row_of(answers_[number], port, row),
                       values_of(port), between_sizes(port.element, together_));
        if (worst > 0) return changes(port, worst);
      }
    }
    return std::string();
  }

  /// The rows whose number has another `bit` than `kept` get new numbers: are the others answered as before?
  /// Of any two rows some bit differs. What the model refuses says nothing of the others: a server runs such
  /// a request by itself.
  std::string beside(Draw draw, std::size_t bit, std::size_t kept) {
    copy(inputs_, all_.inputs, together_.inputs());
    for (std::size_t row = 0; row < rows_; ++row)
      if (((row >> bit) & 1) != kept) draw_row(draw, row);
    if (!all_.request->infer()) return {};
    for (std::size_t row = 0; row < rows_; ++row) {
      if (((row >> bit) & 1) != kept) continue;
      for (std::size_t number = 0; number < together_.outputs().size(); ++number) {
        const auto& port = together_.outputs()[number];
        const double worst =
            difference(port.element, row_of(answers_[number], port, row),
                       row_of(all_.outputs[number], port, row), values_of(port), in_place(port.element));
        if (worst > 0) return changes(port, worst);
      }
    }
    return {};
  }

  static std::string changes(const Port& port, double worst) {
    return fmt::format("output '{}' of a row changes by up to {:.3g} with the other rows in the batch",
                       port.name, worst);
  }

  /// Against the first row.
  void look_for_change() {
    for (std::size_t number = 0; number < together_.outputs().size() && !has_seen_change_; ++number) {
      const auto& port = together_.outputs()[number];
      const auto count = values_of(port);
      const auto* values = answers_[number].get();
      for (std::size_t i = count; i < rows_ * count; ++i) {
        const double value = element_value(port.element, values, i);
        has_seen_change_ = has_seen_change_ ||
                           (std::isfinite(value) && value != element_value(port.element, values, i % count));
      }
    }
  }

  Session& alone_;
  Session& together_;
  const std::size_t rows_;
  std::uint64_t integers_below_;
  Random random_{1};
  std::size_t bit_ = 0, rounds_ = 0;
  Side one_, all_;
  Memory inputs_, answers_;  ///< of all rows, as they were drawn
  bool has_seen_change_ = false;
};

}  // namespace

Result<std::string> rows_that_differ(Session& alone, Session& together, std::int64_t rows,
                                     std::int64_t integers_below) {
  Trial trial(alone, together, rows, integers_below);
  NEPH_CHECK(trial.prepare());
  const SteadyClock clock;
  const auto begin = clock.now();
  std::string difference;
  for (int round = 0; round < most_rounds && difference.empty(); ++round) {
    if (round > 0 && clock.now() - begin > time_for_rounds) break;
    NEPH_TRY(difference, trial.round());
  }
  if (difference.empty() && !trial.has_seen_change())
    return std::string("no output changes with random inputs, so that they tell nothing of its rows");
  return difference;
}

}  // namespace neph::engine
