// What hardware can do by its data sheet, and which hardware a name means.
//
// One place for all spellings: what a driver prints ("NVIDIA H100 80GB HBM3"), a catalogue ("A100-80GB"), a
// framework ("Tesla V100-SXM2-16GB"), a person ("2080ti") or a provider's machine ("g6.xlarge"); of a CPU
// also a part ("4 cores of EPYC 7763"). The figures stand in sheets.toml, each with its source; a user's own
// file goes first.
//
// What it does not do: look at the machine it runs on (host/), know prices (price/).
// Threads: any. Cost: the built-in sheets are parsed once, about 10 ms.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/describe.hpp"
#include "core/result.hpp"

namespace neph::device {

/// One device as a program sees it: of a board with two GPUs one, of a machine with two CPUs one socket. A
/// figure of 0 is not published. Peaks are dense, at the boost clock (CPUs: all cores).
struct Sheet {
  std::string name;                ///< the maker's, without maker and brand: "A100 SXM 40GB"
  std::vector<std::string> names;  ///< other spellings that do not follow from it
  std::string maker;
  std::string kind = "gpu";  ///< gpu, tpu, accelerator, cpu
  std::string architecture;
  std::int64_t year = 0;
  double fp32_tflops = 0;                                                  ///< of vector units
  double tf32_tflops = 0, fp16_tflops = 0, fp8_tflops = 0, int8_tops = 0;  ///< of matrix units if there are
  double usable_share = 1;  ///< of the peaks, where instructions of one kind cannot reach them
  double bandwidth_gb_s = 0, memory_gb = 0;
  std::vector<double> other_memory_gb;  ///< that it is also sold with, or that lists give for it
  std::int64_t units = 0;               ///< SMs, compute units, cores
  double clock_mhz = 0;
  std::int64_t vector_bits = 0, fma_units = 0;  ///< of a CPU's core
  double power_w = 0, link_gb_s = 0;
  std::string source;

  std::vector<double> memory_sizes_gb() const;  ///< the published one first; empty: none is
  /// What it has in common with others beyond its figures: "NVIDIA gpu", "NVIDIA gpu for games" (whose matrix
  /// units, drivers and clocks differ), "cpu".
  std::string family() const;
};
template <class Visit, Describes<Sheet> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "of the device");
  v("names", s.names, "other spellings");
  v("maker", s.maker, "who makes it");
  v("kind", s.kind, "gpu, tpu, accelerator or cpu");
  v("architecture", s.architecture, "its generation");
  v("year", s.year, "when it came", at_least(0));
  v("fp32_tflops", s.fp32_tflops, "peak of single precision in TFLOP/s, without matrix units", at_least(0));
  v("tf32_tflops", s.tf32_tflops, "the same of matrix units, dense", at_least(0));
  v("fp16_tflops", s.fp16_tflops, "peak of half precision in TFLOP/s, dense", at_least(0));
  v("fp8_tflops", s.fp8_tflops, "peak of 8-bit floats in TFLOP/s, dense", at_least(0));
  v("int8_tops", s.int8_tops, "peak of 8-bit integers in Tera-operations/s, dense", at_least(0));
  v("usable_share", s.usable_share, "of the peaks, where instructions of one kind cannot reach them",
    between(0.01, 1));
  v("bandwidth_gb_s", s.bandwidth_gb_s, "of its memory in GB/s", at_least(0));
  v("memory_gb", s.memory_gb, "size of its memory in GB", at_least(0));
  v("other_memory_gb", s.other_memory_gb, "other sizes that it is sold with, or that lists give for it");
  v("units", s.units, "SMs, compute units or cores", at_least(0));
  v("clock_mhz", s.clock_mhz, "boost clock in MHz", at_least(0));
  v("vector_bits", s.vector_bits, "width of a CPU's vectors", at_least(0));
  v("fma_units", s.fma_units, "of a CPU's core: fused multiply-adds of that width in a cycle", at_least(0));
  v("power_w", s.power_w, "in W", at_least(0));
  v("link_gb_s", s.link_gb_s, "of its link to devices of its kind in GB/s", at_least(0));
  v("source", s.source, "where these figures are from");
}

/// A provider's machine, or where `suffix` or a name that ends in '.' or '-' says so a family of them.
struct Machine {
  std::string name;
  std::string suffix;  ///< "s_v5" of Standard_D8s_v5; the size stands between
  std::string device;
  std::vector<std::string> others;  ///< that the provider may give instead
  double devices = 1;               ///< how many, or which part of one
  std::int64_t cores = 0;           ///< virtual ones, as the provider counts; 0: by the size in the name
  std::int64_t threads_per_core = 2;
  std::string source;
};
template <class Visit, Describes<Machine> Self>
void describe(Visit&& v, Self& s) {
  v("name", s.name, "as the provider calls it; of a family the part before the size");
  v("suffix", s.suffix, "of a family the part behind the size");
  v("device", s.device, "its accelerator, or its CPU");
  v("or", s.others, "devices that it may have instead");
  v("devices", s.devices, "how many of them; below 1: a part of one", at_least(0));
  v("cores", s.cores, "virtual cores; 0: by the size in the name", at_least(0));
  v("threads_per_core", s.threads_per_core, "virtual cores that share a core", at_least(1));
  v("source", s.source, "where these figures are from");
}

/// What a file of sheets has.
struct SheetFile {
  std::vector<Sheet> device;
  std::vector<Machine> machine;
};
template <class Visit, Describes<SheetFile> Self>
void describe(Visit&& v, Self& s) {
  v("device", s.device, "devices");
  v("machine", s.machine, "machines that have them");
}

/// A name's parts in small letters, without maker and brand.
struct Name {
  std::vector<std::string> words;  ///< "v100"; "rtx" and "gtx" are left out: "2080ti"
  std::string form;                ///< "sxm", "pcie", "nvl"; empty: not named
  std::string memory;              ///< in GB: "80" of A100-80GB and A100_80G_SXM4; empty: not named
  double count = 1;                ///< 8 of "8xV100", "V100:8" and "8 x V100"

  std::string model() const;  ///< the words, joined
};
Name name_of(std::string_view text);

/// Hardware that a name means.
struct Hardware {
  Sheet sheet;
  double devices = 1;  ///< how many; below 1: a part of one
};

class Sheets {
 public:
  Sheets() = default;
  explicit Sheets(SheetFile file);

  /// What a name of a device or of a provider's machine means; nothing: it is not known.
  std::optional<Hardware> find(std::string_view name) const;
  /// The same, or the error that names the nearest ones (not_found).
  Result<Hardware> at(std::string_view name) const;
  /// All devices of the name's model, and of its form where it names one, with any memory: A100 with 40 and
  /// 80 GB.
  std::vector<const Sheet*> variants_of(std::string_view name) const;

  /// The place of the sheet's family among all.
  int family_number(const Sheet& sheet) const;

  const std::vector<Sheet>& sheets() const { return sheets_; }
  const std::vector<Machine>& machines() const { return machines_; }

 private:
  struct Spelling {
    Name name;
    std::size_t sheet;
  };
  std::optional<Hardware> device_of(std::string_view name) const;
  std::optional<Hardware> machine_of(std::string_view name) const;
  std::optional<Hardware> cores_of(std::string_view name) const;

  std::vector<Sheet> sheets_;
  std::vector<std::string> families_;
  std::vector<Machine> machines_;
  std::multimap<std::string, Spelling, std::less<>> spellings_;  ///< by model; of one as they were added
};

/// What is built in.
const Sheets& built_in();
/// The same behind a user's own, which go first.
Sheets built_in_and(const SheetFile& own);
/// A TOML file of [[device]] and [[machine]]. Errors: those of reading a file and of TOML (with the line);
/// invalid_argument (an unknown key, an entry without a name, a device without a peak or a bandwidth, a
/// machine whose device is not known).
Result<SheetFile> read_sheets(const std::filesystem::path& file);

/// Whether two names mean one device: "Tesla T4" and "t4". Where both name a form or a memory, these agree.
bool is_same(std::string_view one, std::string_view other);

/// Whether `asked`, as a user types it, selects the device `name`: "A100" selects A100-80GB, not A10. Where
/// the name has no memory size, `gib` is compared with that of `asked`.
bool is_meant(std::string_view asked, std::string_view name, std::optional<double> gib = {});

}  // namespace neph::device
