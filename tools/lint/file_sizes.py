"""No file over 400 lines; the public header may reach 900."""
import os

import common

ENDINGS = (".c", ".h", ".cc", ".cmake", ".py", ".sh", ".def", ".map", ".md", ".awk", ".gp", ".in", "CMakeLists.txt",
           "dev", ".ci/run")
LIMIT = 400
LIMITS = {"include/rapt/rapt.h": 900}

findings = []
for path in common.files():
    if path.endswith(ENDINGS) and not os.path.islink(os.path.join(common.root(), path)):
        count = len(common.lines(path))
        limit = LIMITS.get(path, LIMIT)
        if count > limit:
            findings.append(f"{path}: {count} lines, limit {limit}")
common.finish(findings, "A file that wants to be larger holds two things: part them.")
