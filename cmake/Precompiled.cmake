# Headers of others that most sources include are read once for each set of compiler options: GCC accepts a precompiled
# header only with the options that it was made with. A source includes what it uses all the same, and compiles
# without: ./dev lint, the fuzzers and -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON do. Headers of ours do not belong here:
# each change of one would compile everything anew.
set(NEPH_PRECOMPILED_HEADERS
  <algorithm> <array> <atomic> <charconv> <chrono> <cmath> <condition_variable> <cstdint> <cstring> <filesystem> <fstream>
  <functional> <map> <memory> <mutex> <numeric> <optional> <ranges> <set> <span> <sstream> <string> <string_view> <thread>
  <unordered_map> <utility> <variant> <vector> <fmt/format.h> <fmt/ranges.h> <tl/expected.hpp>)

# neph_precompile(TARGET [header...]): it is to have them, and these with them. It links fmt.
function(neph_precompile target)
  set_property(GLOBAL APPEND PROPERTY NEPH_PRECOMPILED ${target})
  set_target_properties(${target} PROPERTIES NEPH_HEADERS "${ARGN}")
endfunction()

# neph_precompile_headers(): gives them to all of these; called when every option of every target is known.
function(neph_precompile_headers)
  get_property(targets GLOBAL PROPERTY NEPH_PRECOMPILED)
  foreach(target IN LISTS targets)
    get_target_property(options ${target} COMPILE_OPTIONS)
    get_target_property(folder ${target} SOURCE_DIR)
    get_directory_property(definitions DIRECTORY ${folder} COMPILE_DEFINITIONS)  # OpenVINO's package has one
    get_target_property(visibility ${target} CXX_VISIBILITY_PRESET)
    get_target_property(more ${target} NEPH_HEADERS)
    get_target_property(type ${target} TYPE)
    set(kind OBJECT)
    if(type STREQUAL "EXECUTABLE")
      set(kind EXECUTABLE)  # which CMake compiles with -fPIE, and libraries with -fPIC
    endif()
    string(MD5 set "${options} ${definitions} ${visibility} ${kind} ${more}")
    set(set neph_headers_${set})
    if(NOT TARGET ${set})
      set(source ${CMAKE_CURRENT_BINARY_DIR}/headers.cpp)
      file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
      if(kind STREQUAL "EXECUTABLE")
        add_executable(${set} ${source})
        target_link_libraries(${set} PRIVATE GTest::gmock)
        target_precompile_headers(${set} PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
      else()
        add_library(${set} OBJECT ${source})
      endif()
      target_link_libraries(${set} PRIVATE fmt::fmt Eigen3::Eigen nlohmann_json::nlohmann_json)
      target_precompile_headers(${set} PRIVATE ${NEPH_PRECOMPILED_HEADERS} ${more})
      set_target_properties(${set} PROPERTIES COMPILE_OPTIONS "${options}"
                            RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/headers)
      list(APPEND sets ${set})
      target_compile_definitions(${set} PRIVATE ${definitions})
      if(visibility)
        set_target_properties(${set} PROPERTIES CXX_VISIBILITY_PRESET ${visibility} VISIBILITY_INLINES_HIDDEN ON)
      endif()
    endif()
    target_precompile_headers(${target} REUSE_FROM ${set})
  endforeach()
  file(GLOB made RELATIVE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/neph_headers_*.dir)
  foreach(folder IN LISTS made)
    string(REPLACE ".dir" "" set ${folder})
    if(NOT set IN_LIST sets)  # of other options, 120 MB each
      file(REMOVE_RECURSE ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${folder})
    endif()
  endforeach()
endfunction()
