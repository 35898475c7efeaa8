# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import array
import gc
import sys

import numpy
import pytest

import halyard

TYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()


@pytest.mark.parametrize("dtype", TYPES)
def test_numpy_there_and_back(device, dtype):
    source = numpy.arange(12).reshape(3, 4).astype(dtype)
    x = device.array(source)
    assert (x.dtype, x.shape, x.nbytes) == (dtype, (3, 4), source.nbytes)
    numpy.testing.assert_array_equal(x.numpy(), source)
    numpy.testing.assert_array_equal(numpy.asarray(x), source)
    numpy.testing.assert_array_equal(numpy.from_dlpack(x), source)
    assert x.tobytes() == source.tobytes()


def test_numpy_sees_the_memory_itself(device):
    x = device.array([1.0, 2.0, 3.0], "float32")
    for view in (x.numpy(), numpy.asarray(x), numpy.from_dlpack(x), numpy.asarray(memoryview(x))):
        view[1] += 10
    assert x.numpy().tolist() == [1, 42, 3]
    assert numpy.array(x, copy=True).flags.owndata
    interface = x.__array_interface__
    assert interface["data"] == (x.numpy().ctypes.data, False) and interface["typestr"] == "<f4"


def test_adopted_memory_is_the_arrays(device):
    source = numpy.arange(4, dtype="int32")
    x = device.adopt(source)
    source[2] = 77
    assert x.numpy().tolist() == [0, 1, 77, 3]
    x.write(numpy.array([5, 6, 7, 8], dtype="int32"))
    assert source.tolist() == [5, 6, 7, 8]


def test_an_adopted_array_lives_as_long_as_its_memory(device):
    source = numpy.arange(1000, dtype="int64")
    before = sys.getrefcount(source)
    x = device.adopt(source)
    part = x[10:20]
    del x
    gc.collect()
    assert part.numpy().tolist() == list(range(10, 20))
    assert sys.getrefcount(source) > before
    del part
    device.wait()
    halyard._native._drop_now()
    assert sys.getrefcount(source) == before


class OnlyDlpack:
    """An array that is known by DLPack alone, as PyTorch's are; `versions` are those that it knows."""

    def __init__(self, source, versions):
        self.source, self.versions = source, versions

    def __dlpack_device__(self):
        return (1, 0)

    if True:

        def __dlpack__(self, **arguments):
            if not self.versions:
                if arguments:
                    raise TypeError("unexpected keyword")
                return self.source.__dlpack__()
            return self.source.__dlpack__(**arguments)


class OnlyInterface:
    def __init__(self, source, **changes):
        self.source = source
        self.__array_interface__ = {**source.__array_interface__, **changes}


@pytest.mark.parametrize("wrap", [lambda a: OnlyDlpack(a, True), lambda a: OnlyDlpack(a, False), OnlyInterface])
def test_other_protocols(device, wrap):
    source = numpy.arange(6, dtype="float32").reshape(2, 3)
    x = halyard.from_dlpack(wrap(source), device)
    source[1, 1] = -1
    assert (x.shape, x.dtype) == ((2, 3), "float32")
    assert x.numpy().tolist() == [[0, 1, 2], [3, -1, 5]]


def test_dlpack_between_devices(device):
    other = halyard.Device("local://task")
    x = device.array([1, 2, 3], "int64")
    y = halyard.from_dlpack(OnlyDlpack(x, True), other)
    y.numpy()[0] = 9
    assert x.numpy().tolist() == [9, 2, 3]
    assert x.__dlpack_device__() == (1, 0)


def test_capsules_are_freed_and_taken_once(device):
    x = device.array([1, 2, 3], "int64")
    x.__dlpack__()
    x.__dlpack__(max_version=(1, 1))

    class Twice:
        capsule = x.__dlpack__(max_version=(1, 1))

        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **arguments):
            return self.capsule

    device.adopt(Twice())
    with pytest.raises(TypeError, match="used before"):
        device.adopt(Twice())


def test_dlpack_refuses_what_it_cannot_do(device):
    x = device.array([1, 2, 3], "int64")
    with pytest.raises(BufferError, match="no copies"):
        x.__dlpack__(copy=True)
    with pytest.raises(BufferError, match="not on that device"):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(ValueError, match="stream"):
        x.__dlpack__(stream=3)


def test_read_only_stays_read_only(device):
    for source in (b"12345678", memoryview(bytearray(8)).toreadonly()):
        x = device.adopt(source)
        assert x.readonly and x.dtype == "uint8"
        assert not x.numpy().flags.writeable and not numpy.from_dlpack(x).flags.writeable
        assert x.__array_interface__["data"][1]
        with pytest.raises(halyard.PermissionDenied):
            x.write(b"87654321")
        with pytest.raises(BufferError, match="only be read"):
            x.__dlpack__()
        with pytest.raises(halyard.PermissionDenied):
            device.stream.fill(x, 0)
    fixed = numpy.arange(4)
    fixed.flags.writeable = False
    assert device.adopt(fixed).readonly


@pytest.mark.parametrize(
    "source",
    [
        numpy.arange(10)[::2],
        numpy.arange(10)[::-1],
        numpy.arange(12).reshape(3, 4).T,
        numpy.asfortranarray(numpy.arange(12).reshape(3, 4)),
        numpy.broadcast_to(numpy.arange(3), (4, 3)),
    ],
)
def test_arrays_that_are_not_dense(device, source):
    with pytest.raises(ValueError, match="dense"):
        device.adopt(source)
    with pytest.raises(ValueError, match="dense"):
        device.adopt(OnlyInterface(source))
    with pytest.raises((ValueError, halyard.Incompatible)):
        device.adopt(OnlyDlpack(source, True))
    numpy.testing.assert_array_equal(device.array(source).numpy(), source)


@pytest.mark.parametrize("source", [3, None, object(), "text"])
def test_what_is_no_array(device, source):
    with pytest.raises(TypeError, match="is no array"):
        device.adopt(source)


def test_elements_that_no_device_takes(device):
    for source in (numpy.array([object()]), numpy.zeros(3, "S4"), numpy.zeros(3, "datetime64[s]"), numpy.arange(3, dtype=">i4")):
        with pytest.raises((TypeError, ValueError, BufferError)):
            device.adopt(source)


def test_bfloat16_has_dlpack_but_no_buffer_protocol(device):
    x = device.zeros(4, "bfloat16")
    with pytest.raises(BufferError, match="bfloat16"):
        memoryview(x)
    with pytest.raises(AttributeError, match="bfloat16"):
        x.__array_interface__
    assert x.view("uint16").numpy().tolist() == [0, 0, 0, 0]


def test_parts_and_views_share_memory(device):
    x = device.array(numpy.arange(24, dtype="int32").reshape(4, 6))
    assert x[1].shape == (6,) and x[-1].numpy()[0] == 18 and x[1:3].shape == (2, 6) and x[3:1].shape == (0, 6)
    x[2].write(numpy.full(6, 5, "int32"))
    assert x.numpy()[2].tolist() == [5] * 6
    assert x.view(shape=(6, 4)).numpy()[0].tolist() == [0, 1, 2, 3]
    assert x.view("uint8").shape == (96,) and x.view("int64", (2, 6)).shape == (2, 6)
    assert len(x) == 4 and x.ndim == 2
    for key in (4, -5):
        with pytest.raises(IndexError):
            x[key]
    with pytest.raises(ValueError, match="step"):
        x[::2]
    with pytest.raises(ValueError, match="96"):
        x.view(shape=(7,))
    with pytest.raises(halyard.OutOfRange):
        x.view(shape=(100,))
    with pytest.raises(TypeError):
        x["a"]
    with pytest.raises(ValueError, match="0 or more"):
        device.empty((3, -1))


def test_empty_buffers(device):
    x = device.zeros((0, 3), "float64")
    assert x.numpy().shape == (0, 3) and x.tobytes() == b""
    assert numpy.from_dlpack(x).shape == (0, 3)
    assert device.adopt(numpy.zeros(0)).shape == (0,)
    assert device.zeros((), "int32").numpy().item() == 0


def test_lengths_are_compared(device):
    x = device.zeros(4, "int32")
    for call in (x.write, lambda a: device.stream.upload(a, x), lambda a: device.stream.download(x, a)):
        with pytest.raises(ValueError, match="12 bytes.* 16"):
            call(numpy.zeros(3, "int32"))
    with pytest.raises((BufferError, TypeError)):
        x.read(b"1" * 16)


def test_a_mapped_buffer_outlives_its_objects(device):
    view = device.array([1, 2, 3], "int32").numpy()
    del device
    gc.collect()
    assert view.tolist() == [1, 2, 3]


def test_arrays_of_the_standard_library(device):
    assert device.adopt(array.array("d", [1.5, 2.5])).numpy().tolist() == [1.5, 2.5]
    assert device.adopt(bytearray(b"abc")).tobytes() == b"abc"


def test_copy_to_another_device(device, words):
    other = halyard.Device("local://task", threads=1)
    target = other.array(words * 0)
    device.stream.copy(device.array(words), target)
    device.stream.wait()
    assert (target.numpy() == words).all()
