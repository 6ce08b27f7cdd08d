#include "engine/openvino/error_text.hpp"

#include <gtest/gtest.h>

namespace neph::engine {
namespace {

// The texts are OpenVINO 2026.4.1's own.
TEST(ErrorText, KeepsTheSentenceAndDropsWhereInOpenVinoItHappened) {
  const auto error =
      explain("cannot load m.xml",
              "Exception from src/inference/src/cpp/core.cpp:84:\n"
              "Check 'res.status == pugi::status_ok' failed at src/frontends/ir/src/input_model.cpp:219:\n"
              "Error parsing element attribute at offset 2185\n\n\n");
  EXPECT_EQ(error.message, "cannot load m.xml: Error parsing element attribute at offset 2185");
  EXPECT_EQ(error.code, ErrorCode::corrupt);
}

TEST(ErrorText, NamesUnknownOperators) {
  const auto error =
      explain("cannot load m.onnx",
              "Exception from src/inference/src/cpp/core.cpp:84:\n"
              "FrontEnd API failed with OpConversionFailure:\nModel wasn't fully converted.\nSummary:\n"
              "-- No conversion rule found for operations: com.example.Frobnicate, NoSuchOp-17\n\n\n");
  EXPECT_EQ(error.message,
            "cannot load m.onnx: OpenVINO does not know the operators com.example.Frobnicate, NoSuchOp of "
            "opset 17");
  EXPECT_EQ(error.code, ErrorCode::unsupported);
}

TEST(ErrorText, SaysWhichEngineMayHaveWhatItLacks) {
  const auto maps = explain("cannot load m.onnx",
                            "Exception from src/inference/src/cpp/core.cpp:84:\n"
                            "Unsupported value_info type: output_probability\n\n");
  EXPECT_EQ(maps.text(),
            "cannot load m.onnx: 'output_probability' is no tensor but a sequence or map; ONNX Runtime takes "
            "maps of ZipMap: --engine onnxruntime");
  const auto of = [](const char* subject) {
    return explain(subject, "-- No conversion rule found for operations: ai.onnx.ml.Scaler-1\n").hint;
  };
  EXPECT_EQ(of("cannot load m.onnx"), "ONNX Runtime may: --engine onnxruntime");
  EXPECT_EQ(of("cannot load m.xml"), "") << "which ONNX Runtime does not read";
}

TEST(ErrorText, FindsTheReasonBehindNestedChecks) {
  const auto error =
      explain("cannot load m.onnx",
              "Exception from src/inference/src/cpp/core.cpp:84:\n"
              "Check 'false' failed at src/frontends/common_translators/src/unconverted_ops_report.cpp:151:\n"
              "FrontEnd API failed with OpConversionFailure:\nModel wasn't fully converted. Failed "
              "operations detailed log:\n"
              "-- Gemm-17 with a message:\n"
              "While validating ONNX node '<Node(Gemm): y>': Check 'DimType::merge()' failed at "
              "src/core/matmul.hpp:65:\n"
              "While validating node 'opset1::MatMul MatMul_5 ()' with friendly_name 'MatMul_5':\n"
              "Incompatible MatMul matrix dimension.\n\nSummary:\n-- Conversion is failed for: Gemm-17\n");
  EXPECT_EQ(error.message, "cannot load m.onnx: node 'y' (Gemm): Incompatible MatMul matrix dimension.");
}

TEST(ErrorText, IsNeverEmpty) {
  EXPECT_EQ(explain("cannot load m", "").message, "cannot load m: OpenVINO gives no reason");
  EXPECT_EQ(explain("cannot load m", "\n \nException from src/a.cpp:1:\n").message,
            "cannot load m: OpenVINO gives no reason");
}

TEST(ErrorText, TellsMemoryFromOtherFailures) {
  try {
    throw std::bad_alloc();
  } catch (...) {
    EXPECT_EQ(explain_current("inference failed").code, ErrorCode::unavailable);
  }
}

TEST(ErrorText, NamesTheFileOfWeightsThatIsMissing) {
  const auto error =
      explain("cannot load m.onnx",
              "Exception from src/inference/src/cpp/core.cpp:84:\n"
              "Check 'false' failed at src/frontends/common/src/frontend.cpp:47:\nLoading input model\n"
              "Invalid usage of method for externally stored data in file (w.data, offset: 0, data_length: "
              "256)\n\n\n");
  EXPECT_EQ(error.code, ErrorCode::not_found);
  EXPECT_EQ(
      error.message,
      "cannot load m.onnx: its weights in w.data, which belongs beside the model, are missing or cut short");
}

TEST(ErrorText, OfMemoryIsNoFaultOfTheModel) {
  EXPECT_EQ(explain("inference failed", "Failed to allocate 64000000 bytes of memory").code,
            ErrorCode::unavailable);
}

}  // namespace
}  // namespace neph::engine
