// What ONNX Runtime says, read: its reasons, where nodes were placed, which library is missing.
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "engine/onnxruntime/log.hpp"
#include "engine/onnxruntime/needed_library.hpp"
#include "engine/onnxruntime/provider.hpp"

namespace neph::engine::onnxruntime_plugin {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Reason, IsWithoutThePlacesInTheSources) {
  EXPECT_EQ(
      in_one_line(
          "Load model from /a/b.onnx failed:/onnxruntime_src/onnxruntime/core/graph/model.cc:256 "
          "onnxruntime::Model::Model(onnx::ModelProto&&, const onnxruntime::PathString&) Unsupported model "
          "IR version: 99, max supported IR version: 14\n"),
      "Unsupported model IR version: 99, max supported IR version: 14");
  EXPECT_EQ(
      in_one_line("External data path validation failed for initializer: w. Error: tensorprotoutils.cc:619 "
                  "ValidateExternalDataPathFromDir External data path does not exist: \"/a/b.data\""),
      "External data path validation failed for initializer: w. Error: External data path does not exist: "
      "\"/a/b.data\"");
  EXPECT_EQ(
      in_one_line("Exception during initialization: /o/string_normalizer.cc:393 "
                  "onnxruntime::Locale::Locale(const std::string&)::<lambda()> Failed to construct locale"),
      "Failed to construct locale");
  EXPECT_EQ(in_one_line("plain words: of 12:30"), "plain words: of 12:30");
  EXPECT_EQ(in_one_line("x.cc:12"), "");
}

TEST(Reason, SaysWhatToDo) {
  const auto error =
      explain("cannot load m.onnx", ORT_FAIL,
              "Load model from m.onnx failed:Fatal error: com.example:Frobnicate(-1) is not a registered "
              "function/op");
  EXPECT_EQ(error.code, ErrorCode::unsupported);
  EXPECT_THAT(error.message, AllOf(StartsWith("cannot load m.onnx: Fatal error: com.example:Frobnicate"),
                                   HasSubstr("custom operator"), Not(HasSubstr("Load model from"))));
  EXPECT_EQ(explain("x", ORT_INVALID_ARGUMENT, "strange").text(), "x: strange");
  EXPECT_EQ(explain("x", ORT_FAIL, "Failed to allocate memory for 9 bytes").code, ErrorCode::unavailable);
}

TEST(Placement, CountsAndNamesWhatFellBack) {
  PlacementLog log;
  for (const char* line :
       {"Node placements", " Node(s) placed on [OpenVINOExecutionProvider]. Number of nodes: 1",
        "  OpenVINO-EP-subgraph_1 (OpenVINOExecutionProvider_OpenVINO-EP-subgraph_1_0)",
        " Node(s) placed on [CPUExecutionProvider]. Number of nodes: 2", "  NonZero (places)",
        "  Unique (uq)", "SaveMLValueNameIndexMapping", "  other (words)"})
    log.hear(line);
  EXPECT_EQ(fallback_text(log.placed(), "OpenVINOExecutionProvider"),
            "2 of 3 nodes on cpu: NonZero (places), Unique (uq)");
  log.close();
  log.hear(" All nodes placed on [CPUExecutionProvider]. Number of nodes: 3");
  EXPECT_EQ(log.placed().size(), 2U);
}

TEST(Placement, OfAllNodesIsOneLine) {
  PlacementLog log;
  log.hear(" All nodes placed on [CPUExecutionProvider]. Number of nodes: 12");
  EXPECT_EQ(fallback_text(log.placed(), "CPUExecutionProvider"), "");
  EXPECT_EQ(fallback_text(log.placed(), "CUDAExecutionProvider"), "12 of 12 nodes on cpu");
}

TEST(Placement, NamesTheFirstOfMany) {
  Placed many{
      .provider = "CPUExecutionProvider", .nodes = 10, .names = std::vector<std::string>(10, "TopK ()")};
  EXPECT_THAT(fallback_text({many}, "CUDAExecutionProvider"),
              AllOf(StartsWith("10 of 10 nodes on cpu: TopK (), "), HasSubstr(", 2 more")));
}

TEST(NeededLibrary, IsNamedWithItsPackage) {
  EXPECT_EQ(missing_library(
                "Failed to load library /a/libonnxruntime_providers_cuda.so with error: libcublasLt.so.13: "
                "cannot open shared object file: No such file or directory"),
            "libcublasLt.so.13");
  EXPECT_EQ(missing_library("libcudnn.so.9: cannot open shared object file"), "libcudnn.so.9");
  EXPECT_EQ(missing_library("undefined symbol: x"), "");
  EXPECT_THAT(what_is_missing("libcublasLt.so.13"), HasSubstr("pip install --no-deps nvidia-cublas,"));
  EXPECT_THAT(what_is_missing("libcublas.so.12"), HasSubstr("nvidia-cublas-cu12,"));
  EXPECT_THAT(what_is_missing("libcudnn.so.9"), HasSubstr("nvidia-cudnn-cu13,"));
  EXPECT_THAT(what_is_missing("libnvinfer.so.10"), HasSubstr("tensorrt-cu13-libs<11"));
  EXPECT_THAT(what_is_missing("libcuda.so.1"), HasSubstr("driver"));
  EXPECT_FALSE(load_from_environments("libnowhere.so.9"));
}

TEST(Needed, TheSecondPartOfNvrtcWhateverItsVersion) {
  namespace fs = std::filesystem;
  const auto folder = fs::temp_directory_path() / fmt::format("neph-nvrtc-{}", ::getpid());
  fs::create_directories(folder);
  for (const char* name : {"libnvrtc.so.13", "libnvrtc-builtins.so.13.0", "libnvrtc-builtins.alt.so.13.0"})
    std::ofstream(folder / name);
  EXPECT_THAT(nvrtc_builtins({folder / "none", folder}),
              testing::ElementsAre(folder / "libnvrtc-builtins.so.13.0"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace neph::engine::onnxruntime_plugin
