#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes with NumPy what the functions of the corpus compute.

    make_expected.py > expected.txt     writes the file that memref.CorpusDataTest reads
    make_expected.py --check FILE       compares the numbers of a file with what NumPy says now

A case is a line "call MODULE FUNCTION TOLERANCE" and a line for each argument and result:

    in TYPE SHAPE : VALUES               an array that the function only reads
    out TYPE SHAPE : VALUES : EXPECTED   an array before and after the call
    index : VALUE                        a scalar argument
    result TYPE SHAPE : EXPECTED         a memref that the function returns
    value TYPE : EXPECTED                a scalar that it returns

A shape is "2x3", or "scalar" for rank 0. Complex numbers are two values, f8 are their bits. A value g is right for an
expected e if |g - e| <= TOLERANCE * (1 + |e|), or if both are NaN.
"""

import math
import sys

import numpy as np

TYPES = {np.dtype(np.float32): "f32", np.dtype(np.float64): "f64", np.dtype(np.int32): "i32",
         np.dtype(np.int64): "i64", np.dtype(np.complex64): "complex<f32>", np.dtype(np.uint8): "f8E5M2"}
f32 = np.float32


def number(value):
    """As short as it reads back the same."""
    if isinstance(value, np.float32) and (value == 0 or 1e-4 < abs(value) < 1e7):
        return np.format_float_positional(value, unique=True, trim="-")
    if isinstance(value, np.float32) and np.isfinite(value):
        return np.format_float_scientific(value, unique=True, trim="-")
    return repr(value.item())


def numbers(array):
    flat = np.ascontiguousarray(array).reshape(-1)
    return " ".join(map(number, flat.view(np.float32) if flat.dtype.kind == "c" else flat))


def kind(array):
    shape = "x".join(map(str, array.shape)) or "scalar"
    return f"{TYPES[array.dtype]} {shape}"


def given(array):
    return f"in {kind(array)} : {numbers(array)}"


def changed(before, after):
    assert before.shape == after.shape, (before.shape, after.shape)
    return f"out {kind(before)} : {numbers(before)} : {numbers(after.astype(before.dtype))}"


def filled(after, value=-77):
    """An array that the function overwrites."""
    return changed(np.full_like(after, value), after)


def returned(array):
    return f"result {kind(array)} : {numbers(array)}"


def call(function, lines, tolerance=0.0, module="functions.mlir"):
    return [f"call {module} {function} {tolerance!r}"] + lines


def floats(*shape):
    """Multiples of 1/8 from -4 to 4, whose products and sums are exact."""
    count = int(np.prod(shape))
    return ((np.arange(count) * 37 + 11) % 65 - 32).astype(f32).reshape(shape) / f32(8)


def math_of_floats():
    x = np.array([0.125, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 7, -0.5, -2.5], f32)
    d = x.astype(np.float64)
    functions = {
        "exp": np.exp, "exp2": np.exp2, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10,
        "log1p": np.log1p, "sin": np.sin, "cos": np.cos, "tan": np.tan, "tanh": np.tanh, "sqrt": np.sqrt,
        "rsqrt": lambda v: 1 / np.sqrt(v), "erf": np.vectorize(math.erf), "floor": np.floor, "ceil": np.ceil,
        "round": lambda v: np.sign(v) * np.floor(np.abs(v) + 0.5), "roundeven": np.rint, "trunc": np.trunc,
        "absf": np.abs, "atan": np.arctan, "cbrt": np.cbrt, "sinh": np.sinh, "cosh": np.cosh, "asin": np.arcsin,
        "acos": np.arccos}
    exact = ("floor", "ceil", "round", "roundeven", "trunc", "absf")
    return [call(f"f32_{name}", [given(x), filled(function(d).astype(f32))], 0.0 if name in exact else 1e-5)
            for name, function in functions.items()]


def integers():
    a = np.array([7, -7, 7, -7, 100, -100, 3, -1, 6], np.int32)
    b = np.array([2, 2, -2, -2, 7, 7, 5, -3, 3], np.int32)
    u, v = a.view(np.uint32), b.view(np.uint32)

    def power(base, exponent):
        if exponent < 0:
            return 0 if abs(base) != 1 else base if exponent % 2 else 1
        return np.array(pow(int(base), int(exponent)) & 0xFFFFFFFF, np.uint32).view(np.int32)

    functions = {
        "divsi": np.trunc(a / b), "remsi": np.fmod(a, b), "ceildivsi": -(-a // b), "floordivsi": a // b,
        "divui": (u // v).view(np.int32), "ceildivui": (u // v + (u % v != 0)).astype(np.uint32).view(np.int32),
        "maxsi": np.maximum(a, b), "minui": np.minimum(u, v).view(np.int32), "muli": a * b, "xori": a ^ b,
        "ipowi": np.array([power(x, y) for x, y in zip(a, b)])}
    return [call(f"i32_{name}", [given(a), given(b), filled(np.asarray(result).astype(np.int32))])
            for name, result in functions.items()]


def complex_numbers():
    x = np.array([1 + 0.5j, 0.25 - 1j, -1.5 + 0.75j, 2 + 0.125j], np.complex64)
    y = np.array([0.5 + 1j, 1 + 0.25j, 0.75 - 0.5j, -1 + 1j], np.complex64)
    a, b = x.astype(np.complex128), y.astype(np.complex128)
    functions = {
        "exp": np.exp(a), "log": np.log(a), "sqrt": np.sqrt(a), "sin": np.sin(a), "cos": np.cos(a), "tan": np.tan(a),
        "tanh": np.tanh(a), "conj": np.conj(a), "neg": -a, "sign": a / np.abs(a), "expm1": np.expm1(a),
        "log1p": np.log1p(a), "rsqrt": 1 / np.sqrt(a), "add": a + b, "sub": a - b, "mul": a * b, "div": a / b,
        "pow": np.power(a, b)}
    return [call(f"c32_{name}", [given(x), changed(y, result)], 4e-5) for name, result in functions.items()]


def bfloat(values):
    """Rounds to the nearest bf16, ties to even."""
    bits = values.astype(f32).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(f32)
    return np.where(np.isnan(values), f32(np.nan), rounded)


def conversions():
    halves = np.array([1, 1.00048828125, 1.0014648, 65504, 65520, 6e-8, -2.5, np.inf, 1e-9], f32)
    with np.errstate(over="ignore"):
        through_half = halves.astype(np.float16).astype(f32)
    bfloats = np.array([1, 1.00390625, 1.01171875, 1.0039064, -3.1415927, 3.4e38, 1e-40, -np.inf, np.nan], f32)
    wide = np.array([1.25, -3.5, 1e300, 2.0**-140, 65280.0])
    n = np.array([3, -1000003, 4000000000000000001, -2**63], np.int64)
    quotients = [int(value) ** 2 // 1000003 & (2**64 - 1) for value in n]
    bits = np.array([0x3C, 0xBC, 0, 0x7C], np.uint8)
    return [
        call("through_f16", [given(halves), filled(through_half)]),
        call("through_bf16", [given(bfloats), filled(bfloat(bfloats))]),
        call("f64_to_bf16", [given(wide), filled(np.array([1.25, -3.5, np.inf, 0, 65280], f32))]),
        call("i128_divide", [given(n), filled(np.array(quotients, np.uint64).view(np.int64))]),
        call("f8_bits", [given(bits), filled(bits.astype(np.int32))]),
    ]


def products():
    a, b, c = floats(3, 5), floats(5, 4), floats(3, 4)
    e, f, g = floats(2, 3, 4), floats(2, 4, 2), floats(2, 3, 2)
    v, w = floats(5), floats(3)
    return [
        call("matmul", [given(a), given(b), changed(c, c + a @ b)]),
        call("matmul_transpose", [given(a), given(np.ascontiguousarray(b.T)), changed(c, c + a @ b)]),
        call("batch_matmul", [given(e), given(f), changed(g, g + np.matmul(e, f))]),
        call("matvec", [given(a), given(v), changed(w, w + a @ v)]),
    ]


def convolutions():
    lines = []
    for name, x, k in (("conv1d", floats(9), floats(3)), ("conv2d", floats(5, 6), floats(2, 3)),
                       ("conv3d", floats(4, 3, 5), floats(2, 2, 3))):
        windows = np.lib.stride_tricks.sliding_window_view(x, k.shape)
        result = (windows * k).sum(axis=tuple(range(x.ndim, 2 * x.ndim)), dtype=f32)
        lines.append(call(name, [given(x), given(k), changed(np.ones_like(result), 1 + result)]))
    image = floats(1, 4, 4, 1)
    parts = image.reshape(2, 2, 2, 2).transpose(0, 2, 1, 3).reshape(1, 2, 2, 1, 4)
    lines.append(call("pool_max", [given(image), filled(parts.max(axis=-1))]))
    lines.append(call("pool_sum", [given(image), changed(np.ones((1, 2, 2, 1), f32), 1 + parts.sum(axis=-1))]))
    return lines


def reductions():
    x = floats(3, 5)
    line = floats(7)
    at = np.array([6, 0, 3, 3], np.int32)
    d = line.astype(np.float64)
    soft = np.exp(d - d.max()) / np.exp(d - d.max()).sum()
    v = floats(4, 8)
    steps = np.arange(8, dtype=f32)
    return [
        call("transpose", [given(x), filled(np.ascontiguousarray(x.T))]),
        call("row_sums", [given(x), changed(np.ones(3, f32), 1 + x.sum(axis=1))]),
        call("softmax", [given(line), filled(soft.astype(f32))], 1e-6),
        call("gather", [given(line), given(at), filled(line[at])]),
        call("sort", [changed(line, np.sort(line))]),
        call("vector_transpose", [given(v), filled(np.ascontiguousarray(v.T)), filled(np.array(v.sum(), f32))]),
        call("forall", [filled(steps)]),
        call("atomics", [given(v[0]), changed(np.zeros(2, f32), np.array([v[0].sum(), max(v[0].max(), 0)], f32))]),
    ]


def memory():
    x = floats(7)
    small = floats(3)
    grown = np.concatenate([small, np.full(2, -1, f32)])
    return [
        call("several", ["index : 3", returned(np.full(3, 1.5, f32)), "value f32 : 1.5",
                         returned(np.full((2, 3), 2, np.int32)), returned(np.array(1.5, f32))]),
        call("regrown", [given(small), changed(np.full(5, -1, f32), grown)]),
        call("poison", [filled(np.ones(1, f32))]),
        call("calls_back", [given(x), filled(np.array([(2 * x).sum()], f32))]),
        call("reversed", [given(x), returned(x[::-1].copy())]),
        call("both_ways", [given(x), returned(x[::-1].copy()), returned(x)]),
        call("weigh", [given(x), filled(np.array([(x * np.arange(7)).sum()], f32))]),
        call("large_stack", [filled(np.array([2097152 // 512], f32))]),
    ]


def tensors():
    a, b = floats(6), floats(6)[::-1].copy()
    c, d = floats(3, 4), floats(4, 2)
    matrix = floats(4, 5) * (np.arange(20).reshape(4, 5) % 3 == 0)
    x, o = floats(5), floats(4)
    return [
        call("tensor_polynomial", [given(a), given(b), returned(a + b), returned((a + b) * b)], module="tensors.mlir"),
        call("tensor_product", [given(c), given(d), returned(c @ d)], module="tensors.mlir"),
        call("tensor_to_memref", [given(a), filled(2 * a * a)], module="tensors.mlir"),
        call("sparse_product", [given(matrix), given(x), given(o), returned(o + matrix @ x)], module="sparse.mlir"),
        call("async_chain", [given(a), filled((a + a) ** 2)], module="async.mlir"),
    ]


def text():
    with np.errstate(invalid="ignore", divide="ignore"):
        cases = math_of_floats() + integers() + complex_numbers() + conversions() + products() + convolutions()
        cases += reductions() + memory() + tensors()
    return "# Made by make_expected.py with NumPy.\n" + "".join("\n".join(case) + "\n" for case in cases)


def same(word, other):
    """Whether two words are the same number, up to what versions of NumPy differ in, or the same text."""
    try:
        a, b = float(word), float(other)
    except ValueError:
        return word == other
    return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-6 * (1 + abs(b))


def check(path):
    with open(path, encoding="utf-8") as file:
        lines, expected = file.read().splitlines(), text().splitlines()
    if len(lines) != len(expected):
        sys.exit(f"{path} has {len(lines)} lines, NumPy makes {len(expected)}")
    for number, (line, other) in enumerate(zip(lines, expected), 1):
        words, others = line.split(), other.split()
        if len(words) != len(others) or not all(map(same, words, others)):
            sys.exit(f"{path}:{number} is\n  {line}\nNumPy makes\n  {other}")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        check(sys.argv[2])
    elif len(sys.argv) == 1:
        sys.stdout.write(text())
    else:
        sys.exit("usage: make_expected.py [--check FILE]")
