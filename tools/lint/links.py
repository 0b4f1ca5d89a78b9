"""Relative links of the documentation lead to files that exist, and to headings that are there."""
import os
import re

import common

LINK = re.compile(r"\]\(([^)\s]+)\)")  # the text before may begin on an earlier line
FENCE = re.compile(r"^\s*(```|~~~)")


def prose(path):
    """(line number, line) outside of code blocks."""
    inside = False
    for number, line in enumerate(common.lines(path), 1):
        if FENCE.match(line):
            inside = not inside
        elif not inside:
            yield number, line


def anchors(path):
    """Headings as hosting pages name them: lower case, spaces to hyphens, punctuation gone."""
    found = set()
    for _, line in prose(path):
        heading = re.match(r"#+\s+(.*?)\s*$", line)
        if heading:
            text = re.sub(r"[^\w\- ]", "", heading[1].lower())
            found.add(text.replace(" ", "-"))
    return found


findings = []
count = 0
for source in common.files((".md",)):
    for number, line in prose(source):
        for target in LINK.findall(re.sub(r"`[^`]*`", "", line)):
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            name, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(source), name)) if name else source
            if path.startswith("..") or not os.path.exists(os.path.join(common.root(), path)):
                findings.append(f"{source}:{number}: no file '{target}'")
            elif anchor and path.endswith(".md") and anchor not in anchors(path):
                findings.append(f"{source}:{number}: {path} has no heading '#{anchor}'")
print(f"{count} relative links")
common.finish(findings, "Links are relative to the file they stand in.")
