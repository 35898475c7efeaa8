# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The corpus' Triton kernels, written for it. What is compiled of them stands in triton_table.py."""
import triton
import triton.language as tl


@triton.jit
def vector_add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=inside) + tl.load(y_ptr + at, mask=inside), mask=inside)


@triton.jit
def softmax(out_ptr, in_ptr, in_stride, out_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    values = tl.load(in_ptr + row * in_stride + at, mask=inside, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out_ptr + row * out_stride + at, powers / tl.sum(powers, axis=0), mask=inside)


@triton.jit
def layer_norm(x_ptr, out_ptr, weight_ptr, bias_ptr, mean_ptr, rstd_ptr, stride, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    x = tl.load(x_ptr + row * stride + at, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / columns
    centred = tl.where(inside, x - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    weight = tl.load(weight_ptr + at, mask=inside)
    bias = tl.load(bias_ptr + at, mask=inside)
    tl.store(out_ptr + row * stride + at, centred * rstd * weight + bias, mask=inside)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    a = a_ptr + rows[:, None] * stride_am + inner[None, :] * stride_ak
    b = b_ptr + inner[:, None] * stride_bk + columns[None, :] * stride_bn
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        left = K - k * BK
        in_a = tl.load(a, mask=(rows[:, None] < M) & (inner[None, :] < left), other=0.0)
        in_b = tl.load(b, mask=(inner[:, None] < left) & (columns[None, :] < N), other=0.0)
        sums = tl.dot(in_a, in_b, sums)
        a += BK * stride_ak
        b += BK * stride_bk
    c = c_ptr + rows[:, None] * stride_cm + columns[None, :] * stride_cn
    tl.store(c, sums.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def flash_attention(q_ptr, k_ptr, v_ptr, out_ptr, scale, stride_head, stride_row, length, BM: tl.constexpr,
                    BN: tl.constexpr, D: tl.constexpr):
    head = tl.program_id(1).to(tl.int64) * stride_head
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    depth = tl.arange(0, D)
    q = tl.load(q_ptr + head + rows[:, None] * stride_row + depth[None, :], mask=rows[:, None] < length, other=0.0)
    largest = tl.full((BM, ), -float("inf"), tl.float32)
    total = tl.zeros((BM, ), tl.float32)
    sums = tl.zeros((BM, D), tl.float32)
    for start in range(0, length, BN):
        at = start + tl.arange(0, BN)
        inside = at[:, None] < length
        k = tl.load(k_ptr + head + at[:, None] * stride_row + depth[None, :], mask=inside, other=0.0)
        v = tl.load(v_ptr + head + at[:, None] * stride_row + depth[None, :], mask=inside, other=0.0)
        scores = tl.where(at[None, :] < length, tl.dot(q, tl.trans(k)) * scale, -float("inf"))
        largest_now = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.exp(scores - largest_now[:, None])
        shrink = tl.exp(largest - largest_now)
        total = total * shrink + tl.sum(weights, 1)
        sums = sums * shrink[:, None] + tl.dot(weights.to(tl.float16), v)
        largest = largest_now
    out = out_ptr + head + rows[:, None] * stride_row + depth[None, :]
    tl.store(out, (sums / total[:, None]).to(tl.float16), mask=rows[:, None] < length)


@triton.jit
def atomics(values_ptr, counts_ptr, largest_ptr, lock_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    values = tl.load(values_ptr + at, mask=at < n, other=0)
    tl.atomic_add(counts_ptr + values, 1, mask=at < n)
    tl.atomic_max(largest_ptr, tl.max(values, axis=0))
    tl.atomic_cas(lock_ptr, 0, 1)


@triton.jit
def cumulative_sum(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    tl.store(out_ptr + at, tl.cumsum(x, axis=0), mask=at < n)


@triton.jit
def compose(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def associative_scan(decay_ptr, x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    decay = tl.load(decay_ptr + at, mask=at < n, other=1.0)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    _, state = tl.associative_scan((decay, x), axis=0, combine_fn=compose)
    tl.store(out_ptr + at, state, mask=at < n)


@triton.jit
def reduce_rows(x_ptr, sums_ptr, least_ptr, rows, columns, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.arange(0, BN)
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    x = tl.load(x_ptr + row[:, None] * columns + column[None, :], mask=inside, other=0.0)
    tl.store(sums_ptr + row, tl.sum(x, axis=1), mask=row < rows)
    tl.store(least_ptr + row, tl.min(x, axis=1), mask=row < rows)


@triton.jit
def argmax(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + at, mask=at < columns, other=-float("inf"))
    tl.store(out_ptr + row, tl.argmax(x, axis=0))


@triton.jit
def convert(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n).to(out_ptr.dtype.element_ty), mask=at < n)


@triton.jit
def gather(x_ptr, index_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.gather(tl.load(x_ptr + at), tl.load(index_ptr + at), axis=0))


@triton.jit
def fill(out_ptr, n, VALUE: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.full((BLOCK, ), VALUE, tl.float32), mask=at < n)


@triton.jit
def scale_and_shift(x_ptr, bias_ptr, out_ptr, scale, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n) * scale
    if bias_ptr is not None:
        x += tl.load(bias_ptr + at, mask=at < n)
    tl.store(out_ptr + at, x, mask=at < n)


@triton.jit
def unused_arguments(first_ptr, x_ptr, spare, out_ptr, last_ptr, long_spare, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)


@triton.jit
def tma_host(x_desc, out_desc, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    out_desc.store([row, column], x_desc.load([row, column]) * 2)


@triton.jit
def tma_device(x_ptr, out_ptr, rows, columns, BM: tl.constexpr, BN: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, shape=[rows, columns], strides=[columns, 1], block_shape=[BM, BN])
    out = tl.make_tensor_descriptor(out_ptr, shape=[rows, columns], strides=[columns, 1], block_shape=[BM, BN])
    row = tl.program_id(0) * BM
    column = tl.program_id(1) * BN
    out.store([row, column], x.load([row, column]) + 1)


@triton.jit
def grid_sum(x_ptr, partial_ptr, count_ptr, out_ptr, n, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    at = program * BLOCK + tl.arange(0, BLOCK)
    tl.store(partial_ptr + program, tl.sum(tl.load(x_ptr + at, mask=at < n, other=0.0), axis=0))
    tl.atomic_add(count_ptr, 1, sem="acq_rel")
    while tl.atomic_add(count_ptr, 0, sem="acquire") < tl.num_programs(0):
        pass
    if program == 0:
        lanes = tl.arange(0, BLOCK)
        tl.store(out_ptr, tl.sum(tl.load(partial_ptr + lanes, mask=lanes < tl.num_programs(0), other=0.0), axis=0))


@triton.jit
def dependent_add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    tl.extra.cuda.gdc_wait()
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n) + tl.load(y_ptr + at, mask=at < n)
    tl.extra.cuda.gdc_launch_dependents()
    tl.store(out_ptr + at, x, mask=at < n)


@triton.jit
def copy_2d(x_ptr, out_ptr, rows, columns, x_stride, out_stride, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * BM + tl.arange(0, BM)
    column = tl.program_id(1).to(tl.int64) * BN + tl.arange(0, BN)
    inside = (row[:, None] < rows) & (column[None, :] < columns)
    x = tl.load(x_ptr + row[:, None] * x_stride + column[None, :], mask=inside)
    tl.store(out_ptr + row[:, None] * out_stride + column[None, :], x, mask=inside)


@triton.jit
def transpose(x_ptr, out_ptr, rows, columns, BM: tl.constexpr, BN: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    x = tl.load(x_ptr + row[:, None] * columns + column[None, :],
                mask=(row[:, None] < rows) & (column[None, :] < columns))
    out = out_ptr + column[:, None] * rows + row[None, :]
    tl.store(out, tl.trans(x), mask=(column[:, None] < columns) & (row[None, :] < rows))


@triton.jit
def dropout(x_ptr, out_ptr, n, probability, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keeps = tl.rand(seed, at) > probability
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr + at, tl.where(keeps, x / (1 - probability), 0.0), mask=at < n)


@triton.jit
def histogram(x_ptr, out_ptr, n, BINS: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(x_ptr + at, mask=at < n, other=0), BINS)
    tl.atomic_add(out_ptr + tl.arange(0, BINS), counts)


@triton.jit
def scalars(out_ptr, flag, byte, short, whole, long, unsigned_long, half, brain, single, double):
    total = single + half + brain + double.to(tl.float32) + whole + byte + short + long + unsigned_long
    tl.store(out_ptr, tl.where(flag, total, -total))


@triton.jit
def tuple_sum(x_ptrs, out_ptr, weights, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptrs[0] + at, mask=at < n) * weights[0] + tl.load(x_ptrs[1] + at, mask=at < n) * weights[1]
    tl.store(out_ptr + at, x, mask=at < n)
