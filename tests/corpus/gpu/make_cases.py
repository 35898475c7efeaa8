#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes a folder of cases that run the corpus' kernels on an NVIDIA device of architecture 9.0: executable files that
halyard-pack makes of the compilers' images alone, inputs, and what NumPy says comes out. run_cases.sh runs them.

  make_cases.py HALYARD_PACK CORPUS FOLDER

Needs NumPy; scripts/gpu_folder.sh calls it.
"""
import pathlib
import shlex
import subprocess
import sys

import numpy as np

PACK, CORPUS, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
random = np.random.default_rng(17)
f4, i4 = np.float32, np.int32
lines = []


def floats(*shape):
    return random.standard_normal(shape, dtype=f4)


def save(name, array):
    np.save(FOLDER / name, np.ascontiguousarray(array))
    return name + ".npy"


def case(label, file, function, grid, inputs, results, tolerance="0", options=()):
    """`inputs`: arrays and numbers by name, or by number for bindings. `results`: arrays by number of the binding."""
    words = ["--executable=" + file, "--function=" + function, "--grid=" + grid, "--tolerance=" + tolerance, *options]
    for name, value in inputs.items():
        given = str(value)
        if isinstance(value, np.ndarray):
            given = save(f"{label}.{name}", value)
        words.append(f"--input={name}={given}" if isinstance(name, int) else f"{name}={given}")
    for binding, array in results.items():
        words.append(f"--expect={binding}=" + save(f"{label}.{binding}.expected", array))
    lines.append(f"run {label} " + " ".join(shlex.quote(word) for word in words))


def pack(file, *options):
    subprocess.run([PACK, "--output=" + str(FOLDER / file), *options], check=True, stdout=subprocess.DEVNULL)
    return file


def triton(label, function, grid, inputs, results, tolerance="0"):
    for version in ["3.9.0"] + (["3.6.0"] if label in ("vector_add", "matmul") else []):
        name = f"triton-{version}-{label}"
        file = pack(name + ".halx", f"--triton={CORPUS}/images/triton/{version}/sm_90/{label}")
        case(name, file, function, grid, inputs, results, tolerance)


def bfloat16(x):
    bits = np.asarray(x, f4).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def fp8_values(bits, exponent_bits):
    """What bytes of 1 sign bit, exponent and mantissa mean: e4m3fn and e5m2, without infinities and NaN."""
    bits = bits.astype(np.int64)
    mantissa_bits = 7 - exponent_bits
    bias = 2**(exponent_bits - 1) - 1
    mantissa = (bits & (2**mantissa_bits - 1)) / 2.0**mantissa_bits
    exponent = (bits >> mantissa_bits) & (2**exponent_bits - 1)
    value = np.where(exponent == 0, mantissa * 2.0**(1 - bias), (1 + mantissa) * 2.0**(exponent - bias))
    return np.where(bits & 0x80, -value, value).astype(f4)


def fp8_bits(x, exponent_bits, most):
    """The nearest such byte, ties to even, for values in its range."""
    known = np.arange(most + 1, dtype=np.uint8)
    values = fp8_values(known, exponent_bits)
    distance = np.abs(np.abs(x)[:, None] - values[None, :])
    nearest = distance.min(axis=1, keepdims=True)
    even_first = np.where(known % 2 == 0, 0, 1)
    best = np.argmin(np.where(distance == nearest, even_first[None, :], 2), axis=1).astype(np.uint8)
    return best | np.where(np.signbit(x), 0x80, 0).astype(np.uint8)


def triton_cases():
    n = 100003
    x, y = floats(n), floats(n)
    add = {"n": n, "x_ptr": x, "y_ptr": y}
    triton("vector_add", "vector_add", "cdiv(n,1024)", add, {2: x + y})
    # A program is a cluster of two workgroups.
    triton("cluster_add", "vector_add", "2*cdiv(n,1024)", add, {2: x + y})
    triton("dependent_add", "dependent_add", "cdiv(n,1024)", add, {2: x + y})

    x = floats(37, 781)
    powers = np.exp(x - x.max(axis=1, keepdims=True))
    triton("softmax", "softmax", "37", {"in_ptr": x, "in_stride": 781, "out_stride": 781, "columns": 781},
           {0: powers / powers.sum(axis=1, keepdims=True)}, "1e-6,1e-5")

    x, weight, bias = floats(21, 800).astype(np.float16), floats(800).astype(np.float16), floats(800).astype(np.float16)
    wide = x.astype(np.float64)
    mean, rstd = wide.mean(axis=1), 1 / np.sqrt(wide.var(axis=1) + 1e-5)
    out = (wide - mean[:, None]) * rstd[:, None] * weight + bias
    triton("layer_norm", "layer_norm", "21",
           {"x_ptr": x, "weight_ptr": weight, "bias_ptr": bias, "stride": 800, "columns": 800, "eps": 1e-5},
           {1: out.astype(np.float16), 4: mean.astype(f4), 5: rstd.astype(f4)}, "2e-3,2e-3")

    def matmul(label, m, n, k, blocks, a, b, product, tolerance="2e-2,2e-3"):
        triton(label, "matmul", f"cdiv(M,{blocks[0]}),cdiv(N,{blocks[1]})",
               {"a_ptr": a, "b_ptr": b, "M": m, "N": n, "K": k, "stride_am": k, "stride_bk": n, "stride_cm": n},
               {2: product.astype(np.float16)}, tolerance)

    a, b = floats(200, 192).astype(np.float16), floats(192, 144).astype(np.float16)
    product = a.astype(f4) @ b.astype(f4)
    matmul("matmul", 200, 144, 192, (64, 64), a, b, product)
    matmul("matmul_large_shared", 200, 144, 192, (128, 256), a, b, product)
    a, b = (random.integers(0, 0x50, shape).astype(np.uint8) for shape in ((80, 128), (128, 96)))
    # Sums of such products are kept to 14 bits or so.
    matmul("matmul_fp8", 80, 96, 128, (64, 64), a, b, fp8_values(a, 4) @ fp8_values(b, 4), "1,4e-3")

    q, k, v = (floats(3, 150, 64).astype(np.float16) for _ in range(3))
    scores = np.einsum("hid,hjd->hij", q.astype(f4), k.astype(f4)) * f4(0.125)
    weights = np.exp(scores - scores.max(axis=2, keepdims=True))
    weights /= weights.sum(axis=2, keepdims=True)
    triton("flash_attention", "flash_attention", "cdiv(length,64),3",
           {"q_ptr": q, "k_ptr": k, "v_ptr": v, "scale": 0.125, "stride_head": 150 * 64, "stride_row": 64,
            "length": 150}, {3: (weights @ v.astype(f4)).astype(np.float16)}, "4e-3,4e-3")

    values = random.integers(0, 50, 1000).astype(i4)
    triton("atomics", "atomics", "cdiv(n,256)",
           {"values_ptr": values, "counts_ptr": np.zeros(50, i4), "largest_ptr": np.zeros(1, i4),
            "lock_ptr": np.zeros(1, i4), "n": 1000},
           {1: np.bincount(values, minlength=50).astype(i4), 2: values.max(keepdims=True), 3: np.ones(1, i4)})

    x = floats(500)
    triton("cumulative_sum", "cumulative_sum", "1", {"x_ptr": x, "n": 500}, {1: np.cumsum(x)}, "1e-4,1e-4")
    x, decay = floats(200), random.random(200, dtype=f4)
    state, states = 0.0, []
    for step in range(200):
        state = state * decay[step] + x[step]
        states.append(state)
    triton("associative_scan", "associative_scan", "1", {"decay_ptr": decay, "x_ptr": x, "n": 200},
           {2: np.array(states, f4)}, "1e-5,1e-4")

    x = floats(45, 60)
    padded = np.pad(x, ((0, 0), (0, 4)))  # what lies outside counts as 0, which the least may be
    triton("reduce_rows", "reduce_rows", "cdiv(rows,16)", {"x_ptr": x, "rows": 45, "columns": 60},
           {1: x.sum(axis=1), 2: padded.min(axis=1)}, "1e-5,1e-5")
    x = floats(30, 500)
    triton("argmax", "argmax", "30", {"x_ptr": x, "columns": 500}, {1: x.argmax(axis=1).astype(i4)})

    x = floats(3000)
    triton("bf16_convert", "convert", "cdiv(n,512)", {"x_ptr": x, "n": 3000}, {1: bfloat16(x)})
    triton("fp8e4nv_convert", "convert", "cdiv(n,512)", {"x_ptr": x, "n": 3000}, {1: fp8_bits(x, 4, 0x7E)})
    bits = random.integers(0, 256, 3000).astype(np.uint8)
    bits[(bits & 0x7F) > 0x7B] = 0  # infinities and NaN
    triton("fp8e5_convert", "convert", "cdiv(n,512)", {"x_ptr": bits, "n": 3000},
           {1: fp8_values(bits, 5).astype(np.float16)})

    x, index = floats(256), random.integers(0, 256, 256).astype(i4)
    triton("gather", "gather", "1", {"x_ptr": x, "index_ptr": index}, {2: x[index]})
    triton("fill_seven", "fill", "cdiv(n,256)", {"n": 1001}, {0: np.full(1001, 7, f4)})
    triton("fill_one_aligned", "fill", "cdiv(n,512)", {"n": 1600}, {0: np.ones(1600, f4)})
    x, bias = floats(1000), floats(1000)
    triton("none_argument", "scale_and_shift", "cdiv(n,256)", {"x_ptr": x, "scale": 2.5, "n": 1000}, {1: x * f4(2.5)})
    triton("with_bias", "scale_and_shift", "cdiv(n,256)", {"x_ptr": x, "bias_ptr": bias, "scale": 2.5, "n": 1000},
           {2: x * f4(2.5) + bias}, "1e-6,1e-6")
    triton("unused_arguments", "unused_arguments", "cdiv(n,256)",
           {"first_ptr": "f32[1]=0", "last_ptr": "f32[1]=0", "x_ptr": x, "spare": 5, "long_spare": -6, "n": 1000},
           {2: x + 1})
    x = floats(5000)
    sums = np.pad(x, (0, 5120 - 5000)).reshape(20, 256).sum(axis=1)
    triton("cooperative_sum", "grid_sum", "20",
           {"x_ptr": x, "partial_ptr": "f32[20]=0", "count_ptr": "i32[1]=0", "n": 5000}, {3: sums.sum(keepdims=True)},
           "1e-3,1e-4")
    x = floats(33, 70)
    triton("long_strides", "copy_2d", "cdiv(rows,16),cdiv(columns,64)",
           {"x_ptr": x, "rows": 33, "columns": 70, "x_stride": 70, "out_stride": 70}, {1: x})
    triton("transpose", "transpose", "cdiv(rows,32),cdiv(columns,32)", {"x_ptr": x, "rows": 33, "columns": 70}, {1: x.T})
    x = floats(80, 96)  # through descriptors that the kernel makes in scratch memory
    triton("tma_device", "tma_device", "cdiv(rows,32),cdiv(columns,32)", {"x_ptr": x, "rows": 80, "columns": 96},
           {1: x + f4(1)})
    x = floats(100, 136).astype(np.float16)  # through descriptors that the host makes
    triton("tma_host", "tma_host", "2,3",
           {"x_desc": x, **{f"{name}.{what}": number for name in ("x_desc", "out_desc")
                            for what, number in (("shape.0", 100), ("shape.1", 136), ("stride.0", 136), ("stride.1", 1))}},
           {1: x * np.float16(2)})
    x = floats(1000)
    triton("dropout", "dropout", "2", {"x_ptr": x, "n": 1000, "probability": 0.0, "seed": 3}, {1: x})
    values = random.integers(0, 64, 512).astype(i4)
    triton("histogram", "histogram", "1", {"x_ptr": values, "out_ptr": np.zeros(64, i4), "n": 512},
           {1: np.bincount(values, minlength=64).astype(i4)})
    triton("scalars", "scalars", "1",
           {"flag": 1, "byte": -3, "short": 400, "whole": 70000, "long": 5, "unsigned_long": 6, "half": 0.5,
            "brain": 2, "single": 0.25, "double": 1.5}, {0: np.array([-3 + 400 + 70000 + 11 + 4.25], f4)})
    x, y = floats(1000), floats(1000)
    triton("tuple_sum", "tuple_sum", "cdiv(n,256)",
           {"x_ptrs.0": x, "x_ptrs.1": y, "weights.0": 0.5, "weights.1": 3, "n": 1000}, {2: x * f4(0.5) + y * f4(3)},
           "1e-6,1e-6")


def nvcc_cases():
    def of(source):
        images = CORPUS / "images" / "nvcc13.0"
        return pack(f"nvcc-{source}.halx", f"--cuda={images}/{source}.cubin", f"--cuda={images}/{source}.ptx")

    def constants(*values):
        return ["--constant=" + value for value in values]

    def workgroup(size, memory=0):
        return [f"--workgroup-size={size}"] + ([f"--local-memory={memory}"] if memory else [])

    numbers, memory, launches, structs, templates = map(of, ("numbers", "memory", "launches", "structs", "templates"))
    case("nvcc-long_numbers", numbers, "_Z12long_numbersPdxymdl", "1", {}, {0: np.full(32, 1 + 2 + 0.5 - 7)}, "0",
         workgroup(32) + constants("i64:1", "u64:2", "u64:32", "f64:0.5", "i64:-7"))
    case("nvcc-small_numbers", numbers, "_Z13small_numbersPfbcsi6__half13__nv_bfloat16f", "1", {},
         {0: np.full(8, -3 + 400 + 70000 + 0.5 + 2 + 0.25, f4)}, "0",
         workgroup(8) + constants("ui8:1", "i8:-3", "i16:400", "i32:70000", "f16:0.5", "bf16:2", "f32:0.25"))
    lengths = random.integers(0, 100, 64).astype(i4)
    case("nvcc-moved", numbers, "_Z5movedPclPi", "1", {0: np.zeros(80, np.int8), 1: lengths},
         {0: np.concatenate([np.zeros(16, np.int8), lengths.astype(np.int8)])}, "0",
         workgroup(64) + constants("i64:16"))
    x, y = floats(1000), floats(1000)
    case("nvcc-plain_c", templates, "_ZN6corpus5scaleIfEEvPT_PKS1_S1_i", "cdiv(1000,128)", {1: x}, {0: x * f4(3)},
         "0", workgroup(128) + constants("f32:3", "i32:1000"))
    x8 = random.standard_normal(500)
    case("nvcc-scale_double", templates, "_ZN6corpus5scaleIdEEvPT_PKS1_S1_i", "4", {1: x8}, {0: x8 * 3}, "0",
         workgroup(128) + constants("f64:3", "i32:500"))
    whole = random.integers(-1000, 1000, 500)
    case("nvcc-scale_long", templates, "_ZN6corpus5scaleIxEEvPT_PKS1_S1_i", "4", {1: whole}, {0: whole * -3}, "0",
         workgroup(128) + constants("i64:-3", "i32:500"))
    bytes_ = random.integers(0, 256, 64).astype(np.uint8)
    case("nvcc-repeat", templates, "_ZN6corpus6repeatILi3ELb0EEEvPKhPt", "1", {0: bytes_},
         {1: np.repeat(bytes_, 3).astype(np.uint16)}, "0", workgroup(64))
    case("nvcc-repeat_negated", templates, "_ZN6corpus6repeatILi5ELb1EEEvPKhPt", "1", {0: bytes_},
         {1: np.repeat(-bytes_.astype(i4), 5).astype(np.uint16)}, "0", workgroup(64))
    case("nvcc-twice_float", templates, "_ZN6corpus5twiceEPf", "1", {0: x[:256]}, {0: x[:256] * 2}, "0", workgroup(256))
    case("nvcc-twice_int", templates, "_ZN6corpus5twiceEPim", "1", {0: lengths}, {0: lengths * 2}, "0",
         workgroup(64) + constants("u64:64"))
    x = floats(256)
    case("nvcc-static_shared", memory, "_Z13static_sharedPf", "1", {0: x},
         {0: x[::-1] + (np.arange(256) % 3).astype(f4)}, "0", workgroup(256))
    case("nvcc-dynamic_shared", memory, "_Z14dynamic_sharedPfi", "1", {0: x}, {0: np.roll(x, -1)}, "0",
         workgroup(256, 1024) + constants("i32:256"))
    case("nvcc-both_shared", memory, "_Z11both_sharedPf", "1", {0: x[:32]},
         {0: x[:32][np.arange(32) ^ 1] + x[:32]}, "0", workgroup(32, 128))
    weights = np.arange(1, 9, dtype=np.float64)
    case("nvcc-weigh", memory, "_Z5weighPd", "1", {0: x8[:64]}, {0: x8[:64] * np.tile(weights, 8)}, "0", workgroup(64))
    case("nvcc-fixed_cluster", launches, "_Z13fixed_clusterPi", "8", {}, {0: np.tile(np.array([0, 1], i4), 4)}, "0",
         workgroup(32))
    case("nvcc-grid_sync", launches, "_Z9grid_syncPfi", "4", {0: np.zeros(128, f4)}, {0: np.full(128, 2, f4)}, "0",
         workgroup(32) + constants("i32:128"))
    case("nvcc-dependent", launches, "_Z9dependentPKfPf", "1", {0: x}, {1: x}, "0", workgroup(256))
    shape = np.zeros(16, np.uint8)
    shape[:8] = np.array([5, 20], i4).view(np.uint8)
    shape[8:] = np.array([32], np.int64).view(np.uint8)
    filled = np.zeros((3, 32), f4)
    filled[:, :20] = 5
    case("nvcc-fill_shape", structs, "_Z10fill_shapePf5Shape", "3", {}, {0: filled}, "0",
         workgroup(32) + constants("hex:" + shape.tobytes().hex()))


def manners_cases():
    """Arrays as structures by value, in the manner of Warp and of CuTe, and as numba-cuda passes them."""
    def words(*numbers):
        return "--constant=hex:" + np.array(numbers, np.uint32).tobytes().hex()

    x = floats(96)
    images = CORPUS / "images" / "manners"
    kernel = "scale_3f5a_cuda_kernel_forward"
    file = pack("warp.halx", f"--cuda={images}/warp.sm_80.ptx", f"--parameter={kernel}:1+0=binding",
                f"--parameter={kernel}:2+0=binding")
    array = words(0, 0, 0, 0, 96, 0, 0, 0, 4, 0, 0, 0, 1, 0)
    case("manner-warp", file, kernel, "2", {0: x}, {1: x * f4(3)}, "0",
         ["--workgroup-size=32", words(96, 0, 0, 0, 1, 0, 96, 0), array, array, "--constant=f32:3"])
    kernel = "kernel_cutlass_scale_tensorptrf32gmemo11_tensorptrf32gmemo11_0"
    file = pack("cute.halx", f"--cuda={images}/cute.sm_80.ptx", f"--parameter={kernel}:0+0=binding",
                f"--parameter={kernel}:1+0=binding")
    tensor = words(0, 0, 3, 32, 32, 0)
    case("manner-cute", file, kernel, "1", {0: x}, {1: x * f4(3)}, "0",
         ["--workgroup-size=32", tensor, tensor, "--constant=f32:3"])
    path = CORPUS / "images" / "numba_cuda0.30" / "axpy.ptx"
    kernel = next(line.split()[2].rstrip("(") for line in path.read_text().splitlines() if ".entry" in line)
    array = ["--constant=i64:" + number for number in ("0", "0", "96", "4", "96", "4")]
    y = floats(96)
    case("numba-axpy", pack("numba.halx", f"--cuda={path}"), kernel, "3", {0: x, 1: y}, {1: y + x * f4(3)}, "1e-6,1e-6",
         ["--workgroup-size=32", "--constant=f32:3", *array, *array])


triton_cases()
nvcc_cases()
manners_cases()
(FOLDER / "cases").write_text("\n".join(lines) + "\n")
print(f"{len(lines)} cases")
