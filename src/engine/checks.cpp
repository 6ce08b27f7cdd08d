#include <unistd.h>

#include "core/text.hpp"
#include "core/units.hpp"
#include "engine/engine.hpp"

namespace neph::engine {
namespace {

Status check_count(const char* what, std::int64_t count) {
  if (count >= 0 && count <= 65'536) return {};
  return fail(ErrorCode::invalid_argument, "{} {}: it must be between 0 (the engine chooses) and 65536", what,
              count);
}

double machine_bytes() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

bool is_cuda(std::string_view device) { return same_words(device.substr(0, 4), "cuda"); }

Status check_counts(const Options& options) {
  NEPH_CHECK(check_count("threads", options.threads));
  return check_count("streams", options.streams);
}

Status check_no_provider(const Options& options) {
  if (options.provider.empty()) return {};
  return fail(ErrorCode::unsupported,
              "provider {}: only the engine onnxruntime has a choice of them (--engine onnxruntime)",
              options.provider);
}

Status check_no_spinning(const Options& options, std::string_view instead) {
  if (options.spinning == Spinning::automatic) return {};
  return fail(ErrorCode::unsupported,
              "spinning {}: only threads of the engine onnxruntime can be told (--engine onnxruntime){}{}",
              enum_name(options.spinning), instead.empty() ? "" : "; ", instead);
}

Status check_memory(double needed, std::int64_t batch) {
  if (needed <= machine_bytes()) return {};
  return fail(ErrorCode::invalid_argument,
              "{} at least {} of memory, and this machine has {}; use a smaller {}",
              batch > 0 ? fmt::format("batch {} needs", batch) : std::string("these shapes need"),
              format_bytes(needed), format_bytes(machine_bytes()), batch > 0 ? "batch" : "shape");
}

Status check_binding(const char* kind, const std::vector<Port>& ports, std::size_t port, const void* data,
                     std::size_t bytes) {
  if (port >= ports.size())
    return fail(ErrorCode::invalid_argument, "there is no {} {}; the model has {}", kind, port, ports.size());
  if (data == nullptr || bytes != ports[port].bytes())
    return fail(ErrorCode::invalid_argument, "{} '{}' of shape {} takes {} bytes, not {}", kind,
                ports[port].name, shape_text(ports[port].shape), ports[port].bytes(),
                data == nullptr ? 0 : bytes);
  return {};
}

Status check_open_shape(const std::vector<Port>& inputs, std::size_t port,
                        std::span<const std::int64_t> shape) {
  if (port >= inputs.size())
    return fail(ErrorCode::invalid_argument, "there is no input {}; the model has {}", port, inputs.size());
  const auto& input = inputs[port];
  const auto fits = [](std::int64_t wanted, std::int64_t given) {
    return given >= 0 && (wanted < 0 || wanted == given);
  };
  if (input.open_rank || std::equal(input.shape.begin(), input.shape.end(), shape.begin(), shape.end(), fits))
    return {};
  return fail(ErrorCode::invalid_argument, "input '{}' of shape {} cannot be {}", input.name,
              shape_text(input.shape), shape_text({shape.begin(), shape.end()}));
}

tl::unexpected<Error> still_in_flight() {
  return fail(ErrorCode::unavailable, "the request is still in flight; wait until it is done");
}

Status Request::bind_open_input(std::size_t, void*, std::span<const std::int64_t>) {
  return fail(ErrorCode::unsupported, "this engine takes no inputs of open shape");
}

Result<std::vector<LayerTime>> Session::layers() {
  return fail(ErrorCode::unsupported, "this engine does not tell how long each layer took");
}

Result<OpenOutput> Request::open_output(std::size_t) {
  return fail(ErrorCode::unsupported, "this engine gives no outputs of open shape");
}

}  // namespace neph::engine
