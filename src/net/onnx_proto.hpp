// ONNX's protobuf messages from libonnx, which asks each user for the same two definitions.
#pragma once

#define ONNX_NAMESPACE onnx
#define ONNX_ML 1
#include <onnx/onnx_pb.h>
