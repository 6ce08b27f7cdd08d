// What TensorFlow's status says, as an Error.
#pragma once

#include <string>
#include <string_view>

#include "core/result.hpp"
#include "engine/tensorflow/library.hpp"

namespace neph::engine::tensorflow_plugin {

/// "WHAT: MESSAGE" in one line, with what may help for known causes.
Error explain(std::string_view what, Code code, std::string_view message);

/// The status of calls of the API; made once, used again.
class CallStatus {
 public:
  explicit CallStatus(const Api& api) : api_(&api), status_(api.NewStatus(), api.DeleteStatus) {}
  TF_Status* get() const { return status_.get(); }
  /// Of the last call. Cost: nothing when it went well.
  Status check(std::string_view what) const {
    const auto code = api_->GetCode(get());
    return code == 0 ? Status() : tl::unexpected(explain(what, code, api_->Message(get())));
  }

 private:
  const Api* api_;
  Owned<TF_Status> status_;
};

}  // namespace neph::engine::tensorflow_plugin
