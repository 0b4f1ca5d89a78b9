# llama.cmake -DROOT=<tree> -DPROGRAM=<command>: the model of the conformance data (named by RAPT_CONFORMANCE, or
# beside the tree) continues two prompts, and says how fast.
cmake_minimum_required(VERSION 3.25)
set(data "$ENV{RAPT_CONFORMANCE}")
if(NOT data)
  set(data "${ROOT}/../shared/conformance")
endif()
set(data "${data}/models/stories260K")
if(NOT EXISTS "${data}/model.bin")
  message("skipped: there is no ${data}/model.bin")
  return()
endif()
execute_process(COMMAND ${PROGRAM} "${data}/model.bin" "${data}/tokenizer.bin" -n 30 "Once upon a time" "The dog"
  OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE result)
message("${output}${errors}")
if(NOT result EQUAL 0 OR NOT output MATCHES
    "^Once upon a time, there was a little girl named Lily\\. She loved to .*\n\nThe dog [a-z]+ .*\n$")
  message(FATAL_ERROR "exit status ${result}, or not the texts that this model writes")
endif()
if(NOT errors MATCHES "^prompts: [0-9]+ tokens, [0-9]+ per second; texts: 60 tokens, [0-9]+ per second\n$")
  message(FATAL_ERROR "no tokens per second: ${errors}")
endif()
