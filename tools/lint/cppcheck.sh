#!/bin/bash
# cppcheck.sh: a second opinion on the portable C. Kernel files are left to clang-tidy, because
# cppcheck knows neither vector types nor intrinsics.
set -euo pipefail
cd "$(dirname "$0")/../.."
cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr -j 2 \
  --enable=warning,performance,portability \
  --suppress=missingIncludeSystem --suppress=unmatchedSuppression \
  --suppress='*:src/kernels/*' -I include -I src -I tools \
  src/api src/attention src/dispatch src/platform tools/common tools/rapt ||
  { echo "Mend the lines above, or say why not: // cppcheck-suppress id"; exit 1; }
