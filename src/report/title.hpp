// What a report is called.
#pragma once

#include <string>

#include "report/report.hpp"

namespace neph::report {

/// "resnet50.onnx: inference, 10 configurations, 50 runs".
std::string title(const Document& document);

/// The model's name without its folder; empty when the model is one of the factors.
std::string model_name(const Experiment& experiment);

}  // namespace neph::report
