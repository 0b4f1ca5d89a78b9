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

# The same numbers, looked into.
demo_prints(explain_attention "1 +0 +2\\.88675.*2 +1 +1\\.1547.*3 +2 +0\\.57735.*3 visible keys" explain attention)

# demo_computes(CASE ARGS...): rapt run on a case of examples/data; the test is its exit code.
function(demo_computes name case)
  set(data "${PROJECT_SOURCE_DIR}/examples/data/${case}")
  add_test(NAME demo.${name} COMMAND rapt-tool run --q "${data}/q.npy" --k "${data}/k.npy"
    --v "${data}/v.npy" ${ARGN})
  set_tests_properties(demo.${name} PROPERTIES LABELS "demo;quick" TIMEOUT 300)
endfunction()

set(data "${PROJECT_SOURCE_DIR}/examples/data")
foreach(case ppocr-l0-s160 ppocr-l1-s160)
  demo_computes(real_${case} ${case} --check --expect "${data}/${case}/out.npy" --tolerance 5e-6)
endforeach()
# The comparison notices another layer's output.
demo_computes(real_other_layer ppocr-l1-s160 --expect "${data}/ppocr-l0-s160/out.npy" --tolerance 5e-6)
set_tests_properties(demo.real_other_layer PROPERTIES
  PASS_REGULAR_EXPRESSION "expect +NOT OK.*O differs from")
demo_computes(real_heatmap ppocr-l1-s160 --heatmap 3)
set_tests_properties(demo.real_heatmap PROPERTIES
  PASS_REGULAR_EXPRESSION "head 3 .*160 queries down, 160 keys across.*(0\\.99999|1\\.0000)")

# rapt bench: its table and its file, no bar where there is no terminal. Whether it is fast is not asked.
set(csv "${PROJECT_BINARY_DIR}/demo-bench.csv")
add_test(NAME demo.bench COMMAND rapt-tool bench --like llama --longest 1024 --threads 1
  --seconds 0.001 --csv "${csv}")
set_tests_properties(demo.bench PROPERTIES LABELS "demo;quick" TIMEOUT 300
  PASS_REGULAR_EXPRESSION "\n +256 .*\n +512 .*x\n +1024 .*x\n\nTime grows with length"
  FAIL_REGULAR_EXPRESSION "\\[[#.]+\\];rapt bench: " FIXTURES_SETUP demo_bench_csv)
add_test(NAME demo.bench_csv COMMAND "${CMAKE_COMMAND}" "-DCSV=${csv}"
  -P "${CMAKE_CURRENT_SOURCE_DIR}/worked/bench_csv.cmake")
set_tests_properties(demo.bench_csv PROPERTIES LABELS "demo;quick" FIXTURES_REQUIRED demo_bench_csv)

if(RAPT_PYTHON3 AND NOT CMAKE_CROSSCOMPILING)
  add_test(NAME demo.bench_progress COMMAND "${RAPT_PYTHON3}" -B
    "${CMAKE_CURRENT_SOURCE_DIR}/worked/progress.py" $<TARGET_FILE:rapt-tool>)
  set_tests_properties(demo.bench_progress PROPERTIES LABELS "demo;quick" TIMEOUT 300)
endif()

# The plots' way from figures to pictures, on recorded figures.
find_program(RAPT_GNUPLOT gnuplot)
find_program(RAPT_AWK awk)
mark_as_advanced(RAPT_GNUPLOT RAPT_AWK)
add_test(NAME demo.plots COMMAND "${CMAKE_COMMAND}" "-DROOT=${PROJECT_SOURCE_DIR}"
  "-DWORK=${PROJECT_BINARY_DIR}/demo-plots" "-DAWK=${RAPT_AWK}" "-DGNUPLOT=${RAPT_GNUPLOT}"
  "-DTOOL=${CMAKE_CROSSCOMPILING_EMULATOR};$<TARGET_FILE:rapt-tool>"
  -P "${CMAKE_CURRENT_SOURCE_DIR}/worked/plots.cmake")
set_tests_properties(demo.plots PROPERTIES LABELS "demo;quick" TIMEOUT 300
  SKIP_REGULAR_EXPRESSION "SKIPPED: gnuplot")
