# neph_embed(TARGET SYMBOL file)
#
# Puts a file into TARGET as it is, between the symbols SYMBOL and SYMBOL_end, by an assembler file (.incbin).
function(neph_embed target symbol file)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.S)
  string(CONCAT text "  .section .note.GNU-stack,\"\",%progbits\n  .section .rodata\n"
    "  .globl ${symbol}, ${symbol}_end\n${symbol}:\n  .incbin \"${file}\"\n${symbol}_end:\n  .byte 0\n")
  file(CONFIGURE OUTPUT ${made} CONTENT "${text}" @ONLY)
  set_source_files_properties(${made} PROPERTIES OBJECT_DEPENDS ${file})
  target_sources(${target} PRIVATE ${made})
endfunction()
