# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a dispatch of four buffers from Python costs beyond the same call in C, in one process, in turns.

The bound is no target: it says that a dispatch is no Python loop over its arguments. docs/python.md has the figures.
"""

import os
import pathlib
import time

import halyard
from halyard import _native

KERNELS = pathlib.Path(os.environ["HALYARD_TEST_KERNELS"])
COUNT, ROUNDS = 2000, 15


def measure(device):
    """Seconds of a dispatch, the least of all rounds: (from C, launch kept, kernel[grid](...), by keywords)."""
    kernel = device.load(KERNELS / "cts_dispatch.halx").bindings_4
    a, b, c, d = (device.zeros(64, "uint32") for _ in range(4))
    launch, stream = kernel[1], device.stream
    best = [1.0] * 4
    for _ in range(ROUNDS):
        stream.wait()
        times = [_native._time_dispatches(launch, (a, b, c, d), COUNT)]
        stream.wait()
        begin = time.perf_counter()
        for _ in range(COUNT):
            launch(a, b, c, d)
        times.append((time.perf_counter() - begin) / COUNT)
        stream.wait()
        begin = time.perf_counter()
        for _ in range(COUNT):
            kernel[1](a, b, c, d)
        times.append((time.perf_counter() - begin) / COUNT)
        stream.wait()
        begin = time.perf_counter()
        for _ in range(COUNT):
            launch(arg0=a, arg1=b, arg2=c, arg3=d)
        times.append((time.perf_counter() - begin) / COUNT)
        best = [min(pair) for pair in zip(best, times)]
    assert (a.numpy()[0] > 0) and stream.point().done
    return best


def test_a_dispatch_from_python():
    for uri in ("local://sync", "local://task"):
        native, kept, made, named = measure(halyard.Device(uri))
        print(
            f"\n{uri}: in C {native * 1e6:.3f} us; beyond it: launch(a, b, c, d) {(kept - native) * 1e6:.3f} us, "
            f"kernel[1](a, b, c, d) {(made - native) * 1e6:.3f} us, by keywords {(named - native) * 1e6:.3f} us"
        )
        assert kept - native < 10e-6


def test_the_import(tmp_path):
    import subprocess
    import sys

    times = []
    for _ in range(5):
        done = subprocess.run([sys.executable, "-X", "importtime", "-c", "import halyard"], capture_output=True, text=True)
        line = next(line for line in done.stderr.splitlines() if line.endswith("| halyard"))
        times.append(int(line.split("|")[1]))
    print(f"\nimport halyard: {min(times) / 1000:.1f} ms")
    assert min(times) < 2_000_000
