#include "price/offers/catalogue.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "core/text.hpp"
#include "core/units.hpp"
#include "price/offers/attached_gpus.hpp"
#include "price/offers/cluster.hpp"
#include "price/offers/headings.hpp"
#include "price/offers/list_reader.hpp"
#include "price/offers/machine_names.hpp"
#include "price/offers/providers.hpp"
#include "price/offers/rows.hpp"
#include "price/offers/toml_list.hpp"

// examples/prices.csv, put into the program by cmake/Embed.cmake.
extern const char neph_example_prices[], neph_example_prices_end[];

namespace neph::price {
namespace {

/// Begins as TOML does: a table, a comment, or "key = value".
bool is_toml(std::string_view text, std::string_view file) {
  if (file.ends_with(".toml")) return true;
  const auto line = trimmed(text.substr(0, text.find('\n')));
  const auto equals = line.find('=');
  return line.starts_with('[') || line.starts_with('#') ||
         (equals != std::string_view::npos && line.substr(0, equals).find(',') == std::string_view::npos);
}

/// By its mark, or by the halves of its first letters.
bool is_utf16(std::string_view text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return true;
  constexpr std::size_t enough = 8;
  if (text.size() < enough) return false;
  const auto is_zero = [&](std::size_t at) { return text[at] == '\0'; };
  return is_zero(1) != is_zero(0) && is_zero(1) == is_zero(3) && is_zero(1) == is_zero(5) &&
         is_zero(0) == is_zero(2) && is_zero(0) == is_zero(4);
}

Status check_text(std::string_view text) {
  if (trimmed(text).empty()) return fail(ErrorCode::corrupt, "it is empty");
  if (is_utf16(text))
    return fail(ErrorCode::corrupt,
                "it is saved as UTF-16; save it as UTF-8, or as CSV UTF-8 of a spreadsheet");
  if (text.find('\0') != std::string_view::npos)
    return fail(ErrorCode::corrupt, "it is no text: it has bytes of value 0; unpack it, if it is an archive");
  if (trimmed(text).starts_with('{') || trimmed(text).starts_with("[{"))
    return fail(ErrorCode::invalid_argument, "it is JSON; price lists are read as CSV or TOML");
  return {};
}

/// A file that was cut short ends within a row: told before all of it is read. Where quotes do not add up,
/// the reader of rows finds it.
Status check_end(std::string_view text, std::size_t width) {
  const auto last = text.rfind('\n');
  if (last == std::string_view::npos || last + 1 == text.size()) return {};
  const auto before = text.substr(0, last + 1);
  if (std::ranges::count(before, '"') % 2 != 0) return {};
  const auto row = text.substr(last + 1);
  const bool is_open = std::ranges::count(row, '"') % 2 != 0;
  Rows rows(row);
  rows.separate_by(Rows(text).separator());
  if (!is_open) NEPH_CHECK(rows.next());
  if (!is_open && rows.cells().size() >= width) return {};
  return fail(
      ErrorCode::corrupt, "line {} ends in the middle{}: the file is cut short; fetch it again",
      std::ranges::count(before, '\n') + 1,
      is_open ? "" : fmt::format(", after {} of {}", counted(std::ssize(rows.cells()), "cell"), width));
}

Status read_rows(Rows& rows, const Headings& headings, ListReader& reader, Catalogue& catalogue) {
  for (;;) {
    NEPH_TRY(const bool is_row, rows.next());
    if (!is_row) break;
    if (rows.cells().size() == headings.width()) {
      reader.take(rows.cells(), rows.line());
      continue;
    }
    ++catalogue.rows;
    reader.find(Flaw::bad_row, rows.line(),
                fmt::format("{}, and the heading has {}", counted(std::ssize(rows.cells()), "cell"),
                            headings.width()));
  }
  if (rows.is_unfinished() &&
      (catalogue.format == ListFormat::skypilot || catalogue.format == ListFormat::gpuhunt))
    reader.find(Flaw::unfinished, rows.line(), "a program would have ended it");
  if (catalogue.rows == 0) return fail(ErrorCode::corrupt, "it has a heading and no rows");
  return {};
}

Status read_csv(std::string_view text, Catalogue& catalogue) {
  constexpr std::size_t usual_row_bytes = 72;
  Rows rows(text);
  NEPH_TRY(const bool has_heading, rows.next());
  if (!has_heading) return fail(ErrorCode::corrupt, "it is empty");
  NEPH_TRY(const auto headings, Headings::read(rows.cells()));
  NEPH_CHECK(check_end(text, headings.width()));
  catalogue.format = headings.format();
  if (headings.format() == ListFormat::csv && catalogue.source.provider.empty())
    catalogue.source.provider = "own";
  ListReader reader(catalogue, headings, text.size() / usual_row_bytes);
  NEPH_CHECK(read_rows(rows, headings, reader, catalogue));
  if (headings.format() == ListFormat::slurm) catalogue.notes.emplace_back(usual_jobs_note);
  if (headings.format() == ListFormat::csv && !headings.has(Cell::currency) &&
      std::ranges::all_of(catalogue.offers, [](const Offer& offer) { return offer.currency == "USD"; }))
    reader.find(Flaw::no_currency, 0, "no column 'currency'");
  join_attached_gpus(catalogue);
  return {};
}

}  // namespace

Result<Catalogue> parse_catalogue(std::string_view text, ListSource source) {
  Catalogue catalogue;
  catalogue.source = std::move(source);
  auto& provider = catalogue.source.provider;
  if (provider.empty()) {
    provider = provider_of_path(catalogue.source.file);
    catalogue.source.is_of_path = !provider.empty();
  }
  provider = provider_name(provider);
  auto status = check_text(text);
  if (status)
    status =
        is_toml(text, catalogue.source.file) ? read_toml_list(text, catalogue) : read_csv(text, catalogue);
  if (!status) return fail_in(catalogue.source.file, status.error());
  for (auto& offer : catalogue.offers) {
    if (offer.provider.empty()) offer.provider = provider.empty() ? "unknown" : provider;
    offer.arch = offer.arch.empty() ? arch_of_machine(offer.provider, offer.instance, offer.gpu)
                                    : arch_name(offer.arch);
  }
  leave_out_implausible(catalogue);
  return catalogue;
}

Catalogue example_catalogue() {
  auto read = parse_catalogue({neph_example_prices, neph_example_prices_end},
                              {.file = "examples/prices.csv", .provider = {}, .date = {}});
  if (!read) throw std::logic_error(read.error().text());  // a test reads it
  return std::move(*read);
}

std::string dates_of(const Catalogue& catalogue) {
  if (catalogue.offers.empty()) return catalogue.source.date;
  const auto [first, last] = std::ranges::minmax_element(catalogue.offers, {}, &Offer::date);
  return printable(first->date == last->date ? first->date : first->date + " to " + last->date);
}

std::string left_out_text(const std::vector<Finding>& findings) {
  std::map<Flaw, std::int64_t> counts;
  for (const auto& finding : findings)
    if (kind_of(finding.flaw).leaves_out) ++counts[finding.flaw];
  std::string text;
  for (const auto& [flaw, count] : counts)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", kind_of(flaw).title, format_grouped(count));
  return text;
}

}  // namespace neph::price
