# neph_room(NAME [USES room...] [LINK library...])
#
# A room is the folder src/NAME and one static library neph_NAME of all its .cpp files, subfolders too, except
#   *_test.cpp   which make the test program NAME_test (run by ctest under the same name), and
#   *_bench.cpp  which make NAME_bench (google/benchmark).
# A new file needs no line here. USES names other rooms, LINK names libraries of the system.
function(neph_room name)
  cmake_parse_arguments(ROOM "" "" "USES;LINK;EXCLUDE" ${ARGN})
  set(folder ${CMAKE_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  foreach(pattern ${ROOM_EXCLUDE})
    list(FILTER sources EXCLUDE REGEX ${pattern})
  endforeach()
  set(tests ${sources})
  set(benches ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cpp$")

  list(TRANSFORM ROOM_USES PREPEND neph_ OUTPUT_VARIABLE uses)
  if(sources)
    add_library(neph_${name} STATIC ${sources})
    set(scope PUBLIC)
  else()
    add_library(neph_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(neph_${name} ${scope} ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(neph_${name} ${scope} ${uses} ${ROOM_LINK})

  if(NEPH_TESTS AND tests)
    neph_test_program(${name}_test neph_${name} ${tests})
  endif()
  if(NEPH_TESTS AND benches)
    add_executable(${name}_bench ${benches})
    target_link_libraries(${name}_bench PRIVATE neph_${name} benchmark::benchmark_main)
  endif()
endfunction()

# neph_engine(NAME [LINK library...])
#
# An engine is the folder src/engine/NAME and one plugin of all its .cpp files, bin/engines/neph-engine-NAME.so, which
# the program loads when it is asked for. *_test.cpp make the test program NAME_engine_test and *_bench.cpp
# NAME_engine_bench, which have the plugin's code in themselves as well, for what lies behind the door.
function(neph_engine name)
  cmake_parse_arguments(ENGINE "" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/engine/${name}/*.cpp)
  set(tests ${sources})
  set(benches ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cpp$")

  add_library(neph_engine_${name}_code OBJECT ${sources})
  target_link_libraries(neph_engine_${name}_code PUBLIC neph_engine ${ENGINE_LINK})
  set_target_properties(neph_engine_${name}_code PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  add_library(neph_engine_${name} MODULE)
  target_link_libraries(neph_engine_${name} PRIVATE neph_engine_${name}_code)
  target_link_options(neph_engine_${name} PRIVATE -Wl,--exclude-libs,ALL)  # exports its factory and nothing else
  set_target_properties(neph_engine_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME neph-engine-${name} LIBRARY_OUTPUT_DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/engines)

  if(NEPH_TESTS AND tests)
    neph_test_program(${name}_engine_test neph_engine_${name}_code ${tests})
    add_dependencies(${name}_engine_test neph_engine_${name})
  endif()
  if(NEPH_TESTS AND benches)
    add_executable(${name}_engine_bench ${benches})
    target_link_libraries(${name}_engine_bench PRIVATE neph_engine_${name}_code benchmark::benchmark_main)
  endif()
  set_property(GLOBAL APPEND PROPERTY NEPH_ENGINES neph_engine_${name})
endfunction()

# neph_test_program(NAME LIBRARY source...): a gtest program that ctest runs from the repository's root.
function(neph_test_program name library)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE ${library} GTest::gmock GTest::gtest_main)
  if(NEPH_SANITIZE MATCHES thread)
    target_compile_definitions(${name} PRIVATE NEPH_TSAN)  # for tests of what tsan cannot see into
  endif()
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    ENVIRONMENT "NEPH_BUILD=${CMAKE_BINARY_DIR};NEPH_PYTHON=${NEPH_VENV}/bin/python")
endfunction()
