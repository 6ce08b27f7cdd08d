// How a configuration reaches its network: in the program itself, or behind a server over a protocol. And
// which configurations differ in nothing but what is compared.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.hpp"

namespace neph::report {

struct Way {
  std::string architecture;  ///< in-process, local, remote; empty: nothing is known of architectures
  std::string protocol;      ///< http, grpc; empty in-process
  std::string server;        ///< its address, where addresses are varied
  bool docker = false;       ///< the server runs in a container
  bool files = false;        ///< requests carry image files, which the server decodes
  bool independent = false;  ///< the load generator asks, and no application around a client
  bool operator==(const Way&) const = default;

  bool served() const { return architecture == "local" || architecture == "remote"; }
  /// "in-process", "local HTTP", "remote gRPC, JPEG files", "local HTTP, independent client"; empty for no
  /// architecture.
  std::string name() const;
  /// As part of a sentence: "in-process", "behind local gRPC".
  std::string in_sentence() const;
};

Way way_of(const CellSummary& cell, const Experiment& experiment);

/// All ways of the document's configurations in the order of the configurations, so that a way has one colour
/// in all charts. Empty where configurations have no architecture.
std::vector<Way> ways_of(const Document& document);

/// The fields that say which way it is: what is left of a configuration without them, ways have in common.
inline constexpr std::string_view way_fields[] = {"architecture", "protocol", "server",
                                                  "server_in",    "payload",  "client"};

/// Whether two configurations agree in all factors but those of `apart`. A factor that means nothing in one
/// of them (synchronous requests have no depth) does not part them; a server that decodes files has files on.
bool alike(const CellSummary& a, const CellSummary& b, const std::vector<std::string_view>& apart);

/// The varied values without those of the factors `without`, and with the way in words:
/// "local gRPC, batch 8, async". "all" where nothing is left.
std::string short_label(const CellSummary& cell, const Experiment& experiment,
                        const std::vector<std::string_view>& without = {});

/// Batches that are in flight at the same time; empty: not known, or as many as there are.
std::optional<double> in_flight(const CellSummary& cell, const Experiment& experiment);

}  // namespace neph::report
