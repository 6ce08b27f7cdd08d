#include "price/offers/list_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/text.hpp"
#include "price/offers/cluster.hpp"
#include "price/offers/dates.hpp"
#include "price/offers/gpu_memory.hpp"
#include "price/offers/machine_names.hpp"
#include "price/offers/providers.hpp"

namespace neph::price {
namespace {

/// Of a TPU: above its dearest, so that whoever seeks the cheapest goes elsewhere first.
const Exact& placeholder() {
  static const Exact value = 700;
  return value;
}

bool is_true(std::string_view cell) { return same_words(cell, "true"); }
bool is_flag(std::string_view cell) { return is_true(cell) || same_words(cell, "false"); }

/// What a cell says, for a finding.
std::string shown(std::string_view cell) {
  constexpr std::size_t longest = 60;
  return cut_to_width(printable(cell), longest);
}

/// Whether a machine's name says the number of its GPUs: "l40s-48gb.12x", "n3-A4000x12".
bool is_in_name(std::int64_t gpus, std::string_view instance) {
  const auto number = std::to_string(gpus);
  for (auto at = instance.find(number); at != std::string_view::npos; at = instance.find(number, at + 1)) {
    const char before = at > 0 ? instance[at - 1] : ' ';
    const auto end = at + number.size();
    const char behind = end < instance.size() ? instance[end] : ' ';
    if ((before == 'x' && !is_digit(behind)) || (behind == 'x' && !is_digit(before))) return true;
  }
  return false;
}

std::string machine_of(const Offer& offer) {
  if (!offer.instance.empty()) return shown(offer.instance);
  return offer.gpu.empty() ? "a row" : fmt::format("{} x {}", offer.gpus, shown(offer.gpu));
}

}  // namespace

ListReader::ListReader(Catalogue& catalogue, const Headings& headings, std::size_t expected_rows)
    : catalogue_(catalogue), headings_(headings) {
  blank_.provider = catalogue.source.provider;
  blank_.catalogue = catalogue.source.file;
  blank_.date = catalogue.source.date;
  catalogue.offers.reserve(expected_rows);
  known_.reserve(expected_rows);
}

void ListReader::find(Flaw flaw, std::int64_t line, std::string what) {
  is_left_out_ |= kind_of(flaw).leaves_out;
  catalogue_.findings.push_back({.flaw = flaw, .line = line, .what = std::move(what)});
}

void ListReader::take(const std::vector<std::string_view>& cells, std::int64_t line) {
  ++catalogue_.rows;
  is_left_out_ = false;
  auto offer = offer_of(cells, line);
  if (headings_.format() == ListFormat::slurm) return take_cluster(std::move(offer), cells);
  if (headings_.format() == ListFormat::gpus) return check_gpu_of_table(offer.line, cells);
  read_gpu(offer, cells);
  const bool may_be_gpu = !offer.gpu.empty() && headings_.format() == ListFormat::skypilot;  // Google's
  if (offer.instance.empty() && !may_be_gpu) return find(Flaw::no_name, line, "no machine");
  const auto of_row = offer.currency;
  read_prices(offer, cells);
  const bool says_currency = !trimmed(headings_.of(Cell::currency, cells)).empty();
  if (says_currency && !is_left_out_ && offer.currency != of_row)
    find(Flaw::currency_contradiction, line,
         fmt::format("{}: the price is in {}, and the row says {}", machine_of(offer), offer.currency,
                     of_row));
  const bool is_spot_row = is_true(trimmed(headings_.of(Cell::spot, cells)));
  offer.gpu_is_attached = offer.gpus > 0 && offer.provider == "gcp" && offer.instance.starts_with("n1-");
  if (!is_left_out_) keep(std::move(offer), is_spot_row);
}

std::optional<double> ListReader::number(std::string_view cell, std::string_view what, std::int64_t line) {
  cell = trimmed(cell);
  if (cell.empty()) return std::nullopt;
  double value = 0;
  const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (read.ec == std::errc() && read.ptr == cell.data() + cell.size() && std::isfinite(value) && value >= 0)
    return value;
  find(Flaw::bad_number, line, fmt::format("{}: '{}'", what, shown(cell)));
  return std::nullopt;
}

Offer ListReader::offer_of(const std::vector<std::string_view>& cells, std::int64_t line) {
  const auto text = [&](Cell cell) { return trimmed(headings_.of(cell, cells)); };
  auto offer = blank_;
  offer.line = line;
  offer.instance = text(Cell::instance);
  const auto& source = catalogue_.source;
  const bool is_let_by_path =
      headings_.format() == ListFormat::skypilot && source.is_of_path && !source.provider.empty();
  if (const auto provider = text(Cell::provider); !provider.empty() && !is_let_by_path)
    offer.provider = provider_name(provider);
  if (offer.provider.empty()) {
    offer.provider = blank_.provider = provider_of_machine(offer.instance);
    if (!blank_.provider.empty()) {
      catalogue_.source.provider = blank_.provider;  // of the rows before, too
      catalogue_.notes.push_back(fmt::format(
          "taken as {}'s, by the names of its machines; --provider says otherwise", blank_.provider));
    }
  }
  offer.region = text(Cell::region);
  offer.zone = text(Cell::zone);
  offer.vcpus = number(text(Cell::vcpus), "vCPUs", line);
  offer.memory_gib = number(text(Cell::memory_gib), "memory", line);
  offer.arch = text(Cell::arch);
  offer.rule = text(Cell::rule);
  if (const auto date = text(Cell::date); !date.empty()) read_date(offer, date);
  if (const auto currency = text(Cell::currency); !currency.empty()) read_currency(offer, currency);
  return offer;
}

void ListReader::read_currency(Offer& offer, std::string_view currency) {
  if (auto code = parse_currency(currency))
    offer.currency = std::move(*code);
  else
    find(Flaw::bad_currency, offer.line, fmt::format("'{}'", shown(currency)));
}

void ListReader::read_date(Offer& offer, std::string_view date) {
  if (is_date(date))
    offer.date = date;
  else
    find(Flaw::bad_date, offer.line, fmt::format("'{}'", shown(date)));
}

void ListReader::read_gpu(Offer& offer, const std::vector<std::string_view>& cells) {
  offer.gpu = trimmed(headings_.of(Cell::gpu, cells));
  const auto count = number(headings_.of(Cell::gpus, cells), "number of GPUs", offer.line);
  if (offer.gpu.empty()) {
    if (count.value_or(0) > 0)
      find(Flaw::gpu_half_said, offer.line, fmt::format("{}: {} without a name", machine_of(offer), *count));
    if (!offer.instance.empty() && is_named_for_gpus(offer.provider, offer.instance))
      find(Flaw::gpu_missing, offer.line, machine_of(offer));
    return;
  }
  const double gpus = count.value_or(1);
  if (gpus > 0 && gpus < 1) offer.gpu_share = gpus;
  offer.gpus = static_cast<std::int64_t>(std::ceil(std::min(gpus, 1e6)));
  if (offer.gpus == 0) {
    find(Flaw::gpu_half_said, offer.line, fmt::format("{}: 0 x {}", machine_of(offer), shown(offer.gpu)));
    return offer.gpu.clear();
  }
  if (gpus > 1 && gpus != static_cast<double>(offer.gpus))
    return find(Flaw::bad_number, offer.line, fmt::format("number of GPUs: {}", gpus));
  std::vector<Finding> findings;
  check_gpus(offer, findings);
  auto memory = gpu_memory_of(headings_.of(Cell::gpu_info, cells), offer.gpu, offer.gpus, offer.provider);
  for (auto& finding : memory.flaws) findings.push_back(std::move(finding));
  offer.gpu_memory_gib =
      memory.gib ? memory.gib : number(headings_.of(Cell::gpu_memory_gib, cells), "GPU memory", offer.line);
  if (offer.gpu_memory_gib && offer.gpu_share == 1 && !may_have_memory(offer.gpu, *offer.gpu_memory_gib))
    findings.push_back(
        {.flaw = Flaw::gpu_memory_wrong,
         .what = fmt::format("{}: {:.4g} GiB, and {} has {}", machine_of(offer), *offer.gpu_memory_gib,
                             offer.gpu, memory_of_known_gpu(offer.gpu))});
  for (auto& finding : findings) find(finding.flaw, offer.line, std::move(finding.what));
}

void ListReader::read_prices(Offer& offer, const std::vector<std::string_view>& cells) {
  const auto line = offer.line;
  const auto cell = trimmed(headings_.of(Cell::price, cells));
  const auto spot = trimmed(headings_.of(Cell::spot, cells));
  auto read = parse_price_or_number(cell, offer.currency);
  if (read) offer.currency = read->currency;
  if (!is_flag(spot)) read_spot(spot, read.has_value(), offer);
  if (cell.empty()) {
    if (!offer.spot_per_hour) find(Flaw::no_price, line, machine_of(offer));
    return;
  }
  const auto wrong = [&](Flaw flaw) {
    find(flaw, line, fmt::format("{}: {}", machine_of(offer), shown(cell)));
  };
  if (!read) return wrong(cell.starts_with('-') ? Flaw::negative_price : Flaw::bad_price);
  auto* price = &read->per_hour;
  if (*price < 0) return wrong(Flaw::negative_price);
  if (*price == 0) return wrong(Flaw::zero_price);
  if (offer.spot_per_hour == *price && *price == placeholder() && offer.gpu.starts_with("tpu"))
    return wrong(Flaw::placeholder_price);
  if (is_true(spot)) {
    offer.spot_per_hour = std::move(*price);
    return;
  }
  if (offer.spot_per_hour && *offer.spot_per_hour >= *price)
    find(Flaw::spot_not_less, line,
         fmt::format("{}: spot {}, on demand {}", machine_of(offer), shown(spot), shown(cell)));
  offer.per_hour = std::move(*price);
}

void ListReader::read_spot(std::string_view cell, bool has_price, Offer& offer) {
  if (cell.empty()) return;
  auto price = parse_price_or_number(cell, offer.currency);
  if (!price || price->per_hour <= 0)
    return find(price && price->per_hour == 0 ? Flaw::no_spot_price : Flaw::bad_spot_price, offer.line,
                fmt::format("{}: {}", machine_of(offer), shown(cell)));
  if (has_price && price->currency != offer.currency)
    return find(
        Flaw::currency_contradiction, offer.line,
        fmt::format("{}: one price in {} and one in {}", machine_of(offer), offer.currency, price->currency));
  offer.currency = std::move(price->currency);
  offer.spot_per_hour = std::move(price->per_hour);
}

void ListReader::take_cluster(Offer offer, const std::vector<std::string_view>& cells) {
  offer.provider = cluster_provider;
  UnitPrices prices;
  prices.gpu_name = trimmed(headings_.of(Cell::gpu, cells));
  for (const auto& [cell, price] :
       {std::pair(Cell::vcpu_price, &prices.vcpu), std::pair(Cell::gib_price, &prices.gib),
        std::pair(Cell::gpu_price, &prices.gpu)}) {
    const auto text = trimmed(headings_.of(cell, cells));
    if (text.empty()) continue;
    const auto value = parse_decimal(text, "price");
    if (!value || *value < 0)
      return find(value ? Flaw::negative_price : Flaw::bad_price, offer.line, shown(text));
    *price = *value;
  }
  if (prices.vcpu == 0 && prices.gib == 0 && prices.gpu == 0)
    return find(Flaw::unfilled, offer.line, "no price of vCPU, memory or GPU");
  if (!prices.gpu_name.empty() && prices.gpu == 0)
    return find(Flaw::unfilled, offer.line, fmt::format("no price of {}", shown(prices.gpu_name)));
  offer.unit_prices = std::make_shared<const UnitPrices>(std::move(prices));
  auto jobs = usual_jobs(offer);
  std::erase_if(jobs, [](const Offer& job) { return job.per_hour == Exact(0); });
  if (jobs.empty())
    return find(Flaw::unfilled, offer.line, "a GPU's price, and neither its name nor other prices");
  for (auto& job : jobs) catalogue_.offers.push_back(std::move(job));
}

void ListReader::check_gpu_of_table(std::int64_t line, const std::vector<std::string_view>& cells) {
  const auto gpu = trimmed(headings_.of(Cell::gpu, cells));
  const auto memory = number(headings_.of(Cell::gpu_memory_gib, cells), "GPU memory", line);
  if (memory && !may_have_memory(gpu, *memory))
    find(Flaw::gpu_memory_wrong, line,
         fmt::format("{}: {} GB, and it has {}", printable(gpu), *memory, memory_of_known_gpu(gpu)));
}

/// All that tells offers apart but the price.
const std::string& ListReader::key_of(const Offer& offer) {
  key_.clear();
  for (const auto* text :
       {&offer.provider, &offer.instance, &offer.gpu, &offer.region, &offer.zone, &offer.arch})
    key_.append(*text).push_back('\n');
  key_ += static_cast<char>('0' + offer.gpus % 64);
  return key_;
}

void ListReader::keep(Offer offer, bool is_spot_row) {
  const auto [known, is_new] = known_.try_emplace(key_of(offer), catalogue_.offers.size());
  if (is_new) return catalogue_.offers.push_back(std::move(offer));
  auto& first = catalogue_.offers[known->second];
  if (is_spot_row && !first.spot_per_hour) {  // gpuhunt has a row for each
    first.spot_per_hour = std::move(offer.spot_per_hour);
    return;
  }
  const bool is_other_half = headings_.format() == ListFormat::gpuhunt && !is_spot_row && !first.per_hour;
  if (is_other_half) {
    first.per_hour = std::move(offer.per_hour);
    first.line = offer.line;
    return;
  }
  const bool is_same = is_spot_row
                           ? first.spot_per_hour == offer.spot_per_hour
                           : first.per_hour == offer.per_hour && (headings_.format() == ListFormat::gpuhunt ||
                                                                  first.spot_per_hour == offer.spot_per_hour);
  if (is_same)
    return find(Flaw::repeated, offer.line, fmt::format("{}, as line {}", machine_of(offer), first.line));
  known->second = catalogue_.offers.size();
  catalogue_.offers.push_back(std::move(offer));
}

void check_gpus(const Offer& offer, std::vector<Finding>& findings) {
  constexpr std::int64_t most = 16, also_built = 10;
  const bool is_power = (offer.gpus & (offer.gpus - 1)) == 0;
  if (is_power && offer.gpus <= most) return;
  const bool is_usual = (lets_any_count(offer.provider) && offer.gpus <= most) || offer.gpus == also_built ||
                        is_in_name(offer.gpus, offer.instance);
  const bool is_wrong = is_known_gpu(offer.gpu) && !is_usual;
  findings.push_back(
      {.flaw = is_wrong ? Flaw::gpu_count : Flaw::gpu_count_odd,
       .what = fmt::format("{}: {} x {}", machine_of(offer), offer.gpus, printable(offer.gpu))});
}

}  // namespace neph::price
