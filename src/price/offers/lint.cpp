#include "price/offers/lint.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "core/json.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "price/offers/dates.hpp"
#include "price/offers/providers.hpp"
#include "price/region.hpp"

namespace neph::price {
namespace {

constexpr std::int64_t old_days = 30;
constexpr double far_off = 3;                          ///< times the median, or a third of it
constexpr std::size_t fewest_regions = 3;              ///< whose median says something
constexpr double most_vcpus = 4096, most_gib = 65536;  ///< twice the largest machine that is let, u7inh-32tb

/// Providers whose regions are all over the world.
constexpr std::array worldwide{"aws", "azure", "gcp", "ibm", "lambda", "oci"};

class Linter {
 public:
  Linter(const Catalogue& catalogue, const std::vector<Rule>& rules, std::string_view today)
      : catalogue_(catalogue), rules_(rules), today_(today), findings_(catalogue.findings) {}

  std::vector<Finding> run() {
    check_providers();
    check_age();
    check_regions();
    check_currencies();
    for (const auto& offer : catalogue_.offers) check_row(offer);
    check_prices();
    std::ranges::stable_sort(findings_, {}, &Finding::line);
    return std::move(findings_);
  }

 private:
  void find(Flaw flaw, std::int64_t line, std::string what) {
    findings_.push_back({.flaw = flaw, .line = line, .what = std::move(what)});
  }

  void check_providers() {
    std::set<std::string_view> providers;
    for (const auto& offer : catalogue_.offers) providers.insert(offer.provider);
    for (const auto provider : providers) {
      const bool has_rule = std::ranges::any_of(rules_, [&](const Rule& rule) {
        return std::ranges::find(rule.bills, provider) != rule.bills.end();
      });
      if (has_rule || provider == "own") continue;  // offers of one's own name their rules
      find(is_known_provider(provider) ? Flaw::no_rule : Flaw::unknown_provider, 0, printable(provider));
    }
  }

  void check_age() {
    std::set<std::string_view> dates;
    for (const auto& offer : catalogue_.offers) dates.insert(offer.date);
    for (const auto day : dates) {
      if (const auto age = days_between(day, today_); age && *age > old_days)
        find(Flaw::stale, 0, fmt::format("of {}, {} ago", printable(day), counted(*age, "day")));
      if (is_date(day) && day.substr(0, today_.size()) > today_.substr(0, day.size()))
        find(Flaw::future_date, 0, fmt::format("of {}, and today is {}", printable(day), today_));
    }
  }

  void check_regions() {
    if (catalogue_.offers.empty()) return;
    const auto& provider = catalogue_.offers.front().provider;
    if (std::ranges::find(worldwide, provider) == worldwide.end()) return;
    std::string_view last;  // mostly the next row's too
    for (const auto& offer : catalogue_.offers) {
      if (offer.region == last) continue;
      last = offer.region;
      if (part_of_world(last) != "us") return;
    }
    find(Flaw::us_only, 0, fmt::format("{} has others", provider));
  }

  void check_currencies() {
    std::set<std::string_view> currencies;
    for (const auto& offer : catalogue_.offers) currencies.insert(offer.currency);
    if (currencies.size() < 2) return;
    std::string all;
    for (const auto currency : currencies)
      all += fmt::format("{}{}", all.empty() ? "" : ", ", printable(currency));
    find(Flaw::several_currencies, 0, all);
  }

  void check_row(const Offer& offer) {
    if (!offer.rule.empty() && !find_rule(offer.rule, rules_))
      find(Flaw::unknown_rule, offer.line, printable(offer.rule));
    const bool has_size = offer.vcpus && *offer.vcpus > 0 && offer.memory_gib && *offer.memory_gib > 0;
    if (!has_size && !offer.gpu.starts_with("tpu"))
      find(Flaw::no_size, offer.line, printable(offer_name(offer)));
    if (offer.vcpus.value_or(0) > most_vcpus || offer.memory_gib.value_or(0) > most_gib)
      find(Flaw::size_odd, offer.line,
           fmt::format("{}: {:.10g} vCPUs, {:.10g} GiB", printable(offer_name(offer)),
                       offer.vcpus.value_or(0), offer.memory_gib.value_or(0)));
    if (offer.region.empty() && offer.provider != "own" && !offer.unit_prices)
      find(Flaw::no_region, offer.line, printable(offer_name(offer)));
  }

  /// The same machine's prices beside each other.
  void check_prices() {
    std::unordered_map<std::string, std::vector<const Offer*>> machines;
    machines.reserve(catalogue_.offers.size() / 8);
    std::string key;
    for (const auto& offer : catalogue_.offers) {
      if (!offer.per_hour || offer.unit_prices) continue;
      key.clear();
      for (const auto* text : {&offer.provider, &offer.instance, &offer.gpu})
        key.append(*text).push_back('\n');
      key += static_cast<char>('0' + offer.gpus % 64);
      machines[key].push_back(&offer);
    }
    for (const auto& [name, offers] : machines) {
      if (offers.size() < 2) continue;
      check_same_place(offers);
      check_outliers(offers);
    }
  }

  void check_same_place(const std::vector<const Offer*>& offers) {
    std::unordered_map<std::string, const Offer*> places;
    for (const auto* offer : offers) {
      const auto [known, is_new] = places.try_emplace(offer->region + '\n' + offer->zone, offer);
      if (is_new || *known->second->per_hour == *offer->per_hour) continue;
      find(Flaw::other_price, offer->line,
           fmt::format("{}: {}, and {} in line {}", printable(offer_name(*offer)),
                       decimal_text(*offer->per_hour), decimal_text(*known->second->per_hour),
                       known->second->line));
    }
  }

  void check_outliers(const std::vector<const Offer*>& offers) {
    std::map<std::string_view, double> regions;  // one price of each
    for (const auto* offer : offers) regions.try_emplace(offer->region, approximate(*offer->per_hour));
    if (regions.size() < fewest_regions) return;
    std::vector<double> prices;
    for (const auto& [region, price] : regions) prices.push_back(price);
    const auto middle = prices.begin() + static_cast<std::ptrdiff_t>(prices.size() / 2);
    std::ranges::nth_element(prices, middle);
    for (const auto* offer : offers) {
      const double price = approximate(*offer->per_hour);
      if (price <= far_off * *middle && price * far_off >= *middle) continue;
      find(Flaw::price_outlier, offer->line,
           fmt::format("{}: {}, and the median of {} is {:.6g}", printable(offer_name(*offer)),
                       decimal_text(*offer->per_hour), counted(std::ssize(regions), "region"), *middle));
    }
  }

  const Catalogue& catalogue_;
  const std::vector<Rule>& rules_;
  std::string_view today_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> lint_catalogue(const Catalogue& catalogue, const std::vector<Rule>& rules,
                                    std::string_view today) {
  return Linter(catalogue, rules, today).run();
}

}  // namespace neph::price
