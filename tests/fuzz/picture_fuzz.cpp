// The whole picture path on any bytes: header, decode to a tensor, complete decode. Nothing may crash, hang
// or leak, and what decodes must give numbers in range.
#include <cmath>
#include <cstdlib>

#include "image/decoder.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace neph;
  static const SteadyClock clock;
  static const image::Transform transform{
      .resize_side = 40, .crop_side = 36, .mean = {0, 0, 0}, .deviation = {1, 1, 1}};
  constexpr std::int64_t few_pixels = 1 << 16;
  static image::Decoder decoder(transform, clock, few_pixels);
  static std::vector<float> tensor(transform.values());

  const auto file = std::as_bytes(std::span(bytes, size));
  if (decoder.decode(file, tensor))
    for (const float value : tensor)
      if (!(value >= 0 && value <= 1)) std::abort();
  (void)decoder.verify(file);
  return 0;
}
