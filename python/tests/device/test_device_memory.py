# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory and work of a device, whether or not the host reaches it: on the host, and on CUDA, simulated or real."""

import numpy
import pytest

import halyard


class OnlyDlpack:
    """An array that is known by DLPack alone."""

    def __init__(self, source):
        self.source, self.streams = source, []

    def __dlpack_device__(self):
        return self.source.__dlpack_device__()

    def __dlpack__(self, **arguments):
        self.streams.append(arguments.get("stream"))
        return self.source.__dlpack__(**arguments)


class OnlyCudaInterface:
    """An array of the device as Numba's, in a stream of CUDA or in none."""

    def __init__(self, source, stream=None, **changes):
        self.source = source
        self.__cuda_array_interface__ = {**source.__cuda_array_interface__, "stream": stream, **changes}


def is_cuda(device):
    return device.driver == "cuda"


def test_kernels_copies_and_results(device, kernels, words):
    x, y = device.array(words), device.zeros(64, "uint32")
    kernels.add_constant[1](1000, x, y)
    device.stream.copy(y, x)
    kernels.add_one[1](x)
    assert x.numpy().tolist() == (words + 1001).tolist()
    assert x.host_visible != is_cuda(device)
    assert x.tobytes() == (words + 1001).tobytes()


def test_memory_that_the_host_reaches(device, kernels, words):
    x = device.array(words, host=True)
    assert x.host_visible
    kernels.add_one[1](x)
    view = x.numpy()
    view += 1
    kernels.add_one[1](x)
    x.wait()
    assert view.tolist() == (words + 3).tolist()


def test_large_copies_of_the_host(device):
    source = numpy.random.default_rng(3).integers(0, 255, 3_000_000).astype("uint8")
    x = device.array(source)
    numpy.testing.assert_array_equal(x.numpy(), source)
    numpy.testing.assert_array_equal(x[1234567:1234999].numpy(), source[1234567:1234999])


def test_dlpack_on_the_device(device, kernels, words):
    x = device.array(words)
    kind = (2, device.ordinal) if is_cuda(device) else (1, 0)
    assert x[3:].__dlpack_device__() == kind
    wrapped = OnlyDlpack(x[16:48])
    y = halyard.from_dlpack(wrapped, device)
    assert (y.shape, y.dtype) == ((32,), "uint32")
    assert (wrapped.streams[0] is not None) == is_cuda(device)
    kernels.add_one[1](x)
    x.wait()
    assert y.numpy().tolist() == (words[16:48] + 1).tolist()


def test_the_array_interface_of_cuda(device, kernels, words):
    x = device.array(words)
    if not is_cuda(device):
        with pytest.raises(AttributeError):
            x.__cuda_array_interface__
        return
    with pytest.raises(AttributeError):
        x.__array_interface__
    with pytest.raises(BufferError, match="numpy"):
        memoryview(x)
    with pytest.raises(ValueError, match="copy"):
        numpy.array(x, copy=False)
    for stream in (None, 1, 2):
        kernels.add_one[1](OnlyCudaInterface(x, stream))
        device.stream.wait()
    assert x.numpy().tolist() == (words + 3).tolist()
    two = x.view(shape=(8, 8))
    with pytest.raises(ValueError, match="dense"):
        device.adopt(OnlyCudaInterface(two, strides=(4, 32)))
    read_only = OnlyCudaInterface(x, data=(x.__cuda_array_interface__["data"][0], True))
    assert device.adopt(read_only).readonly
    with pytest.raises(halyard.PermissionDenied):
        kernels.add_one[1](read_only)
    for stream in (0, None, -1, 1):
        if stream == 0:
            with pytest.raises(ValueError, match="stream"):
                x.__dlpack__(stream=stream, max_version=(1, 0))
        else:
            x.__dlpack__(stream=stream, max_version=(1, 0))


def test_recordings(device, kernels, words):
    with device.commands(slots=1) as commands:
        for _ in range(5):
            kernels.add_one[1, commands](halyard.slot(0))
    for start in (0, 100):
        x = device.array(words + start)
        device.stream.execute(commands, x)
        assert x.numpy().tolist() == (words + start + 5).tolist()


def test_profiling(device, kernels):
    x = device.zeros(64, "uint32")
    with device.profile() as profile:
        kernels.add_one[1](x)
    assert [record.name for record in profile.records if record.kind == "dispatch"] == ["add_one"]


def test_memory_runs_out(device):
    with pytest.raises(MemoryError):
        device.empty(1 << 50, "uint8")
    assert device.zeros(4).numpy().tolist() == [0] * 4
