/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Properties of whole chains of kernels: right, and the same bits however the work is cut. */
#include "chain.h"

#include <stdlib.h>
#include <string.h>

enum { CASES = 16 };

static void same(const chain *c, const float *before, const char *what, int32_t with) {
  int32_t n = c->rows * c->dim_v;
  CHECK_BITS(c->o, before, (size_t)n, "%s %d: O of %d rows, %d keys, dims %d %d", what, with,
             c->rows, c->keys, c->dim_qk, c->dim_v);
  CHECK_BITS(c->lse, before + n, (size_t)c->rows, "%s %d: LSE of %d rows, %d keys", what, with,
             c->rows, c->keys);
}

/* Every panel width gives the bits of the widest, which are right. */
SET_TEST(chain_widths, "chain_widths") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t i = 0; i < CASES && !rapt_test_failed(); i++) {
    chain c = chain_make(set, &r, (chain_sight)(i % CHAIN_SIGHTS), set->key_block);
    chain_panels(&c, &set->panel[0]);
    chain_compare(&c, "panels");
    float *widest = chain_results(&c);
    for (int32_t p = 1; p < set->n_panels; p++) {
      chain_clear(&c);
      chain_panels(&c, &set->panel[p]);
      same(&c, widest, "width", set->panel[p].lanes);
    }
    free(widest);
    chain_free(&c);
  }
}

/* Work that is left out because nobody sees it changes nothing. */
SET_TEST(chain_trim, "chain_trim") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t i = 0; i < CASES && !rapt_test_failed(); i++) {
    chain c = chain_make(set, &r, (chain_sight)(1 + i % (CHAIN_SIGHTS - 1)), set->key_block);
    for (int32_t p = 0; p < set->n_panels; p++) {
      c.trim = 0;
      chain_clear(&c);
      chain_panels(&c, &set->panel[p]);
      float *untrimmed = chain_results(&c);
      c.trim = 1;
      chain_clear(&c);
      chain_panels(&c, &set->panel[p]);
      same(&c, untrimmed, "trimmed, lanes", set->panel[p].lanes);
      free(untrimmed);
    }
    chain_compare(&c, "trimmed");
    chain_free(&c);
  }
}

SET_TEST(row_chain, "row.chain") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t i = 0; i < CASES && !rapt_test_failed(); i++) {
    chain c = chain_make(set, &r, (chain_sight)(i % CHAIN_SIGHTS), set->row.row_block);
    c.group = 1;
    chain_rows(&c);
    chain_compare(&c, "rows");
    float *alone = chain_results(&c);
    for (c.group = 2; c.group <= RAPT_MAX_ROWS; c.group++)
      for (c.trim = 0; c.trim < 2; c.trim++) {
        chain_clear(&c);
        chain_rows(&c);
        same(&c, alone, c.trim ? "trimmed, rows" : "rows", c.group);
      }
    free(alone);
    chain_free(&c);
  }
}

/* V = ones gives one, at most one unit of the last place off. */
static void check_ones(const chain *c) {
  for (int32_t i = 0; i < c->rows; i++)
    for (int32_t d = 0; d < c->dim_v; d++) {
      float x = c->o[i * c->dim_v + d];
      int none = c->lse[i] == -INFINITY;
      CHECK(none ? x == 0 : x >= 1 - 0x1p-24f && x <= 1 + 0x1p-23f, "row %d channel %d: %.9g", i, d,
            (double)x);
    }
}

SET_TEST(chain_ones, "chain_ones") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t i = 0; i < CASES && !rapt_test_failed(); i++) {
    chain c = chain_make(set, &r, (chain_sight)(i % CHAIN_SIGHTS), set->key_block);
    for (int32_t n = 0; n < c.keys * c.dim_v; n++) c.v[n] = 1;
    chain_panels(&c, &set->panel[i % set->n_panels]);
    check_ones(&c);
    c.group = 1 + i % RAPT_MAX_ROWS;
    c.split = 2 * set->row.row_block;
    chain_clear(&c);
    chain_rows(&c);
    check_ones(&c);
    chain_free(&c);
  }
}

/* Run by panel p, or by rows if there is no such panel. */
static void run(chain *c, int32_t p) {
  chain_clear(c);
  if (p < c->set->n_panels)
    chain_panels(c, &c->set->panel[p]);
  else
    chain_rows(c);
}

static void poison(chain *c, int32_t n) {
  static const float bad[3] = {NAN, INFINITY, -INFINITY};
  for (int32_t d = 0; d < c->dim_qk; d++) c->k[n * c->dim_qk + d] = bad[(n + d) % 3];
  for (int32_t d = 0; d < c->dim_v; d++) c->v[n * c->dim_v + d] = bad[(n + d + 1) % 3];
}

/* Keys that a row may not see have no influence on its bits, whatever they hold; a NaN among those it
 * sees makes it NaN. */
SET_TEST(chain_nan, "chain_nan") {
  rng r = rng_make(rapt_test_seed());
  for (int32_t i = 0; i < 3 * CASES && !rapt_test_failed(); i++) {
    chain c = chain_make(set, &r, (chain_sight)(1 + i % (CHAIN_SIGHTS - 1)), set->key_block);
    int32_t p = i % (set->n_panels + 1), bad = rng_below(&r, c.keys);
    if (p == set->n_panels) c.split = 2 * set->row.row_block;
    c.trim = i / 4 % 2;
    run(&c, p);
    float *clean = chain_results(&c);
    for (int32_t n = 0; n < c.keys; n++)
      if (c.sight[n] == 0) poison(&c, n);
    poison(&c, bad);
    c.k[bad * c.dim_qk] = NAN; /* whatever q: the score is NaN */
    run(&c, p);
    for (int32_t row = 0; row < c.rows; row++) {
      const float *o = c.o + row * c.dim_v;
      if (!(c.sight[bad] >> row & 1)) {
        CHECK_BITS(o, clean + row * c.dim_v, (size_t)c.dim_v, "row %d, forbidden key %d", row, bad);
        CHECK_BITS(c.lse + row, clean + c.rows * c.dim_v + row, 1, "LSE of row %d", row);
        continue;
      }
      for (int32_t d = 0; d < c.dim_v; d++)
        CHECK(isnan(o[d]), "row %d sees a NaN in key %d: channel %d is %g", row, bad, d,
              (double)o[d]);
      CHECK(isnan(c.lse[row]), "row %d sees a NaN: LSE %g", row, (double)c.lse[row]);
    }
    free(clean);
    chain_free(&c);
  }
}
