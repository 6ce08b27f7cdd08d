// Classifiers of scikit-learn (skl2onnx, onnxmltools) end in ZipMap, which makes a map from class to score of
// each row: a form that no tensor has, made of a tensor that is all there is to know.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace neph::engine::onnxruntime_plugin {

struct WithoutZipMaps {
  std::string model;
  /// Of each, what the output of that name is now: "output 'probabilities': scores of ... in columns, ...".
  std::vector<std::string> notes;
};

/// The model with the scores in place of the maps: each ZipMap whose maps are an output hands its tensor on.
/// Nothing where there is none.
std::optional<WithoutZipMaps> without_zip_maps(std::string_view model);

}  // namespace neph::engine::onnxruntime_plugin
