#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the arrays of the MLIR example, data/*.npy: what goes in, and what NumPy makes of it.

    python3 -m venv venv && venv/bin/pip install numpy && venv/bin/python make_data.py

The sums are taken in double precision and rounded once, so the float32 code of the example may be off by a few units in
the last place. The same NumPy gives the same bytes on every run.
"""

from pathlib import Path

import numpy as np

ROWS, DEPTH, COLUMNS = 12, 32, 20  # as the static function of dense.mlir has them
ANY_ROWS, ANY_DEPTH, ANY_COLUMNS = 3, 7, 5  # for the one of any size
SEED = 19


def layer(random, rows, depth, columns):
    """Returns x [rows, depth], w [depth, columns], b [columns] and y = max(x * w + b, 0) [rows, columns]."""
    x = random.standard_normal((rows, depth)).astype(np.float32)
    w = random.standard_normal((depth, columns)).astype(np.float32)
    b = random.standard_normal(columns).astype(np.float32)
    y = np.maximum(x.astype(np.float64) @ w.astype(np.float64) + b, 0).astype(np.float32)
    return {"x": x, "w": w, "b": b, "y": y}


def main():
    folder = Path(__file__).parent / "data"
    folder.mkdir(exist_ok=True)
    random = np.random.default_rng(SEED)
    for name, array in layer(random, ROWS, DEPTH, COLUMNS).items():
        np.save(folder / f"{name}.npy", array)
    for name, array in layer(random, ANY_ROWS, ANY_DEPTH, ANY_COLUMNS).items():
        np.save(folder / f"any_{name}.npy", array)


if __name__ == "__main__":
    main()
