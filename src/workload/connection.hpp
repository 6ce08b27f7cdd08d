// How the client of a workload reaches a server, and how long it waits for one: the same fields of every
// workload that asks one.
#pragma once

#include <cstdint>
#include <string>

#include "core/describe.hpp"
#include "core/seconds.hpp"
#include "wire/wire.hpp"

namespace neph::workload {

/// What a server that is there demands of those who ask it.
struct Credentials {
  std::string ca;
  std::string certificate;
  std::string key;
  std::string token_file;
};

template <class Visit, Describes<Credentials> Self>
void describe(Visit&& v, Self& s) {
  v("ca", s.ca, "file (PEM) of the CA that a server's certificate must come from; empty: the system's");
  v("certificate", s.certificate, "file (PEM) of a certificate for a server that demands one");
  v("key", s.key, "file (PEM) of that certificate's private key");
  v("token_file", s.token_file, "file with the bearer token that a server demands");
}

struct Connection {
  std::int64_t channels = 1;
  Seconds request_timeout{60};
};

template <class Visit, Describes<Connection> Self>
void describe(Visit&& v, Self& s) {
  v("channels", s.channels, "gRPC connections that the requests of a thread share", between(1, 256));
  v("request_timeout", s.request_timeout, "a request without an answer for so long has failed; 0s: never",
    between(0, 1e5) | once_called("patience", "deadline"));
}

/// Errors: those of reading the token's file.
Result<wire::ClientOptions> client_options(const Credentials& credentials, const Connection& connection);

}  // namespace neph::workload
