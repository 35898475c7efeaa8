# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import asyncio
import threading
import time

import numpy
import pytest

import halyard


def test_work_is_in_order(device, kernels):
    x, y = device.zeros(64, "uint32"), device.zeros(64, "uint32")
    for _ in range(20):
        kernels.add_one[1](x)
        device.stream.copy(x, y)
        device.stream.copy(y, x)
    assert y.numpy().tolist() == [20] * 64


def test_streams_wait_for_each_other(device, kernels):
    first, second = halyard.Stream(device), halyard.Stream(device)
    gate = device.semaphore()
    x = device.zeros(64, "uint32")
    device.stream.wait()
    first.wait_for(gate.at(1))
    first.fill(x, 41)
    second.wait_for(first.point())
    kernels.add_one[1, second](x)
    assert not second.point().done
    gate.signal(1)
    second.wait(10)
    assert x.numpy().tolist() == [42] * 64


def test_large_and_small_uploads(device):
    for length in (0, 1, 4, 65536, 65537, 1 << 20):
        source = numpy.random.default_rng(1).integers(0, 255, length).astype("uint8")
        x = device.empty(length, "uint8")
        device.stream.upload(source.copy(), x)
        target = numpy.zeros(length, "uint8")
        device.stream.download(x, target)
        device.stream.wait()
        numpy.testing.assert_array_equal(target, source)


def test_an_upload_keeps_its_array(device):
    gate = device.semaphore()
    device.stream.wait_for(gate.at(1))
    x = device.empty(1 << 20, "uint8")
    device.stream.upload(bytes(1 << 19) + b"\1" * (1 << 19), x)  # no other reference is left
    gate.signal(1)
    assert x.numpy().sum() == 1 << 19


@pytest.mark.parametrize("dtype, value", [("uint8", 200), ("int16", -3), ("float32", 1.5), ("bfloat16", 2.0), ("float64", 0), ("int64", -1)])
def test_fills(device, dtype, value):
    x = device.empty(9, dtype)
    device.stream.fill(x, value)
    if dtype == "bfloat16":
        assert x.view("uint16").numpy().tolist() == [0x4000] * 9
    else:
        assert x.numpy().tolist() == [value] * 9


def test_fills_that_are_too_wide(device):
    x = device.empty(2, "float64")
    with pytest.raises(NotImplementedError, match="4 bytes"):
        device.stream.fill(x, 0.1)


def test_calls_of_python_are_in_order(device, kernels):
    seen = []
    x = device.zeros(64, "uint32")
    for step in range(3):
        kernels.add_one[1](x)
        device.stream.call(lambda step=step: seen.append((step, threading.current_thread().name)))
    device.stream.wait(10)
    assert seen == [(0, "halyard"), (1, "halyard"), (2, "halyard")]
    assert x.numpy()[0] == 3


def test_an_exception_in_a_call_fails_the_stream(device):
    def fail():
        raise KeyError("lost")

    device.stream.call(fail)
    x = device.zeros(4, "int32")
    with pytest.raises(halyard.Aborted, match="KeyError: 'lost'"):
        device.stream.wait(10)
    with pytest.raises(halyard.Aborted, match="lost"):
        x.numpy()
    # The failure was raised, so the stream goes on, and memory is right again once it is written.
    device.stream.fill(x, 7)
    assert x.numpy().tolist() == [7] * 4
    y = device.zeros(4, "int32")
    device.stream.wait(10)
    assert y.numpy().tolist() == [0] * 4


def test_waits_time_out(device):
    semaphore = device.semaphore()
    begin = time.monotonic()
    with pytest.raises(TimeoutError):
        semaphore.wait(1, 0.3)
    assert time.monotonic() - begin >= 0.3
    with pytest.raises(halyard.DeadlineExceeded):
        semaphore.at(1).wait(0)
    for wrong in (-1, float("nan")):
        with pytest.raises(ValueError, match="timeout"):
            semaphore.wait(1, wrong)
    with pytest.raises(TypeError):
        semaphore.wait(1, "soon")
    semaphore.signal(1)


def test_other_threads_run_while_one_waits(device):
    semaphore = device.semaphore()
    threading.Thread(target=lambda: semaphore.signal(7)).start()
    semaphore.wait(7, 30)
    assert semaphore.value == 7 and semaphore.at(6).done


def test_semaphores(device):
    semaphore = device.semaphore(5)
    assert semaphore.value == 5
    with pytest.raises(halyard.InvalidArgument):
        semaphore.signal(3)
    semaphore.fail("given up")
    with pytest.raises(halyard.Aborted, match="given up"):
        semaphore.value
    semaphore.wait(5)
    with pytest.raises(halyard.Aborted, match="given up"):
        semaphore.wait(6)
    with pytest.raises(halyard.Aborted, match="given up"):
        semaphore.at(6).done
    with pytest.raises(TypeError):
        device.semaphore(-1)


def test_no_such_queue(device):
    with pytest.raises(halyard.OutOfRange, match="queue"):
        halyard.Stream(device, 64)


def test_awaiting(device, kernels):
    async def work():
        semaphore = device.semaphore()
        asyncio.get_running_loop().call_later(0.01, semaphore.signal, 3)
        await asyncio.wait_for(semaphore.at(3), 10)
        await semaphore.at(2)
        x = device.zeros(64, "uint32")
        kernels.add_one[1](x)
        await device.stream
        return x.numpy()[0]

    assert asyncio.run(work()) == 1


def test_awaiting_a_failure_and_giving_up(device):
    async def work():
        semaphore = device.semaphore()
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(semaphore.at(1), 0.01)
        loop = asyncio.get_running_loop()
        loop.call_soon(semaphore.fail, "given up")
        with pytest.raises(halyard.Aborted, match="given up"):
            await semaphore.at(1)

    asyncio.run(work())


def test_a_loop_that_closed(device):
    semaphore = device.semaphore()

    async def wait():
        await semaphore.at(1)

    async def begin():
        asyncio.ensure_future(wait())
        await asyncio.sleep(0)

    asyncio.run(begin())
    semaphore.signal(1)
    device.wait()


def test_many_threads_on_one_stream(device, kernels):
    x = device.zeros(64, "uint32")

    def work():
        for _ in range(50):
            kernels.add_one[1](x)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert x.numpy().tolist() == [200] * 64
