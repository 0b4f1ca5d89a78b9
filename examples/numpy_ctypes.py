# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numpy arrays by pointer and strides: no copy, no binding to compile.

    python3 examples/numpy_ctypes.py ~/.local/lib/librapt.so.0

Without a path, and for programs that import this file, the loader looks for librapt.so.0 (LD_LIBRARY_PATH).

attention() takes arrays of [batch, head, token, channel]. Any of them may be a view: a transposed
[batch, token, head, channel] array, every second token, a slice of packed QKV rows. Only the channels must
be next to each other. A mask is whatever numpy can broadcast to [batch, head, query, key], and weights are
computed for the queries that are asked for. The rest of this file tries all that against float64.
"""
import ctypes
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not installed (Debian: python3-numpy)")
    sys.exit(77)

i32, i64, u32, pointer = ctypes.c_int32, ctypes.c_int64, ctypes.c_uint32, ctypes.c_void_p

# The structs of rapt.h, field by field. A later library accepts them as they are: they carry their size.


class Desc(ctypes.Structure):
    _fields_ = [("size", u32), ("flags", u32), ("dtype_q", i32), ("dtype_k", i32), ("dtype_v", i32),
                ("dtype_o", i32), ("heads_q", i32), ("heads_kv", i32), ("head_dim_qk", i32),
                ("head_dim_v", i32), ("align", i32), ("window_left", i32), ("window_right", i32),
                ("scale", ctypes.c_float), ("isa", ctypes.c_char_p), ("allocator", pointer),
                ("softcap", ctypes.c_float), ("mask", i32), ("window_keep", i32), ("reserved", i32)]


class Tensor(ctypes.Structure):
    _fields_ = [("data", pointer), ("stride", i64 * 3)]


class Mask(ctypes.Structure):
    _fields_ = [("data", pointer), ("stride", i64 * 4), ("extent", i32 * 4), ("factors", pointer)]


class ScoresOut(ctypes.Structure):
    _fields_ = [("size", u32), ("stage", i32), ("n_rows", i32), ("n_heads", i32), ("rows", pointer),
                ("heads", pointer), ("data", pointer), ("stride", i64 * 3), ("key_sums", pointer),
                ("key_sums_stride", i64 * 2)]


class Args(ctypes.Structure):
    _fields_ = [("size", u32), ("flags", u32), ("batch", i32), ("q_len", i32), ("kv_len", i32),
                ("reserved", i32), ("q_lens", pointer), ("kv_lens", pointer), ("q_offsets", pointer),
                ("kv_offsets", pointer), ("q_positions", pointer), ("q", Tensor), ("k", Tensor),
                ("v", Tensor), ("o", Tensor), ("lse", Tensor), ("cancel", pointer), ("mask", Mask),
                ("alibi_slopes", pointer), ("sinks", pointer), ("prefix_lens", pointer), ("m", Tensor),
                ("l", Tensor), ("scores", ctypes.POINTER(ScoresOut))]


class Error(ctypes.Structure):
    _fields_ = [("size", u32), ("code", i32), ("field", ctypes.c_char * 48),
                ("message", ctypes.c_char * 200)]


CAUSAL, BOTTOM_RIGHT, STAGE_WEIGHTS = 1, 2, 3
MASKS = {"bool": 1, "uint8": 1, "float32": 3, "float16": 4}  # RAPT_MASK_* by dtype
given = sys.argv[1:] if __name__ == "__main__" else []
try:
    rapt = ctypes.CDLL(given[0] if given else "librapt.so.0")
except OSError as reason:
    sys.exit(f"error: {reason} (give the path of librapt.so.0, or set LD_LIBRARY_PATH)")
rapt.rapt_attention.argtypes = [ctypes.POINTER(Desc), ctypes.POINTER(Args), pointer, ctypes.POINTER(Error)]


def tensor(name, array):
    """The array's own memory: its address and its strides, which numpy counts in bytes, too."""
    if array.dtype != np.float32 or array.ndim != 4:
        raise ValueError(f"{name} must be float32 with 4 dimensions, not {array.dtype} with {array.ndim}")
    if array.shape[3] > 1 and array.strides[3] != 4:
        raise ValueError(f"the channels of {name} must lie side by side, not {array.strides[3]} bytes apart")
    return Tensor(array.ctypes.data, (i64 * 3)(*array.strides[:3]))


def attention(q, k, v, out=None, causal=False, mask=None, rows=None):
    """softmax(q k^T / sqrt(d) + mask) v; with causal, the last query stands at the last key. A mask is bool
    (True: the query sees the key) or float32 or float16 (added). With rows, a list of queries, the result
    is the output and their weights, [batch, head, row, key]."""
    batch, heads_q, q_len, dim = q.shape
    heads_kv, kv_len = k.shape[1:3]
    if k.shape != (batch, heads_kv, kv_len, dim) or v.shape[:3] != k.shape[:3]:
        raise ValueError(f"shapes do not fit: q {q.shape}, k {k.shape}, v {v.shape}")
    if out is None:
        out = np.empty((batch, heads_q, q_len, v.shape[3]), np.float32)
    elif out.shape != (batch, heads_q, q_len, v.shape[3]):
        raise ValueError(f"out is {out.shape}, not {(batch, heads_q, q_len, v.shape[3])}")
    desc = Desc(size=ctypes.sizeof(Desc), heads_q=heads_q, heads_kv=heads_kv, head_dim_qk=dim,
                head_dim_v=v.shape[3])
    if causal:
        desc.flags, desc.align = CAUSAL, BOTTOM_RIGHT
    args = Args(size=ctypes.sizeof(Args), batch=batch, q_len=q_len, kv_len=kv_len, q=tensor("q", q),
                k=tensor("k", k), v=tensor("v", v), o=tensor("out", out))
    if mask is not None:
        mask = np.broadcast_to(mask, (batch, heads_q, q_len, kv_len))  # a view: strides of 0
        desc.mask = MASKS[mask.dtype.name]
        args.mask = Mask(mask.ctypes.data, mask.strides, mask.shape)
    if rows is not None:
        rows = np.array(rows, np.int32)
        weights = np.empty((batch, heads_q, len(rows), kv_len), np.float32)
        args.scores = ctypes.pointer(ScoresOut(
            size=ctypes.sizeof(ScoresOut), stage=STAGE_WEIGHTS, n_rows=len(rows), rows=rows.ctypes.data,
            data=weights.ctypes.data, stride=weights.strides[:3]))
    error = Error(size=ctypes.sizeof(Error))
    if rapt.rapt_attention(desc, args, None, error) != 0:
        raise ValueError(f"{error.field.decode()} {error.message.decode()}")
    return out if rows is None else (out, weights)


# ---- Tried on views ----------------------------------------------------------------------------


def reference(q, k, v, causal, mask=None):
    """The same in float64, as numpy would have it."""
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    group = q.shape[1] // k.shape[1]
    k, v = np.repeat(k, group, axis=1), np.repeat(v, group, axis=1)
    scores = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[3])
    if causal:
        offset = k.shape[2] - q.shape[2]
        scores[..., np.triu(np.ones(scores.shape[2:], bool), offset + 1)] = -np.inf
    if mask is not None:
        scores = np.where(mask, scores, -np.inf) if mask.dtype == bool else scores + mask
    weights = np.exp(scores - scores.max(axis=3, keepdims=True))
    weights /= weights.sum(axis=3, keepdims=True)
    return weights @ v, weights


def views(random):
    """Name, q, k, v, and an output of its own order or None."""
    def bhsd(heads, tokens, dim):
        return random.standard_normal((2, heads, tokens, dim), np.float32)

    yield "BHSD", bhsd(4, 33, 64), bhsd(4, 33, 64), bhsd(4, 33, 48), None

    bshd = [random.standard_normal((2, tokens, heads, 64), np.float32) for tokens, heads in ((33, 4), (50, 2), (50, 2))]
    out = np.empty((2, 33, 4, 64), np.float32)
    yield "BSHD, grouped heads", *(x.transpose(0, 2, 1, 3) for x in bshd), out.transpose(0, 2, 1, 3)

    packed = random.standard_normal((2, 40, 3, 4, 32), np.float32)  # [batch, token, q|k|v, head, channel]
    yield "packed QKV", *(packed[:, :, i].transpose(0, 2, 1, 3) for i in range(3)), None

    keys = bhsd(2, 120, 64)
    yield "every second key, newest first", bhsd(2, 9, 64), keys[:, :, ::-2], keys[:, :, ::-2], None

    prefix = random.standard_normal((1, 2, 77, 64), np.float32)
    shared = np.broadcast_to(prefix, (2, 2, 77, 64))  # batch stride 0
    yield "one prefix for all sequences", bhsd(4, 3, 64), shared, shared, None


def masks(random):
    """Name and mask, for 2 sequences, 4 heads, 5 queries and 9 keys."""
    yield "padding, True where a key exists", (np.arange(9) < np.array([[9], [6]]))[:, None, None, :]
    yield "a bias for each head", random.standard_normal((4, 5, 9), np.float32)
    yield "float16, -inf forbids", np.where(np.tri(5, 9, 4, bool), 0, -np.inf).astype(np.float16)


def try_masks(random):
    """The largest difference, of outputs and of the weights of two rows."""
    worst = 0.0
    q, k, v = (random.standard_normal((2, heads, tokens, 64), np.float32) for heads, tokens in ((4, 5), (2, 9), (2, 9)))
    for name, mask in masks(random):
        got, weights = attention(q, k, v, mask=mask, rows=[0, -1])
        want, all_weights = reference(q, k, v, False, mask)
        off = max(np.abs(got - want).max(), np.abs(weights - all_weights[:, :, [0, -1]]).max())
        print(f"mask: {name}: largest difference, weights included, {off:.1e}")
        worst = max(worst, off)
    return worst


def main():
    worst = try_masks(np.random.default_rng(2))
    for name, q, k, v, out in views(np.random.default_rng(1)):
        for causal in (False, True):
            got = attention(q, k, v, out, causal)
            if out is not None and not np.shares_memory(got, out):
                sys.exit("error: the result is not in the array that was given")
            off = np.abs(got - reference(q, k, v, causal)[0]).max()
            worst = max(worst, off)
            print(f"{name}{', causal' if causal else ''}: largest difference {off:.1e}")
    wrong = np.zeros((1, 1, 1, 8), np.float32)
    try:
        attention(wrong, wrong[..., ::2], wrong)
        sys.exit("error: wrong shapes were accepted")
    except ValueError as refused:
        print("refused:", refused)
    if not worst < 4e-6:  # float32's last bits, not a layout's mistake
        sys.exit(f"error: {worst} is too much")


if __name__ == "__main__":
    main()
