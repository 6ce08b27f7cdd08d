#include "serve/admission.hpp"

#include <algorithm>
#include <utility>

#include <fmt/ranges.h>

#include "core/names.hpp"

namespace neph::serve {
namespace {

constexpr auto wrong = ErrorCode::invalid_argument;

tl::unexpected<Error> unknown_field(const char* kind, const std::string& name,
                                    const std::vector<Field>& fields) {
  std::vector<std::string> names;
  for (const auto& field : fields)
    if (!field.hidden) names.push_back(field.name);
  return unknown_name(wrong, kind, name, names);
}

/// What the one open dimension of a field is in so many bytes; a picture file is one row, whatever its
/// length.
Result<std::int64_t> size_of_open(const Field& field, Payload payload, std::size_t bytes) {
  if (payload == Payload::jpeg) {
    if (field.shape.front() <= 1) return 1;
    return fail(wrong, "a request of nothing but bytes is one image, and '{}' takes {}", field.name,
                field.shape.front());
  }
  if (field.type == wire::DataType::bytes)
    return fail(wrong, "a request of nothing but bytes cannot hold the text of '{}'; send it with its shape",
                field.name);
  auto fixed = wire::element_bytes(field.type);
  for (const auto size : field.shape)
    if (size >= 0) fixed *= static_cast<std::size_t>(size);
  const auto open = std::count(field.shape.begin(), field.shape.end(), -1);
  if (field.open_rank || open > 1)
    return fail(wrong, "a request of nothing but bytes needs a known shape, and that of '{}' is [{}]",
                field.name, fmt::join(field.shape, ", "));
  if (fixed == 0 || bytes % fixed != 0 || (open == 0 && bytes != fixed))
    return fail(wrong, "{} bytes are no whole rows of '{}', which have {} each", bytes, field.name, fixed);
  return static_cast<std::int64_t>(bytes / fixed);
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
  NEPH_TRY(const auto open_size, size_of_open(field, signature.payload, tensor.data.size()));
  for (const auto size : field.shape) tensor.shape.push_back(size < 0 ? open_size : size);
  return {};
}

bool fits(const wire::Shape& shape, const Field& field, Payload payload) {
  if (field.open_rank) return true;
  const auto same = [](std::int64_t wanted, std::int64_t sent) { return wanted < 0 || wanted == sent; };
  if (payload == Payload::jpeg && shape.rank() == 1)  // [n] for [n, 1]
    return same(field.shape.front(), shape[0]);
  return std::equal(field.shape.begin(), field.shape.end(), shape.begin(), shape.end(), same);
}

Status check_input(const wire::Tensor& tensor, const Field& field, Payload payload) {
  if (tensor.type != field.type)
    return fail(wrong, "input '{}' is {}, and {} was sent", field.name, enum_name(field.type),
                enum_name(tensor.type));
  if (!fits(tensor.shape, field, payload))
    return fail(wrong, "input '{}' has the shape [{}], and [{}] was sent", field.name,
                fmt::join(field.shape, ", "), fmt::join(tensor.shape, ", "));
  return {};
}

/// Copies what lies in shared memory into the job's own, where its client cannot change it any more.
Status receive(wire::Tensor& tensor, const Regions& regions, std::uint64_t taken, Scratch& memory) {
  NEPH_TRY(const auto region, regions.find(*tensor.shared, taken));
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

/// `known`: of the inputs before; -1: this is the first.
Status take_rows(const wire::Shape& shape, const Signature& signature, std::int64_t& known) {
  const auto rows = shape.rank() == 0 ? 0 : shape[0];
  if (rows < 1 && signature.batched) return fail(wrong, "a request without rows");
  if (signature.request_rows > 0 && rows > signature.request_rows)
    return fail(wrong, "{} rows in one request; this model takes up to {} (its max_batch_size)", rows,
                signature.request_rows);
  if (known >= 0 && rows != known) return fail(wrong, "inputs of {} and {} rows in one request", known, rows);
  known = rows;
  return {};
}

/// An execution's memory is set aside when the model is loaded; that of a request which takes several is not,
/// and counts as the request's.
Status add_answer(const Signature& signature, Job& job) {
  if (job.rows <= signature.execution_rows) return {};
  std::uint64_t row_bytes = 1;
  for (const auto& field : signature.outputs) row_bytes += field.row_bytes;
  NEPH_CHECK(engine::check_memory(static_cast<double>(job.rows) * static_cast<double>(row_bytes), job.rows));
  job.bytes += static_cast<std::uint64_t>(job.rows) * row_bytes;
  return {};
}

Status take_input(wire::Tensor& tensor, const Signature& signature, const Regions& regions, Job& job,
                  std::int64_t& rows) {
  const auto& fields = signature.inputs;
  const auto field =
      std::find_if(fields.begin(), fields.end(), [&](const Field& f) { return f.name == tensor.name; });
  if (field == fields.end()) return unknown_field("input", tensor.name, fields);
  const auto port = static_cast<std::size_t>(field - fields.begin());
  auto& taken = job.inputs[port];
  if (taken.data() != nullptr) return fail(wrong, "input '{}' is there twice", tensor.name);
  NEPH_CHECK(check_input(tensor, *field, signature.payload));
  if (signature.has_rows()) NEPH_CHECK(take_rows(tensor.shape, signature, rows));
  if (field->open)
    job.shapes[port] =
        field->engine_shape ? reshaped(tensor.shape, field->shape, *field->engine_shape) : tensor.shape;
  if (tensor.shared) {
    job.received.resize(fields.size());
    NEPH_CHECK(receive(tensor, regions, job.bytes, job.received[port]));
  }
  static constexpr std::byte nothing{};
  taken = tensor.data.data() != nullptr ? tensor.data : std::span(&nothing, 0);  // there, and empty
  job.bytes += taken.size();
  return {};
}

/// Of the tensor that so many pictures become.
wire::Shape picture_shape(const image::Transform& transform, std::size_t pictures) {
  const auto count = static_cast<std::int64_t>(pictures);
  const auto height = transform.crop_side, width = transform.width();
  if (transform.channels_last) return {count, height, width, transform.channels};
  return {count, transform.channels, height, width};
}

/// One span per picture of a picture payload. A raw body is one picture as it lies in its file: without the
/// length that elements of BYTES begin with.
void take_pictures(const Signature& signature, Job& job) {
  const auto data = job.inputs.front();
  if (signature.payload == Payload::jpeg && job.exchange->request.raw) {
    job.pictures.push_back(data);
  } else if (signature.payload == Payload::jpeg) {
    wire::for_each_bytes(data, [&](auto picture) { job.pictures.push_back(picture); });
  } else {
    const auto row = signature.transform.values();
    for (std::size_t at = 0; at < data.size(); at += row) job.pictures.push_back(data.subspan(at, row));
  }
  job.bytes += job.pictures.size() * signature.transform.values() * sizeof(float);
  if (signature.inputs.front().open)
    job.shapes.front() = picture_shape(signature.transform, job.pictures.size());
}

/// The part of the shared memory that the output fills; of one that is open that is seen when it is there.
Status fit_shared(const Field& field, std::int64_t rows, wire::SharedPart& part) {
  if (field.open) return {};
  const auto bytes = static_cast<std::uint64_t>(rows) * field.row_bytes;
  if (part.bytes < bytes)
    return fail(wrong, "output '{}' has {} bytes, and its shared memory has {}", field.name, bytes,
                part.bytes);
  part.bytes = bytes;
  return {};
}

Status take_output(const wire::RequestedOutput& asked, const Signature& signature, const Regions& regions,
                   Job& job) {
  const auto* field = signature.output(asked.name);
  if (field == nullptr) return unknown_field("output", asked.name, signature.outputs);
  const auto port = static_cast<std::size_t>(field - signature.outputs.data());
  for (const auto& other : job.outputs)
    if (other.port == port) return fail(wrong, "output '{}' is asked for twice", asked.name);
  WantedOutput output{.port = port, .classification = asked.classification, .shared_at = asked.shared};
  if (asked.classification < 0 || (asked.classification > 0 && field->type != wire::DataType::f32))
    return fail(wrong, "output '{}': classification of {} {} values", asked.name, asked.classification,
                enum_name(field->type));
  if (asked.shared) {
    if (asked.classification > 0)
      return fail(ErrorCode::unsupported, "output '{}': classification into shared memory", asked.name);
    NEPH_CHECK(fit_shared(*field, job.rows, *output.shared_at));
    NEPH_TRY(output.region, regions.find(*asked.shared));
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
  job.shapes.resize(signature.inputs.size());
  std::int64_t rows = -1;
  for (auto& tensor : request.inputs) NEPH_CHECK(take_input(tensor, signature, regions, job, rows));
  job.rows = signature.batched ? rows : 1;
  for (std::size_t i = 0; i < job.inputs.size(); ++i)
    if (job.inputs[i].data() == nullptr)
      return fail(wrong, "input '{}' is missing", signature.inputs[i].name);
  NEPH_CHECK(add_answer(signature, job));
  if (signature.payload != Payload::tensor) {
    const auto pixels =
        static_cast<double>(wire::elements(request.inputs.front().shape).value_or(0)) *
        static_cast<double>(signature.payload == Payload::jpeg ? signature.transform.values() : 1);
    NEPH_CHECK(
        engine::check_memory(pixels * sizeof(float), 0));  // before each picture has its entry in a list
    take_pictures(signature, job);
    if (job.pictures.empty()) return fail(wrong, "a request without images");
  }
  job.level = level_of(request);
  if (request.outputs.empty())
    for (std::size_t port = 0; port < signature.outputs.size(); ++port)
      if (!signature.outputs[port].hidden) job.outputs.push_back({.port = port});
  for (const auto& asked : request.outputs) NEPH_CHECK(take_output(asked, signature, regions, job));
  return {};
}

}  // namespace neph::serve
