// What tests of admission share: a request, and what it is refused with.
#pragma once

#include <gtest/gtest.h>

#include "serve/admission.hpp"
#include "serve/exchange_test.hpp"

namespace neph::serve {

using wire::DataType;

/// BYTES elements, as they are on the wire.
inline std::vector<std::byte> elements_of(const std::vector<std::string>& texts) {
  std::vector<std::byte> bytes;
  for (const auto& text : texts) {
    const auto length = static_cast<std::uint32_t>(text.size());
    for (const auto part : {std::as_bytes(std::span(&length, 1)), wire::bytes_of(text)})
      bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return bytes;
}

class Admission : public testing::Test {
 protected:
  Status take() {
    job.clear();
    job.exchange = &exchange;
    return take_in(signature, regions, job);
  }
  /// The error it is refused with.
  std::string refusal() {
    const auto status = take();
    return status ? "taken" : std::string(to_string(status.error().code)) + ": " + status.error().text();
  }
  /// What the wire would have refused is not this module's to see.
  void send(const std::string& name, DataType type, wire::Shape shape, std::span<const std::byte> data) {
    exchange.request.inputs.push_back({.name = name, .type = type, .shape = shape, .data = data});
  }
  void send_bytes(wire::Shape shape, const std::vector<std::string>& texts) {
    sent_ = elements_of(texts);
    send("x", DataType::bytes, shape, sent_);
  }
  void make_jpeg() {
    signature.payload = Payload::jpeg;
    signature.transform.crop_side = 2;
    signature.inputs = {{.name = "x", .type = DataType::bytes, .shape = {-1, 1}}};
  }

  Signature signature{.inputs = {{.name = "x", .shape = {-1, 4}, .row_bytes = 16}},
                      .outputs = {{.name = "y", .shape = {-1, 4}, .row_bytes = 16},
                                  {.name = "z", .type = DataType::i64, .shape = {-1}, .row_bytes = 8}},
                      .execution_rows = 8};
  Regions regions{true, 1 << 20};
  TestExchange exchange;
  Job job;

 private:
  std::vector<std::byte> sent_;
};

}  // namespace neph::serve
