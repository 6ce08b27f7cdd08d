#include <algorithm>
#include <cmath>

#include "image/resize.hpp"

namespace neph::image {
namespace {

/// One result pixel's window and unit of weight in the full picture.
struct Window {
  double centre;
  double support;
  int begin;
  int end;

  Window(int source, double scale, int result)
      : centre((result + 0.5) * scale),
        support(std::max(scale, 1.0)),
        begin(std::max(0, static_cast<int>(centre - support + 0.5))),
        end(std::min(source, static_cast<int>(centre + support + 0.5))) {
    while (begin + 1 < end && weight(begin) == 0) ++begin;  // pixels on the triangle's rim
    while (begin + 1 < end && weight(end - 1) == 0) --end;
  }

  double weight(int pixel) const { return std::max(0.0, 1.0 - std::abs(pixel - centre + 0.5) / support); }
};

}  // namespace

Stretch Taps::source() const {
  if (first.empty()) return {};
  return {first.front(), first.back() + count};
}

void triangle_taps(int source, int target, Stretch part, int reduced, Taps& out) {
  const double scale = static_cast<double>(source) / target;
  const int cells = (source + reduced - 1) / reduced;
  const auto results = static_cast<std::size_t>(part.length());

  out.count = 1;
  out.first.resize(results);
  for (int i = 0; i < part.length(); ++i) {
    const Window window(source, scale, part.begin + i);
    out.count = std::max(out.count, (window.end - 1) / reduced - window.begin / reduced + 1);
  }
  out.weight.assign(results * static_cast<std::size_t>(out.count), 0.0F);
  for (int i = 0; i < part.length(); ++i) {
    const Window window(source, scale, part.begin + i);
    const auto at = static_cast<std::size_t>(i);
    const int first = std::min(window.begin / reduced, cells - out.count);
    double sum = 0;
    for (int pixel = window.begin; pixel < window.end; ++pixel) sum += window.weight(pixel);
    float* weights = out.weight.data() + at * static_cast<std::size_t>(out.count);
    out.first[at] = first;
    for (int pixel = window.begin; pixel < window.end; ++pixel)
      weights[pixel / reduced - first] += static_cast<float>(window.weight(pixel) / sum);
  }
}

}  // namespace neph::image
