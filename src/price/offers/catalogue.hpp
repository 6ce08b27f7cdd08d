// Price lists of others and of the user, as offers: SkyPilot's catalogues, gpuhunt's, CSV of one's own,
// prices of one's own cluster, TOML. Their headings say which it is. Only for files of this module; others
// include price/price.hpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/describe.hpp"
#include "core/result.hpp"
#include "price/offer.hpp"
#include "price/offers/flaws.hpp"

namespace neph::price {

enum class ListFormat {
  skypilot,  ///< vms.csv
  gpuhunt,
  slurm,  ///< SkyPilot's pricing.csv of one's own clusters
  csv,    ///< of one's own
  gpus,   ///< SkyPilot's table of GPUs, metadata.csv: it has no prices, and is linted only
  toml    ///< of one's own
};
constexpr auto enum_names(ListFormat) {
  return std::array{Named{ListFormat::skypilot, "skypilot"}, Named{ListFormat::gpuhunt, "gpuhunt"},
                    Named{ListFormat::slurm, "slurm"},       Named{ListFormat::csv, "csv"},
                    Named{ListFormat::gpus, "gpus"},         Named{ListFormat::toml, "toml"}};
}

/// What is known of a list beside its text.
struct ListSource {
  std::string file;      ///< what messages call it
  std::string provider;  ///< of rows that name none; empty: the path tells, or nothing does
  std::string date;      ///< of rows that have none: when the file was changed
  /// Whether the path names the provider, who lets and bills all of a SkyPilot list: its column names whose
  /// machines they are.
  bool is_of_path = false;
};

struct Catalogue {
  ListSource source;
  ListFormat format{};
  std::int64_t rows = 0;
  std::vector<Offer> offers;      ///< without those that were left out
  std::vector<Finding> findings;  ///< of single rows; lint_catalogue() adds those of rows beside each other
  std::vector<std::string> notes;
};

/// Rows that make no offer are left out and found. Errors: corrupt (no text, empty, cut short, a quote that
/// is never closed, no rows), invalid_argument (headings of no known list, no provider, a value of TOML).
Result<Catalogue> parse_catalogue(std::string_view text, ListSource source);

/// Of lists that programs collect (SkyPilot's and gpuhunt's) leaves out offers whose price is far below any
/// that was seen, and those of several GPUs for no more than the same machine costs with fewer; a spot price
/// beside a good one is taken as not known. plausible.cpp.
void leave_out_implausible(Catalogue& catalogue);

/// examples/prices.csv: a few real prices of 2026, for those who have no catalogue yet.
Catalogue example_catalogue();

/// "2026-11-20", or "2026-11-01 to 2026-11-20" where the offers have several dates; empty: they have none.
std::string dates_of(const Catalogue& catalogue);

/// How many rows were left out, and why: "rows without a price: 2, prices of 0: 1"; empty: none.
std::string left_out_text(const std::vector<Finding>& findings);

}  // namespace neph::price
