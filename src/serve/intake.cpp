#include "serve/intake.hpp"

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "core/names.hpp"

namespace neph::serve {
namespace {

constexpr auto wrong = ErrorCode::invalid_argument;

std::string unknown_field(const char* kind, const std::string& name, const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const auto& field : fields) names.push_back(field.name);
  return unknown_name(kind, name, names);
}

/// A body without JSON is the data of the model's only input.
Status complete_raw(const Signature& signature, wire::InferRequest& request) {
  if (signature.inputs.size() != 1)
    return fail(wrong, "a request of nothing but bytes needs a model with one input, and this one has {}",
                signature.inputs.size());
  const auto& field = signature.inputs.front();
  auto& tensor = request.inputs.front();
  tensor.name = field.name;
  tensor.type = field.type;
  const bool whole = field.row_bytes > 0 && tensor.data.size() % field.row_bytes == 0;
  if (field.row_bytes > 0 && !whole)
    return fail(wrong, "{} bytes are no whole rows of '{}', which have {} each", tensor.data.size(),
                field.name, field.row_bytes);
  const auto rows = field.row_bytes > 0 ? tensor.data.size() / field.row_bytes : 1;
  tensor.shape.push_back(static_cast<std::int64_t>(rows));
  for (const auto size : field.dims) tensor.shape.push_back(size);
  return {};
}

bool fits(const wire::Shape& shape, const Field& field) {
  if (field.type == wire::DataType::bytes && shape.rank() == 1) return true;  // [n] for [n, 1]
  return shape.rank() == field.dims.size() + 1 &&
         std::equal(field.dims.begin(), field.dims.end(), shape.begin() + 1);
}

Status check_input(const wire::Tensor& tensor, const Field& field) {
  if (tensor.type != field.type)
    return fail(wrong, "input '{}' is {}, and {} was sent", field.name, enum_name(field.type),
                enum_name(tensor.type));
  if (!fits(tensor.shape, field))
    return fail(wrong, "input '{}' has the shape [{}], and [{}] was sent", field.name,
                fmt::join(field.metadata().shape, ", "), fmt::join(tensor.shape, ", "));
  return {};
}

/// Copies what lies in shared memory into the job's own, where its client cannot change it any more.
Status receive(wire::Tensor& tensor, const Regions& regions, Scratch& memory) {
  NEPH_TRY(const auto region, regions.find(*tensor.shared));
  const auto part = *std::exchange(tensor.shared, std::nullopt);  // now it is a tensor like any other
  const auto bytes = static_cast<std::size_t>(part.bytes);
  auto* const place = reinterpret_cast<std::byte*>(memory.hold(bytes / sizeof(float) + 1));
  if (place == nullptr)
    return fail(ErrorCode::unavailable, "input '{}': no memory for {} bytes", tensor.name, bytes);
  tensor.data = {place, bytes};
  const bool by_size = tensor.type != wire::DataType::bytes;
  if (by_size) NEPH_CHECK(wire::check_tensor(tensor));
  NEPH_CHECK(region->read(part.offset, {place, bytes}));
  return by_size ? Status{} : wire::check_tensor(tensor);
}

Status take_rows(std::int64_t rows, const Signature& signature, Job& job) {
  if (rows < 1) return fail(wrong, "a request without rows");
  if (rows > signature.most_rows)
    return fail(wrong, "{} rows in one request; this server takes up to {} (--max-batch)", rows,
                signature.most_rows);
  if (job.rows != 0 && rows != job.rows)
    return fail(wrong, "inputs of {} and {} rows in one request", job.rows, rows);
  job.rows = rows;
  return {};
}

Status take_input(wire::Tensor& tensor, const Signature& signature, const Regions& regions, Job& job) {
  const auto& fields = signature.inputs;
  const auto field =
      std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == tensor.name; });
  if (field == fields.end()) return fail(wrong, "{}", unknown_field("input", tensor.name, fields));
  const auto port = static_cast<std::size_t>(field - fields.begin());
  auto& taken = job.inputs[port];
  if (taken.data() != nullptr) return fail(wrong, "input '{}' is there twice", tensor.name);
  NEPH_CHECK(check_input(tensor, *field));
  NEPH_CHECK(take_rows(tensor.shape[0], signature, job));
  if (tensor.shared) {
    job.received.resize(fields.size());
    NEPH_CHECK(receive(tensor, regions, job.received[port]));
  }
  taken = tensor.data;
  job.bytes += taken.size();
  return {};
}

/// One span per row of a picture payload. A raw body is one picture as it lies in its file: without the
/// length that elements of BYTES begin with.
void take_pictures(const Signature& signature, Job& job) {
  const auto data = job.inputs.front();
  if (signature.payload == Payload::jpeg && job.exchange->request.raw) {
    job.pictures.push_back(data);
  } else if (signature.payload == Payload::jpeg) {
    wire::for_each_bytes(data, [&](auto picture) { job.pictures.push_back(picture); });
  } else {
    const auto row = signature.inputs.front().row_bytes;
    for (std::size_t at = 0; at < data.size(); at += row) job.pictures.push_back(data.subspan(at, row));
  }
  job.bytes += job.pictures.size() * signature.transform.values() * sizeof(float);
}

Status take_output(const wire::RequestedOutput& asked, const Signature& signature, const Regions& regions,
                   Job& job) {
  const auto* field = signature.output(asked.name);
  if (field == nullptr) return fail(wrong, "{}", unknown_field("output", asked.name, signature.outputs));
  const auto port = static_cast<std::size_t>(field - signature.outputs.data());
  for (const auto& other : job.outputs)
    if (other.port == port) return fail(wrong, "output '{}' is asked for twice", asked.name);
  WantedOutput output{.port = port, .classification = asked.classification, .shared_at = asked.shared};
  if (asked.classification < 0 || (asked.classification > 0 && field->type != wire::DataType::f32))
    return fail(wrong, "output '{}': classification of {} {} values", asked.name, asked.classification,
                enum_name(field->type));
  if (asked.shared) {
    const auto bytes = static_cast<std::uint64_t>(job.rows) * field->row_bytes;
    if (asked.classification > 0)
      return fail(ErrorCode::unsupported, "output '{}': classification into shared memory", asked.name);
    if (asked.shared->bytes < bytes)
      return fail(wrong, "output '{}' has {} bytes, and its shared memory has {}", asked.name, bytes,
                  asked.shared->bytes);
    NEPH_TRY(output.region, regions.find(*asked.shared));
    output.shared_at->bytes = bytes;
  }
  job.outputs.push_back(std::move(output));
  return {};
}

/// 1 is the most urgent; without the parameter, or with 0, last.
std::size_t level_of(const wire::InferRequest& request) {
  constexpr auto last = static_cast<std::int64_t>(JobQueue::levels) - 1;
  const auto priority = wire::find_integer(request.parameters, "priority").value_or(0);
  return static_cast<std::size_t>(priority <= 0 ? last : std::min(priority - 1, last));
}

}  // namespace

Status take_in(const Signature& signature, const Regions& regions, Job& job) {
  auto& request = job.exchange->request;
  if (request.raw) NEPH_CHECK(complete_raw(signature, request));
  job.inputs.assign(signature.inputs.size(), {});
  for (auto& tensor : request.inputs) NEPH_CHECK(take_input(tensor, signature, regions, job));
  for (std::size_t i = 0; i < job.inputs.size(); ++i)
    if (job.inputs[i].data() == nullptr)
      return fail(wrong, "input '{}' is missing", signature.inputs[i].name);
  if (signature.payload != Payload::tensor) take_pictures(signature, job);
  job.level = level_of(request);
  if (request.outputs.empty())
    for (std::size_t port = 0; port < signature.outputs.size(); ++port) job.outputs.push_back({.port = port});
  for (const auto& asked : request.outputs) NEPH_CHECK(take_output(asked, signature, regions, job));
  return {};
}

}  // namespace neph::serve
