# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes
import subprocess
import sys

import numpy
import pytest

import halyard
from conftest import KERNELS


def test_a_kernel_is_called_like_a_function(device, kernels, words):
    x = device.array(words)
    y = device.zeros(64, "uint32")
    kernels.add_constant[1](1000, x, y)
    assert y.numpy().tolist() == (words + 1000).tolist()
    kernels.add_constant[1](arg1=x, arg2=y, value=5)
    kernels["add_one"][1](y)
    assert y.numpy().tolist() == (words + 6).tolist()


def test_what_is_known_of_a_kernel(kernels):
    kernel = kernels.add_constant
    assert [p.name for p in kernel.parameters] == ["value", "arg1", "arg2"]  # records of kernels have no names of buffers
    assert [p.is_buffer for p in kernel.parameters] == [False, True, True]
    assert [p.access for p in kernel.parameters][1:] == ["read", "write"]
    assert kernel.parameters[0].dtype == "int32" and kernel.parameters[0].size == 4
    assert kernel.workgroup_size == (64, 1, 1)
    assert "add_constant(value: int32, arg1: buffer[], arg2: buffer[])" in repr(kernel)
    assert "add_one" in dir(kernels) and "add_one" in list(kernels) and len(kernels) == len(list(kernels))


def test_arrays_are_arguments(device, kernels, words):
    source, target = words.copy(), numpy.zeros(64, "uint32")
    kernels.add_constant[1](7, source, target)
    device.stream.wait()
    assert target.tolist() == (words + 7).tolist()


def test_numbers_may_be_numpys(device, kernels, words):
    y = device.zeros(64, "uint32")
    for value in (numpy.uint32(3), numpy.int64(3), True + 2, numpy.array(3, "uint32"), b"\3\0\0\0"):
        kernels.add_constant[1](value, words, y)
        assert y.numpy()[1] == 4


@pytest.mark.parametrize("value", [-(2**31) - 1, 2**32, 2**70, -(2**70)])
def test_numbers_that_do_not_fit(device, kernels, words, value):
    with pytest.raises(OverflowError, match="value"):
        kernels.add_constant[1](value, words, words.copy())


@pytest.mark.parametrize(
    "arguments, named, message",
    [
        ((1,), {}, "missing: arg1, arg2"),
        ((), {"arg2": None}, "takes a buffer"),
        ((1, 2, 3), {}, "arg1 takes a buffer"),
        ((1, 2, 3, 4), {}, "4 arguments were given"),
        ((1,), {"value": 3}, "value was given twice"),
        ((1,), {"sauce": 3}, "no parameter 'sauce'"),
        ((1.5,), {}, "value is a number of the type int32"),
        (("x",), {}, "value takes a number or 4 bytes"),
        ((b"12",), {}, "2 were given"),
        ((1, halyard.slot(0)), {}, "slot stands for a buffer of a recording"),
    ],
)
def test_wrong_arguments_are_named(kernels, arguments, named, message):
    with pytest.raises(TypeError, match=message):
        kernels.add_constant[1](*arguments, **named)


def test_wrong_grids(kernels):
    for grid in (-1, 2**32, (1, 2, 3, 4), ()):
        with pytest.raises(ValueError, match="grid"):
            kernels.noop[grid]
    for grid in ("x", 1.5, None):
        with pytest.raises(TypeError):
            kernels.noop[grid]
    with pytest.raises(TypeError, match="Stream"):
        kernels.noop.launch(1, on=3)


def test_grids_and_places(device, kernels, words):
    stream = halyard.Stream(device)
    x = device.zeros(64, "uint32")
    x.wait()
    kernels.add_one[1, stream](x)
    kernels.add_one[(1, 1), stream](x)
    kernels.add_one.launch((1, 1, 1), on=stream)(x)
    kernels.add_one.launch(1, block=64, on=stream)(x)
    kernels.add_one.launch(device.array([1, 1, 1], "uint32"), on=stream)(x)
    stream.wait()
    assert x.numpy().tolist() == [5] * 64


def test_unknown_exports_are_answered_with_similar_ones(kernels):
    with pytest.raises(AttributeError, match="add_one"):
        kernels.add_two
    with pytest.raises(halyard.NotFound, match="add_one"):
        kernels["add_two"]
    assert not hasattr(kernels, "__fspath__")


def test_bad_images(device, tmp_path):
    with pytest.raises(halyard.NotFound):
        device.load(tmp_path / "missing.halx")
    with pytest.raises(halyard.DataLoss):
        device.load((KERNELS / "cts_basic.halx").read_bytes()[:100])
    with pytest.raises(halyard.Error):
        device.load(b"")
    with pytest.raises(TypeError):
        device.load(3)


def test_from_bytes(device, words):
    kernels = device.load((KERNELS / "cts_basic.halx").read_bytes())
    x = device.array(words)
    kernels.add_one[1](x)
    assert x.numpy()[63] == 64


def test_buffers_of_another_device_are_refused(kernels, words):
    other = halyard.Device("local://task", threads=1)
    with pytest.raises(halyard.InvalidArgument):
        kernels.add_one[1](other.array(words))


def test_too_short_a_buffer(device, kernels):
    x = device.empty(64, "uint32")
    with pytest.raises(TypeError):
        kernels.add_one[1](x, x)


SAXPY = """
#include <stdint.h>
void saxpy(int64_t n, float a, const float* x, float* y) { for (int64_t i = 0; i < n; ++i) y[i] += a * x[i]; }
void where(int32_t* out, int64_t id) { out[id] = (int32_t)(id * id); }
"""


@pytest.fixture
def saxpy(tmp_path):
    (tmp_path / "saxpy.c").write_text(SAXPY)
    command = ["cc", "-O1", "-shared", "-fPIC", str(tmp_path / "saxpy.c"), "-o", str(tmp_path / "saxpy.so")]
    subprocess.run(command, check=True)
    return tmp_path / "saxpy.so"


def test_plain_c_functions(device, saxpy):
    functions = {"saxpy": ["i64", "f32", "const f32*", "f32*"], "where": ["i32*", "i64 id.x"]}
    exe = device.load(saxpy, format="host-shared-object", functions=functions)
    x, y = device.array([1, 2, 3], "float32"), device.array([10, 20, 30], "float32")
    exe.saxpy[1](3, 2, x, y)
    assert y.numpy().tolist() == [12, 24, 36]
    z = device.zeros(5, "int32")
    exe.where[5](z)
    assert z.numpy().tolist() == [0, 1, 4, 9, 16]
    with pytest.raises(TypeError, match=r"arg2 takes elements of float32, and the buffer is int32\[3\]"):
        exe.saxpy[1](3, 2, x.view("int32"), y)
    with pytest.raises(halyard.Incompatible, match="saxpi"):
        device.load(saxpy, format="host-shared-object", functions={"saxpi": ["i64"]})
    with pytest.raises(TypeError, match="q32"):
        device.load(saxpy, format="host-shared-object", functions={"saxpy": ["q32"]})


CALLER = """
int twice(int);
float expf(float);
void caller(int* x, float* y) { *x = twice(*x); *y = expf(*y); }
"""


@pytest.fixture
def caller(tmp_path):
    (tmp_path / "caller.c").write_text(CALLER)
    (tmp_path / "twice.c").write_text("int twice(int x) { return 2 * x; }")
    command = ["cc", "-O1", "-c", "-ffreestanding", str(tmp_path / "caller.c"), "-o", str(tmp_path / "caller.o")]
    subprocess.run(command, check=True)
    command = ["cc", "-O1", "-shared", "-fPIC", str(tmp_path / "twice.c"), "-o", str(tmp_path / "twice.so")]
    subprocess.run(command, check=True)
    return tmp_path


def test_objects_are_linked_without_a_linker(device, caller):
    functions = {"caller": ["i32*", "f32*"]}
    twice = ctypes.CDLL(caller / "twice.so").twice
    for source in caller / "caller.o", (caller / "caller.o").read_bytes():
        exe = device.load(source, functions=functions, imports={"twice": twice})
        x, y = device.array([21], "int32"), device.array([0], "float32")
        exe.caller[1](x, y)
        assert (x.numpy().tolist(), y.numpy().tolist()) == ([42], [1.0])
    with pytest.raises(halyard.NotFound, match="calls 'twice'"):
        device.load(caller / "caller.o", functions=functions)


def test_functions_of_the_process_are_kernels(device, saxpy):
    library = ctypes.CDLL(saxpy)
    functions = {"saxpy": ["i64", "f32", "const f32*", "f32*"], "where": ["i32*", "i64 id.x"]}
    address = ctypes.cast(library.where, ctypes.c_void_p).value
    exe = device.load({"saxpy": library.saxpy, "where": address}, functions=functions)
    x, y, z = device.array([1, 2, 3], "float32"), device.array([10, 20, 30], "float32"), device.zeros(5, "int32")
    exe.saxpy[1](3, 2, x, y)
    exe.where[5](z)
    assert (y.numpy().tolist(), z.numpy().tolist()) == ([12, 24, 36], [0, 1, 4, 9, 16])
    with pytest.raises(ValueError, match="other functions"):
        device.load({"saxpy": library.saxpy, "where": address}, functions={"saxpy": functions["saxpy"]})
    with pytest.raises(ValueError, match="no address is given for 'saxpy'"):
        device.load({"where": address}, functions=functions)
    with pytest.raises(ValueError, match="address of a function is 0"):
        device.load({"where": 0}, functions={"where": functions["where"]})


def test_functions_are_kept_until_their_last_use(device, saxpy):
    library = ctypes.CDLL(saxpy)
    code = {"where": library.where}
    before = sys.getrefcount(code)
    exe = device.load(code, functions={"where": ["i32*", "i64 id.x"]})
    assert sys.getrefcount(code) == before + 1
    del exe
    halyard._native._drop_now()
    assert sys.getrefcount(code) == before


@pytest.mark.parametrize("value, bits", [(1.0, 0x3C00), (-2.5, 0xC100), (65504.0, 0x7BFF), (1e9, 0x7C00), (5.9604645e-08, 1), (0.1, 0x2E66), (float("nan"), 0x7E00)])
def test_half_floats_round_as_numpys(device, value, bits):
    x = device.empty(4, "float16")
    device.stream.fill(x, value)
    assert x.view("uint16").numpy().tolist() == [bits] * 4
    with numpy.errstate(over="ignore"):
        assert numpy.float16(value).view("uint16") == bits
