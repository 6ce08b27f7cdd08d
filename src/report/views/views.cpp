#include <array>

#include "report/views/view.hpp"

namespace neph::report {
extern const ReportView infer_view, load_view, train_view, command_view;

std::span<const ReportView* const> report_views() {
  static constexpr std::array all{&infer_view, &load_view, &train_view, &command_view};
  return all;
}

const ReportView& report_view(const Document& document) {
  for (const auto* view : report_views())
    if (view->of.workload == document.experiment.workload) return *view;
  return infer_view;
}

}  // namespace neph::report
