#include "engine/openvino/session.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <openvino/op/constant.hpp>
#include <openvino/op/parameter.hpp>
#include <openvino/op/util/multi_subgraph_base.hpp>
#include <openvino/runtime/infer_request.hpp>
#include <openvino/runtime/properties.hpp>
#include <openvino/runtime/tensor.hpp>
#include <tuple>
#include <utility>

#if defined(NEPH_TSAN)
#include <sanitizer/tsan_interface.h>
#endif

#include "engine/openvino/error_text.hpp"
#include "engine/openvino/port.hpp"

namespace neph::engine {
namespace {

// What start() writes is read by the callback on a thread of OpenVINO, and what that writes by the
// destructor. OpenVINO orders them in code that the thread sanitizer cannot see into; these two tell it. They
// do nothing in other builds.
void ends_before([[maybe_unused]] void* what) {
#if defined(NEPH_TSAN)
  __tsan_release(what);
#endif
}

void begins_after([[maybe_unused]] void* what) {
#if defined(NEPH_TSAN)
  __tsan_acquire(what);
#endif
}

/// Which outputs are an input as it came, in the graph that is executed: OpenVINO (2026.4) leaves memory that
/// is bound to such a one as it was. Of a device that does not show that graph: none.
std::vector<bool> handed_on(const ov::CompiledModel& compiled) {
  std::vector<bool> all;
  try {
    for (const auto& output : compiled.get_runtime_model()->outputs())
      all.push_back(ov::is_type<ov::op::v0::Parameter>(output.get_node()->get_input_node_shared_ptr(0)));
  } catch (const std::exception&) {
    all.clear();
  }
  all.resize(compiled.outputs().size());
  return all;
}

bool leaves_unwritten(const ov::PartialShape& shape) {
  return shape.is_dynamic() || ov::shape_size(shape.to_shape()) == 0;
}

/// Whether a tensor inside may come to hold nothing. OpenVINO (2026.4) runs no layer that would read such a
/// one, also where what follows has elements: memory for that keeps what it held.
bool may_leave_unwritten(const ov::Model& model) {
  for (const auto& op : model.get_ordered_ops()) {
    if (ov::is_type<ov::op::v0::Constant>(op)) continue;
    for (const auto& output : op->outputs())
      if (leaves_unwritten(output.get_partial_shape())) return true;
    if (const auto bodies = ov::as_type_ptr<ov::op::util::MultiSubGraphOp>(op))
      for (const auto& body : bodies->get_functions())
        if (may_leave_unwritten(*body)) return true;
  }
  return false;
}

/// A device need not know of profiling.
bool is_profiled(const ov::CompiledModel& compiled) {
  try {
    return compiled.get_property(ov::enable_profiling);
  } catch (const std::exception&) {
    return false;
  }
}

ov::Shape fixed_shape(const Port& port) { return {port.shape.begin(), port.shape.end()}; }

class OpenVinoRequest final : public Request {
 public:
  OpenVinoRequest(ov::CompiledModel& compiled, const std::vector<Port>& inputs,
                  const std::vector<Port>& outputs, const std::vector<bool>& handed_on,
                  bool may_leave_unwritten, LayerCounters* counters)
      : compiled_(compiled),
        inputs_(inputs),
        outputs_(outputs),
        handed_on_(handed_on),
        may_leave_unwritten_(may_leave_unwritten),
        counters_(counters),
        copies_(outputs.size()),
        has_open_inputs_(
            std::any_of(inputs.begin(), inputs.end(), [](const Port& port) { return port.is_open(); })),
        request_(compiled.create_infer_request()),
        states_(request_.query_state()) {
    for (const auto& input : inputs) shapes_.push_back(input.is_open() ? ov::Shape() : fixed_shape(input));
  }

  /// OpenVINO would wait too, but drop the callback.
  ~OpenVinoRequest() override {
    if (!in_flight_.load()) return;
    std::ignore = guarded([&] { request_.wait(); });
    begins_after(this);
  }

  Status bind_input(std::size_t port, void* data, std::size_t bytes) override {
    if (in_flight_.load()) return still_in_flight();
    NEPH_CHECK(check_binding("input", inputs_, port, data, bytes));
    return guarded([&] {
      const auto& type = compiled_.inputs()[port].get_element_type();
      request_.set_input_tensor(port, ov::Tensor(type, fixed_shape(inputs_[port]), data));
    });
  }

  Status bind_output(std::size_t port, void* data, std::size_t bytes) override {
    if (in_flight_.load()) return still_in_flight();
    NEPH_CHECK(check_binding("output", outputs_, port, data, bytes));
    if (handed_on_[port]) {
      copies_[port] = data;
      return {};
    }
    return guarded([&] {
      const auto& type = compiled_.outputs()[port].get_element_type();
      request_.set_output_tensor(port, ov::Tensor(type, fixed_shape(outputs_[port]), data));
    });
  }

  Status bind_open_input(std::size_t port, void* data, std::span<const std::int64_t> shape) override {
    if (in_flight_.load()) return still_in_flight();
    NEPH_CHECK(check_open_shape(inputs_, port, shape));
    return guarded([&] {
      const auto& type = compiled_.inputs()[port].get_element_type();
      shapes_[port].assign(shape.begin(), shape.end());
      request_.set_input_tensor(port, ov::Tensor(type, shapes_[port], data));
    });
  }

  Result<OpenOutput> open_output(std::size_t port) override {
    if (in_flight_.load()) return still_in_flight();
    OpenOutput output;
    NEPH_CHECK(guarded([&] {
      const auto tensor = request_.get_output_tensor(port);
      output.bytes = tensor.get_byte_size();
      output.data = static_cast<const std::byte*>(tensor.data());
      const auto shape = tensor.get_shape();  // by value
      output.shape.assign(shape.begin(), shape.end());
    }));
    return output;
  }

  Status infer() override {
    if (in_flight_.load()) return still_in_flight();
    auto status = guarded([&] {
      make_ready();
      request_.infer();
      if (counters_) counters_->count(request_);
      copy_handed_on();
    });
    failed_ = !status;
    return status;
  }

  Status start(std::function<void(Status)> done) override {
    if (in_flight_.exchange(true)) return still_in_flight();
    done_ = std::move(done);
    ends_before(this);
    auto started = guarded([&] {
      make_ready();
      // Set anew each time: OpenVINO takes the callback out of the request while it calls it, so a request
      // that is started again from its own callback would otherwise have none.
      request_.set_callback([this](std::exception_ptr error) { finish(std::move(error)); });
      request_.start_async();
    });
    if (!started) in_flight_ = false;
    return started;
  }

 private:
  template <class Action>
  static Status guarded(Action action) {
    try {
      action();
      return {};
    } catch (...) {
      return tl::unexpected(explain_current("inference failed"));
    }
  }

  /// A graph of OpenVINO (2026.4) in which shapes did not fit one another goes on refusing those that do,
  /// also from other requests, until an inference of other shapes; this is one. Its integers are
  /// ones, as a size or step of 0 ends the process in some layers; whether it succeeds does not matter.
  void forget_failure() {
    if (!std::exchange(failed_, false) || !has_open_inputs_) return;
    try {
      auto other = compiled_.create_infer_request();
      for (std::size_t port = 0; port < inputs_.size(); ++port)
        other.set_input_tensor(port, other_shape(port));
      other.infer();
    } catch (const std::exception&) {
    }
  }

  /// What the model leaves open is 1, or 2 where it was.
  ov::Tensor other_shape(std::size_t port) const {
    auto shape = shapes_[port];
    for (std::size_t i = 0; i < shape.size(); ++i)
      if (inputs_[port].open_rank || inputs_[port].shape[i] < 0) shape[i] = shape[i] == 1 ? 2 : 1;
    ov::Tensor tensor(compiled_.inputs()[port].get_element_type(), shape);
    auto* data = static_cast<std::byte*>(tensor.data());
    const auto width = element_bytes(inputs_[port].element);
    std::memset(data, 0, tensor.get_byte_size());
    if (!is_float(inputs_[port].element))
      for (std::size_t i = 0; i < tensor.get_size(); ++i) data[i * width] = std::byte{1};
    return tensor;
  }

  /// Nothing of an inference before is to be seen in the next: not its state, not its outputs.
  void make_ready() {
    forget_failure();
    for (auto& state : states_) state.reset();
    if (!may_leave_unwritten_) return;
    for (std::size_t port = 0; port < outputs_.size(); ++port) {
      if (handed_on_[port]) continue;
      auto tensor = request_.get_output_tensor(port);
      if (tensor.get_byte_size() > 0) std::memset(tensor.data(), 0, tensor.get_byte_size());
    }
  }

  void copy_handed_on() {
    for (std::size_t port = 0; port < copies_.size(); ++port)
      if (copies_[port] != nullptr)
        std::memcpy(copies_[port], request_.get_output_tensor(port).data(), outputs_[port].bytes());
  }

  void finish(std::exception_ptr error) {
    begins_after(this);
    const auto status = guarded([&] {
      if (error) std::rethrow_exception(error);
      if (counters_) counters_->count(request_);
      copy_handed_on();
    });
    failed_ = !status;
    const auto done = std::move(done_);
    ends_before(this);
    in_flight_ = false;  // before the call, which may start this request again
    done(status);
  }

  ov::CompiledModel& compiled_;
  const std::vector<Port>& inputs_;
  const std::vector<Port>& outputs_;
  const std::vector<bool>& handed_on_;
  const bool may_leave_unwritten_;
  LayerCounters* const counters_;  ///< null: not profiled
  std::vector<void*> copies_;      ///< by output: where one that is handed on goes
  std::function<void(Status)> done_;
  std::atomic<bool> in_flight_ = false;
  bool failed_ = false;  ///< the last inference did
  const bool has_open_inputs_;
  std::vector<ov::Shape> shapes_;  ///< by input: the last
  ov::InferRequest request_;       ///< behind what it uses: its destructor waits for an inference in flight
  std::vector<ov::VariableState> states_;  ///< of the model's variables
};

}  // namespace

Result<std::unique_ptr<Session>> OpenVinoSession::make(const ov::Model& model, ov::CompiledModel compiled,
                                                       Facts facts) {
  auto session = std::unique_ptr<OpenVinoSession>(new OpenVinoSession);
  NEPH_TRY(session->inputs_, ports_of(model.inputs()));
  NEPH_TRY(session->outputs_, ports_of(model.outputs()));
  session->handed_on_ = handed_on(compiled);
  session->optimal_requests_ = compiled.get_property(ov::optimal_number_of_infer_requests);
  session->facts_ = std::move(facts);
  session->may_leave_unwritten_ = may_leave_unwritten(model);
  if (is_profiled(compiled)) session->counters_ = std::make_unique<LayerCounters>();
  session->compiled_ = std::move(compiled);
  return session;
}

Result<std::unique_ptr<Request>> OpenVinoSession::make_request() {
  try {
    return std::make_unique<OpenVinoRequest>(compiled_, inputs_, outputs_, handed_on_, may_leave_unwritten_,
                                             counters_.get());
  } catch (...) {
    return tl::unexpected(explain_current("cannot make a request"));
  }
}

Result<std::vector<LayerTime>> OpenVinoSession::layers() {
  try {
    return counters_ ? counters_->layers(compiled_) : Session::layers();
  } catch (...) {
    return tl::unexpected(explain_current("cannot tell the layers' times"));
  }
}

}  // namespace neph::engine
