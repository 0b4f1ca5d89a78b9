"""The checks of objects and libraries pass sound ones and find one seeded fault each: compiled here.

    seeded_objects.py COMPILER
"""
import os
import shlex
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPILER = sys.argv[1]
TABLE = "extern const int rapt_kernels_test_f32;\nconst int rapt_kernels_test_f32 = 1;\n"
failures = 0


def compile_to(path, text, *flags):
    source = path + ".c"
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    subprocess.run([*shlex.split(COMPILER), "-O0", "-fPIC", *flags, source, "-o", path], check=True)


def expect(what, build, script, status, message):
    """Runs tools/lint/<script> on a build tree."""
    global failures
    done = subprocess.run(["bash", os.path.join(TOP, "tools", "lint", script), build],
                          capture_output=True, text=True, check=False)
    output = done.stdout + done.stderr
    if done.returncode != status or message not in output:
        failures += 1
        print(f"{script}: {what}: status {done.returncode}, '{message}' expected:\n{output}")


def objects(what, script, name, text, status, message):
    """One object, listed as the build lists them."""
    with tempfile.TemporaryDirectory() as build:
        os.mkdir(os.path.join(build, "lint"))
        target = os.path.join(build, name)
        compile_to(target, text, "-c")
        for kind in ("kernel", "baseline"):
            with open(os.path.join(build, "lint", kind + "-objects.txt"), "w", encoding="utf-8") as file:
                file.write(target + "\n")
        expect(what, build, script, status, message)


def libraries(what, names, status, message):
    with tempfile.TemporaryDirectory() as build:
        text = "".join(f"void {name}(void);\nvoid {name}(void) {{}}\n" for name in names)
        for library in ("librapt.so", "librapt-core.so"):
            compile_to(os.path.join(build, library), text, "-shared", "-nostdlib")
        expect(what, build, "exports.sh", status, message)


KERNEL = "test_f32.c.o"
objects("sound", "kernel_objects.sh", KERNEL, TABLE, 0, "")
objects("a second symbol", "kernel_objects.sh", KERNEL, TABLE + "int other = 1;\n", 1, "other")
objects("no table", "kernel_objects.sh", KERNEL, "static int x; int *f(void) { return &x; }\n", 1, "test_f32: exports")
objects("memcpy", "kernel_objects.sh", KERNEL,
        "void *memcpy(void *, const void *, unsigned long);\n" + TABLE +
        "static void f(void *p, int n) { memcpy(p, p, n); }\n"
        "__attribute__((used)) static void (*keep)(void *, int) = f;\n", 0, "")
objects("a call of libm", "kernel_objects.sh", KERNEL,
        "float expf(float);\n" + TABLE + "__attribute__((used)) static float (*keep)(float) = expf;\n", 1, "calls expf")

WIDE = {"x86_64": "vaddps %ymm1, %ymm2, %ymm3", "aarch64": ".arch armv8-a+sve\\n add z0.s, z1.s, z2.s"}
machine = os.uname().machine
objects("sound", "baseline_objects.sh", "a.o", "int f(void) { return 1; }\n", 0, "")
if machine in WIDE:
    objects("a wide instruction", "baseline_objects.sh", "a.o",
            f'void f(void) {{ __asm__ volatile("{WIDE[machine]}"); }}\n', 1, "1 instructions with wide registers")

with open(os.path.join(TOP, "cmake", "exports.txt"), encoding="utf-8") as listed:
    promised = listed.read().split()
with open(os.path.join(TOP, "cmake", "exports-core.txt"), encoding="utf-8") as listed:
    same = listed.read().split() == promised
if same:
    libraries("sound", promised, 0, "")
libraries("one too many", [*promised, "rapt_secret"], 1, "+rapt_secret")
libraries("one is missing", promised[1:], 1, "-" + promised[0])
print(f"{failures} failures")
sys.exit(1 if failures else 0)
