# What ./dev demo shows and does not measure, as tests: the worked examples as printed, attention on
# the tensors of examples/data, and the tables and pictures of its plots.

if(NOT TARGET rapt-tool)
  return()
endif()

# demo_prints(NAME EXPECTED ARGS...): the tool succeeds and prints EXPECTED.
function(demo_prints name expected)
  add_test(NAME demo.${name} COMMAND rapt-tool ${ARGN})
  set_tests_properties(demo.${name} PROPERTIES LABELS "demo;quick" TIMEOUT 300
    PASS_REGULAR_EXPRESSION "${expected}" FAIL_REGULAR_EXPRESSION "rapt example: ")
endfunction()

demo_prints(example_softmax "148\\.41 / 158\\.52 = 0\\.936.* 7\\.39 / .*= 0\\.047.* 2\\.72 / .*= 0\\.017"
  example softmax)
demo_prints(example_temperature
  "T = 1\n[^T]* 5\\.5 %[^T]* 74\\.3 %[^T]* 2\\.5 %[^T]* 13\\.6 %[^T]* 4\\.1 %" example temperature)
demo_prints(example_attention
  "= 2\\.89\n.*= 1\\.15\n.*= 0\\.58\n.*: 0\\.78 .*: 0\\.14 .*: 0\\.08 .*output = \\[8\\.2, 1\\.8\\]"
  example attention)
demo_prints(example_scale " 16 +3\\.94 +2\\.67 .* 0\\.99 +7\\.31 .*\n +1024 +32\\.04 +0\\.21 .* 1\\.00 +7\\.28 "
  example scale)
demo_prints(example_order "largest difference: (0|[0-9.]+e-0[78])\n.*largest difference: 1\\.1\n" example order)
demo_prints(example_causal "sum 1\\.000000\n.*sum 0\\.086976\n.*That is the leak" example causal)
demo_prints(example_list "softmax .*temperature .*attention .*scale .*order .*causal " example --list)
demo_prints(example_all "Softmax.*Temperature.*Attention.*Scale.*Order.*Causal" example)
