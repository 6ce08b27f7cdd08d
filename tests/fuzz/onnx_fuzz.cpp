// Any bytes as an ONNX file: a network and a program, or an error, never a crash, a hang, or memory out of
// proportion. A network that was read must also survive what callers do with it.
#include <cstddef>
#include <cstdint>

#include "core/json.hpp"
#include "net/net.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)neph::net::read_program_bytes(bytes, "fuzz");
  const auto network = neph::net::read_onnx_bytes(bytes, "fuzz", {.side = 32});
  if (!network) return 0;
  (void)neph::dump_json(neph::to_json(*network));
  return 0;
}
