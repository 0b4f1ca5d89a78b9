"""Who may include whom (docs/design.md). Headers of other projects stay behind src/platform."""
import os
import re

import common

# Folder under src -> the folders and single files under src that it may include.
CONTRACT = {"kernels/kernel_set.h"}
ALLOWED = {
    "api": {"api", "attention", "layer", "dispatch", "platform"} | CONTRACT,
    "layer": {"layer", "attention", "dispatch", "platform"} | CONTRACT,
    "attention": {"attention", "dispatch", "platform"} | CONTRACT,
    "dispatch": {"dispatch", "kernels/kernels.def"} | CONTRACT,
    "platform": {"platform"},
    "kernels": {"kernels"},
}
# Kernels are pure functions over pointers: freestanding headers, memcpy and memset, intrinsics.
KERNEL_SYSTEM = {"stddef.h", "stdint.h", "stdbool.h", "stdalign.h", "float.h", "limits.h", "string.h",
                 "immintrin.h", "arm_neon.h", "arm_sve.h", "arm_bf16.h", "arm_fp16.h"}
HEADER_SYSTEM = {"stddef.h", "stdint.h"}  # all that the public header may need
THIRD_PARTY = re.compile(r"^(omp|hwloc|cblas|openblas_config|benchmark)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]')


def resolve(path, name):
    """The included file relative to the root, or None if it is not one of ours."""
    for folder in (os.path.dirname(path), "include", "src", "tests", "bench", "tools"):
        candidate = os.path.normpath(os.path.join(folder, name))
        if os.path.isfile(os.path.join(common.root(), candidate)):
            return candidate
    return None


def judge_own(path, target):
    """Why `path` may not include our file `target`, or None."""
    part, target_part = path.split("/")[0], target.split("/")[0]
    if target_part in ("tests", "bench") and part != target_part:
        return f"nothing outside {target_part} includes {target_part}"
    if part == "tools":
        room, target_room = path.split("/")[1], target.split("/")[1]
        if target_part == "include" or (target_part == "tools" and target_room in (room, "common")):
            return None
        return "a tool includes the public header, tools/common and itself"
    if part != "src":
        return None
    layer = path.split("/")[1]
    if layer not in ALLOWED:
        return f"folder src/{layer} has no rule in tools/lint/layers.py"
    if target_part == "include":
        return "kernels do not know the public header" if layer == "kernels" else None
    if target_part != "src":
        return f"src does not include {target_part}"
    inside = target[len("src/"):]
    if inside in ALLOWED[layer] or inside.split("/")[0] in ALLOWED[layer]:
        return None
    return f"src/{layer} may not include src/{inside}"


def judge_system(path, name, users):
    """Why `path` may not include <name>, or None. Notes who uses third-party headers."""
    if THIRD_PARTY.match(name):
        if path.startswith("src/platform/") and path.endswith(".c"):
            users.setdefault(name.split("/")[0], set()).add(path)
        elif path.startswith(("src/", "include/", "tools/")):
            return f"<{name}> belongs in one .c file of src/platform"
    if path.startswith("src/kernels/") and name not in KERNEL_SYSTEM:
        return f"kernels may not include <{name}>"
    if path.startswith("include/") and name not in HEADER_SYSTEM:
        return f"the public header may not include <{name}>"
    return None


findings = []
third_party_users = {}
for source in common.files((".c", ".h", ".cc", ".def")):
    for number, line in enumerate(common.lines(source), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        own = resolve(source, match[2])
        if own:
            reason = judge_own(source, own)
        elif match[1] == '"':
            reason = f'"{match[2]}" was not found in the tree'
        else:
            reason = judge_system(source, match[2], third_party_users)
        if reason:
            findings.append(f"{source}:{number}: {reason}")
for header, users in sorted(third_party_users.items()):
    if len(users) > 1:
        findings.append(f"<{header}> is included by {', '.join(sorted(users))}: one file only")
common.finish(findings, "Move the code to the layer it belongs to, or pass what it needs as arguments.")
