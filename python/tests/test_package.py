# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is in the package beside its classes."""

import ast
import pathlib
import subprocess
import sys

import numpy
import pytest

import halyard

FOLDER = pathlib.Path(halyard.__file__).parent


def test_types_are_those_of_the_binding():
    assert (FOLDER / "py.typed").exists()
    stub = ast.parse((FOLDER / "_native.pyi").read_text())
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    for name in dir(halyard._native):
        kind = getattr(halyard._native, name)
        if isinstance(kind, type):
            members = {node.name for node in classes[name].body if isinstance(node, ast.FunctionDef)}
            missing = {member for member in vars(kind) if not member.startswith("_")} - members
            assert not missing, f"{name}: {missing}"
        elif not name.startswith("_"):
            assert name in functions
    dispatch = next(node for node in classes["Device"].body if getattr(node, "name", "") == "empty")
    assert "dtype" in ast.unparse(dispatch) and "-> Buffer" in ast.unparse(dispatch)


@pytest.mark.parametrize("name", ["info", "run", "pack", "bench"])
def test_programs(name):
    source = f"import sys; sys.argv = ['halyard-{name}', '--version']; from halyard._programs import {name}; {name}()"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert done.returncode == 0 and halyard.__version__ in done.stdout, done.stderr


def test_the_library_is_that_of_the_package():
    maps = pathlib.Path("/proc/self/maps").read_text()
    loaded = {line.split(maxsplit=5)[5] for line in maps.splitlines() if "libhalyard.so" in line}
    assert loaded and all(pathlib.Path(path).parent == FOLDER / "lib" for path in loaded)


def test_packing_and_running_from_python(device, tmp_path):
    """halyard-pack of the package makes what the package loads."""
    (tmp_path / "twice.c").write_text("void twice(long long n, float* x) { for (long long i = 0; i < n; ++i) x[i] *= 2; }")
    (tmp_path / "twice.json").write_text(
        '{"exports": [{"name": "twice", "convention": "c", "arguments": ["i64", "f32*"]}]}'
    )
    subprocess.run(["cc", "-shared", "-fPIC", "twice.c", "-o", "twice.so"], cwd=tmp_path, check=True)
    pack = [FOLDER / "bin" / "halyard-pack", "--local=twice.so", "--exports=twice.json", "--output=twice.halx"]
    subprocess.run(pack, cwd=tmp_path, check=True, capture_output=True)
    x = numpy.arange(5, dtype="float32")
    device.load(tmp_path / "twice.halx").twice[1](5, x)
    device.stream.wait()
    assert x.tolist() == [0, 2, 4, 6, 8]
