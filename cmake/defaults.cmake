# What every target of this project has in common. Nothing is set for the whole directory: an
# embedding project keeps its own flags.

include(CheckCCompilerFlag)

set(RAPT_WARNINGS -Wall -Wextra -Wconversion -Wshadow -Wvla)
set(RAPT_C_WARNINGS -Wmissing-prototypes -Wstrict-prototypes)

# rapt_defaults(TARGET): language level, warnings, hidden visibility, sanitizers.
function(rapt_defaults target)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden
    POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE
    ${RAPT_WARNINGS} "$<$<COMPILE_LANGUAGE:C>:${RAPT_C_WARNINGS}>")
  if(RAPT_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(RAPT_SANITIZE)
    target_compile_options(${target} PRIVATE
      -fsanitize=${RAPT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(${target} PRIVATE -fsanitize=${RAPT_SANITIZE})
  endif()
endfunction()

# rapt_glob(OUT PATTERN...): sources by folder, relative to the project's root. The build looks
# again each time, so a new file needs no edit here.
function(rapt_glob out)
  list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/")
  file(GLOB found CONFIGURE_DEPENDS ${ARGN})
  set(${out} "${found}" PARENT_SCOPE)
endfunction()
