// From a program to a plan: what the files of layers are given to make theirs.
//
// What it does not do: know any operator; each family of layers is a file of its own (convolution.cpp, ...)
// that has functions of one shape, which builder.cpp lists.
#pragma once

#include <map>
#include <set>
#include <string>

#include "core/result.hpp"
#include "engine/torch/plan.hpp"
#include "net/net.hpp"

namespace neph::engine::torch_plugin {

/// How products are computed.
struct Arithmetic {
  bool bfloat16 = false;
};

/// A program with what a plan need not know removed (Constant, Identity, a softmax at the end) and what is
/// one step put together (MatMul and Add; Relu and Dropout; Flatten and Gemm; MaxPool before Relu, which is
/// the same function on fewer elements).
struct Simplified {
  net::Program program;
  std::set<std::string, std::less<>> constants;  ///< tensors of Constant nodes: nothing that is trained
};
Simplified simplify(net::Program program);  // simplify.cpp
/// For inference: also without dropouts, and with batch norms in the convolutions before them; a softmax at
/// the end stays.
Simplified simplify_for_inference(net::Program program);  // simplify.cpp
/// Batch norms that alone read a convolution become part of its weights.
void fold_batch_norms(net::Program& program);  // fold_batch_norm.cpp
/// The operators that simplify() makes.
inline constexpr const char* relu_dropout_operator = "Relu+Dropout";
inline constexpr const char* flatten_gemm_operator = "Flatten+Gemm";
/// That with_fixed_shapes() makes: Expand of input 0 to the sizes in input 2, of which one is that of
/// input 1.
inline constexpr const char* expand_to_batch_operator = "Expand to batch";

/// How many read each tensor: nodes that are not removed, and the caller of an output.
using Readers = std::map<std::string, int, std::less<>>;
Readers count_readers(const net::Program& program);

/// Tensors that the file stores, or that are computed from those alone, on the device, by their names: the
/// plans of a session share them, whatever sizes their inputs have.
using Uploaded = std::map<std::string, Tensor, std::less<>>;

/// What building a plan for inference needs beside a program. Each layer is computed as soon as it is made,
/// on zeros, so that shapes are known and what depends on nothing else is computed once.
struct Trial {
  Trial(const Ops& ops, std::vector<Parameter>& parameters, std::vector<Sizes> input_sizes, Uploaded& shared)
      : pass(ops, parameters, {}), inputs(std::move(input_sizes)), uploaded(&shared) {
    pass.begin(false, 0, 0);
  }
  Pass pass;
  std::vector<Sizes> inputs;
  Uploaded* uploaded;
  std::map<std::string, net::StoredTensor, std::less<>> folded;  ///< values that are the same in every pass
  std::set<std::string, std::less<>> of_sizes;     ///< those that depend on the sizes of the inputs
  std::map<std::string, Sizes, std::less<>> seen;  ///< sizes of all that nodes have computed
  Readers left;                                    ///< readers that are still to come
};

/// What a trial found out.
struct Tried {
  std::map<std::string, net::StoredTensor, std::less<>> folded;
  std::map<std::string, Sizes, std::less<>> seen;
};

class Builder {
 public:
  Builder(const Simplified& simple, const Ops& ops, Arithmetic arithmetic);
  /// For inference on inputs of these sizes.
  Builder(const Simplified& simple, const Ops& ops, Arithmetic arithmetic, std::vector<Sizes> inputs,
          Uploaded& uploaded);

  const Ops& ops() const { return *ops_; }
  const net::Program& program() const { return simple_->program; }
  Arithmetic arithmetic() const { return arithmetic_; }

  /// The file's tensor of that name; null if it stores none, or if it is no number of the kind asked for.
  const net::StoredTensor* stored(const std::string& name) const;
  /// Whether it comes from a Constant node: it is computed with, and not trained.
  bool is_constant(const std::string& name) const { return simple_->constants.contains(name); }
  /// The integers of an input that the file stores, as shapes and axes are. Errors: unsupported (computed
  /// ones).
  Result<Sizes> integers(const net::Node& node, std::size_t input) const;
  /// Whether a node or the caller reads a value.
  bool is_read(const std::string& name) const { return readers_.contains(name); }
  /// Input `index` is given: not left out.
  static bool has(const net::Node& node, std::size_t index) {
    return index < node.inputs.size() && !node.inputs[index].empty();
  }

  bool for_inference() const { return trial_ != nullptr; }
  /// Of inference: the sizes that input `index` has.
  Sizes sizes(const net::Node& node, std::size_t index) const;

  /// The slot of input `index`, which a layer or the caller fills; of inference also a stored tensor's.
  /// Errors: unsupported (a stored tensor, in training).
  Result<Slot> input(const net::Node& node, std::size_t index, Layer& layer);
  /// A slot for output 0. `overwritable`: no backward pass reads the value again, and no other value shares
  /// its memory.
  Slot output(const net::Node& node, Layer& layer, bool overwritable, std::size_t index = 0);
  /// Whether the layer that reads this may put its result into the same memory.
  bool may_overwrite(const net::Node& node, std::size_t index) const;
  /// The parameter of input `index`, made at first. Errors: unsupported (not stored, no floats).
  Result<std::size_t> parameter(const net::Node& node, std::size_t index, bool trained = true);
  const Tensor& value(std::size_t parameter) const { return plan_.parameters[parameter].value; }

  Result<Plan> finish() &&;
  /// Of inference: any number of inputs and outputs.
  Result<Plan> finish_inference() &&;
  /// Of inference: without a plan.
  Result<Tried> try_out() &&;

 private:
  struct Known {
    Slot slot = 0;
    bool overwritable = false;
  };
  Status add(const net::Node& node);
  Status make(const net::Node& node, std::unique_ptr<Layer>& layer);
  Tensor upload(const std::string& name, const net::StoredTensor& stored) const;
  void find_last_readers();

  // Of inference: inference_plan.cpp.
  Status compute(const net::Node& node);
  Status compute_all();
  bool fold_sizes(const net::Node& node);
  void fold(const std::string& name, const Tensor& value);
  void fold_outputs(const net::Node& node);
  Slot constant_slot(const std::string& name, const net::StoredTensor& stored);
  void release_inputs(const net::Node& node);
  Status set_outputs();

  const Simplified* simple_;
  const Ops* ops_;
  Arithmetic arithmetic_;
  std::map<std::string, Known, std::less<>> known_;          ///< values by their names
  std::map<std::string, std::size_t, std::less<>> by_name_;  ///< parameters
  Readers readers_;
  bool learns_ = false;  ///< the layer being made has a parameter that is trained
  Plan plan_;
  std::unique_ptr<Trial> trial_;  ///< null: for training
};

/// "operator Foo (node 'bar')".
std::string title(const net::Node& node);
/// An error that names the node: "operator Foo (node 'bar') does not run on engine torch: WHY".
tl::unexpected<Error> not_trained(const net::Node& node, const std::string& why);

/// A maker of the layer of a node. Errors: unsupported.
using Maker = Status (*)(Builder& builder, const net::Node& node, std::unique_ptr<Layer>& layer);

Status make_convolution(Builder&, const net::Node&, std::unique_ptr<Layer>&);     // convolution.cpp
Status make_linear(Builder&, const net::Node&, std::unique_ptr<Layer>&);          // linear.cpp
Status make_batch_norm(Builder&, const net::Node&, std::unique_ptr<Layer>&);      // normalization.cpp
Status make_relu(Builder&, const net::Node&, std::unique_ptr<Layer>&);            // activation.cpp
Status make_clip(Builder&, const net::Node&, std::unique_ptr<Layer>&);            // activation.cpp
Status make_sigmoid(Builder&, const net::Node&, std::unique_ptr<Layer>&);         // activation.cpp
Status make_tanh(Builder&, const net::Node&, std::unique_ptr<Layer>&);            // activation.cpp
Status make_dropout(Builder&, const net::Node&, std::unique_ptr<Layer>&);         // activation.cpp
Status make_relu_dropout(Builder&, const net::Node&, std::unique_ptr<Layer>&);    // activation.cpp
Status make_max_pool(Builder&, const net::Node&, std::unique_ptr<Layer>&);        // pooling.cpp
Status make_average_pool(Builder&, const net::Node&, std::unique_ptr<Layer>&);    // pooling.cpp
Status make_global_average(Builder&, const net::Node&, std::unique_ptr<Layer>&);  // pooling.cpp
Status make_reduce(Builder&, const net::Node&, std::unique_ptr<Layer>&);          // pooling.cpp
Status make_add(Builder&, const net::Node&, std::unique_ptr<Layer>&);             // merge.cpp
Status make_multiply(Builder&, const net::Node&, std::unique_ptr<Layer>&);        // merge.cpp
Status make_concat(Builder&, const net::Node&, std::unique_ptr<Layer>&);          // merge.cpp
Status make_flatten(Builder&, const net::Node&, std::unique_ptr<Layer>&);         // shape.cpp
Status make_reshape(Builder&, const net::Node&, std::unique_ptr<Layer>&);         // shape.cpp
Status make_squeeze(Builder&, const net::Node&, std::unique_ptr<Layer>&);         // shape.cpp
Status make_unsqueeze(Builder&, const net::Node&, std::unique_ptr<Layer>&);       // shape.cpp
Status make_transpose(Builder&, const net::Node&, std::unique_ptr<Layer>&);       // shape.cpp
Status make_gru(Builder&, const net::Node&, std::unique_ptr<Layer>&);             // recurrent.cpp

/// The maker of an operator that only inference has, or has in a more general form than training; null: none.
Maker inference_maker(std::string_view op);  // inference_operators.cpp

/// Whether training knows the operator.
bool has_gradient(std::string_view op);  // builder.cpp

/// For training: what exporters compute of shapes is computed, once, and is a constant then. Cost: none where
/// nothing is computed of shapes, else two inferences. Errors: unsupported (a number that depends on the
/// batch in another way than as one size of a Reshape or an Expand).
Result<Simplified> with_fixed_shapes(Simplified simple, const Ops& ops,
                                     Arithmetic arithmetic);  // fixed_shapes.cpp

/// For inference on inputs of these sizes, in the order of the program. Cost: one inference. Errors:
/// unsupported (an operator or attribute, by its name), unavailable (memory).
Result<Plan> make_inference_plan(const Simplified& simple, const Ops& ops, Arithmetic arithmetic,
                                 std::vector<Sizes> inputs, Uploaded& uploaded);  // inference_plan.cpp

/// The plan of a program of one input and one output. Errors: unsupported (an operator or attribute, by its
/// name).
Result<Plan> make_plan(const net::Program& program, const Ops& ops, Arithmetic arithmetic);

}  // namespace neph::engine::torch_plugin
