#include "cli/advise_unmeasured.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/units.hpp"
#include "predict/predict.hpp"

namespace neph::cli {
namespace {

using advise::Configuration;

bool has_figures(const device::Sheet& sheet) {
  return std::max(sheet.fp32_tflops, sheet.fp16_tflops) > 0 && sheet.bandwidth_gb_s > 0;
}

/// Of several with one name the one with the offer's memory.
std::optional<device::Hardware> gpu_of(const price::Offer& offer, const device::Sheets& sheets) {
  if (const auto& gib = offer.gpu_memory_gib)
    if (auto found = sheets.find(fmt::format("{} {:.0f}GB", offer.gpu, *gib))) return found;
  return sheets.find(offer.gpu);
}

/// The share of a CPU behind one of so many vCPUs: "0.5 cores of EPYC 7763".
std::string vcpu_of(const device::Hardware& hardware, double vcpus) {
  return fmt::format("{:g} cores of {}", hardware.devices * static_cast<double>(hardware.sheet.units) / vcpus,
                     hardware.sheet.name);
}

/// Accelerators of other kinds run other programs.
std::string hardware_of(const price::Offer& offer, const device::Sheets& sheets) {
  if (offer.gpus > 0) {
    const auto gpu = offer.gpu_share < 1 ? std::nullopt : gpu_of(offer, sheets);
    return gpu && gpu->sheet.kind == "gpu" && has_figures(gpu->sheet) ? gpu->sheet.name : "";
  }
  const auto cpu = sheets.find(offer.instance);
  const bool is_known = cpu && cpu->sheet.kind == "cpu" && has_figures(cpu->sheet) && cpu->sheet.units > 0;
  return is_known && offer.vcpus.value_or(0) > 0 ? vcpu_of(*cpu, *offer.vcpus) : "";
}

/// What of the market something may be rented with.
struct Choice {
  std::string name;  ///< Offer::hardware
  device::Hardware hardware;
  std::string arch;
  bool is_gpu = false;
};

std::vector<Choice> choices_in(const std::vector<price::Offer>& offers, const device::Sheets& sheets) {
  std::map<std::string, Choice> choices;
  for (const auto& offer : offers)
    if (!offer.hardware.empty() && !choices.contains(offer.hardware))
      choices.emplace(offer.hardware,
                      Choice{offer.hardware, *sheets.find(offer.hardware), offer.arch, offer.gpus > 0});
  std::vector<Choice> all;
  for (auto& [name, choice] : choices) all.push_back(std::move(choice));
  return all;
}

/// A measured configuration with what it needs of any machine: whole GPUs, or vCPUs.
struct Known {
  const Configuration* configuration;
  std::string hardware, sheet;
  std::string job;  ///< the same for the same work with the same settings, but for the machine
  std::int64_t gpus = 0;
  double vcpus = 0;
};

/// Nothing: its hardware is not known, or how much of it was used.
std::optional<Known> known_of(const Configuration& configuration, const std::vector<price::Offer>& offers,
                              const device::Sheets& sheets) {
  const auto hardware = sheets.find(configuration.hardware);
  if (!hardware || !has_figures(hardware->sheet)) return std::nullopt;
  const auto& needs = configuration.needs;
  Known known{&configuration, configuration.hardware, hardware->sheet.name, {}};
  if (hardware->sheet.kind == "gpu") {
    known.gpus = needs.gpus > 0 ? needs.gpus : static_cast<std::int64_t>(hardware->devices);
  } else if (hardware->sheet.kind == "cpu" && needs.instance.empty()) {
    known.vcpus = needs.cores.value_or(0);
  } else if (hardware->sheet.kind == "cpu") {
    const auto offer = std::ranges::find(offers, needs.instance, &price::Offer::instance);
    const double all = offer == offers.end() ? 0 : offer->vcpus.value_or(0);
    if (all > 0) {
      known.vcpus = std::min(all, needs.cores.value_or(all));
      const double cores = hardware->devices * static_cast<double>(hardware->sheet.units);
      known.hardware = fmt::format("{:g} cores of {}", known.vcpus / all * cores, known.sheet);
    }
  }
  if (known.gpus == 0 && !(known.vcpus > 0)) return std::nullopt;
  known.job = fmt::format("{}|{}|{}|{}|{}", configuration.family, known.gpus, known.vcpus,
                          configuration.place, configuration.precision);
  return known;
}

Configuration predicted(const Known& known, const Choice& choice) {
  const auto& measured = *known.configuration;
  auto result = measured;
  const auto& [sheet, devices] = choice.hardware;
  result.hardware = choice.is_gpu
                        ? fmt::format("{}x {}", known.gpus, choice.name)
                        : fmt::format("{:g} cores of {}",
                                      known.vcpus * devices * static_cast<double>(sheet.units), sheet.name);
  std::vector<std::string> name{
      choice.is_gpu ? result.hardware
                    : fmt::format("{:g} vCPU{} of {}", known.vcpus, known.vcpus == 1 ? "" : "s", sheet.name)};
  if (!measured.family.empty()) name.insert(name.begin(), measured.family);
  if (!measured.place.empty() && measured.place != "process") name.push_back("in " + measured.place);
  result.work.name = fmt::format("{}", fmt::join(name, ", "));
  result.is_predicted = result.is_by_law = true;
  result.is_doubtful = false;
  result.repeats = 0;
  result.machine.clear();
  auto& needs = result.needs;
  needs.provider.clear();
  needs.instance.clear();
  needs.arch = choice.arch;
  needs.hardware = {choice.name};
  needs.gpus = known.gpus;
  needs.gpu = choice.is_gpu ? sheet.name : "";
  if (!choice.is_gpu) needs.cores = known.vcpus;
  constexpr double bytes_per_gb = 1e9;
  if (const auto& used = measured.gpu_memory_bytes;
      choice.is_gpu && used && sheet.memory_gb > 0 && *used > bytes_per_gb * sheet.memory_gb)
    result.refused = fmt::format("{} were in use on a GPU during the run, and a {} has {:g} GB",
                                 format_bytes(*used), sheet.name, sheet.memory_gb);
  return result;
}

double seconds_of(const Configuration& configuration) {
  double sum = 0;
  for (const auto& stage : configuration.work.stages) sum += stage.seconds.value;
  return sum;
}

void set_time(const Configuration& measured, const Estimate& time, Configuration& predicted) {
  const double ratio = time.value / seconds_of(measured);
  predicted.work.stages = {{.stage = BillStage::learn, .seconds = time, .known = price::Known::given}};
  if (predicted.run_s) *predicted.run_s *= ratio;
}

/// Its time is used where its CPU is, or where nothing is known of the CPU.
void bind_to_cpu(const Known& known, const std::vector<Choice>& choices, Configuration& configuration) {
  auto& needs = configuration.needs;
  if (known.gpus > 0 || !needs.instance.empty()) return;
  needs.hardware = {""};
  for (const auto& choice : choices)
    if (choice.hardware.sheet.name == known.sheet) needs.hardware.push_back(choice.name);
}

}  // namespace

void look_up_hardware(std::vector<price::Offer>& offers, const device::Sheets& sheets) {
  std::map<std::string, std::string> known;
  for (auto& offer : offers) {
    const auto key = fmt::format("{}|{}|{}|{}|{}|{}", offer.instance, offer.gpu, offer.gpus, offer.gpu_share,
                                 offer.gpu_memory_gib.value_or(0), offer.vcpus.value_or(0));
    const auto [found, is_new] = known.try_emplace(key);
    if (is_new) found->second = hardware_of(offer, sheets);
    offer.hardware = found->second;
  }
}

Result<Unmeasured> on_unmeasured(std::vector<Configuration>& measured,
                                 const std::vector<price::Offer>& offers, const device::Sheets& sheets) {
  Unmeasured result;
  std::vector<predict::JobOnMachine> times, asked;
  std::map<std::string, Known> jobs;
  std::set<std::pair<std::string, std::string>> done;  // job and sheet
  const auto choices = choices_in(offers, sheets);
  std::string unknown;
  for (auto& configuration : measured) {
    if (!configuration.refused.empty() || configuration.is_predicted) continue;
    const auto known = known_of(configuration, offers, sheets);
    if (!known) {
      unknown = configuration.hardware.empty() ? configuration.work.name : configuration.hardware;
      continue;
    }
    times.push_back({known->job, known->hardware, configuration.precision, seconds_of(configuration)});
    jobs.try_emplace(known->job, *known);
    done.emplace(known->job, known->sheet);
    bind_to_cpu(*known, choices, configuration);
  }
  if (times.empty())
    return fail(
        ErrorCode::invalid_argument,
        "--unmeasured: no time is of a known device ('{}'); 'neph host --devices' lists the known ones, "
        "and --machines FILE adds yours",
        unknown);
  if (!unknown.empty())
    result.notes.push_back(fmt::format(
        "Nothing is predicted from the times of '{}': it is not a known device, or how much of it "
        "was used is not known.",
        unknown));
  std::vector<const Configuration*> from;
  for (const auto& [job, known] : jobs)
    for (const auto& choice : choices) {
      if (choice.is_gpu != (known.gpus > 0) || done.contains({job, choice.hardware.sheet.name})) continue;
      result.configurations.push_back(predicted(known, choice));
      from.push_back(known.configuration);
      asked.push_back({job, result.configurations.back().hardware, known.configuration->precision});
    }
  if (asked.empty()) result.notes.emplace_back("No offer has a known device that was not measured.");
  NEPH_TRY(const auto predictions, predict::times_on_machines(times, asked, sheets));
  for (std::size_t i = 0; i < predictions.size(); ++i)
    set_time(*from[i], predictions[i], result.configurations[i]);
  return result;
}

}  // namespace neph::cli
