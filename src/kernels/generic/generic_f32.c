/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * float32 in plain C, for any machine: panels of 8 queries. */
#include "../kernel_set.h"
#include "../simd/generic.h"
#include "../tmpl/finite.h"
#include "../tmpl/math.h"

#define PANEL_LANES 8
#define PANEL_VECTORS 2
#define KEY_TILE 4
#define DV_TILE 4
#include "../tmpl/panel.h"

#define ROW_BLOCK 96
#define ROW_MOST 4
#define ROW_KEYS_FOR(R) ((R) > 2 ? 2 : 1)
#define ROW_VECTORS 4
#define ROW_VECTORS_FOR(R) ((R) <= 2 ? 4 : 2)
#include "../tmpl/row.h"

#include "../tmpl/gemv.h"
#include "../tmpl/rotary.h"

#define SET_ISA generic
#define SET_PANELS panel_8
#define SET_N_PANELS 1
#define SET_KEY_TILE 4
#define SET_DV_TILE 4
#define KEY_BLOCK 96
#include "../tmpl/set_f32.h"
