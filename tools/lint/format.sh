#!/bin/bash
# format.sh [--fix]: the sources are as clang-format 19 would write them.
set -euo pipefail
cd "$(dirname "$0")/../.."
mapfile -t files < <(find include src tests bench tools examples -type f \
  \( -name '*.c' -o -name '*.h' -o -name '*.cc' \) 2> /dev/null | LC_ALL=C sort)
[ ${#files[@]} != 0 ] || exit 0
if [ "${1-}" = --fix ]; then
  clang-format-19 -i "${files[@]}"
elif ! clang-format-19 --dry-run --Werror "${files[@]}" 2> build/format.log; then
  grep -oE '^[^:]+:[0-9]+' build/format.log | LC_ALL=C sort -u -t: -k1,1
  echo "Not formatted (first place of each file above). Run: ./dev fmt"
  exit 1
fi
