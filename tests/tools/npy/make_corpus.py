#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the .npy files beside it, with NumPy itself. The tests read them; they are checked in, so that no machine needs
NumPy to build or test. Every good file holds the numbers 0 to 5 in an array of shape (2, 3), unless its name says
otherwise; names that begin with "bad_" are files that must be refused.

Usage: make_corpus.py (needs python3-numpy)
"""

import pathlib

import numpy as np
from numpy.lib import format as npy_format

FOLDER = pathlib.Path(__file__).parent
TYPES = ["b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]


def values(dtype):
    return np.arange(6).reshape(2, 3).astype(dtype)


def write(name, array, version=None):
    with open(FOLDER / f"{name}.npy", "wb") as file:
        npy_format.write_array(file, array, version=version)


def write_good():
    for name in TYPES:
        write(f"{name}_little", values("<" + name))
        write(f"{name}_big", values(">" + name))
        write(f"{name}_fortran", np.asfortranarray(values("<" + name)))
        write(f"{name}_big_fortran", np.asfortranarray(values(">" + name)))
    for version in [(1, 0), (2, 0), (3, 0)]:
        write(f"version_{version[0]}", values("<f4"), version)
    write("scalar", np.float32(5))
    write("vector", np.arange(6, dtype="<i4"))
    write("empty", np.zeros((0, 3), dtype="<f4"))
    write("fortran_3d", np.asfortranarray(np.arange(24, dtype="<i4").reshape(2, 3, 4)))


def write_bad():
    write("bad_object", np.array([1, "two", None], dtype=object))
    write("bad_bytes", np.array([b"abc"]))
    write("bad_text", np.array(["abc"]))
    write("bad_record", np.array([(1, 2.0)], dtype=[("a", "<i4"), ("b", "<f4")]))
    write("bad_void", np.zeros(2, dtype="V2"))
    write("bad_date", np.array(["2026-01-01"], dtype="datetime64[D]"))
    write("bad_long_double", np.zeros(2, dtype=np.longdouble))
    np.savez(FOLDER / "bad_archive.npz", a=values("<f4"))
    (FOLDER / "bad_archive.npz").rename(FOLDER / "bad_archive.npy")


if __name__ == "__main__":
    write_good()
    write_bad()
