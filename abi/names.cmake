# Makes what names.def says into what the linker and the assembler read, in the build folder, when CMake configures:
# exports.map, the version script; and libgomp's older versions of names, for lld older_versions.txt, options by which it
# gives a function one more name, for other linkers older_versions.inc, which symbol_versions.S includes. A library that
# is made of the runtime's sources gets these names by export_names().
set(names_file "${CMAKE_CURRENT_LIST_DIR}/names.def")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${names_file}")

# name{a,b} -> namea;nameb
function(expand_braces result text)
  if(NOT text MATCHES "^([^{]*){([^}]*)}(.*)$")
    set(${result} "${text}" PARENT_SCOPE)
    return()
  endif()
  set(head "${CMAKE_MATCH_1}")
  set(tail "${CMAKE_MATCH_3}")
  string(REPLACE "," ";" choices "${CMAKE_MATCH_2}")
  set(all)
  foreach(choice IN LISTS choices)
    expand_braces(expanded "${head}${choice}${tail}")
    list(APPEND all ${expanded})
  endforeach()
  set(${result} "${all}" PARENT_SCOPE)
endfunction()

# `name` in that version is the function `target`.
macro(older_version target name version)
  string(APPEND older_versions "        OLDER_VERSION ${target}, ${name}, ${version}\n")
  string(APPEND older_names "--defsym=${name}@${version}=${target}\n")
endmacro()

set(versions none)       # of the group that is being read
set(default_names "")    # in node VERSION
set(own_nodes)           # nodes of chomp's own names; own_NODE has them
set(chains "")           # libgomp's nodes, each with the one before it; nothing is listed in them
set(older_versions "")   # for symbol_versions.S
set(older_names "")      # for lld
file(STRINGS "${names_file}" lines)
foreach(line IN LISTS lines)
  if(line MATCHES "^#" OR line STREQUAL "")
    continue()
  elseif(line MATCHES "^nodes ([A-Z]+) \\| (.*)$")
    set(family "${CMAKE_MATCH_1}")
    separate_arguments(numbers UNIX_COMMAND "${CMAKE_MATCH_2}")
    set(before "")
    foreach(number IN LISTS numbers)
      string(APPEND chains "${family}_${number} {\n}${before};\n")
      set(before " ${family}_${number}")
    endforeach()
  elseif(line MATCHES "^[^ ].*\\|(.*)$")
    separate_arguments(versions UNIX_COMMAND "${CMAKE_MATCH_1}")
  elseif(NOT line MATCHES "^  ")
    message(FATAL_ERROR "abi/names.def: not a group and not names: ${line}")
  elseif(NOT versions STREQUAL "none")
    separate_arguments(words UNIX_COMMAND "${line}")
    foreach(word IN LISTS words)
      string(REGEX MATCH "^([^=]*)=?(.*)$" matched "${word}")
      set(other "${CMAKE_MATCH_2}")
      expand_braces(names "${CMAKE_MATCH_1}")
      foreach(name IN LISTS names)
        if(versions MATCHES "^only;(.*)$")
          list(APPEND own_nodes "${CMAKE_MATCH_1}")
          string(APPEND "own_${CMAKE_MATCH_1}" "    ${name};\n")
          continue()
        endif()
        if(versions MATCHES "^hidden;(.*)$")
          list(APPEND own_nodes "${CMAKE_MATCH_1}")
          older_version(${other} ${name} ${CMAKE_MATCH_1})
          continue()
        endif()
        string(APPEND default_names "    ${name};\n")
        set(target "${name}")
        if(other)
          set(target "${other}")
        endif()
        foreach(version IN LISTS versions)
          older_version(${target} ${name} ${version})
        endforeach()
      endforeach()
    endforeach()
  endif()
endforeach()

set(map "VERSION {\n  global:\n${default_names}  local:\n    *;\n};\n${chains}")
list(REMOVE_DUPLICATES own_nodes)
foreach(node IN LISTS own_nodes)
  set(own)
  if(own_${node})
    set(own "  global:\n${own_${node}}")
  endif()
  string(APPEND map "${node} {\n${own}};\n")
endforeach()
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/abi/exports.map" CONTENT "${map}" @ONLY)
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/abi/older_versions.inc" CONTENT "${older_versions}" @ONLY)
file(CONFIGURE OUTPUT "${CMAKE_BINARY_DIR}/abi/older_versions.txt" CONTENT "${older_names}")

function(export_names library)
  set(made "${CMAKE_BINARY_DIR}/abi")
  target_link_options(${library} PRIVATE
    "LINKER:--version-script=${made}/exports.map"
    # Calls among our own exported functions, the jumps of symbol_versions.S included, stay inside the library. zig's
    # linker knows the coarser option only; of data we export nothing that a program could have a copy of.
    "LINKER:-Bsymbolic$<$<NOT:$<BOOL:${CHOMP_ZIG}>>:-functions>")
  set_property(TARGET ${library} APPEND PROPERTY LINK_DEPENDS "${made}/exports.map")
  if(CHOMP_LLD AND NOT CHOMP_ZIG)
    target_link_options(${library} PRIVATE "-Wl,@${made}/older_versions.txt")
    set_property(TARGET ${library} APPEND PROPERTY LINK_DEPENDS "${made}/older_versions.txt")
  else() # other linkers give no function a second name with a version
    set(jumps "${CMAKE_SOURCE_DIR}/abi/symbol_versions.S")
    target_sources(${library} PRIVATE "${jumps}")
    target_include_directories(${library} PRIVATE "$<$<COMPILE_LANGUAGE:ASM>:${CMAKE_BINARY_DIR}>")
    set_property(SOURCE "${jumps}" APPEND PROPERTY OBJECT_DEPENDS "${made}/older_versions.inc")
  endif()
endfunction()
