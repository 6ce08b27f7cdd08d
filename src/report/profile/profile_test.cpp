#include "report/profile/profile.hpp"

#include <ranges>

#include <gmock/gmock.h>

#include "core/text.hpp"
#include "report/profile/figures.hpp"
#include "report/profile/one_line_rows.hpp"

namespace neph::report {
namespace {

using testing::AllOf;
using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Optional;
using testing::SizeIs;

Estimate estimate(double value) { return {.value = value, .low = 0.9 * value, .high = 1.1 * value, .n = 5}; }

/// A convolution of 2 GFLOP and 10 MB in 20 ms, and a reorder of 5 ms of which nothing is known, on a machine
/// of 200 GFLOP/s and 10 GB/s.
Profile profile() {
  Profile profile{.model = "net.onnx",
                  .engine = "openvino 1",
                  .device = "CPU",
                  .precision = "f32",
                  .inputs = {"x 1x3x8x8"},
                  .threads = 2,
                  .repeats = 5,
                  .inferences = 50,
                  .plain_s = estimate(0.025),
                  .profiled_s = estimate(0.026),
                  .layers_s = estimate(0.025),
                  .joined_share = 0.8,
                  .flop = 2e9,
                  .joined_flop = 2e9,
                  .peak_flop_per_s = 2e11,
                  .peak_bytes_per_s = 1e10,
                  .instructions = "AVX2"};
  profile.layers = {{.name = "conv",
                     .kind = "convolution",
                     .engine_name = "conv,bn,relu",
                     .engine_kind = "Convolution",
                     .kernel = "jit_avx2_f32",
                     .self_s = estimate(0.02),
                     .share = 0.8,
                     .parts = {"conv", "bn", "relu"},
                     .operators = {"Conv", "BatchNormalization", "Relu"},
                     .flop = 2e9,
                     .bytes = 1e7},
                    {.name = "x_reorder",
                     .kind = "Reorder",
                     .engine_name = "x_reorder",
                     .engine_kind = "Reorder",
                     .kernel = "",
                     .self_s = estimate(0.005),
                     .share = 0.2}};
  profile.kinds = {{.kind = "convolution",
                    .layers = 1,
                    .self_s = estimate(0.02),
                    .share = 0.8,
                    .flop = 2e9,
                    .flop_s = 0.02,
                    .bytes = 1e7,
                    .bytes_s = 0.02},
                   {.kind = "Reorder", .layers = 1, .self_s = estimate(0.005), .share = 0.2}};
  return profile;
}

TEST(Profile, SpeedsAreSharesOfThePeaks) {
  const auto speeds = speeds_of(profile(), profile().layers[0]);
  EXPECT_THAT(speeds.flop_per_s, Optional(DoubleEq(1e11)));
  EXPECT_THAT(speeds.of_peak, Optional(DoubleEq(0.5)));
  EXPECT_THAT(speeds.bytes_per_s, Optional(DoubleEq(5e8)));
  EXPECT_THAT(speeds.of_bandwidth, Optional(DoubleEq(0.05)));
  EXPECT_EQ(speeds_of(profile(), profile().layers[1]).flop_per_s, std::nullopt);
}

TEST(Profile, OtherPrecisionsHaveNoShareOfThePeakOfF32) {
  auto quantised = profile();
  quantised.layers[0].kernel = "brgconv_avx512_amx_I8";
  EXPECT_EQ(speeds_of(quantised, quantised.layers[0]).of_peak, std::nullopt);
  EXPECT_EQ(speeds_of(quantised, quantised.kinds[0]).of_peak, std::nullopt);
  EXPECT_TRUE(speeds_of(quantised, quantised.layers[0]).flop_per_s);
  auto half = profile();
  half.precision = "bf16";
  EXPECT_EQ(speeds_of(half, half.layers[0]).of_peak, std::nullopt);
}

TEST(Profile, ALayerTooShortForItsCounterHasNoSpeed) {
  auto fast = profile();
  fast.layers[0].self_s = estimate(0);
  EXPECT_EQ(speeds_of(fast, fast.layers[0]).flop_per_s, std::nullopt);
}

TEST(Profile, ARateBeyondThePeakIsNotShownButSaid) {
  auto wrong = profile();
  wrong.layers[0].flop = wrong.kinds[0].flop = wrong.joined_flop = 3e11;
  const auto speeds = speeds_of(wrong, wrong.layers[0]);
  EXPECT_EQ(speeds.flop_per_s, std::nullopt);
  EXPECT_EQ(speeds.of_peak, std::nullopt);
  EXPECT_EQ(speeds_of(wrong, wrong.kinds[0]).flop_per_s, std::nullopt);
  EXPECT_EQ(flop_per_s(wrong), std::nullopt);
  const auto text = text_summary(wrong, {.width = 200});
  EXPECT_THAT(text, AllOf(HasSubstr("as measured. conv would be faster"), Not(HasSubstr("15000"))));
  EXPECT_THAT(roofline_chart.draw(wrong).panels, SizeIs(0));
  EXPECT_THAT(text_summary(profile(), {}), Not(HasSubstr("would be faster")));
}

TEST(Profile, ArithmeticThatWasNotFoundIsSaidAlsoWhereNothingWas) {
  auto lost = profile();
  lost.joined_share = lost.joined_flop = 0;
  EXPECT_THAT(text_summary(lost, {.width = 160}), HasSubstr("with 0 of its 2.00 GFLOP"));
}

TEST(Profile, TheTextSaysWhereTheTimeGoes) {
  const auto text = text_summary(profile(), {.width = 160});
  EXPECT_THAT(text, HasSubstr("80.0 % of the layers' time goes to convolution (1 layer), at 100 GFLOP/s, "
                              "50 % of what 2 threads can do."));
  EXPECT_THAT(text, HasSubstr("BatchNormalization, Relu"));
  EXPECT_THAT(text, HasSubstr("25.0 ± 2.5 ms"));
  EXPECT_THAT(text, Not(HasSubstr("more layer")));
  const auto short_one = text_summary(profile(), {.width = 160, .limit = 1});
  EXPECT_THAT(short_one, AllOf(HasSubstr("and 1 more layer: --all"), Not(HasSubstr("x_reorder"))));
}

/// With names as PyTorch's exporter makes them.
Profile long_names() {
  auto named = profile();
  named.layers[0].name = "/model/encoder/layer.11/attention/self/query/MatMul";
  named.layers[1].name = "/model/encoder/layer.11/attention/self/key/MatMul_reorder";
  named.layers[0].kernel = "brgemm_avx512_amx_f32";
  return named;
}

TEST(Profile, ALayerIsOneLineOfTheTerminal) {
  for (const std::size_t width : {80U, 100U, 120U, 300U}) {
    const auto text = text_summary(long_names(), {.width = width});
    std::size_t rows = 0;
    for (const auto line : std::views::split(text, '\n')) {
      const std::string_view row(line.begin(), line.end());
      EXPECT_LE(display_width(row), width) << row;
      rows += row.find("Mul") != std::string_view::npos ? 1 : 0;
    }
    EXPECT_EQ(rows, 2U) << text;
  }
}

TEST(Profile, WhatATerminalHasNoRoomForIsSaid) {
  EXPECT_THAT(text_summary(long_names(), {.width = 100}),
              AllOf(HasSubstr("…"), HasSubstr("a wider terminal, --html or --json: so far, fused, kernel")));
  EXPECT_THAT(text_summary(long_names(), {.width = 300}), Not(HasSubstr("a wider terminal")));
}

TEST(Profile, KernelsThatAreAllAlikeAreNoColumn) {
  EXPECT_THAT(layers_table(profile(), 0).headings, testing::Contains("kernel"));
  auto alike = profile();
  alike.layers[1].kernel = alike.layers[0].kernel;
  const auto table = layers_table(alike, 0);
  EXPECT_THAT(table.headings, Not(testing::Contains("kernel")));
  EXPECT_EQ(table.rows[0].size(), table.headings.size());
}

TEST(Profile, OfANameTheEndIsKept) {
  EXPECT_EQ(end_of("/a/b/conv", 9), "/a/b/conv");
  EXPECT_EQ(end_of("/a/b/conv", 8), "…/b/conv");
  EXPECT_EQ(end_of("größer", 3), "…er");
}

TEST(Profile, OfNoLayersThereIsAPageToo) {
  Profile none{.model = "<b>", .engine = "e"};
  EXPECT_THAT(text_summary(none, {}), HasSubstr("told of no layer"));
  const auto page = html(none);
  EXPECT_THAT(page, AllOf(HasSubstr("&lt;b&gt;"), Not(HasSubstr("<b></"))));
}

TEST(Profile, EachChartHasWhatIsKnown) {
  const auto times = layer_times_chart.draw(profile());
  ASSERT_THAT(times.panels, SizeIs(1));
  EXPECT_EQ(times.panels[0].spec["data"]["values"].size(), 2U);
  const auto roof = roofline_chart.draw(profile());
  ASSERT_THAT(roof.panels, SizeIs(1));
  ASSERT_EQ(roof.panels[0].spec["data"]["values"].size(), 1U);
  const auto& point = roof.panels[0].spec["data"]["values"][0];
  EXPECT_EQ(point["intensity"], 200);
  EXPECT_EQ(point["speed"], 100);
  EXPECT_EQ(point["of_roof"], 0.5);
  auto unmeasured = profile();
  unmeasured.peak_flop_per_s.reset();
  EXPECT_THAT(roofline_chart.draw(unmeasured).panels, SizeIs(0));
}

TEST(Profile, NamesThatLookLikeMarkupStayText) {
  auto evil = profile();
  evil.layers[0].name = "</script><img src=x>";
  EXPECT_THAT(html(evil), Not(HasSubstr("<img src=x")));
}

}  // namespace
}  // namespace neph::report
