// Signals and their spectra. Fourier transforms are no products of matrices: none of it multiplies and
// accumulates.
#include <algorithm>

#include "net/operator.hpp"

namespace neph::net {
namespace {

/// Frequencies of a real signal of that many samples, the rest being their mirror image.
std::int64_t one_side(std::int64_t samples) { return samples == kUnknown ? kUnknown : samples / 2 + 1; }

/// The axis of a transform: since operator set 20 an input, -2 without one, before an attribute, 1 without
/// one. Nothing where neither tells which it is.
Result<std::optional<std::size_t>> axis_of(const Call& call, std::size_t rank) {
  constexpr std::int64_t kNowhere = std::int64_t{1} << 40;
  std::int64_t axis = call.integer("axis", kNowhere);
  if (call.has(2)) {
    const auto& values = call.input(2).values;
    if (!values || values->size() != 1 || values->front() == kOpen) return std::optional<std::size_t>();
    axis = values->front();
  }
  if (axis == kNowhere && rank == 3) axis = 1;  // which is -2 too
  if (axis == kNowhere) return std::optional<std::size_t>();
  NEPH_TRY(const auto place, axis_index(axis, rank));
  return std::optional(place);
}

/// DFT of [..., signal, ..., 1 or 2 for complex numbers].
Result<Effect> fourier(const Call& call) {
  MaybeShape shape = call.shape(0);
  const int type = call.input(0).type;
  if (!shape) return made(std::nullopt, type);
  if (shape->size() < 2) return fail(ErrorCode::corrupt, "{} is no signal", to_string(*shape));
  NEPH_TRY(const auto axis, axis_of(call, shape->size()));
  const bool inverse = call.integer("inverse", 0) != 0, half = call.integer("onesided", 0) != 0;
  const auto last = shape->size() - 1;
  if (!axis || (inverse && half)) {  // operator sets differ in what the latter gives
    for (std::size_t i = 0; i < last; ++i)
      if (!axis || i == *axis) (*shape)[i] = kUnknown;
    (*shape)[last] = inverse && half ? kUnknown : 2;
    return made(std::move(shape), type);
  }
  auto& samples = (*shape)[*axis];
  if (call.has(1)) samples = call.size(1);
  if (half) samples = one_side(samples);
  (*shape)[last] = 2;
  return made(std::move(shape), type);
}

/// STFT of [batch, signal, 1 or 2] by frames of the window's length.
Result<Effect> fourier_by_frames(const Call& call) {
  const auto &signal = call.shape(0), &window = call.shape(2);
  auto length = call.has(3) ? call.size(3) : kUnknown;
  if (length == kUnknown && window && window->size() == 1) length = window->front();
  const auto step = call.size(1);
  const auto samples = signal && signal->size() > 1 ? (*signal)[1] : kUnknown;
  const bool told = samples != kUnknown && length != kUnknown && step > 0;
  if (told && length > samples)
    return fail(ErrorCode::corrupt, "a frame of {} does not fit into {} samples", length, samples);
  const bool half = call.integer("onesided", 1) != 0;
  return made(Shape{signal && !signal->empty() ? signal->front() : kUnknown,
                    told ? (samples - length) / step + 1 : kUnknown, half ? one_side(length) : length, 2},
              call.input(0).type);
}

Result<Effect> window(const Call& call) {
  return made(Shape{call.size(0)}, call.type("output_datatype", kFloat));
}

/// MelWeightMatrix: frequencies of a transform of input 1's length by the bands of input 0.
Result<Effect> mel_weights(const Call& call) {
  return made(Shape{one_side(call.size(1)), call.size(0)}, call.type("output_datatype", kFloat));
}

constexpr std::uint32_t kNone = 0;

constexpr std::array kOperators{
    Operator{"DFT", Kind::elementwise, fourier, kNone},
    Operator{"STFT", Kind::elementwise, fourier_by_frames, kNone},
    Operator{"BlackmanWindow", Kind::movement, window, kNone},
    Operator{"HammingWindow", Kind::movement, window, kNone},
    Operator{"HannWindow", Kind::movement, window, kNone},
    Operator{"MelWeightMatrix", Kind::movement, mel_weights, kNone},
};

}  // namespace

std::span<const Operator> signal_operators() { return kOperators; }

}  // namespace neph::net
