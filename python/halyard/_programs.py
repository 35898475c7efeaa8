# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of the package: each script becomes the program of its name."""

import os
import pathlib
import sys


def _become(name: str) -> None:
    program = pathlib.Path(__file__).parent / "bin" / name
    os.execv(program, [name, *sys.argv[1:]])


def info() -> None:
    _become("halyard-info")


def run() -> None:
    _become("halyard-run")


def pack() -> None:
    _become("halyard-pack")


def bench() -> None:
    _become("halyard-bench")
