#!/bin/bash
# baseline_objects.sh BUILD: code that runs on every CPU of the architecture holds no instruction
# that only some have: no ymm, zmm or mask register on x86, no SVE register on Arm.
set -euo pipefail
build=$1
failed=0
while read -r object; do
  [ -n "$object" ] || continue
  # grep -c reads to the end: with -m1 or -q objdump would die of a closed pipe.
  count=$(objdump -d --no-show-raw-insn "$object" |
    grep -cE '%[yz]mm[0-9]|%k[0-7]\b|\s[zp][0-9]+\.[bhsdq]\b|\s[zp][0-9]+/[mz]\b' || true)
  if [ "$count" != 0 ]; then
    echo "$object: $count instructions with wide registers"
    failed=1
  fi
done < "$build/lint/baseline-objects.txt"
if [ $failed = 1 ]; then
  echo "Such code belongs in a kernel file under src/kernels/<architecture>, which has its own flags."
fi
exit $failed
