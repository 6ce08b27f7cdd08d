// grpc.reflection: the .proto files of this server's services, for tools that come without them.
#include <array>

#include "core/protobuf.hpp"
#include "core/text.hpp"
#include "wire/http2/methods.hpp"

extern "C" const char neph_services[], neph_services_end[];  // a FileDescriptorSet

namespace neph::wire {
namespace {

using protobuf::put_field;
using protobuf::put_number;

constexpr std::array<std::string_view, 2> services{"inference.GRPCInferenceService", "grpc.health.v1.Health"};
constexpr std::uint64_t not_found = 5;  // gRPC's status

enum Request : std::uint64_t { by_filename = 3, containing_symbol = 4, list_services = 7 };
enum Response : std::uint64_t { original_request = 2, files = 4, service_list = 6, error = 7 };

/// The first file of the set that `fits`; empty where none does.
template <class Fits>
std::string_view find_file(Fits fits) {
  std::string_view found;
  protobuf::each_field({neph_services, static_cast<std::size_t>(neph_services_end - neph_services)},
                       [&](const protobuf::Field& field) {
                         if (found.empty() && field.number == 1 && fits(field.content)) found = field.content;
                       });
  return found;
}

std::string_view file_named(std::string_view name) {
  return find_file([&](std::string_view file) { return protobuf::content_of(file, 1) == name; });
}

/// Of the package that the symbol is in.
std::string_view file_with(std::string_view symbol) {
  return find_file([&](std::string_view file) {
    const auto package = protobuf::content_of(file, 2).value_or("");
    return symbol.starts_with(package) && symbol.substr(package.size()).starts_with(".");
  });
}

void put_file(std::string& to, std::string_view file) {
  std::string message;
  if (file.empty()) {
    put_number(message, 1, not_found);
    put_field(message, 2, "no such file or symbol");
    return put_field(to, error, message);
  }
  put_field(message, 1, file);
  put_field(to, files, message);
}

void put_services(std::string& to) {
  std::string list;
  for (const auto name : services) {
    std::string service;
    put_field(service, 1, name);
    put_field(list, 1, service);
  }
  put_field(to, service_list, list);
}

}  // namespace

Result<std::string> answer_reflection(Service&, std::string_view request) {
  std::string reply;
  put_field(reply, original_request, request);
  for (auto rest = request; !rest.empty();) {
    const auto field = protobuf::take_field(rest);
    if (!field) return fail(ErrorCode::invalid_argument, "the message is not a ServerReflectionRequest");
    switch (field->number) {
      case by_filename:
        put_file(reply, file_named(field->content));
        return reply;
      case containing_symbol:
        put_file(reply, file_with(field->content));
        return reply;
      case list_services:
        put_services(reply);
        return reply;
      default:
        break;
    }
  }
  put_file(reply, {});
  return reply;
}

}  // namespace neph::wire
