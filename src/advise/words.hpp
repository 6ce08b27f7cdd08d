// Times, money and limits as sentences have them. Only for files of this module.
#pragma once

#include <string>

#include "advise/advise.hpp"

namespace neph::advise {

/// "3 min 20 s".
std::string words_for_time(double seconds);
std::string words_for_amount(const price::Exact& amount, const std::string& currency);
/// What a job costs; "2.88 USD per 1,000 trainings" where it is less than a cent.
std::string words_for_job(const price::Exact& amount, const Request& request);
/// "2 h 10 min" as an option takes it, rounded up: "2h10min".
std::string option_time(double seconds);
/// "4.21USD", rounded up.
std::string option_amount(const price::Exact& amount, const std::string& currency);
/// "within 2 h for at most 10 USD"; empty: no limit.
std::string words_for_limits(const Request& request);
/// "81 %"; "above 99.9 %" where the draws cannot tell it from certainty.
std::string words_for_chance(double share, std::int64_t simulations);
/// `a` beside `b`, which people call `other`: "40 % cheaper than 16", "3.1 times as dear as 16", "as dear as
/// 16"; without it "40 % cheaper", "3.1 times as dear", "as dear".
std::string words_for_ratio(double a, double b, const std::string& less, const std::string& more,
                            const std::string& other = {});

Amount amount_of(const price::Exact& amount, const std::string& currency);

}  // namespace neph::advise
