// A graph that TensorFlow has read, and sessions of it.
#pragma once

#include <memory>
#include <vector>

#include "engine/tensorflow/failure.hpp"
#include "engine/tensorflow/library.hpp"
#include "engine/tensorflow/model_file.hpp"

namespace neph::engine::tensorflow_plugin {

using SharedGraph = std::shared_ptr<TF_Graph>;
using SharedSession = std::shared_ptr<TF_Session>;

struct ThreadCounts {
  std::int64_t intra_op;  ///< that share the work of one operation
  std::int64_t inter_op;  ///< that run operations side by side
};

/// Errors: corrupt, unsupported (operators), with TensorFlow's reason.
Result<SharedGraph> import_graph(const Api& api, std::string_view graph_def);
/// The ports of tensors of a graph, as its shape inference knows them. Errors: unsupported (elements).
Result<Ends> ends_in(const Api& api, TF_Graph* graph, const std::vector<std::string>& tensors);
/// All outputs of these operations, as names of tensors.
std::vector<std::string> tensors_of(const Api& api, TF_Graph* graph,
                                    const std::vector<std::string>& operations);

/// The session keeps the graph. Errors: unsupported, unavailable (memory).
Result<SharedSession> open_session(const Api& api, const SharedGraph& graph, const ThreadCounts& threads);
/// Reads graph and variables of the folder into `graph`, which must be empty.
Result<SharedSession> open_saved_model(const Api& api, const SharedGraph& graph, const std::string& folder,
                                       const std::vector<std::string>& tags, const ThreadCounts& threads);

/// Where the ports' tensors are in the graph. Errors: corrupt (it has none of that name and type).
Result<std::vector<TF_Output>> find_tensors(const Api& api, TF_Graph* graph, const Ends& ends);

SharedGraph make_graph(const Api& api);

}  // namespace neph::engine::tensorflow_plugin
