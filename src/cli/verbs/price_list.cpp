#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/price_offers.hpp"
#include "cli/terminal.hpp"
#include "cli/verbs.hpp"
#include "core/names.hpp"
#include "core/units.hpp"
#include "device/device.hpp"

namespace neph::cli {
namespace {

struct ListOptions {
  price::OfferOrder sort = price::OfferOrder::price;
  std::int64_t limit = 20;
  std::vector<std::string> rate;
  std::string rules;
};

template <class Visit, Describes<ListOptions> Self>
void describe(Visit&& v, Self& s) {
  v("sort", s.sort, "what is first: the least price, or price per virtual CPU or GPU, ...");
  v("limit", s.limit, "offers shown; 0: all", at_least(0));
  v("rate", s.rate, price::rate_help);
  v("rules", s.rules, price_rules_help);
}

struct ListCommand {
  OfferFiles files;
  price::OfferChoice choice;
  ListOptions options;
  bool json = false;
};

/// Why nothing fits: a name that no offer has, else all that was asked for together.
tl::unexpected<Error> nothing_fits(const std::vector<price::Offer>& offers,
                                   const price::OfferChoice& choice) {
  std::set<std::string> gpus;
  bool is_in_region = choice.region.empty();
  for (const auto& offer : offers) {
    if (!offer.gpu.empty()) gpus.insert(offer.gpu);
    is_in_region |= price::is_in_region(choice.region, offer.region, offer.zone);
  }
  const auto gpu = choice.gpu.substr(0, choice.gpu.rfind(':'));
  const auto unknown = [](std::string_view kind, const std::string& name,
                          const std::set<std::string>& known) {
    return unknown_name(ErrorCode::not_found, kind, name, {known.begin(), known.end()}, "the offers");
  };
  const bool is_kind = gpu.empty() || gpu == "any" || gpu == "none";
  if (!is_kind && std::ranges::none_of(offers, [&](const auto& offer) {
        return device::is_meant(gpu, offer.gpu, offer.gpu_memory_gib);
      }))
    return unknown("GPU", gpu, gpus);
  if (!is_in_region)
    return fail(
        ErrorCode::not_found,
        "no offer is in region '{}'; give a region's name, a state with its country (us-tx), or eu, us, "
        "ca, sa, asia, au, me, africa, ru",
        choice.region);
  return fail(ErrorCode::not_found, "none of {} fits all that is asked for; ask for less",
              counted(std::ssize(offers), "offer"));
}

std::string lists_text(const OfferLists& all) {
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, all.lists.size()); ++i) {
    const auto& list = all.lists[i];
    const auto left_out = price::left_out_text(list.findings);
    text += fmt::format("{} ({}, prices of {}): {}{}{}\n", list.source.file, enum_name(list.format),
                        list.source.date, counted(list.rows, "row"),
                        left_out.empty() ? "" : "; left out: ", left_out);
    for (const auto& note : list.notes) text += fmt::format("  {}\n", note);
  }
  if (all.lists.size() > most) text += fmt::format("... and {} lists more\n", all.lists.size() - most);
  for (const auto& note : all.notes) text += fmt::format("{}\n", note);
  return text;
}

Json lists_json(const OfferLists& all) {
  Json lists = Json::array();
  for (const auto& list : all.lists) {
    std::map<std::string, std::int64_t> left_out;
    for (const auto& finding : list.findings)
      if (const auto& kind = price::kind_of(finding.flaw); kind.leaves_out)
        ++left_out[std::string(kind.code)];
    lists.push_back({{"file", list.source.file},
                     {"format", enum_name(list.format)},
                     {"date", list.source.date},
                     {"rows", list.rows},
                     {"left_out", left_out},
                     {"notes", list.notes}});
  }
  return lists;
}

struct Listing {
  std::size_t found = 0;  ///< of which `offers` are shown
  std::int64_t without_price = 0, without_place = 0;
  std::vector<price::Offer> offers;
  std::set<std::string> other_gpus{};
  std::string passed_over{};
};

void print_listing(const Listing& listing, const OfferLists& all, const ListCommand& command) {
  if (command.json) {
    Json offers = Json::array();
    for (const auto& offer : listing.offers) offers.push_back(price::offer_json(offer));
    const Json document{{"offers", std::move(offers)},
                        {"found", listing.found},
                        {"without_price", listing.without_price},
                        {"without_place", listing.without_place},
                        {"passed_over", listing.other_gpus},
                        {"lists", lists_json(all)},
                        {"notes", all.notes}};
    fmt::print("{}\n", dump_json(document, true));
    return;
  }
  const auto table = price::offers_text(listing.offers, terminal_width());
  fmt::print("{}\n", table);
  if (listing.offers.size() < listing.found)
    fmt::print("{} of {} shown; --limit 0 shows all.\n", listing.offers.size(),
               counted(static_cast<std::int64_t>(listing.found), "offer"));
  if (listing.without_price > 0)
    fmt::print("{} more: no price {}.\n", counted(listing.without_price, "offer"),
               command.choice.spot ? "as spot" : "on demand (--spot)");
  if (listing.without_place > 0)
    print_lines("{} more: the region's name does not say whether it is in {}.\n",
                counted(listing.without_place, "offer"), command.choice.region);
  if (!listing.passed_over.empty()) print_lines("{}\n", listing.passed_over);
  print_lines("{}", lists_text(all));
}

Status list_offers(const ListCommand& command) {
  NEPH_TRY(const auto rates, price::parse_rates(command.options.rate));
  NEPH_TRY(const auto rules, price_rules(command.options.rules));
  NEPH_TRY(auto all, load_offers(command.files, rules));
  NEPH_TRY(auto chosen, price::choose(all.offers, command.choice));
  if (chosen.offers.empty()) return nothing_fits(all.offers, command.choice);
  NEPH_CHECK(price::into_one_currency(chosen.offers, rates));
  price::merge_zones(chosen.offers);
  price::sort_offers(chosen.offers, command.options.sort, command.choice.spot);
  Listing listing{.found = chosen.offers.size(),
                  .without_price = chosen.without_price,
                  .without_place = chosen.without_place,
                  .offers = std::move(chosen.offers),
                  .passed_over = price::passed_over_text(chosen, command.choice)};
  listing.other_gpus = std::move(chosen.other_gpus);
  const auto limit = static_cast<std::size_t>(command.options.limit);
  if (limit > 0 && listing.found > limit) listing.offers.resize(limit);
  print_listing(listing, all, command);
  return {};
}

}  // namespace

void declare_price_list(Command& command) {
  auto list = std::make_shared<ListCommand>();
  command.fields(list->files, "offers");
  command.fields(list->choice);
  command.fields(list->options);
  command.flag("json", list->json, "as JSON on stdout");
  command.footer(
      "Examples:\n"
      "  neph price list --gpu V100 --region eu --cores 4..16\n"
      "  neph price list --offers ~/.sky/catalogs/v8 --cores 8 --gpu none --sort price-per-core\n"
      "  neph price list own.toml aws.csv --rate EUR=1.08USD\n"
      "A list of your own is CSV with the headings instance and price, or TOML:\n"
      "  provider = \"own\"\n"
      "  [[offer]]\n"
      "  instance = \"desk\"\n"
      "  price = \"0.12EUR/h\"   # or 0.12; also spot_price, currency, region, zone, vcpus, memory_gib, gpu, "
      "gpus,\n"
      "                        # gpu_memory_gib, arch, rule, date\n"
      "What is left out of lists and why: docs/method/prices.md.");
  command.action([list] { return list_offers(*list); });
}

}  // namespace neph::cli
