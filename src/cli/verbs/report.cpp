#include "report/report.hpp"

#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/results.hpp"
#include "cli/store_option.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "host/host.hpp"
#include "os/file.hpp"

namespace neph::cli {
namespace {

constexpr std::string_view asked_again_help =
    "limit on p95 of a batch's latency, in place of the one that infer was given; 0s: that one";

struct ReportOptions {
  std::int64_t experiment = 0;
  std::string store{default_store};
  std::string out = "neph-report.html";
  Seconds latency_limit{0};
  std::vector<std::string> telemetry;
  MoneyOptions money;
};

template <class Visit, Describes<ReportOptions> Self>
void describe(Visit&& v, Self& s) {
  v("experiment", s.experiment, "number of the experiment (neph runs); 0: the newest", at_least(0));
  v("store", s.store, store_help);
  v("out", s.out, "file to write");
  v("latency_limit", s.latency_limit, asked_again_help, between(0, 1e5));
  v("telemetry", s.telemetry,
    "CSV file of dstat or dool to show, beside the experiment where there is a store; may be given several "
    "times");
  describe(v, s.money);
}

enum class ExportFormat { csv, json, markdown };
constexpr auto enum_names(ExportFormat) {
  return std::array{Named{ExportFormat::csv, "csv"}, Named{ExportFormat::json, "json"},
                    Named{ExportFormat::markdown, "markdown"}};
}

struct ExportOptions {
  std::int64_t experiment = 0;
  ExportFormat format = ExportFormat::csv;
  std::string store{default_store};
  std::string out;
  Seconds latency_limit{0};
  MoneyOptions money;
};

template <class Visit, Describes<ExportOptions> Self>
void describe(Visit&& v, Self& s) {
  v("experiment", s.experiment, "number of the experiment (neph runs); 0: the newest", at_least(0));
  v("format", s.format, "csv: a row per configuration; json: all but raw series; markdown: tables to read");
  v("store", s.store, store_help);
  v("out", s.out, "file to write; empty: stdout");
  v("latency_limit", s.latency_limit, asked_again_help, between(0, 1e5));
  describe(v, s.money);
}

template <class Options>
Result<report::Document> document_of(const Options& options) {
  NEPH_TRY(const auto store, store::Store::open(options.store, store::Access::read));
  NEPH_TRY(auto document, load_document(store, options.experiment, store::Detail::full, options.money));
  if (options.latency_limit.value > 0) document.experiment.latency_limit_s = options.latency_limit.value;
  return document;
}

Result<std::vector<Recording>> recordings_in(const std::vector<std::string>& files) {
  std::vector<Recording> recordings;
  for (const auto& file : files) {
    NEPH_TRY(const auto text, read_file(file));
    NEPH_TRY(auto read, host::read_dstat(text, file));
    std::move(read.begin(), read.end(), std::back_inserter(recordings));
  }
  return recordings;
}

/// Of recordings alone, where no experiment is meant: neither asked for, nor is there the store.
Result<std::string> page_of(const ReportOptions& options, bool is_experiment_asked) {
  NEPH_TRY(const auto recordings, recordings_in(options.telemetry));
  std::error_code error;
  if (!recordings.empty() && !is_experiment_asked && !std::filesystem::exists(options.store, error))
    return report::html(recordings);
  NEPH_TRY(const auto document, document_of(options));
  if (!recordings.empty())
    talk("the telemetry stands beside experiment {} of {}\n", document.experiment.id, options.store);
  return report::html(document, recordings);
}

Status write_report(const ReportOptions& options, bool is_experiment_asked) {
  std::error_code error;  // what cannot be looked at is told when it is read
  for (const auto& file : options.telemetry)
    if (std::filesystem::equivalent(file, options.out, error))
      return fail(ErrorCode::invalid_argument, "--out {}: that file is read and would be lost; name another",
                  options.out);
  NEPH_TRY(const auto page, page_of(options, is_experiment_asked));
  NEPH_CHECK(write_file(options.out, page));
  print_lines("{}\n", options.out);
  return {};
}

std::string rendered(const report::Document& document, ExportFormat format) {
  switch (format) {
    case ExportFormat::csv:
      return report::csv(document);
    case ExportFormat::json:
      return dump_json(report::json(document), true) + "\n";
    case ExportFormat::markdown:
      return report::markdown(document);
  }
  return {};
}

Status write_export(const ExportOptions& options) {
  NEPH_TRY(const auto document, document_of(options));
  const auto text = rendered(document, options.format);
  if (!options.out.empty()) return write_file(options.out, text);
  print_data(text);
  return {};
}

}  // namespace

void declare_report(Command& command) {
  auto options = std::make_shared<ReportOptions>();
  command.fields(*options, "experiment");
  command.footer(
      "  neph report --telemetry training.csv    # of dstat -tcmdrn --output training.csv; needs no store");
  command.action([options, is_store_asked = command.asked("store")] {
    return write_report(*options, options->experiment > 0 || is_store_asked());
  });
}

void declare_export(Command& command) {
  auto options = std::make_shared<ExportOptions>();
  command.fields(*options, "experiment");
  command.action([options] { return write_export(*options); });
}

}  // namespace neph::cli
