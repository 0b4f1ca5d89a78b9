/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A language model on the layer: reads a checkpoint of llama2.c with its tokenizer and continues several
 * prompts in one batch. Attention with projections, positions and cache is rapt_mha, the draw of a token
 * rapt_softmax; the rest is loops. Files are used as they lie in memory (little-endian). */
#include <errno.h>
#include <math.h>
#include <time.h>

#include "example.h"

static const char usage[] =
    "usage: llama MODEL TOKENIZER [-n TOKENS] [-t TEMPERATURE] [-s SEED] [PROMPT]...\n\n"
    "Continues each PROMPT (quote it), all in one batch; without one the model starts a text.\n"
    "  MODEL      a float32 checkpoint of llama2.c, such as stories260K or stories15M\n"
    "  TOKENIZER  the tokenizer.bin that belongs to it\n"
    "  -n 256     tokens to add to each prompt, at most; the model's context is a limit, too\n"
    "  -t 0       temperature: 0 takes the likeliest token, 1 draws as the model expects, 2 is "
    "wild\n"
    "  -s 1       seed of the draws. A text depends on it, its prompt and its place in the batch\n"
    "For instance: llama stories260K.bin tok512.bin -n 60 'The dog' 'One day, a little girl'\n"
    "Texts go to stdout, tokens per second to stderr. OMP_NUM_THREADS: threads of attention.\n";

/* Tokens BYTES + 0 to 255 stand for single bytes; no model has larger numbers than LARGEST. */
enum { START = 1, END = 2, BYTES = 3, LARGEST = 1 << 18, LONGEST_PIECE = 512 };

#define REFUSE(what, ...) \
  (snprintf(error->field, 48, "%.47s", what), snprintf(error->message, 200, __VA_ARGS__), 1)

static void *room(size_t n, size_t size) {
  void *memory = calloc(n + 16, size); /* some for what is empty */
  if (!memory) exit((fputs("error: memory is exhausted\n", stderr), 1));
  return memory;
}

/* ---- Files ----------------------------------------------------------------------------------- */
/* What a checkpoint holds, in this order; from NORM_1 to W3 layer after layer. Matrices are [out][in]. */
enum { EMBEDDING, NORM_1, WQ, WK, WV, WO, NORM_2, W1, W2, W3, NORM_3, COS, SIN, OUTPUT, PARTS };

typedef struct piece { /* the bytes of a token */
  const char *bytes;
  int32_t length, id;
  float score;
} piece;

typedef struct model {
  int32_t dim, hidden, layers, heads, kv_heads, vocab, context; /* the file's header */
  int32_t head_dim, kv_dim;
  const float *part[PARTS];
  int64_t size[PARTS];  /* floats of a layer */
  rapt_mha **attention; /* of each layer */
  rapt_rope *rope;
  rapt_rope_table table;
  piece *pieces, *sorted; /* by token, by bytes */
} model;

static const float *part(const model *m, int which, int64_t layer) {
  return m->part[which] + layer * m->size[which];
}

static int read_file(const char *path, char **bytes, size_t *size, rapt_error *error) {
  FILE *file = fopen(path, "rb");
  if (!file) return REFUSE(path, "cannot be opened: %s", strerror(errno));
  for (size_t have = 0; !feof(file) && !ferror(file);) {
    char *grown = *size < have ? *bytes : realloc(*bytes, have = 2 * have + 65536);
    if (!grown) break;
    *size += fread(grown + *size, 1, have - *size, file);
    *bytes = grown;
  }
  int complete = feof(file);
  return fclose(file), complete ? 0 : REFUSE(path, "cannot be read to its end");
}

/* `bytes` must outlive the model. model_free has to follow, after an error too. */
static int model_load(model *m, const char *bytes, size_t size, rapt_error *error) {
  int32_t header[7];
  memset(m, 0, sizeof *m);
  if (size < sizeof header) return REFUSE("model", "ends before its header does");
  memcpy(header, bytes, sizeof header);
  int untied = header[5] < 0; /* the classifier is not the embedding */
  if (untied && header[5] >= -LARGEST) header[5] = -header[5];
  for (int i = 0; i < 7; i++)
    if (header[i] < (i == 5 ? BYTES + 256 : 1) || header[i] > LARGEST)
      return REFUSE("model", "is none of llama2.c: number %d of it is %d", i, header[i]);
  memcpy(m, header, sizeof header);
  if (m->dim % m->heads || m->heads % m->kv_heads)
    return REFUSE("model", "has %d and %d heads, dim %d", m->heads, m->kv_heads, m->dim);
  m->head_dim = m->dim / m->heads;
  m->kv_dim = m->kv_heads * m->head_dim;
  int64_t dim = m->dim, square = dim * dim, narrow = dim * m->kv_dim, wide = dim * m->hidden;
  int64_t angles = (int64_t)m->context * (m->head_dim / 2), words = dim * m->vocab, total = 7;
  const int64_t sizes[PARTS] = {words, dim,  square, narrow, narrow, square, dim,
                                wide,  wide, wide,   dim,    angles, angles, untied ? words : 0};
  memcpy(m->size, sizes, sizeof sizes);
  for (int i = 0; i < PARTS; total += sizes[i] * (NORM_1 <= i && i <= W3 ? m->layers : 1), i++)
    m->part[i] = (size_t)total <= size / 4 ? (const float *)(const void *)bytes + total : NULL;
  if ((uint64_t)total * 4 != size)
    return REFUSE("model", "has %zu bytes, by its header %lld", size, (long long)total * 4);
  if (!untied) m->part[OUTPUT] = m->part[EMBEDDING];
  m->table = (rapt_rope_table){.size = sizeof m->table, .count = m->context};
  m->table.cos = m->part[COS], m->table.sin = m->part[SIN], m->table.stride = m->head_dim / 2 * 4;
  rapt_rope_desc r = {.size = sizeof r, .flags = RAPT_ROPE_INTERLEAVED, .head_dim = m->head_dim};
  if (rapt_rope_create(&r, &m->rope, error)) return 1;
  rapt_attention_desc heads = {.size = sizeof heads, .flags = RAPT_CAUSAL};
  heads.align = RAPT_ALIGN_BOTTOM_RIGHT, heads.heads_q = m->heads, heads.heads_kv = m->kv_heads;
  heads.head_dim_qk = heads.head_dim_v = m->head_dim;
  m->attention = room((size_t)m->layers, sizeof *m->attention);
  for (int32_t l = 0; l < m->layers; l++) {
    rapt_mha_desc desc = {.size = sizeof desc, .layout = RAPT_WEIGHTS_OUT_IN, .embed_in = m->dim};
    desc.wq.data = part(m, WQ, l), desc.wk.data = part(m, WK, l);
    desc.wv.data = part(m, WV, l), desc.wo.data = part(m, WO, l);
    desc.attention = &heads, desc.rope = m->rope;
    if (rapt_mha_create(&desc, &m->attention[l], error)) return 1;
  }
  return 0;
}

static int by_bytes(const void *a, const void *b) {
  const piece *p = a, *q = b;
  int order = memcmp(p->bytes, q->bytes, (size_t)(p->length < q->length ? p->length : q->length));
  return order ? order : p->length - q->length;
}

/* The length of the longest piece; then for each token a score, a length and that many bytes. */
static int tokenizer_load(model *m, const char *bytes, size_t size, rapt_error *error) {
  size_t at = 4;
  m->pieces = room((size_t)m->vocab, sizeof(piece));
  m->sorted = room((size_t)m->vocab, sizeof(piece));
  for (int32_t i = 0; i < m->vocab; i++) {
    piece *p = &m->pieces[i];
    if (size < at + 8) return REFUSE("tokenizer", "ends before token %d of %d", i, m->vocab);
    memcpy(&p->score, bytes + at, 4);
    memcpy(&p->length, bytes + at + 4, 4);
    if (p->length < 0 || p->length > LONGEST_PIECE || (size_t)p->length > size - (at += 8))
      return REFUSE("tokenizer", "has a length of %d at token %d", p->length, i);
    p->bytes = bytes + at, p->id = i, m->sorted[i] = *p;
    at += (size_t)p->length;
  }
  if (at != size) return REFUSE("tokenizer", "goes on after the model's %d tokens", m->vocab);
  qsort(m->sorted, (size_t)m->vocab, sizeof(piece), by_bytes);
  return 0;
}

static void model_free(model *m) {
  for (int32_t l = 0; m->attention && l < m->layers; l++) rapt_mha_destroy(m->attention[l]);
  rapt_rope_destroy(m->rope);
  free(m->attention), free(m->pieces), free(m->sorted);
}

/* ---- Text ------------------------------------------------------------------------------------ */
/* The token whose bytes are those of a and b together, or -1. */
static int32_t find(const model *m, const char *a, int32_t na, const char *b, int32_t nb) {
  char both[2 * LONGEST_PIECE];
  piece key = {.bytes = both, .length = na + nb};
  memcpy(both, a, (size_t)na), memcpy(both + na, b, (size_t)nb);
  const piece *p = bsearch(&key, m->sorted, (size_t)m->vocab, sizeof key, by_bytes);
  return p ? p->id : -1;
}

/* Characters first (bytes where there is no token for one); then, again and again, the neighbours that
 * make the piece of the best score become one. `tokens` has room for strlen(text) + 2. */
static int32_t encode(const model *m, const char *text, int32_t *tokens) {
  int32_t n = 0, space = find(m, " ", 1, "", 0);
  tokens[n++] = START;
  if (*text && space >= 0) tokens[n++] = space; /* texts begin like words, with a space */
  for (int32_t length; *text; text += length) {
    for (length = 1; length < 4 && (text[length] & 0xC0) == 0x80;) length++;
    int32_t id = find(m, text, length, "", 0);
    for (int32_t i = 0; i < (id < 0 ? length : 1); i++)
      tokens[n++] = id < 0 ? BYTES + (unsigned char)text[i] : id;
  }
  for (int32_t at = 1, joint = 0; at; n -= at > 0) {
    float best = -INFINITY;
    at = 0;
    for (int32_t i = 1; i + 1 < n; i++) {
      const piece *a = &m->pieces[tokens[i]], *b = &m->pieces[tokens[i + 1]];
      int32_t id = find(m, a->bytes, a->length, b->bytes, b->length);
      if (id >= 0 && m->pieces[id].score > best) best = m->pieces[joint = id].score, at = i;
    }
    if (at) tokens[at] = joint, memmove(tokens + at + 1, tokens + at + 2, (size_t)(n - at - 2) * 4);
  }
  return n;
}

/* The bytes of a token that follows `previous`, at most LONGEST_PIECE; returns their number. */
static size_t spell(const model *m, int32_t previous, int32_t token, char *text) {
  const piece *p = &m->pieces[token];
  int skip = previous == START && p->length && p->bytes[0] == ' ';
  if (token == START || token == END) return 0;
  if (token >= BYTES && token < BYTES + 256) return *text = (char)(token - BYTES), 1;
  memcpy(text, p->bytes + skip, (size_t)(p->length - skip));
  return (size_t)(p->length - skip);
}

/* ---- The model ------------------------------------------------------------------------------- */
typedef struct session {
  const model *m;
  int32_t *tokens, *offsets; /* of a call: sequence b's are offsets[b] .. offsets[b+1] - 1 */
  int32_t *lengths;          /* tokens that the caches hold now */
  float *keys, *values;      /* [layer][sequence][token][KV head][channel] */
  float *x, *y, *gate, *up;  /* [token][] */
  float *logits;             /* [sequence][token of the vocabulary] */
  rapt_mha_args args;
  rapt_mha_cache cache; /* of a layer */
  void *workspace;
  size_t workspace_bytes;
} session;

/* For calls of up to `rows` tokens; caches have room for `capacity` per sequence. session_free has to
 * follow, after an error too. */
static int session_create(session *s, const model *m, int32_t batch, int32_t capacity, int32_t rows,
                          rapt_error *error) {
  size_t n = (size_t)rows, b = (size_t)batch, cells = b * (size_t)m->layers * (size_t)capacity;
  size_t dim = (size_t)m->dim * 4, hidden = (size_t)m->hidden * 4, kv_dim = (size_t)m->kv_dim * 4;
  *s = (session){.m = m, .lengths = room(b, 4), .tokens = room(n, 4), .offsets = room(b + 1, 4)};
  s->keys = room(cells, kv_dim), s->values = room(cells, kv_dim);
  s->x = room(n, dim), s->y = room(n, dim), s->gate = room(n, hidden), s->up = room(n, hidden);
  s->logits = room(b, (size_t)m->vocab * 4);
  rapt_tensor kv = {NULL, {m->kv_dim * 4LL * capacity, m->head_dim * 4, m->kv_dim * 4}};
  s->cache = (rapt_mha_cache){.size = sizeof s->cache, .capacity = capacity, .k = kv, .v = kv};
  s->args = (rapt_mha_args){.size = sizeof s->args, .batch = batch, .cache = &s->cache};
  s->cache.lengths = s->lengths, s->args.rope_table = &m->table;
  s->args.q_len = capacity < rows ? capacity : rows, s->args.q_offsets = s->offsets;
  s->args.x = s->args.out = s->y, s->args.x_stride[1] = s->args.out_stride[1] = m->dim * 4;
  rapt_workspace_info need = {.size = sizeof need};
  if (rapt_mha_workspace(m->attention[0], &s->args, rapt_default_workers(), &need, error)) return 1;
  s->workspace = aligned_alloc(64, s->workspace_bytes = need.bytes);
  return s->workspace ? 0 : REFUSE("memory", "is exhausted");
}

static void session_free(session *s) {
  free(s->lengths), free(s->tokens), free(s->offsets), free(s->keys), free(s->values), free(s->x);
  free(s->y), free(s->gate), free(s->up), free(s->logits), free(s->workspace);
}

static void rms_norm(float *y, const float *x, const float *weight, int32_t rows, int32_t dim) {
  for (int32_t t = 0; t < rows; t++, x += dim, y += dim) {
    float squares = 0;
    for (int32_t i = 0; i < dim; i++) squares += x[i] * x[i];
    float factor = 1.0f / sqrtf(squares / (float)dim + 1e-5f);
    for (int32_t i = 0; i < dim; i++) y[i] = x[i] * factor * weight[i];
  }
}

/* y[n][out] = x[n][in] . w[out][in]: a row of w is read once and serves all rows of x. */
static void product(float *y, const float *x, const float *w, int32_t n, int32_t in, int32_t out) {
  enum { LANES = 16 }; /* sums side by side: compilers may not reorder one sum */
  for (int32_t o = 0; o < out; o++, w += in)
    for (int64_t t = 0; t < n; t++) {
      float lanes[LANES] = {0}, sum = 0;
      int32_t i = 0;
      for (; i + LANES <= in; i += LANES)
        for (int32_t j = 0; j < LANES; j++) lanes[j] += x[t * in + i + j] * w[i + j];
      for (; i < in; i++) sum += x[t * in + i] * w[i];
      for (int32_t j = 0; j < LANES; j++) sum += lanes[j];
      y[t * out + o] = sum;
    }
}

/* Each sequence goes on with its tokens of the call: a prompt, one, none. */
static int forward(session *s, rapt_error *error) {
  const model *m = s->m;
  int32_t batch = s->args.batch, rows = s->offsets[batch], dim = m->dim, hidden = m->hidden;
  for (int64_t t = 0; t < rows; t++)
    memcpy(s->x + t * dim, m->part[EMBEDDING] + (int64_t)s->tokens[t] * dim, (size_t)dim * 4);
  for (int64_t l = 0; l < m->layers; l++) {
    int64_t cells = l * batch * s->cache.capacity * m->kv_dim;
    s->cache.k.data = s->keys + cells, s->cache.v.data = s->values + cells;
    rms_norm(s->y, s->x, part(m, NORM_1, l), rows, dim);
    if (rapt_mha_forward(m->attention[l], &s->args, s->workspace, s->workspace_bytes, NULL, error))
      return 1;
    for (int64_t i = 0; i < (int64_t)rows * dim; i++) s->x[i] += s->y[i];
    rms_norm(s->y, s->x, part(m, NORM_2, l), rows, dim);
    product(s->gate, s->y, part(m, W1, l), rows, dim, hidden);
    product(s->up, s->y, part(m, W3, l), rows, dim, hidden);
    for (int64_t i = 0; i < (int64_t)rows * hidden; i++) /* SwiGLU */
      s->gate[i] *= s->up[i] / (1.0f + expf(-s->gate[i]));
    product(s->y, s->gate, part(m, W2, l), rows, hidden, dim);
    for (int64_t i = 0; i < (int64_t)rows * dim; i++) s->x[i] += s->y[i];
  }
  rms_norm(s->y, s->x, m->part[NORM_3], rows, dim);
  for (int32_t b = 0; b < batch; b++) { /* what follows each sequence's last token? */
    int64_t n = s->offsets[b + 1] - s->offsets[b], last = (int64_t)s->offsets[b + 1] - 1;
    float *logits = s->logits + (int64_t)b * m->vocab;
    if (n) product(logits, s->y + last * dim, m->part[OUTPUT], 1, dim, m->vocab);
    s->lengths[b] += (int32_t)n;
  }
  return 0;
}

/* ---- Generation ------------------------------------------------------------------------------ */
typedef struct sequence {
  int32_t *tokens, n, prompt, most; /* n tokens now, of which `prompt` were given */
  uint64_t random;
} sequence;

/* Draws a token, or takes the likeliest one; turns logits into weights. */
static int choose(float *logits, int32_t n, double temperature, sequence *q, rapt_error *error) {
  int32_t token = 0;
  if (temperature > 0) {
    rapt_tensor_4d weights = {logits, {4, 4, 4, 4}};
    rapt_softmax_args args = {.size = sizeof args, .extent = {1, 1, 1}, .length = n, .y = weights};
    args.x.data = logits, args.x.stride[3] = 4, args.temperature = (float)temperature;
    if (rapt_softmax(&args, NULL, error)) return 1;
    uint64_t bits = q->random += 0x9E3779B97F4A7C15u; /* SplitMix64 (Steele et al. 2014) */
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
    float left = (float)((bits ^ bits >> 31) >> 40) * 0x1p-24f;
    for (int32_t i = 0; i < n && left >= 0; left -= logits[i++])
      if (logits[i] > 0) token = i;
  }
  for (int32_t i = 1; i < n && temperature <= 0; i++)
    if (logits[i] > logits[token]) token = i;
  q->tokens[q->n++] = token;
  return 0;
}

static double now(void) {
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A call gives the model what its caches do not hold yet: first the prompts, then a token of each
 * sequence that goes on. seconds: of the prompts, of all the rest. */
static int generate(session *s, sequence *all, double temperature, double *seconds,
                    rapt_error *error) {
  int32_t vocab = s->m->vocab, *offsets = s->offsets, batch = s->args.batch;
  for (int step = 0;; step = 1) {
    double start = now();
    for (int32_t b = 0; b < batch; b++) {
      const sequence *q = &all[b];
      int32_t last = q->n > q->prompt ? q->tokens[q->n - 1] : 0, n = q->n - s->lengths[b];
      if (q->n >= q->most || last == START || last == END) n = 0;
      memcpy(s->tokens + offsets[b], q->tokens + s->lengths[b], (size_t)n * 4);
      offsets[b + 1] = offsets[b] + n;
    }
    if (!offsets[batch]) return 0;
    if (forward(s, error)) return 1;
    for (int64_t b = 0; b < batch; b++)
      if (offsets[b] < offsets[b + 1])
        if (choose(s->logits + b * vocab, vocab, temperature, &all[b], error)) return 1;
    seconds[step] += now() - start;
  }
}

/* The caller frees s and the tokens of all. */
static int run(session *s, const model *m, sequence *all, char **prompts, int32_t batch,
               const double *option, rapt_error *error) {
  double seconds[2] = {1e-9, 1e-9};
  int32_t given = 0, added = 0, capacity = 1;
  for (int32_t b = 0; b < batch; b++) {
    sequence *q = &all[b];
    q->tokens = room(strlen(prompts[b]) + 2 + (size_t)option['n'], 4);
    q->n = q->prompt = encode(m, prompts[b], q->tokens);
    q->random = (uint64_t)option['s'] + (uint64_t)b;
    if (q->n > m->context) return REFUSE("prompt", "has %d tokens of %d", q->n, m->context);
    q->most = m->context - q->n < option['n'] ? m->context : q->n + (int32_t)option['n'];
    capacity = capacity < q->most ? q->most : capacity;
    given += q->n;
  }
  if (session_create(s, m, batch, capacity, given, error)) return 1;
  if (generate(s, all, option['t'], seconds, error)) return 1;
  for (int32_t b = 0; b < batch; added += all[b].n - all[b].prompt, b++) {
    char text[LONGEST_PIECE];
    for (int32_t i = 1; i < all[b].n; i++)
      fwrite(text, 1, spell(m, all[b].tokens[i - 1], all[b].tokens[i], text), stdout);
    puts(b + 1 < batch ? "\n" : "");
  }
  fprintf(stderr, "prompts: %d tokens, %.0f per second; texts: %d tokens, %.0f per second\n", given,
          given / seconds[0], added, added > batch ? (added - batch) / seconds[1] : 0);
  return 0;
}

int main(int argc, char **argv) {
  double option[128] = {['n'] = 256, ['t'] = 0, ['s'] = 1};
  int at = 3, help = argc == 2 && strcmp(argv[1], "--help") == 0, bad = argc < 3;
  for (; !bad && at < argc && argv[at][0] == '-'; at += 2)
    bad = at + 1 == argc || !argv[at][1] || !strchr("nts", argv[at][1]) || argv[at][2] ||
          sscanf(argv[at + 1], "%lf", &option[(int)argv[at][1]]) != 1;
  for (int i = 0; i < 128; i++) bad |= !(option[i] >= 0 && option[i] <= 1e6);
  if (bad) return fputs(usage, help ? stdout : stderr), help ? 0 : 2;
  char nothing[] = "", *no_prompt[] = {nothing}, *bytes[2] = {NULL, NULL};
  size_t size[2] = {0, 0};
  int32_t batch = at < argc ? argc - at : 1;
  model m = {0};
  session s = {0};
  sequence *all = room((size_t)batch, sizeof *all);
  rapt_error error = {.size = sizeof error};
  bad = (read_file(argv[1], &bytes[0], &size[0], &error) ||
         read_file(argv[2], &bytes[1], &size[1], &error) ||
         model_load(&m, bytes[0], size[0], &error) ||
         tokenizer_load(&m, bytes[1], size[1], &error) ||
         run(&s, &m, all, at < argc ? argv + at : no_prompt, batch, option, &error)) &&
        failed(&error);
  for (int32_t b = 0; b < batch; b++) free(all[b].tokens);
  free(all), free(bytes[0]), free(bytes[1]), session_free(&s), model_free(&m);
  return bad;
}
