#include <array>

#include "report/charts/chart.hpp"

namespace neph::report {

std::span<const Chart> charts() {
  static constexpr std::array all{
      Chart{"throughput", "How speed scales",
            "Each point is a setting, each line joins the settings that differ in nothing else. Bars show "
            "the 95 % "
            "interval: where those of two points overlap widely, the difference may be chance.",
            draw_throughput},
      Chart{"settings", "All settings, fastest first",
            "Pictures per second; the line across the end of a bar is its 95 % interval over the repeats.",
            draw_settings},
      Chart{"stages", "Where the time goes",
            "Elapsed milliseconds of threads that one picture takes in each stage: summed over the loader "
            "threads; for infer, the time with at least one inference in flight. Stages overlap, and waiting "
            "counts, so the sum is neither work nor delay.",
            draw_stages},
      Chart{"phases", "Before the measurement begins",
            "Seconds from the start of the process to the first measured picture: what a cold start costs.",
            draw_phases},
      Chart{"latency", "How long one batch takes",
            "Each line shows all batches of a setting, sorted: half of them were done within the time at 50 "
            "%, all but "
            "one in a hundred within the time at 99 %. Circles mark quantiles with their 95 % intervals.",
            draw_latency},
      Chart{"telemetry", "What the machine did meanwhile",
            "One run stands for each setting: the one with the median speed. The strip on top shows the "
            "phases of the "
            "run, in the colours of the chart “Before the measurement begins”; the shaded stretch is the "
            "measurement.",
            draw_telemetry},
      Chart{"repeats", "Every run, in the order they ran",
            "How far each run lies from the mean of its setting. The order was shuffled, so a slope here is "
            "drift of "
            "the machine, not an effect of the settings.",
            draw_repeats},
  };
  return all;
}

}  // namespace neph::report
