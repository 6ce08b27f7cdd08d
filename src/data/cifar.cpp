#include "data/cifar.hpp"

#include <utility>

#include "data/known_sets.hpp"
#include "os/memory.hpp"

namespace neph::data {
namespace {

constexpr std::size_t pixels = 3 * 32 * 32;
constexpr std::size_t record = 1 + pixels;

std::string file_of(int number) {
  return number == 0 ? "test_batch.bin" : fmt::format("data_batch_{}.bin", number);
}

void append(Half& to, Half from) {
  auto& values = std::get<0>(to.values);
  const auto& more = std::get<0>(from.values);
  values.insert(values.end(), more.begin(), more.end());
  to.labels.insert(to.labels.end(), from.labels.begin(), from.labels.end());
  to.count += from.count;
}

}  // namespace

int CifarBatches::number_of(std::string_view file) {
  for (int number = 0; number <= 5; ++number)
    if (file == file_of(number)) return number;
  return -1;
}

Status CifarBatches::add(int number, ByteSource& source, const std::string& name) {
  auto& half = batches_[static_cast<std::size_t>(number)];
  half = Half{};
  half.shape = {3, 32, 32};
  half.examples_name = half.labels_name = name;
  auto& values = std::get<0>(half.values);
  std::vector<std::uint8_t> records(record * 500);
  for (;;) {
    NEPH_TRY(const auto got, source.read(records));
    const auto whole = got / record;
    for (std::size_t i = 0; i < whole; ++i) {
      const auto* at = records.data() + i * record;
      half.labels.push_back(at[0]);
      values.insert(values.end(), at + 1, at + record);
    }
    half.count += static_cast<std::int64_t>(whole);
    if (const auto over = got % record; over > 0)
      return cut_short(name, record - over, (static_cast<std::uint64_t>(half.count) + 1) * record);
    if (got < records.size()) break;
  }
  if (source.is_cut()) return fail(ErrorCode::corrupt, "{} is cut short", name);
  if (half.count == 0) return fail(ErrorCode::corrupt, "{} is empty", name);
  return {};
}

Result<Set> CifarBatches::set(Set set, const Request& request) {
  for (std::size_t i = 0; i < batches_.size(); ++i)
    if (batches_[i].count == 0)
      return fail(ErrorCode::not_found, "{} has no {}", request.path.string(), file_of(static_cast<int>(i)));
  for (std::size_t i = 2; i < batches_.size(); ++i)
    if (batches_[i].count != batches_[1].count)
      return fail(ErrorCode::corrupt, "{} has {} images and {} has {}: one of them is cut short",
                  batches_[i].examples_name, batches_[i].count, batches_[1].examples_name, batches_[1].count);
  set.form = "CIFAR-10 binary";
  auto train = std::move(batches_[1]);
  NEPH_CHECK(enough_memory(static_cast<std::uint64_t>(train.count) * 5 * pixels, request.path.string()));
  std::get<0>(train.values).reserve(static_cast<std::size_t>(train.count) * 5 * pixels);
  for (std::size_t i = 2; i < batches_.size(); ++i) append(train, std::exchange(batches_[i], Half{}));
  return packed_set(std::move(set), std::move(train), std::move(batches_[0]), find_known("cifar10")->classes,
                    request.options);
}

bool is_cifar_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  for (int number = 0; number <= 5; ++number)
    if (std::filesystem::exists(folder / file_of(number), ignored)) return true;
  return false;
}

Result<Set> open_cifar_folder(const Request& request) {
  CifarBatches batches;
  Set set;
  set.name = request.name;
  set.form = "CIFAR-10 binary";
  for (int number = 0; number <= 5; ++number) {
    const auto path = request.path / file_of(number);
    NEPH_TRY(auto source, open_bytes(path));
    set.bytes += static_cast<std::int64_t>(std::filesystem::file_size(path));
    if (request.depth == Depth::whole) NEPH_CHECK(batches.add(number, *source, path.string()));
  }
  if (request.depth == Depth::whole) return batches.set(std::move(set), request);
  NEPH_TRY(set.example_shape, fitting_shape(set.name, {3, 32, 32}, request.options));
  NEPH_CHECK(check_class_count(set.name, 10, request.options));
  set.classes = find_known("cifar10")->classes;
  return set;
}

}  // namespace neph::data
