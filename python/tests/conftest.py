# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests share: kernels, devices, and a check that each test leaves no object behind."""

import gc
import os
import pathlib
import subprocess
import sys

import numpy
import pytest

import halyard
from halyard import _native

KERNELS = pathlib.Path(os.environ["HALYARD_TEST_KERNELS"])  # cts_basic.halx and its siblings
DEVICES = os.environ.get("HALYARD_TEST_DEVICES", "local://sync local://task").split()


leaks = []


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    """Every object that a test makes is gone after it. A failed test keeps its objects in the report."""
    before, failed = _native._live_objects(), item.session.testsfailed
    yield
    gc.collect()
    _native._drop_now()
    after = _native._live_objects()
    is_ours = pathlib.Path(__file__).parent in item.path.parents  # caches of tinygrad's stay
    if is_ours and any(after[kind] > before[kind] for kind in after) and item.session.testsfailed == failed:
        leaks.append(f"{item.nodeid} left {after}, and before it were {before}")


def pytest_sessionfinish(session):
    if leaks:
        session.exitstatus = 1


def pytest_terminal_summary(terminalreporter):
    for leak in leaks:
        terminalreporter.write_line("LEAK " + leak, red=True)


@pytest.fixture(params=DEVICES)
def device(request):
    return halyard.Device(request.param)


@pytest.fixture
def kernels(device):
    return device.load(KERNELS / "cts_basic.halx")


@pytest.fixture
def python(tmp_path):
    """Runs a program in a process of its own; returns what it did."""

    def run(source, *arguments, timeout=60, check=True):
        path = tmp_path / "program.py"
        path.write_text(source)
        done = subprocess.run([sys.executable, str(path), *arguments], capture_output=True, text=True, timeout=timeout)
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done

    return run


@pytest.fixture
def words():
    return numpy.arange(64, dtype="uint32")
