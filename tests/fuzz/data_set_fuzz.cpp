// Any bytes as each form that data sets have: IDX, .npy, zip, tar. An error or content that agrees with its
// header, never a crash, a hang, or memory out of proportion.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "data/idx.hpp"
#include "data/npy.hpp"
#include "data/tar.hpp"
#include "data/zip.hpp"

namespace {

using namespace neph;
using Bytes = std::span<const std::uint8_t>;

class InMemory final : public data::RandomBytes {
 public:
  explicit InMemory(Bytes bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  Status read_at(std::uint64_t offset, std::span<std::uint8_t> into) const override {
    if (offset > bytes_.size() || into.size() > bytes_.size() - offset)
      std::abort();  // all is checked before
    if (!into.empty()) std::memcpy(into.data(), bytes_.data() + offset, into.size());
    return {};
  }

 private:
  Bytes bytes_;
};

void as_npy(data::ByteSource& source) {
  const auto header = data::read_npy_header(source, "fuzz");
  if (!header) return;
  const auto elements = data::read_npy_elements(source, *header, "fuzz");
  if (elements && elements->size() != header->elements() * header->width) std::abort();
}

void as_tar(Bytes bytes) {
  data::MemoryBytes source(bytes);
  data::TarReader tar(source, "fuzz");
  std::vector<std::uint8_t> content(1000);
  for (;;) {
    const auto entry = tar.next();
    if (!entry || !*entry) return;
    const auto got = tar.read(content);
    if (got && *got > (*entry)->size) std::abort();
  }
}

void as_zip(Bytes bytes) {
  const InMemory file(bytes);
  const auto members = data::list_zip(file, "fuzz");
  if (!members) return;
  for (std::size_t i = 0; i < std::min<std::size_t>(members->size(), 8); ++i)
    if (auto source = data::open_member(file, (*members)[i], "fuzz")) as_npy(**source);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes bytes(data, size);
  neph::data::MemoryBytes idx(bytes), npy(bytes);
  if (const auto array = neph::data::read_idx(idx, "fuzz"); array && array->shape.empty()) std::abort();
  as_npy(npy);
  as_tar(bytes);
  as_zip(bytes);
  return 0;
}
