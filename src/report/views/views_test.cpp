#include "record/views.hpp"

#include <gtest/gtest.h>

#include "report/sample_document_test.hpp"
#include "report/views/view.hpp"

namespace neph::report {
namespace {

TEST(Views, EachWorkloadHasOneOfItsOwn) {
  for (const auto& view : views) {
    auto document = sample_document();
    document.experiment.workload = view.workload;
    EXPECT_EQ(report_view(document).of.workload, view.workload);
  }
}

}  // namespace
}  // namespace neph::report
