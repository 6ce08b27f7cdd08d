#include "wire/http/gzip.hpp"

#include <algorithm>
#include <memory>

#include <sys/mman.h>
#include <zlib.h>

#include "core/text.hpp"

namespace neph::wire {
namespace {

constexpr int window = 15;         // the largest, which every decoder takes
constexpr int as_gzip = 16;        // added to it: the gzip format
constexpr int either_format = 32;  // added to it: zlib or gzip, told apart by the header
constexpr int usual_memory = 8;

/// Names of codings are alike in capitals and small letters (RFC 9110, 8.4.1).
bool is(std::string_view given, std::string_view name) {
  const auto same = [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b); };
  return std::equal(given.begin(), given.end(), name.begin(), name.end(), same);
}

Coding coding_of(std::string_view name) {
  if (is(name, "gzip") || is(name, "x-gzip")) return Coding::gzip;
  if (is(name, "deflate")) return Coding::deflate;
  return Coding::identity;
}

/// Gives back the pages from `begin` to `end`, when they are many, and moves `begin` behind them.
void give_back_pages(std::byte*& begin, const std::byte* end) {
  constexpr std::ptrdiff_t page = 4096, worth_a_call = std::ptrdiff_t{1} << 20;
  if (end - begin < worth_a_call) return;  // also where there is none
  auto* const first =
      begin + (page - static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(begin) % page));
  if (end - first < worth_a_call) return;
  ::madvise(first, static_cast<std::size_t>((end - first) / page * page), MADV_DONTNEED);
  begin = first + (end - first) / page * page;
}

}  // namespace

Result<Coding> parse_coding(std::string_view header) {
  const auto name = trimmed(header);
  if (name.empty() || is(name, "identity")) return Coding::identity;
  const auto coding = coding_of(name);
  if (coding == Coding::identity)
    return fail(ErrorCode::unsupported, "Content-Encoding {}: known are gzip, deflate and identity", name);
  return coding;
}

Coding accepted_coding(std::string_view header) {
  while (!header.empty()) {
    const auto comma = header.find(',');
    const auto item = header.substr(0, comma);
    const auto semicolon = item.find(';');
    const auto coding = coding_of(trimmed(item.substr(0, semicolon)));
    const auto weight = semicolon == std::string_view::npos ? "" : trimmed(item.substr(semicolon + 1));
    const bool refused = (weight.starts_with("q=0") || weight.starts_with("Q=0")) &&
                         weight.find_first_of("123456789", 3) == std::string_view::npos;
    if (coding != Coding::identity && !refused) return coding;
    if (comma == std::string_view::npos) break;
    header = header.substr(comma + 1);
  }
  return Coding::identity;
}

Status unpack(std::span<std::byte> packed, std::uint64_t limit, BodyMemory& out) {
  z_stream stream{};
  if (inflateInit2(&stream, window + either_format) != Z_OK)
    return fail(ErrorCode::unavailable, "no memory to unpack");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> ending(&stream, inflateEnd);
  const auto slack = limit / 512 + (std::size_t{1} << 16);  // what cannot be packed grows by less
  std::size_t size = 0;
  int state = Z_OK;
  auto* held = packed.data();
  while (state == Z_OK) {
    const auto piece = std::min<std::size_t>(packed.size(), 1U << 30);
    stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(piece);
    const std::size_t room = std::min<std::uint64_t>(std::size_t{1} << 16, limit + 1 - size);
    out.truncate(size);
    if (!out.extend(size + room)) return fail(ErrorCode::unavailable, "no memory for the unpacked body");
    stream.next_out = reinterpret_cast<Bytef*>(out.bytes().data() + size);
    stream.avail_out = static_cast<uInt>(std::min<std::size_t>(out.size() - size, 1U << 30));
    const auto offered = stream.avail_out;
    state = inflate(&stream, Z_NO_FLUSH);
    size += offered - stream.avail_out;
    packed = packed.subspan(piece - stream.avail_in);
    give_back_pages(held, packed.data());
    if (size > limit || size + packed.size() > limit + slack)
      return fail(ErrorCode::invalid_argument, "the body is larger than {} bytes when unpacked", limit);
    if (state == Z_OK && packed.empty() && stream.avail_out > 0)
      state = Z_BUF_ERROR;  // it wants more than there is
  }
  if (state != Z_STREAM_END || !packed.empty())
    return fail(ErrorCode::invalid_argument, "the body is not well packed: {}",
                state == Z_BUF_ERROR    ? "cut short"
                : stream.msg != nullptr ? stream.msg
                                        : "more behind its end");
  out.truncate(size);
  return {};
}

void pack(std::span<const std::span<const std::byte>> parts, Coding coding, std::string& out) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, coding == Coding::gzip ? window + as_gzip : window,
               usual_memory, Z_DEFAULT_STRATEGY);
  std::size_t size = 0, whole = 0;
  for (const auto& part : parts) whole += part.size();
  out.resize(deflateBound(&stream, whole));
  for (std::size_t i = 0; i < parts.size(); ++i) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(parts[i].data()));
    stream.avail_in = static_cast<uInt>(parts[i].size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + size);
    stream.avail_out = static_cast<uInt>(out.size() - size);
    const auto offered = stream.avail_out;
    deflate(&stream, i + 1 == parts.size() ? Z_FINISH : Z_NO_FLUSH);
    size += offered - stream.avail_out;
  }
  deflateEnd(&stream);
  out.resize(size);
}

}  // namespace neph::wire
