#include "load/load.hpp"

#include "cli/command.hpp"
#include "cli/conduct.hpp"
#include "cli/verbs.hpp"
#include "os/file.hpp"
#include "workload/workload.hpp"

namespace neph::cli {
namespace {

struct LoadOptions {
  Json fields = Json::object();
  PlanOptions plan{.repeat = 1};
  ConductOptions conduct;
  std::string perf_analyzer_csv;
  std::string mlperf_summary;
};

Status write_formats(const LoadOptions& options, const report::Document& document) {
  const auto tested = workload::tested_cells(document.cells);
  if (!options.perf_analyzer_csv.empty()) {
    NEPH_TRY(const auto csv, load::perf_analyzer_csv(tested));
    NEPH_CHECK(write_file(options.perf_analyzer_csv, csv));
  }
  if (!options.mlperf_summary.empty()) {
    NEPH_TRY(const auto summary, load::mlperf_summary(tested));
    NEPH_CHECK(write_file(options.mlperf_summary, summary));
  }
  return {};
}

}  // namespace

void declare_load(Command& command) {
  auto options = std::make_shared<LoadOptions>();
  command.factors<workload::LoadSpec>(options->fields, "url");
  command.fields(options->plan);
  command.option("perf-analyzer-csv", options->perf_analyzer_csv,
                 "also write the table that perf_analyzer -f does");
  command.option("mlperf-summary", options->mlperf_summary,
                 "also write a summary in MLPerf LoadGen's words; valid from --duration and --count on");
  declare_flags(command, options->conduct);
  command.footer(
      "Every option down to --telemetry-hz takes a list or range of values; each combination is a "
      "configuration.\n"
      "  neph load grpc://127.0.0.1:8001 --model resnet50 --clients 1,8,32\n"
      "  neph load grpc://127.0.0.1:8001 --model resnet50 --rate 10..200*2 --arrival poisson --duration 30s\n"
      "  neph load http://127.0.0.1:8000 --model resnet50 --find-max-rate --p99 50ms --duration 5s");
  command.action([options, is_repeat_asked = command.asked("repeat")]() -> Result<int> {
    NEPH_TRY(auto plan, make_plan("load", options->fields, options->plan));
    plan.is_repeat_asked = is_repeat_asked();
    if (!options->mlperf_summary.empty() && !options->fields.contains("scenario"))
      return fail(ErrorCode::invalid_argument,
                  "--mlperf-summary needs a --scenario: single-stream, multi-stream, server or offline");
    options->conduct.also = [&options = *options](const report::Document& document) {
      return write_formats(options, document);
    };
    return conduct_plan(std::move(plan), options->conduct);
  });
}

}  // namespace neph::cli
