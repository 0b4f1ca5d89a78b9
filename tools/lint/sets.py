"""Kernel files, src/kernels/kernels.def and cmake/isa.cmake name the same sets."""
import os
import re

import common

TYPES = ("f32", "f16", "bf16", "i8")


def text(path):
    return "\n".join(common.lines(path))


findings = []
isas = set(re.findall(r"^rapt_isa\(NAME (\w+)", text("cmake/isa.cmake"), re.M))
registry = text("src/kernels/kernels.def")
registered = {f"{isa}_{kind}" for isa, kind in re.findall(r"^RAPT_KERNEL_SET\((\w+), (\w+)\)", registry, re.M)}

built = set()
for path in common.files((".c",)):
    match = re.match(r"src/kernels/(\w+)/(\w+)\.c$", path)
    if not match:
        continue
    name = match[2]
    isa, _, kind = name.partition("_")
    built.add(name)
    if isa not in isas or kind not in TYPES:
        findings.append(f"{path}: '{name}' is not <isa>_<type> with a row in cmake/isa.cmake "
                        f"and a type of {', '.join(TYPES)}")
    if f"rapt_kernels_{name}" not in text(path) and not re.search(r"rapt_kernels_|#\s*include", text(path)):
        findings.append(f"{path}: defines no rapt_kernels_{name}")
for name in sorted(built - registered):
    findings.append(f"src/kernels/kernels.def: no line for {name}")
for name in sorted(registered - built):
    findings.append(f"src/kernels/kernels.def: {name} has no source file")
for name in sorted(registered):
    if not name.startswith("generic_") and f"#ifdef RAPT_HAVE_{name.upper()}\n" not in registry:
        findings.append(f"src/kernels/kernels.def: {name} is not guarded by RAPT_HAVE_{name.upper()}")
common.finish(findings, "A set is one row of isa.cmake, one file and one line of kernels.def.")
