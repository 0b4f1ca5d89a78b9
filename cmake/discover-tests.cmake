# cmake -D PROGRAM= LIST= PREFIX= LABELS= SELECT= LAUNCHER= LISTER= -P discover-tests.cmake
# Writes LIST, a CTest file with one entry for each name that `LISTER PROGRAM --list` prints.
foreach(name LABELS LAUNCHER LISTER)
  string(REPLACE "|" ";" ${name} "${${name}}")
endforeach()

execute_process(COMMAND ${LISTER} "${PROGRAM}" --list
  OUTPUT_VARIABLE names ERROR_VARIABLE errors RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} --list failed (${result})\n${names}${errors}")
endif()
string(STRIP "${names}" names)
string(REPLACE "\n" ";" names "${names}")

set(command "")
foreach(word ${LAUNCHER} "${PROGRAM}")
  string(APPEND command " [==[${word}]==]")
endforeach()

set(text "")
foreach(name IN LISTS names)
  set(labels ${LABELS})
  set(timeout 300)
  if(name MATCHES "(^|\\.)slow_")
    set(timeout 1500)
    if(LAUNCHER AND SELECT)
      continue() # slow ones would take hours in an emulator chosen for its CPU
    endif()
  else()
    list(APPEND labels quick)
  endif()
  if(SELECT AND NOT name MATCHES "${SELECT}")
    continue()
  endif()
  string(APPEND text "add_test([==[${PREFIX}${name}]==]${command} [==[${name}]==])\n"
    "set_tests_properties([==[${PREFIX}${name}]==] PROPERTIES SKIP_RETURN_CODE 77 "
    "TIMEOUT ${timeout} LABELS [==[${labels}]==])\n")
endforeach()
file(WRITE "${LIST}" "${text}")
