// What a network IS: its layers with their shapes, parameters, multiply-accumulates, activations and bytes.
//
// Networks are built here by name (build) or read from any ONNX file (read_onnx); both give the same
// description, and a built one can be written as an ONNX model with seeded weights (write_onnx).
//
// What it does not do: run a network, train it, optimise it, or print it. A figure here counts what the graph
// says; what an engine makes of it (fused layers, padded channels, other algorithms) is the engine's matter.
//
// Threads: all functions are pure but for the file they name, and may be called side by side.
// Ownership: plain values.
// Cost: build takes some 100 microseconds. Reading and writing take the time of moving the file's bytes two
// or three times, and hold up to three copies of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/describe.hpp"
#include "core/result.hpp"
#include "core/shapes.hpp"
#include "net/layer_work.hpp"
#include "net/program.hpp"

namespace neph::net {

/// Dimensions in the order of the tensor: pictures are [batch, channels, height, width]. -1: not known.
using Shape = std::vector<std::int64_t>;

/// "1x64x112x112"; a dimension that is not known is shown as "?".
std::string to_string(const Shape& shape);

/// What a layer does, as far as it matters for its cost.
enum class Kind {
  convolution,    ///< ordinary, grouped or transposed convolution
  depthwise,      ///< convolution that keeps each channel to itself
  dense,          ///< matrix product with a matrix that the file holds
  product,        ///< matrix product of two activations, as in attention
  recurrent,      ///< LSTM, GRU, RNN
  normalization,  ///< batch, layer, group, instance
  activation,     ///< a function of each element
  pooling,        ///< over windows or the whole picture; reductions
  elementwise,    ///< arithmetic of tensors: residual additions, gates, comparisons
  movement,       ///< elements are moved, copied, chosen or only given another shape
  quantization,   ///< to and from few bits
  control,        ///< If, Loop, Scan, a function of the file: the layers in its bodies have the figures
  unknown,        ///< an operator whose work is not known here
};
constexpr auto enum_names(Kind) {
  return std::array{Named{Kind::convolution, "convolution"},
                    Named{Kind::depthwise, "depthwise"},
                    Named{Kind::dense, "dense"},
                    Named{Kind::product, "product"},
                    Named{Kind::recurrent, "recurrent"},
                    Named{Kind::normalization, "normalization"},
                    Named{Kind::activation, "activation"},
                    Named{Kind::pooling, "pooling"},
                    Named{Kind::elementwise, "elementwise"},
                    Named{Kind::movement, "movement"},
                    Named{Kind::quantization, "quantization"},
                    Named{Kind::control, "control"},
                    Named{Kind::unknown, "unknown"}};
}

/// The window that a convolution or pooling moves over its input; one number per spatial axis.
struct Window {
  std::vector<std::int64_t> kernel;
  std::vector<std::int64_t> strides;
  std::vector<std::int64_t> dilations;
  std::vector<std::int64_t> pads;  ///< before each axis, then after each axis, as ONNX orders them
  std::int64_t groups = 1;
};

template <class Visit, Describes<Window> Self>
void describe(Visit&& v, Self& s) {
  v("kernel", s.kernel, "size of the window per spatial axis");
  v("strides", s.strides, "step per spatial axis");
  v("dilations", s.dilations, "distance of the window's taps per spatial axis");
  v("pads", s.pads, "elements added before each axis, then after each axis");
  v("groups", s.groups, "parts into which the channels are divided");
}

/// A tensor that the model file holds and a layer uses.
struct Weight {
  std::string name;
  Shape shape;
  std::int64_t bytes = 0;
  bool trained = true;  ///< false: running statistics, scales, shapes: stored, but no parameter
  /// Of a single number, or of some integers: bounds, ratios, axes, shapes. Not described: for write_onnx.
  std::optional<StoredTensor> numbers{};
};

template <class Visit, Describes<Weight> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "of the tensor");
  v("shape", s.shape, "its dimensions");
  v("bytes", s.bytes, "as stored");
  v("trained", s.trained, "whether training changes it; only then it counts as parameters");
}

/// One node of the graph, or of a body in it. All figures are for the network's batch (see Network::batch)
/// and for all the times that the layer runs; nothing: the file does not tell. Tensors that are the same for
/// every picture (stored, or computed from stored ones and shapes) are no activations.
struct Layer {
  std::string name;  ///< of a layer in a body: behind the name of the node whose body it is
  std::string op;    ///< ONNX's operator: Conv; with its domain before it if it is not ONNX's own
  Kind kind = Kind::unknown;
  std::vector<std::string> inputs;            ///< layers or inputs of the network that it reads
  std::vector<std::optional<Shape>> outputs;  ///< empty: cannot be told from the file
  /// What the file calls its outputs; empty: one that is left out. Not described: engines name layers by it.
  std::vector<std::string> tensors{};
  std::optional<Window> window;
  /// Those of the operator that are no tensors. Not described: for write_onnx.
  std::map<std::string, NodeAttribute, std::less<>> attributes{};
  std::vector<Weight> weights;  ///< each tensor with the first layer that uses it, and only there
  /// In one inference: 0 in the branch of an If that does not run or is not counted, else the trips of the
  /// loops around it. Nothing: the file does not tell the trips of one of them; the figures are those with
  /// one trip of it, and are in no total but trip_macs.
  std::optional<std::int64_t> runs = 1;
  std::int64_t parameters = 0;  ///< elements of the trained weights
  /// Multiply-accumulates of convolutions and matrix products, without biases.
  std::optional<std::int64_t> macs = 0;
  std::optional<std::int64_t> activations = 0;   ///< elements of the outputs
  std::int64_t weight_bytes = 0;                 ///< of all its weights, once, whatever the batch
  std::optional<std::int64_t> input_bytes = 0;   ///< of the activations it reads
  std::optional<std::int64_t> output_bytes = 0;  ///< of the activations it writes
};

template <class Visit, Describes<Layer> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "of the layer");
  v("op", s.op, "ONNX operator");
  v("kind", s.kind, "what it does, as far as its cost goes");
  v("inputs", s.inputs, "layers or network inputs that it reads");
  v("outputs", s.outputs, "shapes of its outputs; null or -1: cannot be told from the file");
  v("window", s.window, "of a convolution or pooling");
  v("weights", s.weights, "tensors that the model file holds for it");
  v("runs", s.runs, "times that it runs in one inference; null: unknown, the figures are for one trip");
  v("parameters", s.parameters, "elements of its trained weights");
  v("macs", s.macs, "multiply-accumulates of convolutions and matrix products; null: unknown");
  v("activations", s.activations, "elements of its outputs; null: unknown");
  v("weight_bytes", s.weight_bytes, "bytes of its weights");
  v("input_bytes", s.input_bytes, "bytes of the activations it reads; null: unknown");
  v("output_bytes", s.output_bytes, "bytes of the activations it writes; null: unknown");
}

/// An input or output of the network.
struct Port {
  std::string name;
  std::optional<Shape> shape;
  std::string layer;  ///< that makes it; empty for an input
};

template <class Visit, Describes<Port> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "of the tensor");
  v("shape", s.shape, "with the batch that the figures are for");
  v("layer", s.layer, "that makes it");
}

/// Sums over the layers. Nothing: all of it is unknown; where a part is, what is known for certain, and its
/// key stands in at_least.
struct Totals {
  std::int64_t parameters = 0;
  std::optional<std::int64_t> macs = 0;
  /// Of one trip of each loop of which the file does not tell the trips; not among the macs.
  std::optional<std::int64_t> trip_macs = 0;
  std::optional<std::int64_t> activations = 0;
  std::int64_t weight_bytes = 0;
  std::optional<std::int64_t> input_bytes = 0;
  std::optional<std::int64_t> output_bytes = 0;
  std::int64_t layers = 0;
  std::int64_t depth = 0;  ///< most layers with multiply-accumulates on one path: the 50 of ResNet-50
  std::map<std::string, std::int64_t> macs_by_kind;
  std::map<std::string, std::int64_t> layers_by_kind;
  std::vector<std::string> at_least;  ///< keys of the figures above of which a part is unknown
  /// Keys of those that are smaller if an If takes the smaller branch, or a loop makes no trip.
  std::vector<std::string> at_most;
};

template <class Visit, Describes<Totals> Self>
void describe(Visit&& v, Self& s) {
  v("parameters", s.parameters, "elements of trained weights");
  v("macs", s.macs,
    "multiply-accumulates of convolutions and matrix products, without biases; null: unknown");
  v("trip_macs", s.trip_macs,
    "multiply-accumulates of one trip of each loop of which the trips are not told, not among macs; null: "
    "unknown");
  v("activations", s.activations, "elements of all layers' outputs; null: unknown");
  v("weight_bytes", s.weight_bytes, "bytes of all weights");
  v("input_bytes", s.input_bytes, "bytes of activations read by the layers; null: unknown");
  v("output_bytes", s.output_bytes, "bytes of activations written by the layers; null: unknown");
  v("layers", s.layers, "number of layers");
  v("depth", s.depth, "most layers with multiply-accumulates on one path");
  v("macs_by_kind", s.macs_by_kind, "multiply-accumulates by the layers' kind");
  v("layers_by_kind", s.layers_by_kind, "layers by their kind");
  v("at_least", s.at_least, "keys of totals of which a part is unknown: they are at least what stands there");
  v("at_most", s.at_most,
    "keys of totals that are smaller if an If takes its smaller branch, or a loop makes no trip");
}

/// A graph of layers in an order in which they can run.
struct Network {
  std::string name;
  std::int64_t opset = 0;  ///< version of ONNX's operators that the graph is written in
  std::int64_t batch = 1;  ///< pictures that the figures are for: 1 wherever the file leaves it open
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  std::vector<Layer> layers;
  Totals totals;
  /// Operators whose work is not known here, with the number of layers that use them. Their
  /// multiply-accumulates are missing from the totals.
  std::map<std::string, std::int64_t> unknown_operators;
  /// The same of operators that are known, in a form of which the work depends on the engine (Einsum of three
  /// tensors).
  std::map<std::string, std::int64_t> uncounted_operators;
  /// Layers of which a shape is not told by the file (a picture side left open): figures of theirs are
  /// missing.
  std::int64_t unsized_layers = 0;
  /// Ifs of which the file does not tell which branch runs: a total has the larger one of each, one in
  /// at_least the smaller one.
  std::int64_t undecided_branches = 0;
  /// Loops of which the file does not tell the number of trips: none is counted.
  std::int64_t open_loops = 0;
};

template <class Visit, Describes<Network> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "of the network");
  v("opset", s.opset, "version of ONNX's operators");
  v("batch", s.batch, "images that the figures are for");
  v("inputs", s.inputs, "what goes in");
  v("outputs", s.outputs, "what comes out");
  v("totals", s.totals, "sums over the layers");
  v("unknown_operators", s.unknown_operators,
    "operators whose work is not known and not counted, with their number");
  v("uncounted_operators", s.uncounted_operators,
    "operators that are known, in a form of which the work is not counted, with their number");
  v("unsized_layers", s.unsized_layers, "layers of which the file does not tell a shape");
  v("undecided_branches", s.undecided_branches,
    "Ifs of which the file does not tell which branch runs: the larger one counts, in at_least the smaller");
  v("open_loops", s.open_loops, "loops of which the file does not tell the number of trips: none is counted");
  v("layers", s.layers, "in an order in which they can run");
}

/// Sizes that may be chosen, each of the networks that have it; 0: the network's own.
struct BuildOptions {
  std::int64_t classes = 0;  ///< 1000 for ImageNet's
  std::int64_t side = 0;     ///< height and width of the picture: 224 for ImageNet's
  std::int64_t layers = 0;   ///< recurrent ones
  std::int64_t seq = 0;      ///< time steps of the input
  std::int64_t width = 0;    ///< features of a recurrent layer

  bool operator==(const BuildOptions&) const = default;
};

template <class Visit, Describes<BuildOptions> Self>
void describe(Visit&& v, Self& s) {
  v("classes", s.classes, "classes told apart; 0: the network's own number", between(0, 1'000'000));
  v("side", s.side, "height and width of the image in pixels; 0: the network's own", between(0, 65'536));
  v("layers", s.layers, "recurrent layers, of deepspeech2; 0: the network's own", between(0, 1000));
  v("seq", s.seq, "time steps of the input, of deepspeech2; 0: the network's own", between(0, 1'000'000));
  v("width", s.width, "features of a recurrent layer, of deepspeech2; 0: the network's own",
    between(0, 65'536));
}

/// A network that can be built, as lists show it.
struct KnownNetwork {
  std::string name;
  std::string title;  ///< "ResNet-50 (He et al. 2015), stride in the 3x3 convolution"
  std::int64_t classes = 0;
  std::int64_t side = 0;                        ///< 0: its input is no picture
  std::int64_t layers = 0, seq = 0, width = 0;  ///< 0: it has none to choose
};

std::vector<KnownNetwork> known_networks();
std::vector<std::string> known_names();

/// The network of that name for one picture or sequence. Errors: not_found (with the nearest known name),
/// invalid_argument (a size out of range, or one that this network does not have; a side so small that a
/// layer would have no output).
Result<Network> build(std::string_view name, const BuildOptions& options = {});

struct ReadOptions {
  /// Taken for a picture's height and width where the file leaves them open; 0: leave them open.
  std::int64_t side = 0;
  /// Whole shapes of inputs by name (or without one, of the only input), in place of the file's. Dimensions
  /// that the file fixes must be the same; those that it calls by one name are the same everywhere.
  InputShapes shapes{};
};

/// The network in an ONNX file of any operator set, with external data files beside it. Shapes are inferred
/// here, with the shapes that the file states taken where the operators leave them open. Errors: not_found
/// (the file or its external data), unavailable (permission), corrupt (empty, cut short, not a model, a graph
/// that contradicts itself), unsupported (a newer file format, or a model of another format), io; of
/// options.shapes not_found (no such input), invalid_argument (a shape that the file does not admit).
Result<Network> read_onnx(const std::filesystem::path& path, const ReadOptions& options = {});

/// The same from memory; `source` is what messages call it. External data is not looked for.
Result<Network> read_onnx_bytes(std::string_view bytes, std::string_view source,
                                const ReadOptions& options = {});

/// Writes `network`, which build made, as an ONNX model: input "input" and output "output" with the batch
/// left open, weights drawn from `seed` (see weights.hpp), the name and the seed in the model's metadata. The
/// same network and seed give the same bytes on every machine. An existing file is replaced only when all is
/// written. Errors: unsupported (layers that build does not make; more than 2 GiB of weights), and those of
/// write_file.
Status write_onnx(const Network& network, std::uint64_t seed, const std::filesystem::path& path);

/// The same into memory.
Result<std::string> write_onnx_bytes(const Network& network, std::uint64_t seed);

/// The file of `model`: a model file as it is, or a network's name, whose file with weights from the seed is
/// made in the cache folder if it is not there yet. Errors: not_found (neither, with the nearest known name),
/// invalid_argument (options given for a file), those of build() and write_onnx().
Result<std::filesystem::path> model_file(const std::string& model, const BuildOptions& options,
                                         std::int64_t weights_seed);

}  // namespace neph::net
