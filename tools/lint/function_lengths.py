"""No function over 80 lines outside src/kernels, where one tile may need more.

The sources are formatted (./dev fmt), so a function begins at an unindented line, its body opens at
the end of a line, and the body closes with a brace in the first column.
"""
import re

import common

LIMIT = 80
BEGIN = re.compile(r"^[A-Za-z_].*")
NOT_A_FUNCTION = re.compile(r"^(typedef|struct|enum|union|extern|namespace|#)|^[^(]*=|;\s*$"
                            r"|^[A-Z_]+\((?!.*\{$)")  # a row of a table made by a macro


def too_long(path):
    begin = None
    for number, line in enumerate(common.lines(path), 1):
        if begin is None:
            if BEGIN.match(line) and "(" in line and not NOT_A_FUNCTION.search(line):
                begin = number
        elif line.startswith("}"):
            if number - begin + 1 > LIMIT:
                yield f"{path}:{begin}: function of {number - begin + 1} lines, limit {LIMIT}"
            begin = None
        elif number - begin < 12 and line.endswith(";") and not line.startswith(" "):
            begin = None


findings = []
for source in common.files((".c", ".h", ".cc")):
    if not source.startswith("src/kernels/"):
        findings += too_long(source)
common.finish(findings, "Give the parts of the function names of their own.")
