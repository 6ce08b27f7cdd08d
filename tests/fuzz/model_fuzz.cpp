// Any bytes as a model's file: a model that answers, or an error, never a crash.
#include <cstdlib>
#include <string_view>

#include "predict/predict.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace neph::predict;
  const auto model = read_model({reinterpret_cast<const char*>(data), size}, "input");
  if (!model) {
    if (model.error().message.empty()) std::abort();
    return 0;
  }
  static const auto query = *neph::table::parse_table("x,k\n1,a\n9,b\n", "query");
  static_cast<void>(model->predict(query));
  if (const auto neighbours = Neighbours::of(*model, query, 2, 1))
    for (const auto point : neighbours->nearest(0)) static_cast<void>(neighbours->differences(0, point));
  return 0;
}
