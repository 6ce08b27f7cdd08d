#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/json.hpp"
#include "core/lists.hpp"
#include "core/names.hpp"
#include "core/text.hpp"
#include "core/toml.hpp"
#include "device/device.hpp"
#include "os/file.hpp"

extern "C" const char neph_devices[], neph_devices_end[];

namespace neph::device {
namespace {

const SheetFile& built_in_file() {
  static const auto file = [] {
    const std::string_view text(neph_devices, neph_devices_end);
    const std::string name = "the built-in sheets.toml";
    return from_json<SheetFile>(parse_toml(text, name, text.size()).value(), name).value();
  }();
  return file;
}

/// vCPUs by the size in a machine's name: 8 for "2xlarge", "8" and "highmem-8"; 0 if it is not a size.
double cores_of_size(std::string_view size) {
  constexpr std::array small{std::pair{"medium", 1.0}, std::pair{"large", 2.0}, std::pair{"xlarge", 4.0}};
  for (const auto& [name, cores] : small)
    if (size == name) return cores;
  const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(size, is_digit) - size.begin());
  if (digits > 0 && digits < 4) {
    const double number = std::stod(std::string(size.substr(0, digits)));
    if (size.substr(digits) == "xlarge") return 4 * number;
    if (digits == size.size()) return number;
  }
  const auto dash = size.rfind('-');
  return dash == std::string_view::npos ? 0 : cores_of_size(size.substr(dash + 1));
}

bool is_family(const Machine& machine) {
  return !machine.suffix.empty() || machine.name.ends_with('.') || machine.name.ends_with('-');
}

/// What stands between a family's prefix and suffix; nothing: the name is of another.
std::optional<std::string_view> size_in(std::string_view name, const Machine& family) {
  const auto all = family.name.size() + family.suffix.size();
  if (name.size() <= all || !same_words(name.substr(0, family.name.size()), family.name) ||
      !same_words(name.substr(name.size() - family.suffix.size()), family.suffix))
    return std::nullopt;
  return name.substr(family.name.size(), name.size() - all);
}

bool has_memory(const Sheet& sheet, const std::string& gb) {
  return std::ranges::any_of(sheet.memory_sizes_gb(), [named = std::stod(gb)](double size) {
    return std::abs(named - size) <= 0.15 * size;
  });
}

/// Whether neither name contradicts the form of the other.
bool may_be_form(const Name& one, const Name& other) {
  return one.form.empty() || other.form.empty() || one.form == other.form;
}

}  // namespace

std::vector<double> Sheet::memory_sizes_gb() const {
  auto sizes = other_memory_gb;
  if (memory_gb > 0) sizes.insert(sizes.begin(), memory_gb);
  return sizes;
}

std::string Sheet::family() const {
  if (kind != "gpu") return kind;
  const bool is_rtx = name.size() >= 8 && name.starts_with("RTX ") &&
                      std::ranges::all_of(name.substr(4, 4), is_digit) && name.substr(6, 2) != "00";
  const bool is_for_games = is_rtx || name.starts_with("GTX ") || name.starts_with("RX ");
  return maker + (is_for_games ? " gpu for games" : " gpu");
}

Sheets::Sheets(SheetFile file) : sheets_(std::move(file.device)), machines_(std::move(file.machine)) {
  for (std::size_t i = 0; i < sheets_.size(); ++i) {
    const auto add = [&](const std::string& spelling) {
      auto name = name_of(spelling);
      spellings_.emplace(name.model(), Spelling{name, i});
    };
    add(sheets_[i].name);
    for (const auto& other : sheets_[i].names) add(other);
    if (const auto family = sheets_[i].family(); std::ranges::find(families_, family) == families_.end())
      families_.push_back(family);
  }
}

int Sheets::family_number(const Sheet& sheet) const {
  return static_cast<int>(std::ranges::find(families_, sheet.family()) - families_.begin());
}

std::vector<const Sheet*> Sheets::variants_of(std::string_view name) const {
  std::vector<const Sheet*> variants;
  const auto wanted = name_of(name);
  const auto [first, last] = spellings_.equal_range(wanted.model());
  for (auto each = first; each != last; ++each)
    if (const auto* sheet = &sheets_[each->second.sheet];
        may_be_form(wanted, name_of(sheet->name)) && std::ranges::find(variants, sheet) == variants.end())
      variants.push_back(sheet);
  return variants;
}

/// Of the model's variants the first that has the name's form and memory, as far as it names them.
std::optional<Hardware> Sheets::device_of(std::string_view text) const {
  const auto name = name_of(text);
  const Sheet* best = nullptr;
  int most = -1;
  const auto [first, last] = spellings_.equal_range(name.model());
  for (auto each = first; each != last; ++each) {
    const auto& spelling = each->second;
    const auto& sheet = sheets_[spelling.sheet];
    if (!may_be_form(name, spelling.name)) continue;
    const bool is_of_size =
        name.memory.empty() || name.memory == spelling.name.memory || has_memory(sheet, name.memory);
    const bool is_of_form = !name.form.empty() && name.form == spelling.name.form;
    const int agreeing = (is_of_size ? 2 : 0) + (is_of_form ? 1 : 0);
    if (agreeing > most) best = &sheet, most = agreeing;
  }
  if (name.words.empty() || best == nullptr) return std::nullopt;
  return Hardware{*best, name.count};
}

/// A machine of that very name, or of the family whose prefix and suffix are the longest that fit.
std::optional<Hardware> Sheets::machine_of(std::string_view name) const {
  const Machine* best = nullptr;
  double cores = 0;  // of a family's size
  const auto length = [](const Machine& family) { return family.name.size() + family.suffix.size(); };
  for (const auto& machine : machines_) {
    if (!is_family(machine)) {
      if (!same_words(machine.name, name)) continue;
      best = &machine, cores = 0;
      break;
    }
    const auto size = size_in(name, machine);
    const double of_size = size ? cores_of_size(*size) : 0;
    if (of_size > 0 && (!best || length(machine) > length(*best))) best = &machine, cores = of_size;
  }
  if (!best) return std::nullopt;
  auto found = device_of(best->device);
  if (!found) return std::nullopt;
  found->devices *= best->devices;
  if (cores > 0 && found->sheet.kind == "cpu" && found->sheet.units > 0)
    found->devices = cores / static_cast<double>(best->threads_per_core * found->sheet.units);
  return found;
}

/// A part of a CPU: "4 cores of EPYC 7763".
std::optional<Hardware> Sheets::cores_of(std::string_view name) const {
  const auto of = name.find(" of ");
  if (of == std::string_view::npos) return std::nullopt;
  const auto words = split_at(name.substr(0, of), ' ');
  if (words.size() != 2 || (words[1] != "cores" && words[1] != "core")) return std::nullopt;
  double cores = 0;
  const auto* end = words[0].data() + words[0].size();
  if (std::from_chars(words[0].data(), end, cores).ptr != end || !(cores > 0)) return std::nullopt;
  auto found = device_of(name.substr(of + 4));
  if (!found || found->sheet.kind != "cpu" || found->sheet.units <= 0) return std::nullopt;
  constexpr double most_sockets = 8;
  found->devices = cores / static_cast<double>(found->sheet.units);
  return found->devices <= most_sockets ? found : std::nullopt;
}

std::optional<Hardware> Sheets::find(std::string_view name) const {
  const auto plain = trimmed(name);
  if (auto cores = cores_of(plain)) return cores;
  auto found = machine_of(plain);
  if (!found) found = device_of(plain);
  return found && found->devices > 0 ? found : std::nullopt;
}

Result<Hardware> Sheets::at(std::string_view name) const {
  if (auto found = find(name)) return *found;
  std::vector<std::string> known;
  for (const auto& sheet : sheets_) known.push_back(sheet.name);
  for (const auto& machine : machines_)
    if (!is_family(machine)) known.push_back(machine.name);
  const auto nearest = nearest_name(name, known);
  return fail(ErrorCode::not_found,
              "unknown device '{}'{}; 'neph host --devices' lists the known ones, "
              "and --machines FILE adds yours",
              name, nearest ? fmt::format(": did you mean '{}'?", *nearest) : "");
}

const Sheets& built_in() {
  static const Sheets sheets(built_in_file());
  return sheets;
}

Sheets built_in_and(const SheetFile& own) {
  auto all = own;
  const auto& known = built_in_file();
  all.device.insert(all.device.end(), known.device.begin(), known.device.end());
  all.machine.insert(all.machine.end(), known.machine.begin(), known.machine.end());
  return Sheets(std::move(all));
}

Result<SheetFile> read_sheets(const std::filesystem::path& path) {
  NEPH_TRY(const auto text, read_file(path));
  NEPH_TRY(const auto json, parse_toml(text, path.string()));
  NEPH_TRY(auto own, from_json<SheetFile>(json, path.string()));
  for (const auto& sheet : own.device)
    if (sheet.name.empty() || std::max(sheet.fp32_tflops, sheet.fp16_tflops) <= 0 ||
        sheet.bandwidth_gb_s <= 0)
      return fail(ErrorCode::invalid_argument,
                  "{}: [[device]] '{}' needs a name, and fp32_tflops (or fp16_tflops) and bandwidth_gb_s "
                  "above 0, as its data sheet has them",
                  path.string(), sheet.name);
  const auto all = built_in_and(own);
  for (const auto& machine : own.machine)
    if (machine.name.empty() || !all.find(machine.device))
      return fail(
          ErrorCode::invalid_argument,
          "{}: [[machine]] '{}' has the device '{}', which is not known; add a [[device]] of that name",
          path.string(), machine.name, machine.device);
  return own;
}

}  // namespace neph::device
