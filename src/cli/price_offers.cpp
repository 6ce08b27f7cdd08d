#include "cli/price_offers.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <set>

#include <sys/stat.h>

#include "core/lists.hpp"
#include "core/names.hpp"
#include "core/units.hpp"
#include "os/file.hpp"

namespace neph::cli {
namespace {

namespace fs = std::filesystem;

constexpr int deepest = 6;  ///< folders within a folder

std::string day_text(std::time_t time) {
  std::tm day{};
  ::gmtime_r(&time, &day);
  return fmt::format("{:04}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

/// 8 of "v8", the folder of a version of SkyPilot's catalogues; 0: it is none.
int version_of(const fs::path& folder) {
  const auto name = folder.filename().string();
  int version = 0;
  const auto* end = name.data() + name.size();
  if (!name.starts_with('v') || std::from_chars(name.data() + 1, end, version).ptr != end) return 0;
  return version;
}

/// The newest version in SkyPilot's folder of catalogues, which has nothing else; else the folder itself.
fs::path newest_version(const fs::path& folder) {
  fs::path newest = folder;
  int most = 0;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().starts_with('.')) continue;
    const int version = entry.is_directory(error) ? version_of(entry.path()) : 0;
    if (version == 0) return folder;
    if (version > most) newest = entry.path();
    most = std::max(most, version);
  }
  return newest;
}

/// SkyPilot keeps tables beside its price lists that have no prices.
bool may_be_price_list(const fs::path& file) {
  constexpr std::array others{"images.csv", "accelerators.csv", "metadata.csv",
                              "accelerator_quota_mapping.csv", "instance_quota_mapping.csv"};
  const auto kind = file.extension();
  return (kind == ".csv" || kind == ".toml") &&
         std::ranges::find(others, file.filename().string()) == others.end();
}

Result<std::vector<std::string>> files_below(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator entries(newest_version(folder), error), end;
  for (; !error && entries != end; entries.increment(error)) {
    if (entries.depth() >= deepest) entries.disable_recursion_pending();
    if (entries->is_regular_file(error) && may_be_price_list(entries->path()))
      files.push_back(entries->path().string());
  }
  if (error)
    return tl::unexpected(system_error(fmt::format("cannot read {}", folder.string()), error.value()));
  if (files.empty())
    return fail(ErrorCode::not_found, "{}: there is no price list in it (.csv or .toml)", folder.string());
  std::ranges::sort(files);
  return files;
}

/// SkyPilot's catalogues of this user; empty: there are none.
std::string sky_catalogs() {
  const char* home = std::getenv("HOME");
  if (home == nullptr || *home == '\0') return {};
  const auto folder = fs::path(home) / ".sky" / "catalogs";
  std::error_code error;
  return fs::is_directory(folder, error) && files_below(folder) ? folder.string() : "";
}

/// "a.csv,b.csv", unless there is a file of that very name.
std::vector<std::string> split_names(const std::string& text) {
  std::error_code error;
  if (fs::exists(text, error)) return {text};
  const auto names = split_at(text, ',');
  return {names.begin(), names.end()};
}

bool is_folder(const std::string& name) {
  std::error_code error;
  return fs::is_directory(name, error);
}

/// The rule of each provider is looked for once.
void assign_rules(std::vector<price::Offer>& offers, const std::vector<price::Rule>& rules) {
  std::string provider;
  bool goes_by_names = false;        // of machines
  std::array<std::string, 2> names;  // without and with a GPU
  for (auto& offer : offers) {
    if (!offer.rule.empty()) continue;
    if (offer.provider != provider) {
      provider = offer.provider;
      goes_by_names = std::ranges::any_of(rules, [&](const price::Rule& rule) {
        return !rule.bills_instances.empty() && std::ranges::find(rule.bills, provider) != rule.bills.end();
      });
      for (auto& name : names) name = "?";
    }
    auto& name = names[offer.gpus > 0 ? 1 : 0];
    if (goes_by_names || name == "?") {
      const auto* rule = price::rule_for(offer, rules);
      name = rule == nullptr ? "" : rule->name;
    }
    offer.rule = name;
  }
}

void take_list(OfferLists& all, price::Catalogue list) {
  list.source.date = price::dates_of(list);
  if (all.offers.empty()) {
    all.offers = std::move(list.offers);
  } else {
    std::ranges::move(list.offers, std::back_inserter(all.offers));
  }
  list.offers.clear();
  all.lists.push_back(std::move(list));
}

Status keep_provider(std::vector<price::Offer>& offers, const std::string& provider) {
  std::set<std::string> known;
  for (const auto& offer : offers) known.insert(offer.provider);
  std::erase_if(offers, [&](const price::Offer& offer) { return offer.provider != provider; });
  if (!offers.empty()) return {};
  return unknown_name(ErrorCode::not_found, "provider", provider, {known.begin(), known.end()}, "the offers");
}

tl::unexpected<Error> no_prices(const OfferLists& all) {
  const auto& first = all.lists.front();
  const auto more = all.lists.size() > 1 ? fmt::format(" and {} more", all.lists.size() - 1) : "";
  return fail(ErrorCode::invalid_argument,
              "{}{}: no price that can be used in {} ({}); neph price lint tells of each row",
              first.source.file, more, counted(first.rows, "row"), price::left_out_text(first.findings));
}

}  // namespace

std::string today() { return day_text(std::time(nullptr)); }

Result<std::vector<std::string>> price_files(const std::vector<std::string>& named) {
  std::vector<std::string> files;
  for (const auto& text : named)
    for (const auto& name : split_names(text)) {
      if (!is_folder(name)) {
        files.push_back(name);
        continue;
      }
      NEPH_TRY(auto below, files_below(name));
      std::ranges::move(below, std::back_inserter(files));
    }
  return files;
}

Result<price::Catalogue> read_catalogue(const std::string& file, const std::string& provider, bool is_alone) {
  NEPH_TRY(const auto text, read_file(file));
  struct stat info {};
  const auto date = ::stat(file.c_str(), &info) == 0 ? day_text(info.st_mtim.tv_sec) : today();
  std::error_code error;
  const auto path = fs::absolute(file, error).string();  // its folders say whose prices they are
  const bool is_correction = is_alone && price::is_known_provider(price::provider_name(provider));
  const auto of_path = price::provider_of_path(path);
  auto known = is_correction || of_path.empty() ? provider : of_path;
  const bool is_of_path = !of_path.empty() && price::provider_name(known) == of_path;
  return price::parse_catalogue(
      text, {.file = file, .provider = std::move(known), .date = date, .is_of_path = is_of_path});
}

Result<OfferLists> load_offers(const OfferFiles& files, const std::vector<price::Rule>& rules) {
  OfferLists all;
  auto named = files.offers;
  if (named.empty())
    if (auto catalogs = sky_catalogs(); !catalogs.empty()) named.push_back(std::move(catalogs));
  if (named.empty()) {
    take_list(all, price::example_catalogue());
    all.notes.emplace_back("a few example prices of 2026, not a price list: --offers FILE names yours");
  }
  NEPH_TRY(const auto paths, price_files(named));
  const bool is_of_folder = std::ranges::any_of(named, is_folder);
  for (const auto& path : paths) {
    auto list = read_catalogue(path, files.provider, paths.size() == 1 && !is_of_folder);
    if (!list && is_of_folder && list.error().code == ErrorCode::invalid_argument) {
      all.notes.push_back("left out " + list.error().text());
      continue;
    }
    if (!list) return tl::unexpected(std::move(list).error());
    take_list(all, std::move(*list));
  }
  if (all.lists.empty()) return fail(ErrorCode::invalid_argument, "no price list: {}", all.notes.front());
  if (all.offers.empty()) return no_prices(all);
  if (!files.provider.empty()) NEPH_CHECK(keep_provider(all.offers, price::provider_name(files.provider)));
  assign_rules(all.offers, rules);
  return all;
}

Result<std::vector<price::Rule>> price_rules(const std::string& file) {
  auto rules = price::built_in_rules();
  if (file.empty()) return rules;
  NEPH_TRY(const auto text, read_file(file));
  NEPH_TRY(auto own, price::parse_rule(text, file));
  std::erase_if(rules, [&](const price::Rule& rule) { return rule.name == own.name; });
  rules.insert(rules.begin(), std::move(own));
  return rules;
}

}  // namespace neph::cli
