# neph_proto(NAME FILE [MESSAGES])
#
# A static library NAME of the messages and, where it has any, services of one .proto file, generated at build time; its
# headers are included by their bare names. MESSAGES: it has no services, and needs no gRPC. Generated code is not ours: our
# warnings do not apply to it.
find_package(Protobuf REQUIRED)
find_program(NEPH_GRPC_PLUGIN grpc_cpp_plugin REQUIRED)

function(neph_proto name file)
  get_filename_component(stem ${file} NAME_WE)
  get_filename_component(folder ${file} DIRECTORY)
  set(out ${CMAKE_BINARY_DIR}/generated/proto)
  set(made ${out}/${stem}.pb.cc ${out}/${stem}.pb.h)
  set(libraries protobuf)
  if(NOT ARGV2 STREQUAL "MESSAGES")
    list(APPEND made ${out}/${stem}.grpc.pb.cc ${out}/${stem}.grpc.pb.h)
    set(services --grpc_out=${out} --plugin=protoc-gen-grpc=${NEPH_GRPC_PLUGIN})
    list(PREPEND libraries grpc++ grpc gpr absl_synchronization)
  endif()
  file(MAKE_DIRECTORY ${out})
  add_custom_command(
    OUTPUT ${made}
    COMMAND protobuf::protoc --proto_path=${folder} --cpp_out=${out} ${services} ${file}
    DEPENDS ${file}
    VERBATIM)
  add_library(${name} STATIC ${made})
  target_include_directories(${name} SYSTEM PUBLIC ${out})
  target_compile_options(${name} PRIVATE -w)
  target_link_libraries(${name} PUBLIC ${libraries})
endfunction()

# neph_proto_descriptors(OUT FILE...): the files as one FileDescriptorSet, without json_name: a client that gets them by
# reflection then shows fields by their names, as it does of servers of gRPC's library.
function(neph_proto_descriptors out)
  set(folders)
  foreach(file ${ARGN})
    get_filename_component(folder ${file} DIRECTORY)
    list(APPEND folders --proto_path=${folder})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set(set_of_files google.protobuf.FileDescriptorSet google/protobuf/descriptor.proto)
  list(JOIN set_of_files " " set_of_files)
  set(files ${ARGN})
  list(TRANSFORM folders REPLACE "(.+)" "'\\1'")
  list(TRANSFORM files REPLACE "(.+)" "'\\1'")
  list(JOIN folders " " folders)
  list(JOIN files " " files)
  set(protoc $<TARGET_FILE:protobuf::protoc>)
  add_custom_command(
    OUTPUT ${out}
    COMMAND sh -c "${protoc} ${folders} '--descriptor_set_out=${out}.whole' ${files} && ${protoc} --decode=${set_of_files} <'${out}.whole' | sed '/json_name:/d' | ${protoc} --encode=${set_of_files} >'${out}'"
    DEPENDS ${ARGN}
    VERBATIM)
endfunction()
