# neph_embed_page(TARGET)
#
# Puts the report page's files into TARGET: the charts' library, made at build time from the Python environment's
# vl-convert wheel, and the page's own script, style and notices. An assembler file includes each as it is (.incbin),
# which costs no compile time, and the linker shares the bytes with the file.
function(neph_embed_page target)
  set(page ${CMAKE_SOURCE_DIR}/src/report/page)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/page)
  file(MAKE_DIRECTORY ${made})
  add_custom_command(OUTPUT ${made}/charts_library.js
    COMMAND ${NEPH_VENV}/bin/python ${page}/charts_library.py ${made}/charts_library.js
    DEPENDS ${page}/charts_library.py ${NEPH_SITE_PACKAGES}/vl_convert/__init__.py
    COMMENT "The charts' library from vl-convert" VERBATIM)

  set(symbols neph_charts_library neph_page_script neph_page_style neph_charts_licence)
  set(files ${made}/charts_library.js ${page}/report.js ${page}/report.css ${page}/vega_licence.txt)
  set(text "  .section .note.GNU-stack,\"\",%progbits\n  .section .rodata\n")
  foreach(symbol file IN ZIP_LISTS symbols files)
    string(APPEND text "  .globl ${symbol}, ${symbol}_end\n${symbol}:\n  .incbin \"${file}\"\n${symbol}_end:\n  .byte 0\n")
  endforeach()
  file(CONFIGURE OUTPUT ${made}/page.S CONTENT "${text}" @ONLY)
  set_source_files_properties(${made}/page.S PROPERTIES OBJECT_DEPENDS "${files}")
  target_sources(${target} PRIVATE ${made}/page.S)
endfunction()
