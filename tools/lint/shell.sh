#!/bin/bash
# shell.sh: ShellCheck over every script.
set -euo pipefail
cd "$(dirname "$0")/../.."
mapfile -t scripts < <(find . -path ./build -prune -o -path ./.git -prune -o -name '*.sh' -print)
shellcheck --severity=info dev .ci/run "${scripts[@]}" ||
  { echo "Mend the lines above, or say why not: # shellcheck disable=SCnnnn"; exit 1; }
