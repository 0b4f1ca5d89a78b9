#!/bin/bash
# tidy.sh BUILD: clang-tidy (.clang-tidy) over every C file of the compile commands in BUILD.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1

# Each file of ours once, relative to the tree; generated ones live under build.
sources() {
  python3 - "$build/compile_commands.json" << 'PYTHON'
import json, os, sys
with open(sys.argv[1], encoding="utf-8") as file:
    paths = {os.path.relpath(command["file"]) for command in json.load(file)}
print("\n".join(sorted(p for p in paths if p.endswith(".c") and not p.startswith(("..", "build")))))
PYTHON
}

# tidy ARGS...: file names on standard input. "n warnings generated" (in system headers) goes to
# stderr and says nothing, nor does the progress on stdout.
tidy() {
  xargs -r -P 2 -n 4 clang-tidy-19 --quiet -p "$build" "$@" 2>> "$build/tidy.log" | grep -v '^\[[0-9]*/[0-9]*\] Processing'
  [ "${PIPESTATUS[0]}" = 0 ]
}

failed=0
: > "$build/tidy.log"
# Without these checks where they find only noise. Register tiles index with small ints on purpose,
# and so do tests; no product there comes near 2^31. Tests run under sanitizers, which see what the
# analyzer guesses at.
widening=-bugprone-implicit-widening-of-multiplication-result,-bugprone-misplaced-widening-cast
sources | grep -E '^src/' | grep -vE '^src/kernels/' | tidy || failed=1
sources | grep -E '^(src/kernels|bench)/' |
  tidy --header-filter='/(src/kernels|bench)/' --checks=$widening || failed=1
sources | grep -vE '^(src|bench)/' | tidy --checks="$widening,-clang-analyzer-*" || failed=1
if [ $failed = 1 ]; then
  grep -vE 'warnings? (generated|treated)|^Suppressed|^Use -' "$build/tidy.log" | head -50 || true
  echo "Mend the lines above, or say why not: // NOLINT(name): reason"
fi
exit $failed
