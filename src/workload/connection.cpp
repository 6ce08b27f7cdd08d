#include "workload/connection.hpp"

#include "core/text.hpp"
#include "os/file.hpp"

namespace neph::workload {

Result<wire::ClientOptions> client_options(const Credentials& credentials, const Connection& connection) {
  wire::ClientOptions options{
      .tls = {.ca = credentials.ca, .certificate = credentials.certificate, .key = credentials.key},
      .channels = connection.channels};
  if (credentials.token_file.empty()) return options;
  NEPH_TRY(const auto token, read_file(credentials.token_file));
  options.bearer_token = trimmed(token);
  return options;
}

}  // namespace neph::workload
