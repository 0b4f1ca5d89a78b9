#!/bin/bash
# kernel_objects.sh BUILD: a kernel object exports one table, rapt_kernels_<set>, and calls nothing
# but memcpy, memmove and memset (which compilers call unasked).
set -euo pipefail
build=$1
failed=0
while read -r object; do
  [ -n "$object" ] || continue
  set_name=$(basename "$object" .c.o)
  defined=$(nm -g --defined-only "$object" | awk '{print $3}' | tr '\n' ' ')
  if [ "$defined" != "rapt_kernels_$set_name " ]; then
    echo "$set_name: exports '${defined% }', should export rapt_kernels_$set_name alone"
    failed=1
  fi
  undefined=$(nm -u "$object" | awk '{print $2}' | grep -vxE 'memcpy|memmove|memset|_GLOBAL_OFFSET_TABLE_' | tr '\n' ' ' || true)
  if [ -n "$undefined" ]; then
    echo "$set_name: calls $undefined"
    failed=1
  fi
done < "$build/lint/kernel-objects.txt"
if [ $failed = 1 ]; then
  echo "Make helpers static, and write maths with the vocabulary of src/kernels/simd."
fi
exit $failed
