# neph_embed_folder(TARGET SYMBOL folder ending)
#
# Puts all files folder/*.ending into TARGET, in the order of their names, each behind a line "#### NAME", between the
# symbols SYMBOL and SYMBOL_end. A new file needs no line here.
include(Embed)
function(neph_embed_folder target symbol folder ending)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.${ending})
  set(text "")
  foreach(file IN LISTS files)
    cmake_path(GET file FILENAME name)
    file(READ ${file} content)
    string(APPEND text "#### ${name}\n${content}")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(joined ${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.txt)
  file(CONFIGURE OUTPUT ${joined} CONTENT "${text}" @ONLY)
  neph_embed(${target} ${symbol} ${joined})
endfunction()
