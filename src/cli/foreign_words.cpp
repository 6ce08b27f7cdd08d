#include "cli/foreign_words.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace neph::cli {
namespace {

struct Foreign {
  std::string_view verb;
  std::string_view word;  ///< with - for _
  std::string_view ours;
};

constexpr std::array words{
    // perf_analyzer, genai-perf
    Foreign{"load", "-m", "the model is --model NAME"},
    Foreign{"load", "-b", "samples in a request are --batch N"},
    Foreign{"load", "-u", "the server's address comes first: neph load grpc://HOST:PORT"},
    Foreign{"load", "--url", "the server's address comes first: neph load grpc://HOST:PORT"},
    Foreign{"load", "-i", "the protocol is part of the address: grpc://HOST:PORT or http://HOST:PORT"},
    Foreign{"load", "-f", "perf_analyzer's table is --perf-analyzer-csv FILE"},
    Foreign{"load", "-p", "the length of a measurement is --duration 5s"},
    Foreign{"load", "--measurement-interval", "the length of a measurement is --duration 5s"},
    Foreign{"load", "--concurrency", "requests in flight are --clients 1,8,32"},
    Foreign{"load", "--concurrency-range", "requests in flight are --clients 1..8, with a step 2..16+2"},
    Foreign{"load", "--request-rate", "requests per second are --rate 10"},
    Foreign{"load", "--request-rate-range", "requests per second are --rate 10..200+10"},
    Foreign{"load", "--request-distribution", "it is --arrival poisson or constant"},
    Foreign{"load", "--request-intervals", "arrival times from a file are --trace FILE"},
    Foreign{"load", "--request-count", "the number of requests is --count N"},
    Foreign{"load", "--max-threads", "workers are --threads N"},
    Foreign{"load", "--input-data", "what is sent is --input FILE"},
    Foreign{"load", "-l", "the latency objective is --p99 50ms, of another percentile --limit"},
    Foreign{"load", "--latency-threshold",
            "the latency objective is --p99 50ms, of another percentile --limit"},
    // wrk, wrk2, hey, ab
    Foreign{"load", "-c", "clients, each with one request in flight, are --clients N"},
    Foreign{"load", "--connections", "clients, each with one request in flight, are --clients N"},
    Foreign{"load", "-n", "the number of requests is --count N"},
    Foreign{"load", "-q", "requests per second are --rate N, of all workers together"},
    Foreign{"load", "-R", "requests per second are --rate N"},
    Foreign{"load", "-z", "the length of a measurement is --duration 30s"},
    // MLPerf LoadGen
    Foreign{"load", "--qps", "requests per second are --rate N"},
    Foreign{"load", "--target-qps", "requests per second are --rate N"},
    Foreign{"load", "--target-latency", "the latency objective is --p99 50ms, of another percentile --limit"},
    Foreign{"load", "--min-duration", "it is --duration 60s"},
    Foreign{"load", "--min-query-count", "the number of requests is --count N"},
    Foreign{"load", "--samples-per-query", "samples in a request are --batch N"},
    // benchmark_app
    Foreign{"infer", "-m", "the model comes first: neph infer MODEL"},
    Foreign{"infer", "-i", "the images are --images FOLDER"},
    Foreign{"infer", "-d", "the device is --device CPU"},
    Foreign{"infer", "-b", "images per inference are --batch N"},
    Foreign{"infer", "-api", "it is --mode sync or async"},
    Foreign{
        "infer", "-hint",
        "nothing is left to a hint: --mode async with --streams N for throughput, --mode sync for latency"},
    Foreign{"infer", "-niter", "the length of a run is --count IMAGES"},
    Foreign{"infer", "-nireq", "batches in flight are --depth N with --mode async"},
    Foreign{"infer", "-nstreams", "it is --streams N"},
    Foreign{"infer", "-nthreads", "engine threads are --threads N"},
    Foreign{"infer", "-infer-precision", "it is --precision f32,bf16"},
    Foreign{"infer", "--nireq", "batches in flight are --depth N with --mode async"},
    Foreign{"infer", "--niter", "the length of a run is --count IMAGES"},
    // trtexec
    Foreign{"infer", "--onnx", "the model comes first: neph infer MODEL"},
    Foreign{"infer", "--fp16", "it is --precision f16"},
    Foreign{"infer", "--bf16", "it is --precision bf16"},
    Foreign{"infer", "--int8", "it is --precision i8"},
    Foreign{"infer", "--iterations", "the length of a run is --count IMAGES"},
    Foreign{"infer", "--infStreams", "it is --streams N"},
    // perf_analyzer, of one program
    Foreign{"infer", "--concurrency-range", "batches in flight are --depth 1..8 with --mode async"},
    // Triton, OpenVINO Model Server
    Foreign{"serve", "--model-repository", "the repository's folder comes first: neph serve FOLDER"},
    Foreign{"serve", "--model-store", "the repository's folder comes first: neph serve FOLDER"},
    Foreign{"serve", "--model-path", "the model comes first: neph serve MODEL"},
    Foreign{"serve", "--model-name", "it is --name NAME"},
    Foreign{"serve", "--http-address", "the address to listen on is --listen 0.0.0.0"},
    Foreign{"serve", "--grpc-address", "the address to listen on is --listen 0.0.0.0"},
    Foreign{"serve", "--host", "the address to listen on is --listen 0.0.0.0"},
    Foreign{"serve", "--rest-port", "it is --http-port N"},
    Foreign{"serve", "--port", "ports are --http-port N and --grpc-port N"},
    Foreign{"serve", "--exit-timeout-secs", "it is --stop-limit 30s"},
};

}  // namespace

std::string foreign_word(std::string_view verb, std::string_view word) {
  word = word.substr(0, word.find('='));
  std::string plain(word);
  std::replace(plain.begin(), plain.end(), '_', '-');
  for (const auto& foreign : words)
    if (foreign.verb == verb && foreign.word == plain)
      return fmt::format("{} has no {}: {}", verb, word, foreign.ours);
  return {};
}

}  // namespace neph::cli
