// config.pbtxt, by which a repository written for Triton says how a model is served. Only for files of this
// module.
//
// Read are name, platform, backend, max_batch_size, input and output, dynamic_batching, instance_group,
// version_policy, default_model_filename. Of the rest what would change answers is refused, and what would
// not is told in `notes`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "serve/declared.hpp"
#include "serve/options.hpp"

namespace neph::serve {

struct TritonConfig {
  enum class Versions { latest, specific, all };

  std::vector<std::string> engines;    ///< that may run it, the first that can be had; empty: any
  std::vector<std::int64_t> versions;  ///< where `policy` is specific
  Versions policy = Versions::latest;
  std::string model_file;                ///< of a version's folder; empty: whatever lies there
  std::vector<std::string> label_files;  ///< per output, beside config.pbtxt; empty: none
  std::vector<std::string> notes;        ///< what has no effect here
};

/// Sets in `options` what `text` says of them, `options.declared` too. `what` names the file, `name` the
/// model's folder. Errors: invalid_argument (no such form, a value that makes no sense, another model's
/// name), unsupported (a platform, or what would change answers).
Result<TritonConfig> read_triton_config(std::string_view text, const std::string& what,
                                        const std::string& name, ModelOptions& options);

}  // namespace neph::serve
