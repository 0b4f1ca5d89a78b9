/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The table of a float32 set: include last, with
 *   SET_ISA        token of the level
 *   KEY_BLOCK      keys per block of a panel
 *   SET_KEY_TILE, SET_DV_TILE   register tiles of the widest panel
 *   SET_PANELS     the panel tables, widest first, and SET_N_PANELS */
_Static_assert(RAPT_SPLIT_KEYS % KEY_BLOCK == 0 && KEY_BLOCK % RAPT_KEY_ALIGN == 0, "key block");
_Static_assert(KEY_BLOCK <= RAPT_MOST_KEY_BLOCK && ROW_BLOCK <= RAPT_MOST_KEY_BLOCK, "blocks");
_Static_assert(RAPT_SPLIT_KEYS % ROW_BLOCK == 0 && ROW_BLOCK % RAPT_KEY_ALIGN == 0, "row block");

_Static_assert(ROW_MOST >= 1 && ROW_MOST <= RAPT_MAX_ROWS, "rows");

#define SET_STRING_(x) #x
#define SET_STRING(x) SET_STRING_(x)
#define SET_PASTE_(isa) rapt_kernels_##isa##_f32
#define SET_PASTE(isa) SET_PASTE_(isa)

extern const rapt_kernel_set SET_PASTE(SET_ISA);
const rapt_kernel_set SET_PASTE(SET_ISA) = {
    .name = SET_STRING(SET_ISA) "_f32",
    .isa = SET_STRING(SET_ISA),
    .key_block = KEY_BLOCK,
    .key_tile = SET_KEY_TILE,
    .dv_tile = SET_DV_TILE,
    .n_panels = SET_N_PANELS,
    .panel = {SET_PANELS},
    .row = {.row_block = ROW_BLOCK,
            .most_rows = ROW_MOST,
            .pack_q = row_pack_q,
            .scores = row_scores,
            .add_bias = row_add_bias,
            .add_alibi = row_add_alibi,
            .softmax = row_softmax,
            .accumulate = row_accumulate,
            .join = row_join,
            .finish = row_finish,
            .copy_out = row_copy_out},
    .mask = {.bools = mask_bools,
             .bias_f32 = mask_bias_f32,
             .bias_f16 = mask_bias_f16,
             .bias_bf16 = mask_bias_bf16,
             .look_f32 = mask_look_f32,
             .look_f16 = mask_look_f16,
             .look_bf16 = mask_look_bf16,
             .permit = mask_permit},
    .softmax = {.prepare = softmax_prepare,
                .largest = softmax_largest,
                .sum = softmax_sum,
                .weights = softmax_weights,
                .logs = softmax_logs},
    .softcap = set_softcap,
    .finite = RAPT_MASKED_FMA ? 0 : set_finite,
    .exp2 = set_exp2,
    .position = {.rotate_halves = rotary_halves, .rotate_pairs = rotary_pairs, .add = position_add},
    .gemv = {.in_out = gemv_in_out, .out_in = gemv_out_in},
};
