"""What the repository checks share: the files of the tree, and how a finding is reported."""
import os
import sys

SKIPPED_FOLDERS = {"build", ".git", ".cache", "__pycache__"}


def root():
    """The tree to look at: the first argument, or the one this script is part of."""
    if len(sys.argv) > 1:
        return os.path.abspath(sys.argv[1])
    return os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def files(endings=()):
    """Paths relative to the root, sorted; only those with one of the endings if any is given."""
    found = []
    for folder, subfolders, names in os.walk(root()):
        subfolders[:] = [s for s in subfolders if s not in SKIPPED_FOLDERS]
        for name in names:
            if not endings or name.endswith(tuple(endings)):
                found.append(os.path.relpath(os.path.join(folder, name), root()))
    return sorted(found)


def lines(path):
    with open(os.path.join(root(), path), encoding="utf-8", errors="replace") as file:
        return file.read().splitlines()


def finish(findings, remedy):
    """Prints the findings, and what to do about them; ends the script."""
    for finding in findings:
        print(finding)
    if findings:
        print(f"{len(findings)} finding(s). {remedy}")
    sys.exit(1 if findings else 0)
