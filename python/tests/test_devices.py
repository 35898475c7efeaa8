# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import gc
import weakref

import pytest

import halyard


def test_local_is_among_the_devices():
    assert "local" in halyard.drivers()
    assert ("local://sync") in [uri for uri, _ in halyard.devices()]


def test_what_a_device_is(device):
    assert device.driver == "local"
    assert device.uri == "local://" + device.id
    assert device.properties["kind"] == "cpu"
    assert device.limits["max_bindings"] > 0
    assert "host-shared-object" in device.properties["formats"]
    device.check_health()
    device.wait()


def test_parameters_are_keywords():
    assert halyard.Device("local://task", threads=2).id == "task"
    with pytest.raises(halyard.InvalidArgument, match="threds"):
        halyard.Device("local://task", threds=2)


@pytest.mark.parametrize(
    "error, mixed_in",
    [
        (halyard.ResourceExhausted, MemoryError),
        (halyard.DeadlineExceeded, TimeoutError),
        (halyard.Unimplemented, NotImplementedError),
        (halyard.InvalidArgument, ValueError),
        (halyard.NotFound, LookupError),
    ],
)
def test_exceptions_are_those_of_python_too(error, mixed_in):
    assert issubclass(error, mixed_in) and issubclass(error, halyard.Error)


def test_failures_have_the_words_of_the_library():
    with pytest.raises(halyard.NotFound, match="locl") as caught:
        halyard.Device("locl")
    assert caught.value.status == "NOT_FOUND"


def test_memory_that_no_machine_has(device):
    with pytest.raises(MemoryError):
        device.empty((1 << 62,), "uint8")
    with pytest.raises(halyard.ResourceExhausted):
        device.empty((1 << 40, 1 << 40), "uint8")


def test_finalisers_run_in_any_order(kernels, device):
    x = device.array([1, 2, 3], "uint32")
    stream = halyard.Stream(device)
    point = stream.point()
    alive = weakref.ref(x)
    cycle = [x, stream, point, kernels, device]
    cycle.append(cycle)
    del x, stream, point, cycle
    gc.collect()
    assert alive() is None


def test_equality_is_that_of_the_device(device):
    x = device.empty(4)
    assert x.device == device and hash(x.device) == hash(device)
    assert x.device != halyard.Device("local://sync") and x.device != 3


def test_wrong_types_are_named(device):
    with pytest.raises(TypeError):
        halyard.Device(3)
    with pytest.raises(TypeError):
        halyard.Stream("local")
    with pytest.raises(TypeError, match="float33"):
        device.empty(3, "float33")


def test_what_devices_say_before_they_are_opened():
    for uri, _ in halyard.devices():
        if uri.startswith(("local", "null")):
            closed, device = halyard.describe(uri), halyard.Device(uri)
            assert closed["limits"] == device.limits
            assert closed["properties"] == device.properties
    assert halyard.describe("local")["properties"]["kind"] == "cpu"
    with pytest.raises(halyard.NotFound):
        halyard.describe("local://none")
    with pytest.raises(halyard.NotFound):
        halyard.describe("none")
