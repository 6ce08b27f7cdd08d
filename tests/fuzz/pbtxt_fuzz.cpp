// Any text as a config.pbtxt: options within their bounds and ports that can be told apart, or an error that
// names the file, never a crash, a hang, or a stack that overflows.
#include <cstdlib>
#include <string_view>

#include <google/protobuf/text_format.h>
#include <model_config.pb.h>

#include "serve/pbtxt.hpp"
#include "serve/triton_config.hpp"

namespace neph::serve {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// What is read is read again from protobuf's own writing of it.
void read_form(std::string_view text) {
  triton::ModelConfig config, again;
  const auto unknown = parse_pbtxt(text, "input", config);
  if (!unknown) return require(unknown.error().message.starts_with("input, line "));
  for (const auto& words : *unknown) require(words.starts_with("line "));
  std::string written;
  require(google::protobuf::TextFormat::PrintToString(config, &written));
  const auto more = parse_pbtxt(written, "again", again);
  require(more ? more->empty() && again.DebugString() == config.DebugString() : written.size() > 1 << 20);
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
