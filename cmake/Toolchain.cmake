# Compiler flags, the launcher and the linker: everything that makes the build strict and quick.

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
add_compile_options(-Wno-missing-field-initializers)  # a designated initialiser names only what differs
add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)  # false alarms of g++ 12 on std::string (GCC bug 105651)
if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)  # more such false alarms, where headers are precompiled
  add_compile_options("$<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>")
endif()
add_compile_options(-fno-omit-frame-pointer)  # perf and the sanitizers show whole stacks

# Processors since 2009, as the engines ask for. What gains by wider ones is chosen when it runs (ADR 21); on older ones the
# system's loader says so and starts nothing (of what g++ builds).
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  add_compile_options(-march=x86-64-v2 $<$<CXX_COMPILER_ID:GNU>:-mneeded>)
endif()
# Our own products and sums stay apart, so that a model's answers are the same bits on every machine. Eigen fuses them
# where the processor can: what is fitted may differ in its last bits between kinds of processors.
add_compile_options(-ffp-contract=off)

find_program(CCACHE ccache)
if(CCACHE)
  # By paths below the checkout, so that another one has what this one compiled (a worktree, ./dev bench --against).
  # What a source includes is known from the compiler's own list, so that nothing is preprocessed twice; the precompiled
  # headers are files of that list.
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
endif()

find_program(MOLD mold)
if(MOLD AND NOT NEPH_FUZZ AND NOT CMAKE_CROSSCOMPILING)  # a cross compiler looks for a linker of its own
  add_link_options(-fuse-ld=mold)
endif()

if(NEPH_SANITIZE)
  add_compile_options(-fsanitize=${NEPH_SANITIZE} -fno-sanitize-recover=all -O1 -g1)
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)  # false alarms in instrumented code
  # protobuf's headers lay a map out anew where they see tsan, and Debian's library was built without it.
  # Our own code asks for NEPH_TSAN instead.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-U__SANITIZE_THREAD__>)
  if(NEPH_SANITIZE MATCHES thread)
    add_compile_definitions(NEPH_TSAN)
  endif()
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)  # Asio has fences, beside the locks that tsan sees
  add_link_options(-fsanitize=${NEPH_SANITIZE})
endif()

# The Python environment that `./dev` makes: OpenVINO's headers and libraries, the charts' script.
set(NEPH_VENV ${CMAKE_SOURCE_DIR}/.venv CACHE PATH "Virtual environment made by ./dev setup")
file(GLOB NEPH_SITE_PACKAGES ${NEPH_VENV}/lib/python3*/site-packages)
if(NOT NEPH_SITE_PACKAGES)
  message(FATAL_ERROR "No virtual environment in ${NEPH_VENV}. Run ./dev setup first.")
endif()
