/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * float32 on AVX-512: panels of 32, 16 and 8 queries. */
#include "../kernel_set.h"
#include "../simd/avx512.h"
#include "../tmpl/finite.h"
#include "../tmpl/math.h"

#define PANEL_LANES 32
#define PANEL_VECTORS 2
#define KEY_TILE 12
#define DV_TILE 12
#include "../tmpl/panel.h"

#define PANEL_LANES 16
#define PANEL_VECTORS 1
#define KEY_TILE 12
#define DV_TILE 16
#include "../tmpl/panel.h"

#define ROW_BLOCK 96
#define ROW_MOST 12
/* One key after the other follows memory, which is all that counts for 1 and 2 rows; for more, four keys
 * share each load of q. */
#define ROW_KEYS_FOR(R) ((R) > 2 ? 4 : 1)
#define ROW_VECTORS 8
#define ROW_VECTORS_FOR(R) ((R) <= 2 ? 8 : 4)
#include "../tmpl/row.h"

#include "../tmpl/gemv.h"
#include "../tmpl/rotary.h"

#include "../simd/avx512_8.h"
#include "../tmpl/math.h"
#define PANEL_LANES 8
#define PANEL_VECTORS 1
#define KEY_TILE 12
#define DV_TILE 16
#include "../tmpl/panel.h"

#define SET_ISA avx512
#define SET_PANELS panel_32, panel_16, panel_8
#define SET_N_PANELS 3
#define SET_KEY_TILE 12
#define SET_DV_TILE 12
#define KEY_BLOCK 144
#include "../tmpl/set_f32.h"
