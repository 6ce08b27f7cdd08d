// The Open Inference Protocol, version 2, on the wire: messages, codecs, listeners, clients.
//
// What it is: one neutral request and reply (message.hpp), what a server must be able to answer
// (service.hpp), and two listeners that turn bytes into calls of it and back: HTTP (http_listener.hpp) and
// gRPC (grpc_listener.hpp), which differ in nothing but encoding; and clients of both
// (client.hpp), for any server that speaks the protocol. gRPC's half is a plugin that is loaded when it is
// asked for (docs/adr/0006). What it does not do: models, queues, batches, statistics. Threads: each listener
// has its own and calls the Service from any of them. Ownership: see Exchange; a message's tensors are views.
// Cost: some 6 µs (HTTP) and 15 µs (gRPC) of processor time for a small request; a large tensor is copied
// once over gRPC, never over HTTP.
#pragma once

#include "wire/client.hpp"
#include "wire/grpc_listener.hpp"
#include "wire/http/listener.hpp"
#include "wire/message.hpp"
#include "wire/service.hpp"
