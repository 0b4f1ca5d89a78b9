/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * float32 on 64-bit Arm NEON: panels of 8 queries. */
#include "../kernel_set.h"
#include "../simd/neon.h"
#include "../tmpl/math.h"
#include "../tmpl/finite.h"

#define PANEL_LANES 8
#define PANEL_VECTORS 2
#define KEY_TILE 8
#define DV_TILE 8
#include "../tmpl/panel.h"

#define ROW_BLOCK 96
#define ROW_MOST 4
#define ROW_KEYS_FOR(R) ((R) > 2 ? 2 : 1)
#define ROW_VECTORS 8
#define ROW_VECTORS_FOR(R) ((R) <= 2 ? 8 : 4)
#include "../tmpl/row.h"

#include "../tmpl/gemv.h"
#include "../tmpl/rotary.h"

#define SET_ISA neon
#define SET_PANELS panel_8
#define SET_N_PANELS 1
#define SET_KEY_TILE 8
#define SET_DV_TILE 8
#define KEY_BLOCK 96
#include "../tmpl/set_f32.h"
