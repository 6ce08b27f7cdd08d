#include "price/region.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/text.hpp"

namespace neph::price {
namespace {

constexpr std::string_view eu = "eu", us = "us", ca = "ca", sa = "sa", asia = "asia", au = "au", me = "me",
                           africa = "africa", ru = "ru";

struct Word {
  std::string_view word, part;
};

/// Whole words of a region's name, between what is no letter.
constexpr std::array words{
    Word{"eu", eu},         Word{"eur", eu},    Word{"europe", eu}, Word{"us", us},    Word{"usa", us},
    Word{"ca", ca},         Word{"can", ca},    Word{"sa", sa},     Word{"mx", sa},    Word{"br", sa},
    Word{"asia", asia},     Word{"ap", asia},   Word{"as", asia},   Word{"sea", asia}, Word{"cn", asia},
    Word{"jp", asia},       Word{"kr", asia},   Word{"tw", asia},   Word{"sg", asia},  Word{"hk", asia},
    Word{"in", asia},       Word{"th", asia},   Word{"vn", asia},   Word{"id", asia},  Word{"my", asia},
    Word{"kz", asia},       Word{"au", au},     Word{"nz", au},     Word{"oc", au},    Word{"me", me},
    Word{"il", me},         Word{"ae", me},     Word{"qa", me},     Word{"tr", me},    Word{"af", africa},
    Word{"africa", africa}, Word{"za", africa}, Word{"ru", ru},     Word{"at", eu},    Word{"be", eu},
    Word{"bg", eu},         Word{"ch", eu},     Word{"cz", eu},     Word{"de", eu},    Word{"dk", eu},
    Word{"ee", eu},         Word{"es", eu},     Word{"fi", eu},     Word{"fin", eu},   Word{"fr", eu},
    Word{"gb", eu},         Word{"gr", eu},     Word{"hr", eu},     Word{"hu", eu},    Word{"ie", eu},
    Word{"is", eu},         Word{"it", eu},     Word{"lt", eu},     Word{"lu", eu},    Word{"lv", eu},
    Word{"nl", eu},         Word{"no", eu},     Word{"pl", eu},     Word{"pt", eu},    Word{"ro", eu},
    Word{"rs", eu},         Word{"se", eu},     Word{"si", eu},     Word{"sk", eu},    Word{"ua", eu},
    Word{"uk", eu},         Word{"ice", eu}};

/// Parts of words that are written together, as Azure's are. The first that is found counts.
constexpr std::array within{Word{"southafrica", africa}, Word{"africa", africa},  Word{"southamerica", sa},
                            Word{"brazil", sa},          Word{"chile", sa},       Word{"mexico", sa},
                            Word{"northamerica", ca},    Word{"canada", ca},      Word{"russia", ru},
                            Word{"australia", au},       Word{"newzealand", au},  Word{"asia", asia},
                            Word{"japan", asia},         Word{"korea", asia},     Word{"india", asia},
                            Word{"china", asia},         Word{"singapore", asia}, Word{"taiwan", asia},
                            Word{"indonesia", asia},     Word{"malaysia", asia},  Word{"hongkong", asia},
                            Word{"israel", me},          Word{"qatar", me},       Word{"uae", me},
                            Word{"saudi", me},           Word{"europe", eu},      Word{"france", eu},
                            Word{"germany", eu},         Word{"sweden", eu},      Word{"norway", eu},
                            Word{"switzerland", eu},     Word{"poland", eu},      Word{"italy", eu},
                            Word{"spain", eu},           Word{"austria", eu},     Word{"belgium", eu},
                            Word{"denmark", eu},         Word{"finland", eu},     Word{"greece", eu},
                            Word{"uksouth", eu},         Word{"ukwest", eu},      Word{"eastus", us},
                            Word{"westus", us},          Word{"centralus", us},   Word{"usgov", us}};

/// Regions of Amazon whose first word says less than people mean.
constexpr std::array australian{"ap-southeast-2", "ap-southeast-4", "ap-southeast-6", "ap-sydney-1",
                                "ap-melbourne-1"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || static_cast<unsigned char>(c) >= 0x80; }

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> found;
  while (!text.empty()) {
    const auto begin = std::ranges::find_if(text, is_letter);
    text.remove_prefix(static_cast<std::size_t>(begin - text.begin()));
    const auto end = std::ranges::find_if_not(text, is_letter);
    const auto length = static_cast<std::size_t>(end - text.begin());
    if (length > 0) found.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return found;
}

bool is_continent(std::string_view word) {
  constexpr std::array<std::string_view, 11> continents{"eu", "eur", "europe", "sa",     "asia", "ap",
                                                        "as", "oc",  "af",     "africa", "me"};
  return std::ranges::find(continents, word) != continents.end();
}

/// Of "Russia, RU, EU" the country first, then the continent, which would put Russia into Europe, then the
/// rest; of "Delaware, US" what is last first.
std::vector<std::string_view> ordered_words(std::string_view name) {
  std::vector<std::string_view> places;
  for (auto rest = name;;) {
    const auto comma = rest.find(',');
    places.insert(places.begin(), rest.substr(0, comma));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (places.size() > 2 && is_continent(trimmed(places[0]))) std::swap(places[0], places[1]);
  std::vector<std::string_view> all;
  for (const auto place : places) std::ranges::copy(words_of(place), std::back_inserter(all));
  return all;
}

std::string_view part_of(std::string_view name) {
  if (std::ranges::find(australian, name) != australian.end()) return au;
  if (name.starts_with("northamerica-south")) return sa;  // Google's in Mexico
  for (const auto part : ordered_words(name))
    if (const auto found = std::ranges::find(words, part, &Word::word); found != words.end())
      return found->part;
  for (const auto& [word, part] : within)
    if (name.find(word) != std::string_view::npos) return part;
  return {};
}

/// The country that a name gives, as its first word or behind commas: of "US-DE-1", "it-fr2" and "DE, US" not
/// the state or province. Empty: none that is known.
std::string_view country_of(std::string_view name) {
  for (const auto word : ordered_words(name))
    if (std::ranges::find(words, word, &Word::word) != words.end() && !is_continent(word)) return word;
  return {};
}

/// What a whole query for a part of the world may be; empty: it is none.
std::string_view asked_part(std::string_view asked) {
  constexpr std::array names{Word{"eu", eu},   Word{"europe", eu},       Word{"us", us},
                             Word{"usa", us},  Word{"ca", ca},           Word{"canada", ca},
                             Word{"sa", sa},   Word{"southamerica", sa}, Word{"asia", asia},
                             Word{"ap", asia}, Word{"au", au},           Word{"australia", au},
                             Word{"me", me},   Word{"af", africa},       Word{"africa", africa},
                             Word{"ru", ru},   Word{"russia", ru}};
  const auto found = std::ranges::find(names, asked, &Word::word);
  return found == names.end() ? std::string_view() : found->part;
}

bool begins_with(std::string_view name, std::string_view asked) {
  if (asked.empty() || !name.starts_with(asked)) return false;
  if (name.size() == asked.size()) return true;
  const char next = name[asked.size()];
  const bool goes_on = is_digit(next) && is_digit(asked.back());  // us-east-1 is not us-east-11
  return !is_letter(next) && !goes_on;
}

bool is_named(const Offer& offer, std::string_view asked) {
  return same_words(offer.region, asked) || same_words(offer.zone, asked);
}

}  // namespace

std::string_view part_of_world(std::string_view region) { return part_of(lowered(region)); }

bool is_part_of_world(std::string_view asked) { return !asked_part(lowered(asked)).empty(); }

bool is_in_region(std::string_view asked, std::string_view region, std::string_view zone) {
  const auto wanted = lowered(asked);
  const auto name = lowered(region);
  if (wanted == name || (!zone.empty() && wanted == lowered(zone))) return true;
  if (const auto part = asked_part(wanted); !part.empty()) return part_of(name) == part;
  constexpr std::size_t letters_of_country = 2;
  if (const auto country = country_of(name); wanted.size() == letters_of_country && !country.empty())
    return wanted == country;
  if (begins_with(name, wanted) || begins_with(lowered(zone), wanted)) return true;
  const auto parts = words_of(name);
  return std::ranges::find(parts, std::string_view(wanted)) != parts.end();
}

AskedRegion::AskedRegion(std::string_view asked, std::span<const Offer> offers) : asked_(asked) {
  if (asked.empty() || is_part_of_world(asked)) return;
  for (const auto& offer : offers)
    if (is_named(offer, asked)) exact_.insert(offer.provider);
}

bool AskedRegion::has(const Offer& offer) const {
  if (asked_.empty()) return true;
  return exact_.contains(offer.provider) ? is_named(offer, asked_)
                                         : is_in_region(asked_, offer.region, offer.zone);
}

}  // namespace neph::price
