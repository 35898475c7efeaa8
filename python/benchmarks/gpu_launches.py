#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""On a GPU: arrays of PyTorch and CuPy as arguments, and a launch against CuPy's RawKernel and Triton's launcher.

Prints what it finds; a library that is missing is named. HALYARD_TEST_KERNELS is the folder of the suite's kernels.
"""

import os
import pathlib
import time
import traceback

import halyard

DEVICE = halyard.Device("cuda://0")
KERNELS = pathlib.Path(os.environ["HALYARD_TEST_KERNELS"])
ROUNDS, COUNT = 9, 1000

SOURCE = """
extern "C" __global__ void four(unsigned* a, unsigned* b, unsigned* c, unsigned* d) {
  a[0] = a[0] * 3u + 1u; b[0] = b[0] * 3u + 2u; c[0] = c[0] * 3u + 3u; d[0] = d[0] * 3u + 4u;
}
"""


def each(launch, wait):
    """Seconds to submit one launch, the least of all rounds."""
    best = 1.0
    for _ in range(ROUNDS):
        wait()
        begin = time.perf_counter()
        for _ in range(COUNT):
            launch()
        best = min(best, (time.perf_counter() - begin) / COUNT)
    wait()
    return best


def ours():
    kernel = DEVICE.load(KERNELS / "cts_dispatch.halx").bindings_4
    buffers = [DEVICE.zeros(64, "uint32") for _ in range(4)]
    launch = kernel[1]
    kept = each(lambda: launch(*buffers), DEVICE.stream.wait)
    made = each(lambda: kernel[1](*buffers), DEVICE.stream.wait)
    native = min(halyard._native._time_dispatches(launch, tuple(buffers), COUNT) for _ in range(ROUNDS))
    print(f"Halyard: launch kept {kept * 1e6:.2f} us, kernel[1](...) {made * 1e6:.2f} us, in C {native * 1e6:.2f} us")
    return kept


def with_torch():
    import torch

    add_one = DEVICE.load(KERNELS / "cts_basic.halx").add_one
    x = torch.arange(64, dtype=torch.int32, device="cuda")
    x *= 2
    add_one[1](x)
    DEVICE.stream.wait()
    right = x.tolist() == [2 * i + 1 for i in range(64)]
    y = DEVICE.zeros(64, "int32")
    add_one[1](y)
    z = torch.from_dlpack(y) + 1  # PyTorch's stream waits for Halyard's
    print("torch", torch.__version__, "right" if right and z.tolist() == [2] * 64 else f"WRONG {x} {z}")


def with_cupy(halyard_seconds):
    import cupy

    add_one = DEVICE.load(KERNELS / "cts_basic.halx").add_one
    x = cupy.arange(64, dtype="uint32") * 2
    add_one[1](x)
    DEVICE.stream.wait()
    print("cupy", cupy.__version__, "right" if x.tolist() == [2 * i + 1 for i in range(64)] else f"WRONG {x}")
    y = DEVICE.array([1, 2, 3], "uint32")
    print("cupy of a buffer", "right" if cupy.asarray(y).tolist() == [1, 2, 3] else "WRONG")
    four = cupy.RawKernel(SOURCE, "four")
    arrays = tuple(cupy.zeros(64, dtype="uint32") for _ in range(4))
    seconds = each(lambda: four((1,), (1,), arrays), cupy.cuda.Device().synchronize)
    print(f"cupy RawKernel {seconds * 1e6:.2f} us, ratio {halyard_seconds / seconds:.2f}")


def with_triton(halyard_seconds):
    import torch
    import triton
    import triton.language as tl

    @triton.jit
    def four(a, b, c, d):
        tl.store(a, 1)
        tl.store(b, 2)
        tl.store(c, 3)
        tl.store(d, 4)

    arrays = [torch.zeros(64, dtype=torch.int32, device="cuda") for _ in range(4)]
    seconds = each(lambda: four[(1,)](*arrays), torch.cuda.synchronize)
    print(f"triton {triton.__version__} {seconds * 1e6:.2f} us, ratio {halyard_seconds / seconds:.2f}")


def with_tinygrad():
    os.environ.update(HALYARD_URI="cuda://0", CACHELEVEL="0")
    import halyard.integrations.tinygrad  # noqa: F401
    import numpy
    from tinygrad import Device, Tensor, TinyJit

    a = numpy.arange(12, dtype="float32").reshape(3, 4)
    result = (Tensor(a, device="HALYARD") @ Tensor(a.T, device="HALYARD")).numpy()
    print("tinygrad matmul", "right" if numpy.allclose(result, a @ a.T) else f"WRONG {result}")

    @TinyJit
    def step(x):
        for _ in range(100):
            x = (x + 1).contiguous().realize()
        return x

    for i in range(4):
        result = step(Tensor(a + i, device="HALYARD").realize()).numpy()
    print("tinygrad JIT", "right" if numpy.allclose(result, a + 103) else f"WRONG {result}")
    x = Tensor(a, device="HALYARD").realize()
    best = 1.0
    for _ in range(50):
        DEVICE.wait()
        begin = time.perf_counter()
        step(x)
        Device["HALYARD"].synchronize()
        best = min(best, time.perf_counter() - begin)
    print(f"tinygrad JIT of 100 kernels {best * 1e6:.0f} us")


def attempt(run, *arguments):
    try:
        return run(*arguments)
    except ImportError as error:
        print("missing:", error)
    except Exception:
        traceback.print_exc()


if __name__ == "__main__":
    print(DEVICE)
    seconds = ours()
    attempt(with_torch)
    attempt(with_cupy, seconds)
    attempt(with_triton, seconds)
    attempt(with_tinygrad)
