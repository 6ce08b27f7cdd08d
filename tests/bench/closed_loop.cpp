// wire's clients as they are used by a load generator, and nothing else: as many requests in flight as asked
// for, each sent again when it has ended.
//
//   closed_loop URL IN_FLIGHT BYTES SECONDS      prints {"requests": N, "failed": N, "cpu_us": PER_REQUEST}
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "os/memory.hpp"
#include "wire/wire.hpp"

namespace {

using namespace neph;

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

Status drive(const char* url, std::size_t in_flight, std::size_t bytes, double duration_s) {
  const SteadyClock clock;
  NEPH_TRY(const auto endpoint, wire::parse_endpoint(url));
  std::int64_t requests = 0, failed = 0;
  std::size_t under_way = 0;
  Moment end = Moment::max();
  wire::Client* sender = nullptr;
  NEPH_TRY(const auto client, wire::Client::connect(endpoint, {}, clock, [&](wire::Call& call) {
             ++requests;
             if (!call.outcome) ++failed;
             --under_way;
             if (call.done >= end) return;
             ++under_way;
             sender->send(call);
           }));
  sender = client.get();
  const std::vector<std::byte> tensor(bytes, std::byte{'x'});
  wire::InferRequest request;
  request.model = "identity";
  request.binary_outputs = true;
  request.inputs = {{.name = "x",
                     .type = wire::DataType::f32,
                     .shape = {1, static_cast<std::int64_t>(bytes / sizeof(float))},
                     .data = tensor}};
  NEPH_TRY(const auto outgoing, client->encode(request));
  std::vector<wire::Call> calls(in_flight);
  end = clock.now() + from_seconds(duration_s);
  for (auto& call : calls) {
    call.request = outgoing.get();
    ++under_way;
    client->send(call);
  }
  const auto before_s = cpu_seconds();
  client->run_until(end + std::chrono::seconds(5), [&] { return under_way == 0; });
  const auto cpu_us =
      1e6 * (cpu_seconds() - before_s) / static_cast<double>(std::max<std::int64_t>(1, requests));
  std::cout << fmt::format(R"({{"requests": {}, "failed": {}, "cpu_us": {:.3f}}})", requests, failed, cpu_us)
            << "\n";
  return {};
}

}  // namespace

int main(int count, char** words) {
  if (count != 5) {
    std::cerr << "closed_loop URL IN_FLIGHT BYTES SECONDS\n";
    return 2;
  }
  keep_heap();
  const auto status = drive(words[1], std::strtoul(words[2], nullptr, 10),
                            std::strtoul(words[3], nullptr, 10), std::strtod(words[4], nullptr));
  if (!status) std::cerr << status.error().message << "\n";
  return status ? 0 : exit_code(status.error().code);
}
