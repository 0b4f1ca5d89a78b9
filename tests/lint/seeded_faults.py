"""Each repository check passes a small clean tree and finds the one fault seeded into it."""
import os
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

CLEAN = {
    "include/rapt/rapt.h": "#include <stdint.h>\n",
    "src/api/version.c": '#include <rapt/rapt.h>\n#include "attention/plan.h"\n',
    "src/attention/plan.h": '#include "../kernels/kernel_set.h"\n',
    "src/platform/executor_openmp.c": "#include <omp.h>\n",
    "src/kernels/kernel_set.h": "#include <stdint.h>\n",
    "src/kernels/generic/generic_f32.c": '#include "../kernel_set.h"\nint rapt_kernels_generic_f32;\n',
    "src/kernels/x86/avx2_f32.c": '#include "../kernel_set.h"\nint rapt_kernels_avx2_f32;\n',
    "src/kernels/kernels.def": "#ifdef RAPT_HAVE_AVX2_F32\nRAPT_KERNEL_SET(avx2, f32)\n#endif\n"
                               "RAPT_KERNEL_SET(generic, f32)\n",
    "cmake/isa.cmake": "rapt_isa(NAME generic ARCH any)\nrapt_isa(NAME avx2 ARCH x86_64)\n",
    "tools/common/npy.h": "#include <stdio.h>\n",
    "tools/rapt/run.c": '#include <rapt/rapt.h>\n#include "common/npy.h"\n',
    "README.md": "[the inside](docs/design.md#two-rooms), `[x](y)`\n```c\n[a](b)\n```\n",
    "docs/design.md": "# Design\n## Two rooms\n[back](../README.md) [up](#design) [far](https://example.org)\n",
    "tests/check/main.c": '#include "kernels/kernel_set.h"\n',
}
LONG_FUNCTION = "int f(void)\n{\n" + "  g();\n" * 90 + "}\n"

# check, file, its content, part of the expected message
FAULTS = [
    ("file_sizes", "src/api/big.c", "\n" * 401, "401 lines"),
    ("function_lengths", "src/api/long.c", LONG_FUNCTION, "function of 93 lines"),
    ("function_lengths", "src/api/long2.c", LONG_FUNCTION.replace(")\n{", ") {"), "function of 92 lines"),
    ("layers", "src/attention/up.c", '#include "../api/version.c"\n', "may not include src/api"),
    ("layers", "src/kernels/x86/avx2_f32.c", "#include <rapt/rapt.h>\n", "do not know the public header"),
    ("layers", "src/kernels/x86/avx2_f32.c", "#include <math.h>\n", "kernels may not include <math.h>"),
    ("layers", "src/attention/omp.c", "#include <omp.h>\n", "belongs in one .c file"),
    ("layers", "src/platform/second.c", "#include <omp.h>\n", "one file only"),
    ("layers", "src/api/test.c", '#include "../../tests/check/main.c"\n', "nothing outside tests"),
    ("layers", "tools/rapt/inside.c", '#include "attention/plan.h"\n', "a tool includes the public header"),
    ("layers", "tools/common/up.c", '#include "rapt/run.c"\n', "a tool includes the public header"),
    ("layers", "src/api/tool.c", '#include "common/npy.h"\n', "src does not include tools"),
    ("layers", "src/extra/new.c", '#include "../kernels/kernel_set.h"\n', "has no rule"),
    ("layers", "include/rapt/rapt.h", "#include <stdio.h>\n", "public header may not include"),
    ("sets", "src/kernels/x86/avx3_f32.c", "int rapt_kernels_avx3_f32;\n", "with a row in cmake/isa.cmake"),
    ("sets", "src/kernels/x86/avx2_f16.c", "int rapt_kernels_avx2_f16;\n", "no line for avx2_f16"),
    ("sets", "src/kernels/kernels.def", "RAPT_KERNEL_SET(avx2, f32)\nRAPT_KERNEL_SET(generic, f32)\n",
     "not guarded"),
    ("links", "README.md", "[the inside](docs/design.md) and [more](docs/numerics.md)\n", "no file 'docs/numerics.md'"),
    ("links", "docs/design.md", "# Design\n[x](../README.md#try-it)\n", "no heading '#try-it'"),
    ("links", "docs/design.md", "## Two rooms\n[x](../../outside.md)\n", "no file"),
    ("names", "src/api/path.c", "/* see /ho" + "me/someone/notes */\n", "a path of one machine"),
    ("names", "tests/check/data.c", 'char *p = "../sha' + 'red/x";\n', "data beside the tree"),
]


def write(tree, path, text):
    full = os.path.join(tree, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as file:
        file.write(text)


def run(check, changes):
    """Exit status and output of a check on the clean tree with some files replaced."""
    with tempfile.TemporaryDirectory() as tree:
        for path, text in {**CLEAN, **changes}.items():
            write(tree, path, text)
        script = os.path.join(TOP, "tools", "lint", check + ".py")
        done = subprocess.run([sys.executable, "-B", script, tree], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr


failures = 0
for check in sorted({fault[0] for fault in FAULTS}):
    status, output = run(check, {})
    if status != 0:
        failures += 1
        print(f"{check}: finds fault with the clean tree:\n{output}")
for check, path, text, expected in FAULTS:
    status, output = run(check, {path: text})
    if status != 1 or expected not in output:
        failures += 1
        print(f"{check}: '{expected}' expected for {path}, status {status}:\n{output}")
print(f"{len(FAULTS)} seeded faults, {failures} failures")
sys.exit(1 if failures else 0)
