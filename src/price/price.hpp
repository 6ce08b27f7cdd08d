// Prices, rules and bills: what time on a machine costs by each provider's way of counting it.
//
// What it does not do: measure, choose, or know what a workload is. Money is exact: no floating point,
// rounded once, half up, to six decimals.
//
// Threads: pure functions of values; built_in_rules() is made once. Cost: a bill takes microseconds.
#pragma once

#include "price/around.hpp"
#include "price/bill.hpp"
#include "price/hire.hpp"
#include "price/ledger.hpp"
#include "price/moment.hpp"
#include "price/money.hpp"
#include "price/offer.hpp"
#include "price/offer_table.hpp"
#include "price/offers/catalogue.hpp"
#include "price/offers/dates.hpp"
#include "price/offers/lint.hpp"
#include "price/offers/machine_names.hpp"
#include "price/offers/providers.hpp"
#include "price/rate.hpp"
#include "price/region.hpp"
#include "price/rule.hpp"
#include "price/selection.hpp"
#include "price/work.hpp"
