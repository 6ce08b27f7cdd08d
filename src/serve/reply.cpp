#include "serve/reply.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace neph::serve {
namespace {

/// Below this a copy costs less than the bookkeeping of a loan, and the block is free at once.
constexpr std::size_t worth_lending = 64 << 10;

void append(std::vector<std::byte>& memory, const void* data, std::size_t bytes) {
  if (bytes == 0) return;  // of nothing there may be no address
  const auto begin = memory.size();
  memory.resize(begin + bytes);
  std::memcpy(memory.data() + begin, data, bytes);
}

/// The places of the `count` largest values, at the front of `ranking`; of equal ones the first first. What
/// is not a number is smaller than any that is.
void rank(std::span<const float> row, std::size_t count, std::vector<std::size_t>& ranking) {
  ranking.resize(row.size());
  std::iota(ranking.begin(), ranking.end(), std::size_t{0});
  const auto order_of = [&](std::size_t at) {
    return std::pair(std::isnan(row[at]) ? -std::numeric_limits<float>::infinity() : row[at], ~at);
  };
  std::partial_sort(ranking.begin(), ranking.begin() + static_cast<std::ptrdiff_t>(count), ranking.end(),
                    [&](auto a, auto b) { return order_of(a) > order_of(b); });
}

/// The top `count` of one row as BYTES elements "value:index" or "value:index:label", as Triton's
/// classification extension has them.
/// Stops where the memory has passed `most` bytes.
void append_classes(std::span<const float> row, std::size_t count, const std::vector<std::string>& labels,
                    std::vector<std::size_t>& ranking, std::vector<std::byte>& memory, std::uint64_t most) {
  rank(row, count, ranking);
  for (std::size_t i = 0; i < count && memory.size() <= most; ++i) {
    const auto index = ranking[i];
    std::array<char, 96> text;  // 39 digits before the point, 6 behind it, and an index
    const auto* end = fmt::format_to_n(text.data(), text.size(), "{:f}:{}", row[index], index).out;
    const auto written = static_cast<std::uint32_t>(end - text.data());
    const auto label = index < labels.size() ? ":" + labels[index] : std::string();
    const auto length = written + static_cast<std::uint32_t>(label.size());
    append(memory, &length, sizeof(length));
    append(memory, text.data(), written);
    append(memory, label.data(), label.size());
  }
}

class Filling {
 public:
  Filling(const Signature& signature, std::int64_t first_row, ExecutionOutputs outputs, Job& job)
      : signature_(signature),
        first_row_(first_row),
        outputs_(outputs),
        job_(job),
        reply_(job.exchange->reply) {}

  void run() {
    const auto& request = job_.exchange->request;
    reply_.id = request.id;
    std::size_t bytes = 0;
    for (const auto& wanted : job_.outputs)
      if (!wanted.shared_at && wanted.classification == 0) bytes += data_of(wanted.port).size();
    if (!fits(bytes)) return;
    lends_ = bytes >= worth_lending && outputs_.open.empty();
    reply_.memory.clear();
    if (!lends_) reply_.memory.reserve(bytes);
    reply_.outputs.resize(job_.outputs.size());
    for (std::size_t i = 0; i < job_.outputs.size(); ++i) fill(job_.outputs[i], reply_.outputs[i]);
    settle_copied();
    if (!fits(reply_.memory.size() + (lends_ ? bytes : 0))) return;
    if (lent_ && !job_.broken) outputs_.block.lend(*job_.exchange);
  }

 private:
  /// False: the job is broken, as its reply would be too large.
  bool fits(std::size_t bytes) {
    if (bytes <= signature_.reply_bytes) return true;
    job_.break_with({ErrorCode::invalid_argument,
                     fmt::format("the reply would take {} bytes or more, above {} (--reply-bytes)", bytes,
                                 signature_.reply_bytes)});
    return false;
  }

  std::span<const std::byte> data_of(std::size_t port) const {
    if (signature_.outputs[port].open) return {outputs_.open[port].data, outputs_.open[port].bytes};
    const auto row = signature_.outputs[port].row_bytes;
    return {outputs_.block.data(port) + static_cast<std::size_t>(first_row_) * row,
            static_cast<std::size_t>(job_.rows) * row};
  }

  Status set_shape(const Field& field, std::size_t port, wire::Shape& shape) const {
    const auto& sizes = field.open ? outputs_.open[port].shape : field.shape;
    shape = {};
    for (const auto size : sizes)
      if (!shape.push_back(size < 0 ? job_.rows : size))
        return fail(ErrorCode::unsupported, "output '{}' has more than {} dimensions", field.name,
                    wire::Shape::most);
    return field.open ? bring_to_declared(field, sizes, shape) : Status{};
  }

  /// What came as `sizes`, in the dimensions that a configuration has for it.
  static Status bring_to_declared(const Field& field, const std::vector<std::int64_t>& sizes,
                                  wire::Shape& shape) {
    const auto fits = [](std::int64_t wanted, std::int64_t came) { return wanted < 0 || wanted == came; };
    const auto& wanted = field.engine_shape;
    if (wanted && !std::equal(wanted->begin(), wanted->end(), sizes.begin(), sizes.end(), fits))
      return fail(ErrorCode::internal, "output '{}' came as {}, and its configuration has {}", field.name,
                  engine::shape_text(sizes), engine::shape_text(*wanted));
    if (wanted) shape = reshaped(shape, *wanted, field.shape);
    const bool is_of_one =
        std::all_of(field.shape.begin(), field.shape.end(), [](auto size) { return size == 1; });
    if (sizes.empty() && is_of_one) shape = reshaped({}, {}, field.shape);
    return {};
  }

  void fill(const WantedOutput& wanted, wire::Tensor& to) {
    const auto& field = signature_.outputs[wanted.port];
    const auto data = data_of(wanted.port);
    to.name = field.name;
    to.type = field.type;
    to.data = {};
    to.shared.reset();
    to.parameters.clear();
    if (wanted.classification > 0) return classify(field, data, wanted.classification, to);
    if (auto status = set_shape(field, wanted.port, to.shape); !status)
      job_.break_with(std::move(status).error());
    if (wanted.shared_at) {
      if (auto status = share(wanted, field.name, data); !status) job_.break_with(std::move(status).error());
      to.shared = wanted.shared_at;
      to.shared->bytes = data.size();
    } else if (lends_) {
      to.data = data;
      lent_ = true;
    } else {
      copy(to, [&] { append(reply_.memory, data.data(), data.size()); });
    }
  }

  static Status share(const WantedOutput& wanted, const std::string& name, std::span<const std::byte> data) {
    if (wanted.shared_at->bytes < data.size())
      return fail(ErrorCode::invalid_argument, "output '{}' has {} bytes, and its shared memory has {}", name,
                  data.size(), wanted.shared_at->bytes);
    return wanted.region->write(wanted.shared_at->offset, data);
  }

  void classify(const Field& field, std::span<const std::byte> data, std::int64_t count, wire::Tensor& to) {
    const auto values = data.size() / static_cast<std::size_t>(job_.rows) / sizeof(float);
    const auto kept = std::min(static_cast<std::size_t>(count), values);
    to.type = wire::DataType::bytes;
    to.shape = {};
    if (signature_.batched) to.shape.push_back(job_.rows);
    to.shape.push_back(static_cast<std::int64_t>(kept));
    const auto* row = reinterpret_cast<const float*>(data.data());
    copy(to, [&] {
      const auto begin = reply_.memory.size();
      for (std::int64_t i = 0; i < job_.rows && reply_.memory.size() <= signature_.reply_bytes;
           ++i, row += values) {
        if (job_.exchange->abandoned())  // millions of rows take a while
          return job_.break_with({ErrorCode::unavailable, "the client has gone"});
        append_classes({row, values}, kept, field.labels, job_.ranking, reply_.memory,
                       signature_.reply_bytes);
        if (i > 0) continue;  // others will be about as long: what there is no memory for is seen at once
        const auto all = (reply_.memory.size() - begin) * static_cast<std::size_t>(job_.rows);
        reply_.memory.reserve(begin + std::min<std::size_t>(all, signature_.reply_bytes));
      }
    });
  }

  /// What `write` appends to the reply's memory is the tensor's data.
  template <class Write>
  void copy(const wire::Tensor& to, Write write) {
    const auto begin = reply_.memory.size();
    write();
    job_.copied.push_back(
        {static_cast<std::size_t>(&to - reply_.outputs.data()), begin, reply_.memory.size() - begin});
  }

  void settle_copied() {
    for (const auto& copied : job_.copied)
      reply_.outputs[copied.output].data = std::span(reply_.memory).subspan(copied.begin, copied.bytes);
  }

  const Signature& signature_;
  const std::int64_t first_row_;
  const ExecutionOutputs outputs_;
  Job& job_;
  wire::InferReply& reply_;
  bool lends_ = false, lent_ = false;
};

}  // namespace

void fill_reply(const Signature& signature, std::int64_t first_row, ExecutionOutputs outputs, Job& job) {
  Filling(signature, first_row, outputs, job).run();
}

}  // namespace neph::serve
