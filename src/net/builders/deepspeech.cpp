// Deep Speech 2: Amodei et al., "Deep Speech 2: End-to-End Speech Recognition in English and Mandarin", ICML
// 2016, with two convolutions over time and frequency (its Table 2) and bidirectional GRU layers whose
// directions are summed, as its section 3.2 has them. Where they are concatenated, as elsewhere, each layer
// after the first reads twice as much. Its batch norms between the recurrent layers are left out: they
// normalise over the steps of a whole batch, which no operator of ONNX does on a sequence.
#include "net/builders/family.hpp"

namespace neph::net {
namespace {

constexpr std::int64_t kFrequencies = 161;  // of windows of 20 ms at 16 kHz, 0 to 8 kHz in steps of 50 Hz
constexpr double kLargest = 20;             // of the clipped ReLU

Value stage(Graph& graph, int number, const Value& x, const ConvSpec& spec) {
  const auto of = [number](std::string_view what) { return fmt::format("{}{}", what, number); };
  return graph.clipped_relu(of("relu"), graph.batch_norm(of("bn"), graph.conv(of("conv"), x, spec)),
                            kLargest);
}

/// The characters' scores at each step that the convolutions leave: [steps, batch, classes], class 0 the
/// blank.
Value deepspeech2(Graph& graph, const BuildOptions& sizes) {
  auto x = graph.input(1, {kFrequencies, sizes.seq});
  x = stage(graph, 1, x, {.filters = 32, .kernel = {41, 11}, .stride = 2, .padding = {20, 5}});
  x = stage(graph, 2, x, {.filters = 32, .kernel = {21, 11}, .stride = {2, 1}, .padding = {10, 5}});
  x = graph.steps("steps", x);
  for (std::int64_t i = 1; i <= sizes.layers; ++i) x = graph.gru(fmt::format("gru{}", i), x, sizes.width);
  return graph.dense_steps("fc", x, sizes.classes);
}

}  // namespace

std::vector<Recipe> speech_networks() {
  return {
      {.name = "deepspeech2",
       .title = "Deep Speech 2 (Amodei et al. 2016), 2 convolutions and bidirectional GRU layers, for CTC",
       .classes = 29,  // the blank, 26 letters, the apostrophe and the space
       .sequence = SequenceSizes{.layers = 5, .seq = 300, .width = 800},
       .whole = deepspeech2}};
}

}  // namespace neph::net
