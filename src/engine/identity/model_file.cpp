#include "engine/identity/model_file.hpp"

#include <algorithm>
#include <set>

#include "core/json.hpp"
#include "core/names.hpp"
#include "core/toml.hpp"
#include "core/units.hpp"
#include "os/file.hpp"

namespace neph::engine {
namespace {

constexpr double most_row_bytes = double{1ULL << 40};

Status check_shape(Element element, const std::vector<std::int64_t>& shape, const std::string& where) {
  if (shape.empty() || shape[0] != -1)
    return fail(ErrorCode::corrupt, "{}.shape: its first dimension is the batch, -1, as in [-1, 16]", where);
  auto bytes = static_cast<double>(element_bytes(element));
  for (std::size_t i = 1; i < shape.size(); ++i) {
    if (shape[i] < 1)
      return fail(ErrorCode::corrupt, "{}.shape[{}]: {} is below 1; only the batch may be open", where, i,
                  shape[i]);
    bytes *= static_cast<double>(shape[i]);
  }
  if (bytes <= most_row_bytes) return {};
  return fail(ErrorCode::corrupt, "{}.shape: a row is at most {}", where, format_bytes(most_row_bytes));
}

Status check_name(const std::string& name, std::set<std::string>& known, const std::string& where) {
  if (name.empty()) return fail(ErrorCode::corrupt, "{}.name: there is none", where);
  if (!known.insert(name).second)
    return fail(ErrorCode::corrupt, "{}.name: '{}' is there twice", where, name);
  return {};
}

/// Gives the output what it left to its input.
Status complete(IdentityOutput& output, const std::vector<IdentityInput>& inputs, const std::string& where) {
  if (output.from.empty()) output.from = inputs.front().name;
  const auto input =
      std::find_if(inputs.begin(), inputs.end(), [&](auto& each) { return each.name == output.from; });
  if (input == inputs.end()) {
    std::vector<std::string> names;
    for (const auto& each : inputs) names.push_back(each.name);
    return unknown_name(ErrorCode::corrupt, "input", output.from, names, where + ".from");
  }
  if (!output.element) output.element = input->element;
  if (output.shape.empty()) output.shape = input->shape;
  NEPH_CHECK(check_shape(*output.element, output.shape, where));
  const auto has = row_bytes(input->element, input->shape);
  const auto wants = row_bytes(*output.element, output.shape);
  if (wants <= has) return {};
  return fail(ErrorCode::corrupt, "{}.shape: a row of it has {} bytes, and one of input '{}' only {}", where,
              wants, output.from, has);
}

Status check_times(const IdentityFile& file) {
  if (file.distribution != Distribution::fixed && !(file.service_ms > 0 && file.p99_ms > file.service_ms))
    return fail(ErrorCode::corrupt,
                "p99_ms: a {} distribution needs service_ms, its median, above 0 and p99_ms above that",
                enum_name(file.distribution));
  if (file.distribution == Distribution::fixed && file.p99_ms != 0)
    return fail(ErrorCode::corrupt, "p99_ms: a fixed time has none; say distribution = \"lognormal\"");
  if ((file.stall_ms > 0) != (file.stall_every_s > 0))
    return fail(ErrorCode::corrupt, "stall_ms and stall_every_s: give both, or none");
  if (file.stall_ms > 0 && file.stall_ms >= file.stall_every_s * 1e3)
    return fail(ErrorCode::corrupt, "stall_ms: a stall must end before the next begins");
  return {};
}

Status complete(IdentityFile& file) {
  NEPH_CHECK(check_times(file));
  if (file.inputs.empty()) return fail(ErrorCode::corrupt, "inputs: there is none; write [[inputs]]");
  if (file.outputs.empty()) return fail(ErrorCode::corrupt, "outputs: there is none; write [[outputs]]");
  std::set<std::string> input_names, output_names;
  for (std::size_t i = 0; i < file.inputs.size(); ++i) {
    const auto& input = file.inputs[i];
    const auto where = fmt::format("inputs[{}]", i);
    NEPH_CHECK(check_name(input.name, input_names, where));
    NEPH_CHECK(check_shape(input.element, input.shape, where));
  }
  for (std::size_t i = 0; i < file.outputs.size(); ++i) {
    const auto where = fmt::format("outputs[{}]", i);
    NEPH_CHECK(check_name(file.outputs[i].name, output_names, where));
    NEPH_CHECK(complete(file.outputs[i], file.inputs, where));
  }
  return {};
}

}  // namespace

Result<IdentityFile> read_identity_file(const std::filesystem::path& path) {
  NEPH_TRY(const auto text, read_regular_file(path));
  NEPH_TRY(auto table, parse_toml(text, path.string()));
  table.erase("training");  // of trainings alone
  IdentityFile file;
  auto status = from_json(table, file, "");
  if (status) status = complete(file);
  if (!status) return fail(ErrorCode::corrupt, "{}: {}", path.string(), status.error().text());
  return file;
}

std::size_t row_bytes(Element element, const std::vector<std::int64_t>& shape) {
  return Port{.element = element, .shape = {shape.begin() + 1, shape.end()}}.bytes();
}

}  // namespace neph::engine
