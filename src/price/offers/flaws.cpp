#include "price/offers/flaws.hpp"

#include <algorithm>

namespace neph::price {
namespace {

constexpr auto error = Gravity::error, warning = Gravity::warning, note = Gravity::note;

constexpr std::array kinds{
    FlawKind{Flaw::bad_row, "bad-row", error, true, "rows with more or fewer cells than the heading",
             "mend the row; text with a separator in it stands in quotes"},
    FlawKind{Flaw::no_name, "no-name", error, true, "rows without a machine's name", "name the machine"},
    FlawKind{Flaw::no_price, "no-price", error, true, "rows without a price",
             "an empty price is not 0: take the price from the provider, or leave the row out"},
    FlawKind{Flaw::zero_price, "zero-price", error, true, "prices of 0",
             "nothing is rented for 0: give the price, or leave it out"},
    FlawKind{Flaw::negative_price, "negative-price", error, true, "prices below 0", "correct the sign"},
    FlawKind{Flaw::bad_price, "bad-price", error, true, "prices that are no number",
             "write a decimal number with a point: 0.73948"},
    FlawKind{Flaw::placeholder_price, "placeholder-price", error, true, "placeholders instead of prices",
             "the catalogue does not know this price; take it from the provider"},
    FlawKind{Flaw::bad_number, "bad-number", error, true, "cells that are no number",
             "write a decimal number with a point"},
    FlawKind{Flaw::gpu_count, "gpu-count", error, true, "numbers of GPUs that no machine has",
             "machines have 1, 2, 4, 8 or 16: correct the count; the price may be of another machine too"},
    FlawKind{Flaw::gpu_without_price, "gpu-without-price", error, true,
             "machines with GPUs whose price is not in the list for their zone",
             "the row has the machine's price without its GPUs; fetch a catalogue that has them"},
    FlawKind{Flaw::unfilled, "unfilled", note, true, "rows of SkyPilot's file that nobody has filled in",
             "give the prices of the cluster's parts"},
    FlawKind{Flaw::repeated, "repeated", warning, true, "rows that repeat another", "leave one"},
    FlawKind{
        Flaw::gpu_without_machine, "gpu-without-machine", warning, true,
        "GPUs that can be added to no machine of their zone",
        "its machines are missing, or listed without their GPU's price: look at them before you rent one"},
    FlawKind{Flaw::other_price, "other-price", warning, false, "machines that have another price too",
             "of the same machine and zone one price is wrong, or they differ in what no column says"},
    FlawKind{Flaw::other_gpu_price, "other-gpu-price", warning, true,
             "GPUs that have another price in their zone too", "of the same GPU and zone one price is wrong"},
    FlawKind{Flaw::price_outlier, "price-outlier", warning, false,
             "prices far from the same machine's in other regions", "compare with the provider's own page"},
    FlawKind{Flaw::spot_not_less, "spot-not-less", warning, false,
             "spot prices not below the price on demand",
             "such a spot price is mostly a copy: do not count on it"},
    FlawKind{Flaw::bad_spot_price, "bad-spot-price", warning, false, "spot prices that are none",
             "taken as not known; correct it or leave it empty"},
    FlawKind{Flaw::no_spot_price, "no-spot-price", note, false, "spot prices of 0, taken as not known",
             "an unknown price is left empty"},
    FlawKind{Flaw::gpu_missing, "gpu-missing", warning, false,
             "machines that are known for their GPUs, without one", "add the accelerator and its count"},
    FlawKind{Flaw::gpu_memory_unit, "gpu-memory-unit", warning, false, "GPU memory in GiB that is called MiB",
             "read as GiB here; multiply it by 1024"},
    FlawKind{Flaw::gpu_memory_of_all, "gpu-memory-of-all", warning, false,
             "GPU memory that is of all GPUs together", "divided by the count here; give that of each"},
    FlawKind{Flaw::gpu_memory_total, "gpu-memory-total", warning, false,
             "total GPU memory that is not count times each", "the total is not used here; correct it"},
    FlawKind{Flaw::gpu_memory_wrong, "gpu-memory-wrong", warning, false,
             "GPU memory that the GPU does not have", "compare with the data sheet"},
    FlawKind{Flaw::gpu_count_odd, "gpu-count-odd", note, false, "numbers of GPUs that are no power of two",
             "usual where single GPUs are let; else a slip"},
    FlawKind{Flaw::no_size, "no-size", note, false, "machines without vCPUs or memory",
             "a choice by size leaves them out"},
    FlawKind{Flaw::no_region, "no-region", note, false, "offers without a region",
             "a choice by region leaves them out"},
    FlawKind{Flaw::us_only, "us-only", warning, false, "regions of the United States only",
             "fetch the provider's other regions: prices there differ by half"},
    FlawKind{Flaw::stale, "stale", warning, false, "prices that are old", "fetch the catalogue again"},
    FlawKind{Flaw::unknown_provider, "unknown-provider", warning, false, "a provider that is not known",
             "billed per second as an assumption; --rules FILE with bills = [\"NAME\"] says how it bills"},
    FlawKind{Flaw::no_rule, "no-rule", note, false, "providers that no rule bills",
             "billed per second as an assumption; --rules FILE with bills = [\"NAME\"] says how it bills"},
    FlawKind{Flaw::unknown_rule, "unknown-rule", error, false, "rules that there are not",
             "neph price rules lists them; one of your own: --rules FILE"},
    FlawKind{Flaw::several_currencies, "several-currencies", warning, false, "several currencies in one list",
             "they are compared with --rate only: --rate EUR=1.08USD"},
    FlawKind{Flaw::no_currency, "no-currency", note, false, "prices without a currency, taken as USD",
             "add a column: currency"},
    FlawKind{Flaw::unfinished, "unfinished", note, false, "a last line that does not end",
             "make sure that the file was not cut short"},
};

}  // namespace

const FlawKind& kind_of(Flaw flaw) { return *std::ranges::find(kinds, flaw, &FlawKind::flaw); }

}  // namespace neph::price
