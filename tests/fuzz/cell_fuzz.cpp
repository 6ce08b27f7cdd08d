// Bytes from outside that are read as JSON: a worker's lines, and experiments and runs in files. Nothing may
// crash, and what is accepted must come back from its own text.
#include <cstdlib>
#include <string>
#include <string_view>

#include "record/cells.hpp"
#include "record/event.hpp"
#include "record/experiment.hpp"

namespace neph {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void read_as_event(std::string_view text) {
  const auto event = decode_event(text);
  if (!event) return require(!event.error().message.empty());
  const auto line = encode_event(*event);
  require(line.find('\n') == std::string::npos);
  const auto again = decode_event(line);
  require(again && encode_event(*again) == line);
}

template <class T>
Result<T> read_as(const Json& json) {
  auto value = from_json<T>(json, "input");
  if (!value) return value;
  const auto text = dump_json(to_json(*value));
  const auto parsed = parse_json(text, "again");
  require(parsed.has_value());
  const auto again = from_json<T>(*parsed, "again");
  require(again && dump_json(to_json(*again)) == text);
  return value;
}

void expand_few(const Experiment& experiment) {
  std::size_t cells = 1;
  for (const auto& factor : experiment.factors) cells *= factor.values.size() + 1;
  if (cells > 1000) return;  // larger ones take their time and say nothing new
  const auto expanded = expand(experiment);
  require(!expanded || expanded->size() < cells + 1);
}

}  // namespace
}  // namespace neph

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  neph::read_as_event(text);
  const auto json = neph::parse_json(text, "input");
  if (!json) return 0;
  if (const auto experiment = neph::read_as<neph::Experiment>(*json)) neph::expand_few(*experiment);
  (void)neph::read_as<neph::Run>(*json);
  return 0;
}
