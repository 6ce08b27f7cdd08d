#include "report/report.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/results.hpp"
#include "cli/store_option.hpp"
#include "cli/verbs.hpp"
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
};

template <class Visit, Describes<ReportOptions> Self>
void describe(Visit&& v, Self& s) {
  v("experiment", s.experiment, "number of the experiment (neph runs); 0: the newest", at_least(0));
  v("store", s.store, store_help);
  v("out", s.out, "file to write");
  v("latency_limit", s.latency_limit, asked_again_help, between(0, 1e5));
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
};

template <class Visit, Describes<ExportOptions> Self>
void describe(Visit&& v, Self& s) {
  v("experiment", s.experiment, "number of the experiment (neph runs); 0: the newest", at_least(0));
  v("format", s.format, "csv: a row per configuration; json: all but raw series; markdown: tables to read");
  v("store", s.store, store_help);
  v("out", s.out, "file to write; empty: stdout");
  v("latency_limit", s.latency_limit, asked_again_help, between(0, 1e5));
}

template <class Options>
Result<report::Document> document_of(const Options& options) {
  NEPH_TRY(const auto store, store::Store::open(options.store, store::Access::read));
  NEPH_TRY(auto document, load_document(store, options.experiment, store::Detail::full));
  if (options.latency_limit.value > 0) document.experiment.latency_limit_s = options.latency_limit.value;
  return document;
}

Status write_report(const ReportOptions& options) {
  NEPH_TRY(const auto document, document_of(options));
  NEPH_CHECK(write_file(options.out, report::html(document)));
  fmt::print("{}\n", options.out);
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
  fmt::print("{}", text);
  return {};
}

}  // namespace

void declare_report(Command& command) {
  auto options = std::make_shared<ReportOptions>();
  command.fields(*options, "experiment");
  command.action([options] { return write_report(*options); });
}

void declare_export(Command& command) {
  auto options = std::make_shared<ExportOptions>();
  command.fields(*options, "experiment");
  command.action([options] { return write_export(*options); });
}

}  // namespace neph::cli
