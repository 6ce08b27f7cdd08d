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

/// Hardware of the market that something may be rented with.
struct Choice {
  std::string name;  ///< of a GPU; of a CPU what one vCPU is of it
  device::Sheet sheet;
  std::string arch;
  double cores_per_vcpu = 0;  ///< 0: a GPU
};

bool has_figures(const device::Sheet& sheet) {
  return std::max(sheet.fp32_tflops, sheet.fp16_tflops) > 0 && sheet.bandwidth_gb_s > 0;
}

/// Accelerators of other kinds run other programs.
std::vector<Choice> gpus_of(const std::vector<price::Offer>& offers, const device::Sheets& sheets) {
  std::map<std::string, Choice> choices;
  for (const auto& offer : offers) {
    if (offer.gpus <= 0 || offer.gpu_share < 1) continue;
    const auto found = sheets.find(offer.gpu);
    if (found && found->sheet.kind == "gpu" && has_figures(found->sheet))
      choices.try_emplace(found->sheet.name, Choice{offer.gpu, found->sheet, offer.arch});
  }
  std::vector<Choice> all;
  for (auto& [name, choice] : choices) all.push_back(std::move(choice));
  return all;
}

std::vector<Choice> cpus_of(const std::vector<price::Offer>& offers, const device::Sheets& sheets) {
  std::map<std::string, Choice> choices;
  for (const auto& offer : offers) {
    if (offer.cpu.empty() || choices.contains(offer.cpu)) continue;
    const auto found = sheets.find(offer.cpu);
    if (!found || !has_figures(found->sheet)) continue;
    choices.emplace(offer.cpu, Choice{offer.cpu, found->sheet, offer.arch,
                                      found->devices * static_cast<double>(found->sheet.units)});
  }
  std::vector<Choice> all;
  for (auto& [name, choice] : choices) all.push_back(std::move(choice));
  return all;
}

/// The same work with the same settings, but for the machine.
std::string job_of(const Configuration& configuration) {
  const auto& needs = configuration.needs;
  return fmt::format("{}|{}|{}|{}", configuration.family, needs.gpus > 0 ? 0 : needs.cores.value_or(0),
                     needs.gpus, configuration.place);
}

double seconds_of(const Configuration& configuration) {
  double sum = 0;
  for (const auto& stage : configuration.work.stages) sum += stage.seconds.value;
  return sum;
}

Configuration predicted(const Configuration& measured, const Choice& choice) {
  auto result = measured;
  const bool is_cpu = choice.cores_per_vcpu > 0;
  auto& needs = result.needs;
  const double cores = needs.cores.value_or(1);
  result.hardware = is_cpu ? fmt::format("{:g} cores of {}", cores * choice.cores_per_vcpu, choice.sheet.name)
                           : fmt::format("{}x {}", needs.gpus, choice.name);
  result.work.name =
      fmt::format("{}{}{}", measured.family, measured.family.empty() ? "" : ", ",
                  is_cpu ? fmt::format("{:g} vCPUs of {}", cores, choice.sheet.name) : result.hardware);
  result.is_predicted = true;
  result.is_doubtful = false;
  result.repeats = 0;
  result.machine.clear();
  needs.provider.clear();
  needs.instance.clear();
  needs.arch = choice.arch;
  if (is_cpu)
    needs.cpus = {choice.name};
  else
    needs.gpu = choice.name;
  constexpr double bytes_per_gb = 1e9;
  if (const auto& used = measured.gpu_memory_bytes;
      used && choice.sheet.memory_gb > 0 && *used > bytes_per_gb * choice.sheet.memory_gb)
    result.refused = fmt::format("the run took {} of a GPU's memory, and a {} has {:g} GB",
                                 format_bytes(*used), choice.sheet.name, choice.sheet.memory_gb);
  return result;
}

void set_time(const Configuration& measured, const Estimate& time, Configuration& predicted) {
  const double ratio = time.value / seconds_of(measured);
  predicted.work.stages = {{.stage = BillStage::learn, .seconds = time, .known = price::Known::given}};
  if (predicted.run_s) *predicted.run_s *= ratio;
}

}  // namespace

void look_up_cpus(std::vector<price::Offer>& offers, const device::Sheets& sheets) {
  std::map<std::string, std::string> known;
  for (auto& offer : offers) {
    if (offer.gpus > 0 || !offer.vcpus || !(*offer.vcpus > 0)) continue;
    const auto [found, is_new] = known.try_emplace(offer.instance);
    if (is_new)
      if (const auto hardware = sheets.find(offer.instance); hardware && hardware->sheet.kind == "cpu")
        found->second = fmt::format(
            "{:g} cores of {}", hardware->devices * static_cast<double>(hardware->sheet.units) / *offer.vcpus,
            hardware->sheet.name);
    offer.cpu = found->second;
  }
}

Result<std::vector<Configuration>> on_unmeasured(std::vector<Configuration>& measured,
                                                 const std::vector<price::Offer>& offers,
                                                 const device::Sheets& sheets) {
  std::vector<predict::JobOnMachine> known, asked;
  std::map<std::string, const Configuration*> jobs;
  std::set<std::pair<std::string, std::string>> done;  // job and sheet
  std::string unknown;
  const auto cpus = cpus_of(offers, sheets), gpus = gpus_of(offers, sheets);
  for (auto& configuration : measured) {
    if (!configuration.refused.empty() || configuration.is_predicted) continue;
    const auto hardware = sheets.find(configuration.hardware);
    if (!hardware || !has_figures(hardware->sheet)) {
      unknown = configuration.hardware;
      continue;
    }
    const auto job = job_of(configuration);
    known.push_back({job, configuration.hardware, configuration.precision, seconds_of(configuration)});
    jobs.try_emplace(job, &configuration);
    done.emplace(job, hardware->sheet.name);
    auto& needs = configuration.needs;
    if (needs.gpus > 0 || !needs.instance.empty()) continue;
    needs.cpus = {""};  // a machine that is not known may have it
    for (const auto& cpu : cpus)
      if (cpu.sheet.name == hardware->sheet.name) needs.cpus.push_back(cpu.name);
  }
  if (known.empty())
    return fail(
        ErrorCode::invalid_argument,
        "--unmeasured: no time is of a known device{}; 'neph host --devices' lists the known ones, and "
        "--machines FILE adds yours",
        unknown.empty() ? ", as no machine is named" : fmt::format(" ('{}')", unknown));
  std::vector<Configuration> all;
  std::vector<const Configuration*> from;
  for (const auto& [job, configuration] : jobs)
    for (const auto& choice : configuration->needs.gpus > 0 ? gpus : cpus) {
      if (done.contains({job, choice.sheet.name})) continue;
      all.push_back(predicted(*configuration, choice));
      from.push_back(configuration);
      asked.push_back({job, all.back().hardware, configuration->precision});
    }
  NEPH_TRY(const auto times, predict::times_on_machines(known, asked, sheets));
  for (std::size_t i = 0; i < all.size(); ++i) set_time(*from[i], times[i], all[i]);
  return all;
}

}  // namespace neph::cli
