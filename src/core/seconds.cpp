#include "core/seconds.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "core/text.hpp"

namespace neph {
namespace {

struct Unit {
  std::string_view name;
  double seconds;
};
constexpr std::array units{Unit{"s", 1},     Unit{"ms", 1e-3}, Unit{"us", 1e-6}, Unit{"µs", 1e-6},
                           Unit{"ns", 1e-9}, Unit{"min", 60},  Unit{"h", 3600}};

}  // namespace

Result<Seconds> parse_seconds(std::string_view text) {
  const auto whole = trimmed(text);
  double number = 0;
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), number);
  const auto unit = trimmed(whole.substr(static_cast<std::size_t>(end - whole.data())));
  if (error == std::errc() && std::isfinite(number) && number >= 0) {
    for (const auto& known : units)
      if (unit == known.name) return Seconds{number * known.seconds};
    if (unit.empty() && number == 0) return Seconds{};
    if (unit.empty())
      return fail(ErrorCode::invalid_argument, "{0}: a time needs its unit: {0}ms, {0}s", whole);
  }
  return fail(ErrorCode::invalid_argument, "'{}' is no length of time; write it as 30s, 50ms, 2min{}", text,
              whole.find(',') == std::string_view::npos ? "" : ", and a fraction with a point: 1.5h");
}

std::string seconds_text(Seconds length) {
  for (const auto& unit : {Unit{"s", 1}, Unit{"ms", 1e-3}, Unit{"us", 1e-6}}) {
    const double number = length.value / unit.seconds;
    if (length.value == 0 || number >= 1 || unit.name == "us")
      return fmt::format("{:.12g}{}", number, unit.name);
  }
  return {};
}

}  // namespace neph
