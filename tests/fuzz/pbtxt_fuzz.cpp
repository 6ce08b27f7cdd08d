// Any text as a config.pbtxt: options within their bounds and ports that can be told apart, or an error that
// names the file, never a crash, a hang, or a stack that overflows.
#include <cstdlib>
#include <string_view>

#include "serve/pbtxt.hpp"
#include "serve/triton_config.hpp"

namespace neph::serve {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void read_form(std::string_view text) {
  const auto json = parse_pbtxt(text, "input");
  if (!json) return require(json.error().message.starts_with("input"));
  require(json->is_object());
  for (const auto& [name, values] : json->items()) require(!name.empty() && values.is_array());
  require(parse_json(dump_json(*json), "again").has_value());
}

void read_options(std::string_view text) {
  ModelOptions options;
  const auto config = read_triton_config(text, "input", "m", options);
  if (!config) return require(config.error().message.starts_with("input"));
  require(options.max_batch >= 1 && options.max_batch <= 65536);
  require(options.instances >= 1 && options.instances <= 1024 && options.versions >= 1);
  require(options.max_wait.value >= 0);
  require(config->label_files.size() == options.declared.outputs.size());
  for (const auto& port : options.declared.inputs) require(!port.name.empty());
  for (const auto& note : config->notes) require(!note.empty());
}

}  // namespace
}  // namespace neph::serve

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  neph::serve::read_form(text);
  neph::serve::read_options(text);
  return 0;
}
