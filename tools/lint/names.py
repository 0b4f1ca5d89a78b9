"""The tree builds anywhere: nothing names the machine or the folders it was written on."""
import os
import re

import common

ENDINGS = (".c", ".h", ".cc", ".def", ".cmake", ".in", ".py", ".sh", ".md", ".json", ".txt", ".map",
           ".yml", "dev", ".ci/run")
HOME = re.compile(r"(?<![\w.$}])/(home|root|Users)/\w")
SYSTEM_FOLDERS = {"/", "/home", "/mnt", "/opt", "/root", "/srv", "/tmp", "/usr", "/var"}
# Data of others that lies beside the tree, if at all, and which one test reads there.
BESIDE = re.compile(r"\.\./shared\b")

# The folder that holds this tree is as private as the tree's own path, unless it is one that every
# system has.
here = common.root()
if os.path.dirname(here) not in SYSTEM_FOLDERS:
    here = os.path.dirname(here)
here = re.compile(r"(?<![\w.$}])" + re.escape(here) + r"(/|\b)")

findings = []
for path in common.files():
    if not path.endswith(ENDINGS):
        continue
    for number, line in enumerate(common.lines(path), 1):
        if HOME.search(line) or here.search(line):
            findings.append(f"{path}:{number}: a path of one machine: {line.strip()}")
        if BESIDE.search(line) and not path.startswith("tests/conformance"):
            findings.append(f"{path}:{number}: only tests/conformance reads data beside the tree")
common.finish(findings, "Make the path relative to the tree, or let the caller pass it.")
