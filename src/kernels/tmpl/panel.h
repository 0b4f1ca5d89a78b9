/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * One panel width of a set: include after a vocabulary with
 *   PANEL_LANES     number of lanes, a literal
 *   PANEL_VECTORS   PANEL_LANES / RAPT_VL, a literal
 *   KEY_TILE, DV_TILE   register tile of scores and accumulate, 4, 8, 12 or 16
 * It defines `static const rapt_panel_ops panel_<lanes>` and takes its parameters away again. */
#define PANEL_PASTE_(name, lanes) name##_##lanes
#define PANEL_PASTE(name, lanes) PANEL_PASTE_(name, lanes)
#define PANEL_NAME(name) PANEL_PASTE(name, PANEL_LANES)

/* CASE(1) .. CASE(tile - 1): exact tiles for remainders. */
#define RAPT_CASES_BELOW_4(CASE) CASE(1) CASE(2) CASE(3)
#define RAPT_CASES_BELOW_8(CASE) RAPT_CASES_BELOW_4(CASE) CASE(4) CASE(5) CASE(6) CASE(7)
#define RAPT_CASES_BELOW_12(CASE) RAPT_CASES_BELOW_8(CASE) CASE(8) CASE(9) CASE(10) CASE(11)
#define RAPT_CASES_BELOW_16(CASE) RAPT_CASES_BELOW_12(CASE) CASE(12) CASE(13) CASE(14) CASE(15)
#define RAPT_CASES_BELOW(tile) PANEL_PASTE(RAPT_CASES_BELOW, tile)

#include "panel_pack.h"
#include "panel_scores.h"
#include "panel_rules.h"
#include "panel_softmax.h"
#include "panel_accumulate.h"
#include "panel_finish.h"

static const rapt_panel_ops PANEL_NAME(panel) = {
    .lanes = PANEL_LANES,
    .vector = RAPT_VL,
    .pack_q = PANEL_NAME(pack_q),
    .scores = PANEL_NAME(scores),
    .add_bias = PANEL_NAME(add_bias),
    .adjust = PANEL_NAME(adjust),
    .softmax = PANEL_NAME(softmax),
    .accumulate = PANEL_NAME(accumulate),
    .join = PANEL_NAME(join),
    .finish = PANEL_NAME(finish),
    .copy_out = PANEL_NAME(copy_out),
};

#undef PANEL_PASTE_
#undef PANEL_PASTE
#undef PANEL_NAME
#undef RAPT_CASES_BELOW_4
#undef RAPT_CASES_BELOW_8
#undef RAPT_CASES_BELOW_12
#undef RAPT_CASES_BELOW_16
#undef RAPT_CASES_BELOW
#undef PANEL_LANES
#undef PANEL_VECTORS
#undef KEY_TILE
#undef DV_TILE
