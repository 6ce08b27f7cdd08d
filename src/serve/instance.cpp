#include "serve/instance.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "serve/reply.hpp"

namespace neph::serve {
namespace {

/// Below this a copy into memory that is bound already costs less than binding other memory.
constexpr std::size_t worth_binding = 16 << 10;

std::vector<std::size_t> row_bytes(const std::vector<engine::Port>& ports, std::int64_t rows) {
  std::vector<std::size_t> bytes;
  for (const auto& port : ports) bytes.push_back(port.bytes() / static_cast<std::size_t>(rows));
  return bytes;
}

}  // namespace

Result<std::unique_ptr<Instance>> Instance::make(const std::vector<SizedSession>& sessions,
                                                 const Signature& signature, OutputBlocks& blocks,
                                                 const Clock& clock, Done done) {
  std::unique_ptr<Instance> instance(new Instance(signature, blocks, clock, std::move(done)));
  const auto& largest = sessions.back();
  instance->input_row_bytes_ = row_bytes(largest.session->inputs(), largest.rows);
  instance->output_row_bytes_ = row_bytes(largest.session->outputs(), largest.rows);
  for (const auto bytes : instance->input_row_bytes_) {
    instance->gathered_.push_back(
        allocate_floats(bytes * static_cast<std::size_t>(largest.rows) / sizeof(float) + 1));
    if (!instance->gathered_.back()) return fail(ErrorCode::unavailable, "no memory for the model's inputs");
    instance->filled_.push_back(bytes * static_cast<std::size_t>(largest.rows));  // with whatever memory has
  }
  for (const auto& session : sessions) {
    NEPH_TRY(auto request, session.session->make_request());
    instance->sized_.push_back({.rows = session.rows,
                                .request = std::move(request),
                                .bound_inputs = std::vector<const void*>(instance->gathered_.size())});
  }
  if (signature.has_open_outputs()) instance->open_.resize(signature.outputs.size());
  instance->jobs_.reserve(static_cast<std::size_t>(largest.rows));
  return instance;
}

Instance::~Instance() {
  sized_.clear();  // first: it waits for an execution that still leaves its callback
  for (auto* block : {block_, whole_})
    if (block != nullptr) block->let_go();
}

void Instance::clear(std::size_t size, Moment now) {
  jobs_.clear();
  size_ = size;
  begun_ = now;
  first_row_ = 0;
  spent_ = {};
}

Status Instance::infer() {
  NEPH_CHECK(contained([this] { return bind(); }));
  issued_ = clock_.now();
  auto status = contained([this] { return request().infer(); });
  done_ = clock_.now();
  return status;
}

Status Instance::start() {
  NEPH_CHECK(contained([this] { return bind(); }));
  issued_ = clock_.now();
  return contained([this] {
    return request().start([this](const Status& status) {
      done_ = clock_.now();
      on_done_(*this, status);
    });
  });
}

Status Instance::bind() {
  for (std::size_t port = 0; port < gathered_.size(); ++port) NEPH_CHECK(bind_input(port));
  return bind_outputs();
}

std::int64_t Instance::rows_of(const Job& job) const {
  return std::min(job.rows - first_row_, sized_.back().rows);
}

bool Instance::has_more() const {
  return jobs_.size() == 1 && first_row_ + sized_[size_].rows < jobs_.front()->rows;
}

void Instance::next() {
  const auto& job = *jobs_.front();
  keep_part();
  begun_ = count_execution(rows_of(job));
  first_row_ += rows_of(job);
  size_ = 0;
  while (sized_[size_].rows < rows_of(job)) ++size_;
}

/// In place where one job fills the batch; else, and where it is so small that this is cheaper, joined. Rows
/// that no job fills are zeros: a bad index that another left there would fail this one.
Status Instance::bind_input(std::size_t port) {
  if (signature_.inputs[port].open) return bind_own_input(port);
  auto& sized = sized_[size_];
  const auto bytes = input_row_bytes_[port] * static_cast<std::size_t>(sized.rows);
  const bool in_place = jobs_.size() == 1 && rows_of(*jobs_.front()) == sized.rows && bytes >= worth_binding;
  const void* data = in_place ? tensor_of(*jobs_.front(), port).data() : gather(port);
  if (!in_place && sized.bound_inputs[port] == data) return {};
  sized.bound_inputs[port] = nullptr;  // until it is bound again
  // In place it is bound anew even at the same address: the memory there may be another's by now.
  NEPH_CHECK(sized.request->bind_input(port, const_cast<void*>(data), bytes));  // engines only read inputs
  sized.bound_inputs[port] = data;
  return {};
}

/// Always in place: its one job is all of the execution.
Status Instance::bind_own_input(std::size_t port) {
  const auto& job = *jobs_.front();
  const auto& shape = job.shapes[port];
  const auto tensor = tensor_of(job, port);
  auto* data = const_cast<std::byte*>(tensor.data());
  return request().bind_open_input(port, data, {shape.begin(), shape.end()});
}

const void* Instance::gather(std::size_t port) {
  auto* const begin = reinterpret_cast<std::byte*>(gathered_[port].get());
  auto* to = begin;
  for (const auto* job : jobs_) {
    const auto tensor = tensor_of(*job, port);
    std::memcpy(to, tensor.data(), tensor.size());
    to += tensor.size();
  }
  const auto filled = static_cast<std::size_t>(to - begin);
  if (filled < filled_[port]) std::memset(to, 0, filled_[port] - filled);
  filled_[port] = filled;
  return begin;
}

std::span<const std::byte> Instance::tensor_of(const Job& job, std::size_t port) const {
  std::span<const std::byte> all = job.inputs[port];
  if (signature_.payload != Payload::tensor) {
    const auto values = signature_.transform.values() * job.pictures.size();
    all = std::as_bytes(std::span<const float>(job.decoded.get(), values));
  }
  if (!signature_.batched || job.rows <= sized_.back().rows) return all;
  const auto row = input_row_bytes_[port];
  return all.subspan(static_cast<std::size_t>(first_row_) * row,
                     static_cast<std::size_t>(rows_of(job)) * row);
}

Status Instance::bind_outputs() {
  if (block_ == nullptr) block_ = blocks_.take();
  if (block_ == nullptr)
    return fail(
        ErrorCode::unavailable,
        "no memory for the model's outputs, or replies that are being written take all of --reply-bytes; "
        "try again later");
  NEPH_CHECK(make_whole());
  auto& sized = sized_[size_];
  if (sized.bound_outputs == block_->number()) return {};
  sized.bound_outputs = 0;
  for (std::size_t port = 0; port < output_row_bytes_.size(); ++port)
    if (!signature_.outputs[port].open)
      NEPH_CHECK(request().bind_output(port, block_->data(port),
                                       output_row_bytes_[port] * static_cast<std::size_t>(sized.rows)));
  sized.bound_outputs = block_->number();
  return {};
}

Status Instance::take_open_outputs() {
  for (std::size_t port = 0; port < open_.size(); ++port) {
    if (!signature_.outputs[port].open) continue;
    NEPH_TRY(open_[port], request().open_output(port));
  }
  return {};
}

/// Memory for all that a job of several executions is answered with.
Status Instance::make_whole() {
  if (whole_ != nullptr || jobs_.empty() || !signature_.batched) return {};
  const auto rows = jobs_.front()->rows;
  if (rows <= sized_.back().rows) return {};
  std::vector<std::size_t> bytes;
  for (const auto row : output_row_bytes_) bytes.push_back(row * static_cast<std::size_t>(rows));
  whole_ = OutputBlocks::make(std::move(bytes), 0)->take();
  if (whole_ == nullptr) return fail(ErrorCode::unavailable, "no memory for the outputs of {} rows", rows);
  return {};
}

void Instance::keep_part() {
  const auto rows = static_cast<std::size_t>(rows_of(*jobs_.front()));
  for (std::size_t port = 0; port < output_row_bytes_.size(); ++port) {
    const auto row = output_row_bytes_[port];
    std::memcpy(whole_->data(port) + static_cast<std::size_t>(first_row_) * row, block_->data(port),
                rows * row);
  }
}

Moment Instance::take_outputs() {
  const auto status = contained([this] { return take_open_outputs(); });
  std::int64_t rows = 0;
  if (whole_ != nullptr) keep_part();
  for (auto* job : jobs_) {
    auto filled = contained([&]() -> Status {
      if (status)
        fill_reply(signature_, whole_ != nullptr ? 0 : rows, {whole_ != nullptr ? *whole_ : *block_, open_},
                   *job);
      return status;
    });
    if (!filled) job->break_with(std::move(filled).error());
    if (job->broken) job->exchange->reply.memory = {};  // it may be much, and is of no use
    rows += rows_of(*job);
  }
  const auto taken = count_execution(rows);
  for (auto* job : jobs_) {
    auto& stages = job->exchange->stages;
    stages.queue = taken - job->queued - spent_.input - spent_.infer - spent_.output;
    stages.batch = spent_.input;
    stages.infer = spent_.infer;
    stages.encode = spent_.output;
  }
  return taken;
}

/// That has ended just now.
Moment Instance::count_execution(std::int64_t rows) {
  const auto now = clock_.now();
  const ExecutionTimes times{.input = issued_ - begun_, .infer = infer_time(), .output = now - done_};
  std::ignore = contained([&] { statistics_.add_execution(rows, times); });
  spent_.input += times.input;
  spent_.infer += times.infer;
  spent_.output += times.output;
  return now;
}

void Instance::end() {
  if (block_ != nullptr && block_->is_lent()) std::exchange(block_, nullptr)->let_go();
  if (whole_ != nullptr) std::exchange(whole_, nullptr)->let_go();
}

Result<Nanoseconds> Instance::try_out(std::size_t size) {
  for (std::size_t port = 0; port < gathered_.size(); ++port)
    std::memset(gathered_[port].get(), 0,
                input_row_bytes_[port] * static_cast<std::size_t>(sized_[size].rows));
  clear(size, clock_.now());
  const auto status = infer();
  end();
  if (!status) return tl::unexpected(status.error());
  return infer_time();
}

}  // namespace neph::serve
