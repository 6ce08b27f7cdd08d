// A machine that is known by its name alone.
#include <charconv>

#include "core/text.hpp"
#include "script/script.hpp"

namespace neph::script {
namespace {

tl::unexpected<Error> no_offer(std::string_view name, std::string_view reason) {
  return fail(ErrorCode::invalid_argument,
              "--offer '{}': {}; give it as gcp/n1-standard-8+v100:1@us-central1", name, reason);
}

/// What stands behind the last `sign`, taken off the text; empty: there is none.
std::string_view cut_off(std::string_view& text, char sign) {
  const auto at = text.rfind(sign);
  if (at == std::string_view::npos) return {};
  const auto cut = text.substr(at + 1);
  text = text.substr(0, at);
  return cut;
}

}  // namespace

Result<price::Offer> offer_of_name(std::string_view name) {
  if (has_control_character(name)) return no_offer(name, "it has a control character in it");
  const auto slash = name.find('/');
  if (slash == std::string_view::npos || slash == 0) return no_offer(name, "it names no provider");
  price::Offer offer{.provider = price::provider_name(lowered(name.substr(0, slash)))};
  auto rest = name.substr(slash + 1);
  offer.region = cut_off(rest, '@');
  const auto gpu = cut_off(rest, '+');
  offer.instance = rest;
  offer.arch = price::arch_of_machine(offer.provider, offer.instance, gpu.substr(0, gpu.find(':')));
  if (gpu.empty()) return offer;
  const auto colon = gpu.find(':');
  offer.gpu = gpu.substr(0, colon);
  offer.gpus = 1;
  if (colon != std::string_view::npos) {
    const auto count = gpu.substr(colon + 1);
    const auto* end = count.data() + count.size();
    const auto read = std::from_chars(count.data(), end, offer.gpus);
    if (read.ec != std::errc{} || read.ptr != end || offer.gpus < 1 || offer.gpus > 64)
      return no_offer(name, fmt::format("'{}' is no number of GPUs", count));
  }
  if (offer.gpu.empty()) return no_offer(name, "it names no GPU behind the +");
  return offer;
}

}  // namespace neph::script
