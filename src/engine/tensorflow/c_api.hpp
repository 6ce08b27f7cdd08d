// The part of TensorFlow's C API that is used here, as tensorflow/c/*.h declare it. Declared again, so that
// the plugin is built without TensorFlow; the functions come from the library that library.hpp opens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

extern "C" {
struct TF_Status;
struct TF_Graph;
struct TF_Operation;
struct TF_Session;
struct TF_SessionOptions;
struct TF_ImportGraphDefOptions;
struct TF_Tensor;
struct TF_Buffer {
  const void* data;
  std::size_t length;
  void (*data_deallocator)(void* data, std::size_t length);
};
struct TF_Output {
  TF_Operation* oper;
  int index;
};
}

namespace neph::engine::tensorflow_plugin {

/// TF_Code and TF_DataType; the numbers that matter are in failure.cpp and data_types.cpp.
using Code = int;
using DataType = int;

/// Each function is called as in TensorFlow, without its TF_.
struct Api {
  const char* (*Version)();
  TF_Status* (*NewStatus)();
  void (*DeleteStatus)(TF_Status*);
  Code (*GetCode)(const TF_Status*);
  const char* (*Message)(const TF_Status*);

  TF_Graph* (*NewGraph)();
  void (*DeleteGraph)(TF_Graph*);
  TF_ImportGraphDefOptions* (*NewImportGraphDefOptions)();
  void (*DeleteImportGraphDefOptions)(TF_ImportGraphDefOptions*);
  void (*GraphImportGraphDef)(TF_Graph*, const TF_Buffer*, const TF_ImportGraphDefOptions*, TF_Status*);
  TF_Operation* (*GraphOperationByName)(TF_Graph*, const char*);
  int (*OperationNumOutputs)(TF_Operation*);
  DataType (*OperationOutputType)(TF_Output);
  int (*GraphGetTensorNumDims)(TF_Graph*, TF_Output, TF_Status*);
  void (*GraphGetTensorShape)(TF_Graph*, TF_Output, std::int64_t* dims, int count, TF_Status*);

  TF_SessionOptions* (*NewSessionOptions)();
  void (*DeleteSessionOptions)(TF_SessionOptions*);
  void (*SetConfig)(TF_SessionOptions*, const void* config, std::size_t bytes, TF_Status*);
  TF_Session* (*NewSession)(TF_Graph*, const TF_SessionOptions*, TF_Status*);
  TF_Session* (*LoadSessionFromSavedModel)(const TF_SessionOptions*, const TF_Buffer* run_options,
                                           const char* folder, const char* const* tags, int tag_count,
                                           TF_Graph*, TF_Buffer* meta_graph, TF_Status*);
  void (*CloseSession)(TF_Session*, TF_Status*);
  void (*DeleteSession)(TF_Session*, TF_Status*);
  void (*SessionRun)(TF_Session*, const TF_Buffer* run_options, const TF_Output* inputs,
                     TF_Tensor* const* input_values, int input_count, const TF_Output* outputs,
                     TF_Tensor** output_values, int output_count, const TF_Operation* const* targets,
                     int target_count, TF_Buffer* run_metadata, TF_Status*);

  TF_Tensor* (*NewTensor)(DataType, const std::int64_t* dims, int dim_count, void* data, std::size_t bytes,
                          void (*deallocate)(void*, std::size_t, void*), void*);
  void (*DeleteTensor)(TF_Tensor*);
  int (*NumDims)(const TF_Tensor*);
  std::int64_t (*Dim)(const TF_Tensor*, int);
  std::size_t (*TensorByteSize)(const TF_Tensor*);
  void* (*TensorData)(const TF_Tensor*);
};

/// An object of the library, deleted by one of its functions.
template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

}  // namespace neph::engine::tensorflow_plugin
