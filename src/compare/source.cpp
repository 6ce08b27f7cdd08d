// Which kind of file it is, by what it contains.
#include "compare/source.hpp"

#include <algorithm>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "compare/json_text.hpp"
#include "compare/readers.hpp"
#include "core/lists.hpp"
#include "core/text.hpp"
#include "os/file.hpp"
#include "record/columns.hpp"
#include "table/table.hpp"

namespace neph::compare {
namespace {

/// Results of a thousand runs are a few MiB; read, text takes several times its size.
constexpr std::size_t most_bytes = std::size_t{256} << 20;

tl::unexpected<Error> too_large(std::string_view name) {
  return fail(ErrorCode::unsupported, "{}: is larger than {} MiB; results need no raw samples", name,
              most_bytes >> 20);
}

tl::unexpected<Error> of_no_kind(std::string_view name) {
  return fail(
      ErrorCode::unsupported,
      "{}: is none of neph's JSON or CSV (neph export), perf_analyzer's CSV (-f), google-benchmark's JSON "
      "(--benchmark_out_format=json), hyperfine's JSON (--export-json)",
      name);
}

/// What writes such a file, for who must write it again.
std::string_view written_by(std::string_view kind) {
  if (kind == kind::results) return "neph export --format json";
  if (kind == kind::table) return "neph export --format csv";
  if (kind == kind::perf_analyzer) return "perf_analyzer -f FILE";
  if (kind == kind::google_benchmark) return "--benchmark_out=FILE --benchmark_out_format=json";
  return "hyperfine --export-json FILE";
}

/// Configurations are matched by label: two of one would be mixed up.
Status check_labels(const Source& source) {
  if (source.configurations.empty()) return fail(ErrorCode::corrupt, "{}: has no results", source.name);
  std::set<std::string_view> labels;
  for (const auto& configuration : source.configurations)
    if (!labels.insert(configuration.label).second)
      return fail(ErrorCode::corrupt, "{}: two configurations are called '{}'; give each a name of its own",
                  source.name, configuration.label);
  return {};
}

/// What others wrote is shown on terminals and pages, in lines.
void make_printable(Source& source) {
  for (auto& configuration : source.configurations) {
    configuration.label = printable(configuration.label);
    for (auto& [name, value] : configuration.facts) value = printable(value);
    for (auto* all : {&configuration.doubts, &configuration.failures})
      for (auto& each : *all) each = printable(each);
  }
}

Result<Source> checked(std::string_view kind, Result<Source> source) {
  if (source) make_printable(*source);
  if (source)
    if (auto status = check_labels(*source); !status) source = tl::unexpected(std::move(status).error());
  if (!source && source.error().hint.empty() && source.error().code == ErrorCode::corrupt)
    source.error().hint = fmt::format("write it again: {}", written_by(kind));
  return source;
}

Result<Source> source_of_json(std::string_view text, std::string name) {
  NEPH_TRY(const auto document, parse_json_of_others(text, name));
  const auto has = [&](const char* key) { return document.contains(key); };
  if (has("cells") && has("runs"))
    return checked(kind::results, source_of_results(document, std::move(name)));
  if (has("benchmarks"))
    return checked(kind::google_benchmark, source_of_google_benchmark(document, std::move(name)));
  if (has("results")) return checked(kind::hyperfine, source_of_hyperfine(document, std::move(name)));
  return of_no_kind(name);
}

/// Of the first line. Names of columns that tell a kind need no quotes.
std::vector<std::string> headings_of(std::string_view text) {
  std::vector<std::string> headings;
  for (const auto heading : split_at(text.substr(0, text.find('\n')), ',')) headings.emplace_back(heading);
  return headings;
}

Result<Source> source_of_csv(std::string_view text, std::string name) {
  const auto headings = headings_of(text);
  if (headings.size() > 1 && headings[1] == "Inferences/Second")
    return checked(kind::perf_analyzer, source_of_perf_analyzer(text, std::move(name)));
  if (!column::results_in_export(headings).empty())
    return checked(kind::table, source_of_table(text, std::move(name)));
  return of_no_kind(name);
}

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

bool is_utf16(std::string_view text) { return text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"); }

}  // namespace

Result<Source> parse_source(std::string_view text, std::string name) {
  if (text.size() > most_bytes) return too_large(name);
  if (is_utf16(text))
    return fail(ErrorCode::unsupported,
                "{}: is UTF-16; write it as UTF-8 (PowerShell: Out-File -Encoding utf8)", name);
  text = without_byte_order_mark(text);
  const auto content = trimmed(text);
  if (content.empty())
    return fail(ErrorCode::corrupt, "{}: is empty; did what should have written it end well?", name);
  return content.front() == '{' ? source_of_json(text, std::move(name))
                                : source_of_csv(content, std::move(name));
}

Result<Source> read_source(const std::filesystem::path& file) {
  if (table::is_store(file))
    return fail(ErrorCode::unsupported,
                "{}: is a store; name an experiment of it, or write one as JSON: neph export --format json",
                file.string());
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(file, unknown);
  if (!unknown && bytes > most_bytes) return too_large(file.string());
  NEPH_TRY(const auto text, read_file(file));
  return parse_source(text, file.string());
}

}  // namespace neph::compare
