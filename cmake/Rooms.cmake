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
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE neph_${name} GTest::gmock GTest::gtest_main)
    add_test(NAME ${name}_test COMMAND ${name}_test)
    set_tests_properties(${name}_test PROPERTIES
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
      ENVIRONMENT "NEPH_BUILD=${CMAKE_BINARY_DIR};NEPH_PYTHON=${NEPH_VENV}/bin/python")
  endif()
  if(NEPH_TESTS AND benches)
    add_executable(${name}_bench ${benches})
    target_link_libraries(${name}_bench PRIVATE neph_${name} benchmark::benchmark_main)
  endif()
endfunction()
