// The answer in words: what a reader who reads nothing else should take home.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace neph::report {

/// What a report is called: "resnet50.onnx: inference, 10 configurations, 50 runs".
std::string title(const Document& document);
/// The model's name without its folder; empty when the model is one of the factors.
std::string model_name(const Experiment& experiment);

/// A few sentences, most important first: the configuration to use and how sure that is, the next best, what
/// limits it, and what weakens these statements. Never empty.
std::vector<std::string> findings(const Document& document);

/// Those of them that count failures and warnings, which say nothing new beside a list of these.
std::vector<std::string> caveats(const Document& document);

/// Of configurations that compete: which to use, what limits it, what is wrong with it. Empty: none has a
/// result, or they do not compete.
std::vector<std::string> choice_findings(const Document& document);

/// The configuration that these speak of: the recommended one; where none keeps to the latency limit, the
/// nearest to it; nullptr when there is none.
const CellSummary* answer_configuration(const Document& document);

}  // namespace neph::report
