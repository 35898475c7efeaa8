#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loads a kernel, runs it, times it and plots what it costs against the size: scale_and_plot.py [URI [PICTURE]]

The kernel is a C function, compiled here for the host. For another device load what its compiler makes (docs/kernels.md).
"""

# %% A kernel: y[i] += a * x[i]. Each workgroup takes 4096 elements.
import pathlib
import subprocess
import sys
import tempfile

import numpy

import halyard

SOURCE = """
#include <stdint.h>
void saxpy(int64_t n, float a, const float* x, float* y, int64_t group) {
  int64_t end = (group + 1) * 4096 < n ? (group + 1) * 4096 : n;
  for (int64_t i = group * 4096; i < end; ++i) y[i] += a * x[i];
}
"""


def compile_kernel(folder: pathlib.Path) -> pathlib.Path:
    (folder / "saxpy.c").write_text(SOURCE)
    subprocess.run(["cc", "-O3", "-shared", "-fPIC", "saxpy.c", "-o", "saxpy.so"], cwd=folder, check=True)
    return folder / "saxpy.so"


# %% Load it, run it, and compare with NumPy.
def load(device: halyard.Device) -> halyard.Kernel:
    with tempfile.TemporaryDirectory() as folder:
        functions = {"saxpy": ["i64", "f32", "const f32*", "f32*", "i64 id.x"]}
        path = compile_kernel(pathlib.Path(folder))
        return device.load(path, format="host-shared-object", functions=functions).saxpy


def check(device: halyard.Device, saxpy: halyard.Kernel) -> None:
    x = numpy.linspace(0, 1, 10_000, dtype="float32")
    y = device.zeros(x.shape)
    saxpy[3](x.size, 2.0, x, y)
    numpy.testing.assert_allclose(y.numpy(), 2 * x)


# %% Time it: the device's own times, of a profiling session.
def measure(device: halyard.Device, saxpy: halyard.Kernel, size: int) -> float:
    x, y = device.zeros(size), device.zeros(size)
    device.stream.wait()
    with device.profile() as profile:
        for _ in range(7):
            saxpy[-(-size // 4096)](size, 2.0, x, y)
    return min(record.seconds for record in profile.records if record.kind == "dispatch")


# %% Plot it.
def plot(sizes: list[int], seconds: list[float], path: str) -> None:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    axes.loglog(sizes, [second * 1e6 for second in seconds], marker="o")
    axes.set(xlabel="elements", ylabel="microseconds", title="y += a * x")
    axes.grid(True, which="both", alpha=0.3)
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    device = halyard.Device(sys.argv[1] if len(sys.argv) > 1 else "local")
    saxpy = load(device)
    check(device, saxpy)
    sizes = [4**power for power in range(4, 12)]
    seconds = [measure(device, saxpy, size) for size in sizes]
    for size, second in zip(sizes, seconds):
        print(f"{size:9} elements {second * 1e6:9.1f} us {12 * size / second / 1e9:7.1f} GB/s")
    if len(sys.argv) > 2:
        plot(sizes, seconds, sys.argv[2])


if __name__ == "__main__":
    main()
