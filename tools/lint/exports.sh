#!/bin/bash
# exports.sh BUILD [--update]: what the shared libraries export is exactly what is written down.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$1
failed=0
for pair in "librapt-core.so:cmake/exports-core.txt" "librapt.so:cmake/exports.txt"; do
  library=$build/${pair%%:*} list=${pair#*:}
  # "address type name@@VERSION"; the version node itself is the absolute symbol RAPT_0.
  found=$(nm -D --defined-only "$library" | awk '$2 != "A" {sub(/@.*/, "", $3); print $3}' | LC_ALL=C sort)
  if [ "${2-}" = --update ]; then
    printf '%s\n' "$found" > "$list"
  elif ! diff -u --label "$list" --label "$library" "$list" <(printf '%s\n' "$found"); then
    failed=1
  fi
done
if [ $failed = 1 ]; then
  echo "The exports changed. If that is meant (they only ever grow within a soname), run: tools/lint/exports.sh $build --update"
fi
exit $failed
