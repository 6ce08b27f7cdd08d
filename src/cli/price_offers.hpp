// The offers that a command works with: price lists from files and folders, read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "price/price.hpp"

namespace neph::cli {

/// The options by which every verb finds its offers.
struct OfferFiles {
  std::vector<std::string> offers;
  std::string provider;
};

template <class Visit, Describes<OfferFiles> Self>
void describe(Visit&& v, Self& s) {
  v("offers", s.offers,
    "price list (SkyPilot, gpuhunt, CSV or TOML of your own), or a folder of them; may be given several "
    "times; none: "
    "~/.sky/catalogs, else a few examples");
  v("provider", s.provider,
    "only this provider's offers, as aws; a list that is named alone, or of which nothing says whose it is, "
    "is "
    "its");
}

struct OfferLists {
  std::vector<price::Offer> offers;     ///< of all lists, each with its rule where one bills its provider
  std::vector<price::Catalogue> lists;  ///< without their offers; the date is that of those
  std::vector<std::string> notes;       ///< what else people must be told
};

/// Errors: not_found (no such file, a folder without price lists); those of price::parse_catalogue();
/// invalid_argument (no row has a price that can be used).
Result<OfferLists> load_offers(const OfferFiles& files, const std::vector<price::Rule>& rules);

/// The files that are meant: those that are named, and of a folder all that may be price lists.
Result<std::vector<std::string>> price_files(const std::vector<std::string>& named);

/// The file's own date stands in for one that it lacks. `provider` says whose prices they are where the path
/// does not; of a file that was named alone it goes before the path.
Result<price::Catalogue> read_catalogue(const std::string& file, const std::string& provider, bool is_alone);

/// "2026-11-25", UTC.
std::string today();

inline constexpr std::string_view price_rules_help =
    "TOML file with a billing rule of your own; it goes before one of the same name";

/// `file` may be empty. Errors: of reading it.
Result<std::vector<price::Rule>> price_rules(const std::string& file);

}  // namespace neph::cli
