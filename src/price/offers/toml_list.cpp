#include "price/offers/toml_list.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "core/toml.hpp"
#include "price/offers/dates.hpp"
#include "price/offers/list_reader.hpp"
#include "price/offers/providers.hpp"

namespace neph::price {
namespace {

/// The line of the text at which each [[offer]] begins.
std::vector<std::int64_t> lines_of_offers(std::string_view text) {
  std::vector<std::int64_t> lines;
  for (std::int64_t line = 1; !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto begin = text.substr(0, end).find_first_not_of(" \t");
    if (begin != std::string_view::npos && text.substr(begin).starts_with("[[offer]]")) lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// A price as it stands: "100RUB/h", "0.40", or TOML's number, whose shortest decimal is what was written.
Result<Price> price_of(const Json& price, const std::string& currency) {
  return parse_price_or_number(price.is_string() ? price.get<std::string>() : dump_json(price), currency);
}

std::string or_else(const std::string& one, const std::string& other) { return one.empty() ? other : one; }

std::optional<double> if_said(double value) { return value > 0 ? std::optional(value) : std::nullopt; }

Offer offer_of(const OwnOffer& own, const OwnList& list, const ListSource& source) {
  Offer offer;
  offer.provider =
      provider_name(or_else(own.provider, or_else(list.provider, or_else(source.provider, "own"))));
  offer.instance = own.instance;
  offer.region = own.region;
  offer.zone = own.zone;
  offer.vcpus = if_said(own.vcpus);
  offer.memory_gib = if_said(own.memory_gib);
  offer.gpu = own.gpu;
  offer.gpus = own.gpu.empty() ? 0 : std::max<std::int64_t>(own.gpus, 1);
  offer.gpu_memory_gib = if_said(own.gpu_memory_gib);
  offer.arch = own.arch;
  offer.currency = or_else(own.currency, list.currency);
  offer.rule = or_else(own.rule, list.rule);
  offer.date = or_else(own.date, or_else(list.date, source.date));
  offer.catalogue = source.file;
  return offer;
}

/// What is wrong with a price; nothing: it can be used.
std::optional<Flaw> flaw_of(const Result<Price>& price) {
  if (!price) return Flaw::bad_price;
  if (price->per_hour < 0) return Flaw::negative_price;
  return price->per_hour == 0 ? std::optional(Flaw::zero_price) : std::nullopt;
}

class Taker {
 public:
  Taker(Catalogue& catalogue, const OwnList& list) : catalogue_(catalogue), list_(list) {}

  void take(const OwnOffer& own, std::int64_t line) {
    ++catalogue_.rows;
    line_ = line;
    auto offer = offer_of(own, list_, catalogue_.source);
    offer.line = line;
    if (own.instance.empty()) return find(Flaw::no_name, "[[offer]] without instance");
    if (own.gpu.empty() && own.gpus > 0)
      find(Flaw::gpu_half_said, fmt::format("{}: {} without a name", own.instance, own.gpus));
    if (own.price.is_null() && own.spot_price.is_null()) return find(Flaw::no_price, own.instance);
    if (!own.date.empty()) take_date(own.date, offer);
    if (!take_currency(offer)) return;
    is_currency_said_ = !own.currency.empty();
    if (!take_price(own.price, offer, offer.per_hour)) return;
    if (!take_price(own.spot_price, offer, offer.spot_per_hour)) return;
    if (offer.gpus > 0 && !has_right_count(offer)) return;
    catalogue_.offers.push_back(std::move(offer));
  }

 private:
  bool take_currency(Offer& offer) {
    auto code = parse_currency(offer.currency);
    if (!code) find(Flaw::bad_currency, fmt::format("{}: '{}'", offer.instance, offer.currency));
    if (code) offer.currency = std::move(*code);
    return code.has_value();
  }

  void take_date(const std::string& date, Offer& offer) {
    if (is_date(date)) return;
    find(Flaw::bad_date, fmt::format("{}: '{}'", offer.instance, date));
    offer.date = or_else(list_.date, catalogue_.source.date);
  }

  bool take_price(const Json& said, Offer& offer, std::optional<Exact>& price) {
    if (said.is_null()) return true;
    auto read = price_of(said, offer.currency);
    if (const auto flaw = flaw_of(read)) {
      find(*flaw, fmt::format("{}: {}", offer.instance, dump_json(said)));
      return false;
    }
    const bool has_other = offer.per_hour.has_value();
    if ((has_other || is_currency_said_) && read->currency != offer.currency) {
      find(Flaw::currency_contradiction,
           fmt::format("{}: {} {} and one price in {}", offer.instance,
                       has_other ? "one price in" : "currency", offer.currency, read->currency));
      return false;
    }
    offer.currency = read->currency;
    price = std::move(read->per_hour);
    return true;
  }

  bool has_right_count(const Offer& offer) {
    std::vector<Finding> findings;
    check_gpus(offer, findings);
    bool is_right = true;
    for (auto& finding : findings) {
      is_right &= !kind_of(finding.flaw).leaves_out;
      find(finding.flaw, std::move(finding.what));
    }
    return is_right;
  }

  void find(Flaw flaw, std::string what) {
    catalogue_.findings.push_back({.flaw = flaw, .line = line_, .what = std::move(what)});
  }

  Catalogue& catalogue_;
  const OwnList& list_;
  std::int64_t line_ = 0;
  bool is_currency_said_ = false;  ///< by the offer itself
};

}  // namespace

Status read_toml_list(std::string_view text, Catalogue& catalogue) {
  catalogue.format = ListFormat::toml;
  NEPH_TRY(const auto json, parse_toml(text, "line"));
  NEPH_TRY(auto list, from_json<OwnList>(json, ""));
  if (list.offer.empty())
    return fail(ErrorCode::invalid_argument, "it has no [[offer]] with an instance and a price");
  if (!list.date.empty() && !is_date(list.date)) {
    catalogue.findings.push_back(
        {.flaw = Flaw::bad_date, .line = 0, .what = fmt::format("'{}'", printable(list.date))});
    list.date.clear();
  }
  const auto lines = lines_of_offers(text);
  Taker taker(catalogue, list);
  for (std::size_t i = 0; i < list.offer.size(); ++i)
    taker.take(list.offer[i], i < lines.size() ? lines[i] : 0);
  if (!list.source.empty()) catalogue.notes.push_back("source: " + list.source);
  return {};
}

}  // namespace neph::price
