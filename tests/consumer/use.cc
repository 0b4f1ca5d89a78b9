// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same program as C++.
#include "use.c"
