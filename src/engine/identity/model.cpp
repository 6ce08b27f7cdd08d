#include "engine/identity/model.hpp"

#include <algorithm>
#include <system_error>

#include "core/names.hpp"
#include "engine/identity/session.hpp"

namespace neph::engine {
namespace {

/// The plan without the batch in the ports' shapes.
std::vector<RowCopy> copies_of(const IdentityFile& file) {
  std::vector<RowCopy> copies;
  for (const auto& output : file.outputs) {
    const auto input = std::find_if(file.inputs.begin(), file.inputs.end(),
                                    [&](const auto& each) { return each.name == output.from; });
    copies.push_back({.input = static_cast<std::size_t>(input - file.inputs.begin()),
                      .input_row_bytes = row_bytes(input->element, input->shape),
                      .output_row_bytes = row_bytes(*output.element, output.shape)});
  }
  return copies;
}

void set_batch(std::vector<Port>& ports, std::int64_t batch) {
  for (auto& port : ports) port.shape[0] = batch;
}

}  // namespace

Result<Device> find_identity_device(const std::string& name) {
  Device device{.name = "CPU",
                .description = "copies input to output after a set time",
                .precisions = {Precision::f32, Precision::bf16, Precision::f16, Precision::i8}};
  if (name != device.name) return unknown_name(ErrorCode::not_found, "device", name, {device.name});
  return device;
}

Result<std::unique_ptr<IdentityModel>> IdentityModel::load(const std::filesystem::path& path,
                                                           const Clock& clock) {
  NEPH_TRY(auto file, read_identity_file(path));
  return std::unique_ptr<IdentityModel>(new IdentityModel(path.string(), std::move(file), clock));
}

IdentityModel::IdentityModel(std::string path, IdentityFile file, const Clock& clock)
    : path_(std::move(path)), file_(std::move(file)), clock_(clock), loaded_(clock.now()) {
  for (const auto& input : file_.inputs)
    inputs_.push_back({.name = input.name, .element = input.element, .shape = input.shape});
  for (const auto& output : file_.outputs)
    outputs_.push_back({.name = output.name, .element = *output.element, .shape = output.shape});
}

Result<std::unique_ptr<Session>> IdentityModel::compile(const Options& options) {
  NEPH_CHECK(check_counts(options));
  NEPH_CHECK(check_no_provider(options));
  NEPH_CHECK(check_no_spinning(options));
  NEPH_TRY(const auto device, find_identity_device(options.device));
  if (options.batch == 0)
    return fail(ErrorCode::unsupported, "{}: an identity model has a batch, and no other open shape", path_);
  if (options.batch < 0)
    return fail(ErrorCode::invalid_argument, "{}: batch {}: it must be 1 or more", path_, options.batch);

  IdentityPlan plan{.inputs = inputs_,
                    .outputs = outputs_,
                    .copies = copies_of(file_),
                    .rows = static_cast<std::size_t>(options.batch),
                    .service = ServiceTime(file_, options.batch, loaded_),
                    .busy = file_.busy};
  double bytes = 0;
  for (const auto& input : file_.inputs)
    bytes += static_cast<double>(row_bytes(input.element, input.shape)) * static_cast<double>(options.batch);
  if (auto fits = check_memory(bytes, options.batch); !fits)
    return fail(fits.error().code, "{}: {}", path_, fits.error().message);
  set_batch(plan.inputs, options.batch);
  set_batch(plan.outputs, options.batch);

  const auto streams = std::max<std::int64_t>(options.streams, 1);
  auto session = std::make_unique<IdentitySession>(std::move(plan), device, streams, clock_);
  NEPH_CHECK(session->begin());
  return session;
}

}  // namespace neph::engine
