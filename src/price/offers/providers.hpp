// Providers of machines, as catalogues and paths name them. Only for files of this module; others include
// price/price.hpp.
#pragma once

#include <string>
#include <string_view>

namespace neph::price {

/// In small letters, and one name for each: "lambdalabs" is "lambda".
std::string provider_name(std::string_view name);

/// Whether a catalogue of SkyPilot or gpuhunt has it, or a rule that is built in bills it.
bool is_known_provider(std::string_view name);

/// Whether it lets single GPUs of other people's machines, in any number.
bool lets_any_count(std::string_view provider);

/// Of ".../v8/aws/vms.csv" and ".../aws.csv"; empty: the path does not say.
std::string provider_of_path(std::string_view path);

}  // namespace neph::price
