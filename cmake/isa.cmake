# The instruction sets: one row each. The name is the token used everywhere: in file names
# (<isa>_<type>.c), in kernels.def, in test and benchmark names and in RAPT_ISA.
# To add a set: a row here, a kernel file, its entry in src/kernels/kernels.def.

include(CheckCSourceCompiles)

# rapt_isa(NAME <token> ARCH any|x86_64|aarch64 [FLAGS ...] [PROBE <C statements>] [INCLUDE <header>])
# Sets RAPT_ISA_<token>_OK and RAPT_ISA_<token>_FLAGS and adds the token to RAPT_ISAS. The probe
# shows that the compiler (and its assembler) knows the instructions; nothing is run.
function(rapt_isa)
  # PARSE_ARGV keeps the semicolons of the probe
  cmake_parse_arguments(PARSE_ARGV 0 row "" "NAME;ARCH;PROBE;INCLUDE" "FLAGS")
  set(source "")
  if(NOT row_ARCH STREQUAL "any")
    string(APPEND source "#ifndef __${row_ARCH}__\n#error another architecture\n#endif\n")
  endif()
  if(row_INCLUDE)
    string(APPEND source "#include <${row_INCLUDE}>\n")
  endif()
  string(APPEND source "float probe(float *p);\nfloat probe(float *p) { ${row_PROBE} return p[0]; }\n"
    "int main(void) { float x[64] = {0}; return (int)probe(x); }\n")
  list(JOIN row_FLAGS " " CMAKE_REQUIRED_FLAGS)
  set(CMAKE_REQUIRED_QUIET ON)
  check_c_source_compiles("${source}" RAPT_ISA_${row_NAME}_OK)
  set(RAPT_ISA_${row_NAME}_FLAGS "${row_FLAGS}" PARENT_SCOPE)
  set(RAPT_ISAS ${RAPT_ISAS} ${row_NAME} PARENT_SCOPE)
endfunction()

set(RAPT_ISAS "")

rapt_isa(NAME generic ARCH any)

rapt_isa(NAME avx2 ARCH x86_64 INCLUDE immintrin.h
  FLAGS -mavx2 -mfma -mf16c -mbmi -mbmi2
  PROBE "__m256 a = _mm256_loadu_ps(p); a = _mm256_fmadd_ps(a, a, a);
         a = _mm256_add_ps(a, _mm256_cvtph_ps(_mm256_cvtps_ph(a, 0)));
         _mm256_storeu_ps(p, a);")

# Every sub-extension is listed: compilers imply F from the others, but not the others from F.
rapt_isa(NAME avx512 ARCH x86_64 INCLUDE immintrin.h
  FLAGS -mavx512f -mavx512vl -mavx512dq -mavx512bw -mavx512cd
        -mavx2 -mfma -mf16c -mbmi -mbmi2 -mprefer-vector-width=512
  PROBE "__m512 a = _mm512_maskz_loadu_ps((__mmask16)3, p); a = _mm512_fmadd_ps(a, a, a);
         a = _mm512_and_ps(a, a); _mm512_mask_storeu_ps(p, (__mmask16)3, a);
         _mm256_mask_storeu_ps(p, (__mmask8)3, _mm512_castps512_ps256(a));")

rapt_isa(NAME neon ARCH aarch64 INCLUDE arm_neon.h
  PROBE "float32x4_t a = vld1q_f32(p); a = vfmaq_laneq_f32(a, a, a, 1); vst1q_f32(p, a);")
