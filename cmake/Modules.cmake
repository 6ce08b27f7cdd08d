# neph_module(NAME [O1] [USES module...] [LINK library...] [HEADERS header...])
#
# A module is the folder src/NAME and one static library neph_NAME of all its .cpp files, subfolders too, except
#   *_test.cpp   which make the test program NAME_test (run by ctest under the same name), and
#   *_bench.cpp  which make NAME_bench (google/benchmark).
# A new file needs no line here. USES names other modules, LINK names libraries of the system. O1: it computes little, and
# compiles in two thirds of the time with -O1. HEADERS: headers of others that most of its sources read (Precompiled.cmake).
function(neph_module name)
  cmake_parse_arguments(MODULE "O1" "" "USES;LINK;HEADERS;EXCLUDE" ${ARGN})
  set(folder ${CMAKE_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  foreach(pattern ${MODULE_EXCLUDE})
    list(FILTER sources EXCLUDE REGEX ${pattern})
  endforeach()
  set(tests ${sources})
  set(benches ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cpp$")

  list(TRANSFORM MODULE_USES PREPEND neph_ OUTPUT_VARIABLE uses)
  if(sources)
    add_library(neph_${name} STATIC ${sources})
    neph_precompile(neph_${name} ${MODULE_HEADERS})
    if(MODULE_O1)
      target_compile_options(neph_${name} PRIVATE -O1)
    endif()
    set(scope PUBLIC)
  else()
    add_library(neph_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(neph_${name} ${scope} ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(neph_${name} ${scope} ${uses} ${MODULE_LINK})

  if(NEPH_TESTS AND tests)
    neph_test_program(${name}_test neph_${name} ${tests})
    neph_precompile(${name}_test ${MODULE_HEADERS})
  endif()
  if(NEPH_TESTS AND benches)
    add_executable(${name}_bench ${benches})
    target_link_libraries(${name}_bench PRIVATE neph_${name} benchmark::benchmark_main)
  endif()
endfunction()

# neph_plugin(TARGET FOLDER folder OF library FILE file TESTS name [LINK library...])
#
# A plugin is a folder below src/ and one shared library of all its .cpp files, bin/FILE.so, which the program loads when
# it is asked for. *_test.cpp make the test program NAME_test and *_bench.cpp NAME_bench, which have the plugin's code in
# themselves, for what lies behind its one exported symbol.
function(neph_plugin target)
  cmake_parse_arguments(PLUGIN "" "FOLDER;OF;FILE;TESTS" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${PLUGIN_FOLDER}/*.cpp)
  set(tests ${sources})
  set(benches ${sources})
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER benches INCLUDE REGEX "_bench\\.cpp$")

  add_library(${target}_code OBJECT ${sources})
  neph_precompile(${target}_code)
  target_link_libraries(${target}_code PUBLIC ${PLUGIN_OF} ${PLUGIN_LINK})
  set_target_properties(${target}_code PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  add_library(${target} MODULE)
  target_link_libraries(${target} PRIVATE ${target}_code)
  target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL)  # exports its factory and nothing else
  cmake_path(SET file ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/${PLUGIN_FILE})
  cmake_path(GET file PARENT_PATH folder)
  cmake_path(GET file FILENAME name)
  set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${folder})

  if(NEPH_TESTS AND tests)
    neph_test_program(${PLUGIN_TESTS}_test ${target}_code ${tests})
    neph_precompile(${PLUGIN_TESTS}_test)
    add_dependencies(${PLUGIN_TESTS}_test ${target})
  endif()
  if(NEPH_TESTS AND benches)
    add_executable(${PLUGIN_TESTS}_bench ${benches})
    target_link_libraries(${PLUGIN_TESTS}_bench PRIVATE ${target}_code benchmark::benchmark_main)
  endif()
  set_property(GLOBAL APPEND PROPERTY NEPH_PLUGINS ${target})
endfunction()

# neph_engine(NAME [LINK library...]): the plugin bin/engines/neph-engine-NAME.so of the folder src/engine/NAME.
function(neph_engine name)
  neph_plugin(neph_engine_${name} FOLDER engine/${name} OF neph_engine FILE engines/neph-engine-${name}
              TESTS ${name}_engine ${ARGN})
  if(TARGET ${name}_engine_test)
    target_compile_definitions(${name}_engine_test PRIVATE NEPH_TESTED_ENGINE="${name}")
  endif()
endfunction()

# neph_test_program(NAME LIBRARY source...): a gtest program that ctest runs from the repository's root.
function(neph_test_program name library)
  add_executable(${name} ${ARGN})
  target_compile_options(${name} PRIVATE -O1)
  target_link_libraries(${name} PRIVATE ${library} fmt::fmt GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    ENVIRONMENT "NEPH_BUILD=${CMAKE_BINARY_DIR};NEPH_PYTHON=${NEPH_VENV}/bin/python")
endfunction()
