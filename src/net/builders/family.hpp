// The networks that can be built. A new family is one file here that defines its function, one declaration
// below, and one line in registry.cpp.
#pragma once

#include <functional>
#include <vector>

#include "net/graph.hpp"

namespace neph::net {

/// The usual sizes of a network over sequences.
struct SequenceSizes {
  std::int64_t layers = 0, seq = 0, width = 0;
};

/// How one network is built, with the picture and the number of classes it is known for.
struct Recipe {
  std::string name;
  std::string title;
  std::int64_t classes = 0;
  std::int64_t side = 0;
  std::int64_t channels = 3;
  /// Adds all layers after `picture`; gives the logits [1, classes].
  std::function<Value(Graph& graph, const Value& picture, std::int64_t classes)> layers;
  /// Of a network over sequences, in place of side, channels and layers.
  std::optional<SequenceSizes> sequence;
  /// Adds the input and all layers; no size is 0.
  std::function<Value(Graph& graph, const BuildOptions& sizes)> whole;
};

std::vector<Recipe> resnets();            // resnet.cpp
std::vector<Recipe> small_cnns();         // small_cnn.cpp
std::vector<Recipe> early_cnns();         // early_cnn.cpp
std::vector<Recipe> mobilenets();         // mobilenet.cpp
std::vector<Recipe> inceptions();         // inception.cpp
std::vector<Recipe> inception_resnets();  // inception_resnet.cpp
std::vector<Recipe> speech_networks();    // deepspeech.cpp
std::vector<Recipe> profet_cnns();        // profet_cnn.cpp
std::vector<Recipe> profet_resnets();     // profet_resnet.cpp

}  // namespace neph::net
