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

using Code = int;      ///< TF_Code
using DataType = int;  ///< TF_DataType
using Deallocate = void (*)(void* data, std::size_t bytes, void* argument);

/// Result, name without its TF_, and parameters of each function.
#define NEPH_TF_FUNCTIONS(F)                                                                               \
  F(const char*, Version, ())                                                                              \
  F(TF_Status*, NewStatus, ())                                                                             \
  F(void, DeleteStatus, (TF_Status*))                                                                      \
  F(Code, GetCode, (const TF_Status*))                                                                     \
  F(const char*, Message, (const TF_Status*))                                                              \
  F(TF_Graph*, NewGraph, ())                                                                               \
  F(void, DeleteGraph, (TF_Graph*))                                                                        \
  F(TF_ImportGraphDefOptions*, NewImportGraphDefOptions, ())                                               \
  F(void, DeleteImportGraphDefOptions, (TF_ImportGraphDefOptions*))                                        \
  F(void, GraphImportGraphDef, (TF_Graph*, const TF_Buffer*, const TF_ImportGraphDefOptions*, TF_Status*)) \
  F(TF_Operation*, GraphOperationByName, (TF_Graph*, const char* name))                                    \
  F(int, OperationNumOutputs, (TF_Operation*))                                                             \
  F(DataType, OperationOutputType, (TF_Output))                                                            \
  F(int, GraphGetTensorNumDims, (TF_Graph*, TF_Output, TF_Status*))                                        \
  F(void, GraphGetTensorShape, (TF_Graph*, TF_Output, std::int64_t * dims, int rank, TF_Status*))          \
  F(TF_SessionOptions*, NewSessionOptions, ())                                                             \
  F(void, DeleteSessionOptions, (TF_SessionOptions*))                                                      \
  F(void, SetConfig, (TF_SessionOptions*, const void* config, std::size_t bytes, TF_Status*))              \
  F(TF_Session*, NewSession, (TF_Graph*, const TF_SessionOptions*, TF_Status*))                            \
  F(TF_Session*, LoadSessionFromSavedModel,                                                                \
    (const TF_SessionOptions*, const TF_Buffer* run_options, const char* folder, const char* const* tags,  \
     int tag_count, TF_Graph*, TF_Buffer* meta_graph, TF_Status*))                                         \
  F(void, CloseSession, (TF_Session*, TF_Status*))                                                         \
  F(void, DeleteSession, (TF_Session*, TF_Status*))                                                        \
  F(void, SessionRun,                                                                                      \
    (TF_Session*, const TF_Buffer* run_options, const TF_Output* inputs, TF_Tensor* const* input_values,   \
     int input_count, const TF_Output* outputs, TF_Tensor** output_values, int output_count,               \
     const TF_Operation* const* targets, int target_count, TF_Buffer* run_metadata, TF_Status*))           \
  F(TF_Tensor*, NewTensor,                                                                                 \
    (DataType, const std::int64_t* dims, int rank, void* data, std::size_t bytes, Deallocate,              \
     void* argument))                                                                                      \
  F(void, DeleteTensor, (TF_Tensor*))                                                                      \
  F(int, NumDims, (const TF_Tensor*))                                                                      \
  F(std::int64_t, Dim, (const TF_Tensor*, int))                                                            \
  F(std::size_t, TensorByteSize, (const TF_Tensor*))                                                       \
  F(void*, TensorData, (const TF_Tensor*))

struct Api {
#define NEPH_TF_MEMBER(Returns, name, parameters) Returns(*name) parameters;
  NEPH_TF_FUNCTIONS(NEPH_TF_MEMBER)
#undef NEPH_TF_MEMBER
};

/// An object of the library, deleted by one of its functions.
template <class T>
using Owned = std::unique_ptr<T, void (*)(T*)>;

}  // namespace neph::engine::tensorflow_plugin
