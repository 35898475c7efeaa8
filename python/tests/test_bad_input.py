# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a program may do wrong: each is an exception of Python with words that help, and nothing else breaks."""

import ctypes
import os
import pathlib

import numpy
import pytest

import halyard
from conftest import KERNELS


class View(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class FaultInjection(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("lose_device", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, View)),
    ]


def lose(device):
    """Makes a device behave as lost, through its extension."""
    library = ctypes.CDLL(next((pathlib.Path(halyard.__file__).parent / "lib").glob("libhalyard.so*")))
    table = ctypes.POINTER(FaultInjection)()
    name = b"halyard.fault_injection"
    query = library.hal_device_query_interface
    query.argtypes = [ctypes.c_void_p, View, ctypes.c_uint32, ctypes.c_void_p]
    assert query(device.handle, View(name, len(name)), 1, ctypes.byref(table)) == 0
    assert table.contents.lose_device(device.handle, View(b"pulled out", 10)) == 0


def test_a_dead_device(device, kernels, words):
    x = device.array(words)
    gate = device.semaphore()
    stream = halyard.Stream(device)
    stream.wait_for(gate.at(1))
    stream.fill(x, 1)
    lose(device)
    for use in (
        device.check_health,
        stream.wait,
        x.wait,
        x.numpy,
        x.tobytes,
        gate.at(1).wait,
        lambda: memoryview(x),
        lambda: numpy.asarray(x),
        lambda: kernels.add_one[1](x),
        lambda: device.stream.fill(x, 2),
    ):
        with pytest.raises(halyard.DeviceLost, match="pulled out"):
            use()


def test_places_of_another_device(device, kernels, words):
    other = halyard.Device("local://task", threads=1)
    x = device.array(words)
    with pytest.raises(halyard.InvalidArgument):
        kernels.add_one[1, other.stream](x)
    with pytest.raises(halyard.InvalidArgument):
        with other.commands() as commands:
            kernels.add_one[1, commands](x)
    with device.commands() as commands:
        kernels.add_one[1, commands](x)
    with pytest.raises(halyard.InvalidArgument):
        other.stream.execute(commands)


def test_recording_outside_of_with(device, kernels, words):
    x = device.array(words)
    commands = device.commands()
    launch = kernels.add_one[1, commands]
    with pytest.raises(halyard.FailedPrecondition):
        launch(x)
    with commands:
        launch(x)
    with pytest.raises(halyard.FailedPrecondition):
        launch(x)


class Interface:
    def __init__(self, **changes):
        self.__array_interface__ = {
            "shape": (2,), "typestr": "<f4", "data": (numpy.zeros(2).ctypes.data, False), "version": 3, **changes
        }  # fmt: skip


@pytest.mark.parametrize(
    "changes",
    [
        {"shape": None},
        {"shape": (2, "x")},
        {"shape": (-2,)},
        {"shape": (2**64,)},
        {"shape": (2**40, 2**40)},
        {"typestr": None},
        {"typestr": ""},
        {"typestr": "<f"},
        {"typestr": "<fa"},
        {"typestr": "<f99"},
        {"typestr": ">f4"},
        {"typestr": "|O8"},
        {"data": None},
        {"data": (None, False)},
        {"data": (-1, False)},
        {"data": (2**70, False)},
        {"data": ()},
        {"strides": (8,)},
        {"strides": ()},
        {"strides": ("x",)},
        {"strides": 4},
    ],
)
def test_malformed_array_interfaces(device, changes):
    with pytest.raises((TypeError, ValueError, IndexError, OverflowError, MemoryError)):
        device.adopt(Interface(**changes))


class Producer:
    """A library whose __dlpack__ answers what it is told."""

    def __init__(self, answer, place=(1, 0)):
        self.answer, self.place = answer, place

    def __dlpack_device__(self):
        return self.place

    def __dlpack__(self, **arguments):
        if isinstance(self.answer, type):
            raise self.answer("broken")
        return self.answer


@pytest.mark.parametrize("answer", [None, 3, b"x", KeyError, BufferError])
def test_producers_that_fail(device, answer):
    with pytest.raises((TypeError, KeyError, BufferError)):
        device.adopt(Producer(answer))


@pytest.mark.parametrize("place", [(), None, ("cpu", 0), (2, 0), (8, 0), (99, 1)])
def test_producers_of_other_places(device, place):
    capsule = numpy.zeros(3).__dlpack__()
    try:
        device.adopt(Producer(capsule, place))
    except (TypeError, IndexError, halyard.Error):
        pass


@pytest.mark.parametrize(
    "arguments",
    [{"max_version": 3}, {"max_version": ()}, {"max_version": ("1", 0)}, {"dl_device": 1}, {"dl_device": ("x", 0)}, {"copy": "x"}],
)
def test_consumers_that_ask_nonsense(device, arguments):
    with pytest.raises((TypeError, IndexError, BufferError)):
        device.zeros(3).__dlpack__(**arguments)


def test_shapes_and_types_that_are_none(device):
    for shape in ("x", None, 1.5, (1, None), (2**63,), -1):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            device.empty(shape)
    for dtype in (3.5, "", "f", object(), [], "float32 "):
        with pytest.raises(TypeError):
            device.empty(3, dtype)
    x = device.zeros(3)
    for key in (None, (1, 2), 1.0, "x", slice("a")):
        with pytest.raises(TypeError):
            x[key]
    for value in (None, "x", [], object()):
        with pytest.raises(TypeError):
            device.stream.fill(x, value)
    assert device.adopt(numpy.array(3.5)).shape == ()


def test_calls_of_what_is_no_function(device):
    with pytest.raises(TypeError):
        device.stream.call(3)
    for wrong in (None, 3, "x"):
        with pytest.raises(TypeError):
            device.stream.wait_for(wrong)
        with pytest.raises(TypeError):
            device.stream.execute(wrong)


def test_descriptions_of_functions(device):
    for functions in (3, {"f": 3}, {3: []}, {"f": [3]}, {"f": ["i64 id.w"]}, {"f": [""]}, {"f": ["*"]}):
        with pytest.raises((TypeError, ValueError)):
            device.load(b"\x7fELF", format="host-shared-object", functions=functions)
    for specialization in (3, {"x": 1}, {0: "x"}, {0: 2**40}):
        with pytest.raises((TypeError, ValueError)):
            device.load(b"\x7fELF", specialization=specialization)


def test_paths(device, tmp_path):
    with pytest.raises(halyard.Error):
        device.load(tmp_path)
    odd = tmp_path / os.fsdecode(b"\xff.halx")
    odd.write_bytes((KERNELS / "cts_basic.halx").read_bytes())
    assert "add_one" in list(device.load(odd))
    with device.profile(tmp_path / os.fsdecode(b"\xfe.json")):
        pass
    assert len(list(tmp_path.glob("*.json"))) == 1


def test_kernels_of_many_bindings_and_constants(device):
    kernels = device.load(KERNELS / "cts_dispatch.halx")
    names = [name for name in kernels if name.startswith("bindings_")]
    most = max(names, key=lambda name: int(name.split("_")[1]))
    count = int(most.split("_")[1])
    assert count >= 16
    buffers = [device.zeros(4, "uint32") for _ in range(count)]
    kernels[most][1](*buffers)
    assert [x.numpy()[0] for x in buffers] == list(range(1, count + 1))
    with pytest.raises(TypeError, match="missing"):
        kernels[most][1](*buffers[1:])


class Number:
    """Runs code of its own while a launch reads it."""

    def __init__(self, act):
        self.act = act

    def __index__(self):
        self.act()
        return 3


def test_code_that_runs_while_arguments_are_read(device, kernels, words):
    buffers = [device.array(words), device.zeros(64, "uint32")]

    def act():
        kernels.add_one[1](buffers[0])
        buffers.clear()

    x, y = buffers
    kernels.add_constant[1](Number(act), x, y)
    assert y.numpy().tolist() == (words + 4).tolist()

    def fail():
        raise KeyError("inside")

    with pytest.raises(KeyError):
        kernels.add_constant[1](Number(fail), x, y)


def test_classes_that_are_not_made_by_hand(device):
    for make in (halyard.Buffer, halyard.Kernel, halyard.Launch, halyard.Executable, halyard.Point, halyard.Profile):
        with pytest.raises(TypeError):
            make()
    for uninitialised in (halyard.Buffer, halyard.Launch, halyard.Semaphore, halyard.Stream):
        made = uninitialised.__new__(uninitialised)
        with pytest.raises(Exception):
            made()
        with pytest.raises(Exception):
            device.stream.copy(made, made)
        with pytest.raises(Exception):
            memoryview(made)
