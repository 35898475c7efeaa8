#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch and Halyard in one process, on one device, without a copy and without a wait on the host between them.

    torch_interop.py <path of libhalyard.so> [rounds]

A tensor's memory goes in, a tensor comes out of a Halyard buffer, both by DLPack. PyTorch's stream and Halyard's queue
take turns on both, ordered by the extension halyard.cuda.interop. Ends with 0 if every value was right.
"""
import ctypes as c
import gc
import struct
import sys
import time

import dlpack_ctypes
import torch
from halyard_ctypes import (
    FAILED_PRECONDITION,
    INVALID_ARGUMENT,
    Buffer,
    Device,
    HalyardError,
    Kernel,
    Library,
    Semaphore,
    points,
)
from torch.utils import dlpack

ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
SIZE = 1 << 16  # elements of each tensor
SLEEP = 300_000  # clock cycles by which PyTorch's stream is held up, so that a missing wait shows

# y[i] = x[i * stride] + add
PTX = b"""
.version 7.0
.target sm_70
.address_size 64
.visible .entry add_strided(.param .u64 px, .param .u64 py, .param .u32 pcount, .param .u32 pstride, .param .f32 padd)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  .reg .f32 %f<4>;
  .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [px];
  ld.param.u64 %rd2, [py];
  ld.param.u32 %r1, [pcount];
  ld.param.u32 %r2, [pstride];
  ld.param.f32 %f1, [padd];
  mov.u32 %r3, %ctaid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, %tid.x;
  mad.lo.s32 %r6, %r3, %r4, %r5;
  setp.ge.u32 %p1, %r6, %r1;
  @%p1 bra done;
  mul.lo.s32 %r7, %r6, %r2;
  mul.wide.u32 %rd3, %r7, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.f32 %f2, [%rd4];
  add.f32 %f3, %f2, %f1;
  mul.wide.u32 %rd5, %r6, 4;
  add.s64 %rd6, %rd2, %rd5;
  st.global.f32 [%rd6], %f3;
done:
  ret;
}
"""

class Setting:
    """A tensor of PyTorch's as a buffer of Halyard's, and the other way round."""

    def __init__(self, lib, stride=1):
        self.device = Device(lib, b"cuda://0")
        self.kernel = Kernel(self.device, PTX, b"add_strided", 256, ["binding", "binding", 4, 4, 4])
        self.x = torch.zeros(SIZE * stride, device="cuda")[::stride]
        self.source, shape, strides = dlpack_ctypes.import_capsule(self.device, dlpack.to_dlpack(self.x))
        assert shape == [SIZE] and strides == [stride], (shape, strides)
        self.stride = stride
        self.target = Buffer(self.device, SIZE * 4)
        self.y = dlpack.from_dlpack(dlpack_ctypes.export_buffer(self.target, [SIZE // 256, 256])).view(SIZE)
        assert self.y.data_ptr() == self.target.pointer() and self.y.device.type == "cuda"
        self.wrong = torch.zeros((), dtype=torch.int64, device="cuda")  # values that were not as they should be

    def add(self, value, waits=points(), signals=points()):
        self.kernel.dispatch(SIZE, struct.pack("<IIf", SIZE, self.stride, value), [self.source, self.target], waits,
                             signals)

    def check(self, expected):
        self.wrong += (self.y != expected).sum()


def by_events(lib, stride):
    """In: an event of PyTorch's is imported. Out: an event of PyTorch's is recorded for a timepoint."""
    s = Setting(lib, stride)
    timeline = Semaphore(s.device)
    stream = torch.cuda.Stream()
    before, after = torch.cuda.Event(), torch.cuda.Event()
    with torch.cuda.stream(stream):
        after.record()  # PyTorch makes its events when they are recorded first
        for i in range(ROUNDS):
            if i % 8 == 0:
                torch.cuda._sleep(SLEEP)
            s.x.fill_(i)
            before.record()
            s.device.call("import_event", before.cuda_event, points((timeline, 2 * i + 1)))
            s.add(0.5, points((timeline, 2 * i + 1)), points((timeline, 2 * i + 2)))
            s.device.call("export_event", points((timeline, 2 * i + 2)), after.cuda_event)
            stream.wait_event(after)
            s.check(i + 0.5)
    stream.synchronize()
    timeline.wait(2 * ROUNDS)
    return s


def by_streams(lib, stride):
    """The same without events of PyTorch's: signals come from its stream, and the stream waits."""
    s = Setting(lib, stride)
    timeline = Semaphore(s.device)
    stream = torch.cuda.current_stream()  # the default one
    for i in range(ROUNDS):
        if i % 8 == 0:
            torch.cuda._sleep(SLEEP)
        s.x.fill_(i)
        s.device.call("signal_from_stream", stream.cuda_stream, points((timeline, 2 * i + 1)))
        s.add(0.25, points((timeline, 2 * i + 1)), points((timeline, 2 * i + 2)))
        s.device.call("wait_on_stream", stream.cuda_stream, points((timeline, 2 * i + 2)))
        s.check(i + 0.25)
    stream.synchronize()
    timeline.wait(2 * ROUNDS)
    return s


def on_the_stream(lib, stride):
    """Halyard submits a kernel into PyTorch's stream."""
    s = Setting(lib, stride)
    done = Semaphore(s.device)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for i in range(ROUNDS):
            if i % 8 == 0:
                torch.cuda._sleep(SLEEP)
            s.x.fill_(i)
            s.device.call("begin_stream", stream.cuda_stream)
            s.add(2.0, signals=points((done, i + 1)))
            s.device.call("end_stream")
            s.check(i + 2)
    done.wait(ROUNDS)
    stream.synchronize()
    return s


def without_order(lib, stride):
    """The same as by_streams() without any wait: shows that the test sees what it looks for."""
    s = Setting(lib, stride)
    done = Semaphore(s.device)
    rounds = min(ROUNDS, 100)
    for i in range(rounds):
        torch.cuda._sleep(SLEEP)
        s.x.fill_(i)
        s.add(0.25, signals=points((done, i + 1)))
        s.check(i + 0.25)
    torch.cuda.synchronize()
    done.wait(rounds)
    return s


def check_contexts(lib):
    """Both work in the primary context, and PyTorch's thread keeps it current."""
    cuda = c.CDLL("libcuda.so.1")
    current, primary, interop, ordinal = c.c_void_p(), c.c_void_p(), c.c_void_p(), c.c_int32(-1)
    device = Device(lib, b"cuda://0")
    cuda.cuDevicePrimaryCtxRetain(c.byref(primary), 0)
    device.call("native_device", c.byref(interop), c.byref(ordinal))
    cuda.cuCtxGetCurrent(c.byref(current))
    assert current.value == primary.value == interop.value and ordinal.value == 0
    cuda.cuCtxSetCurrent(None)
    done = Semaphore(device)  # kept, as a list of points keeps nothing
    device.call("signal_from_stream", None, points((done, 1)))
    cuda.cuCtxGetCurrent(c.byref(current))
    assert current.value is None
    done.wait(1)
    cuda.cuCtxSetCurrent(primary)
    cuda.cuDevicePrimaryCtxRelease_v2(0)


def check_capture(lib):
    """A stream that is being captured is refused, and the capture continues; so is an event that was recorded there.

    The event is asked about after the capture only, as any question about it would end the capture for CUDA. By then it
    is no event of work for CUDA either, which calls it an invalid value (driver 580).
    """
    device = Device(lib, b"cuda://0")
    timeline = Semaphore(device)
    x = torch.zeros(16, device="cuda")
    graph = torch.cuda.CUDAGraph()
    event = torch.cuda.Event()
    refused = []

    def expect_refusal(call):
        try:
            call()
        except HalyardError as error:
            refused.append(error.status)

    with torch.cuda.graph(graph, capture_error_mode="thread_local"):
        x += 1
        stream = torch.cuda.current_stream().cuda_stream
        event.record()
        expect_refusal(lambda: device.call("signal_from_stream", stream, points((timeline, 1))))
        expect_refusal(lambda: device.call("wait_on_stream", stream, points()))
        expect_refusal(lambda: device.call("begin_stream", stream))
    expect_refusal(lambda: device.call("import_event", event.cuda_event, points((timeline, 1))))
    graph.replay()
    torch.cuda.synchronize()
    assert refused[:3] == [FAILED_PRECONDITION] * 3, refused
    assert refused[3:] in ([FAILED_PRECONDITION], [INVALID_ARGUMENT]), refused
    assert x[0].item() == 1


def check_work_beside_a_capture(lib):
    """PyTorch captures in its default mode, in which CUDA refuses unsafe calls to every thread: Halyard opens a device,
    compiles, allocates, dispatches and waits all the same, and the capture continues."""
    s = Setting(lib)
    s.x.fill_(1)
    x = torch.zeros(16, device="cuda")
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        x += 1
        beside = Device(lib, b"cuda://0")
        kernel = Kernel(beside, PTX, b"add_strided", 256, ["binding", "binding", 4, 4, 4])
        first, second, timeline = Buffer(beside, SIZE * 4), Buffer(beside, SIZE * 4), Semaphore(beside)
        kernel.dispatch(SIZE, struct.pack("<IIf", SIZE, 1, 1), [first, second], points(), points((timeline, 1)))
        timeline.wait(1)
        of_setting = Semaphore(s.device)
        s.add(2, points(), points((of_setting, 1)))
        of_setting.wait(1)
        del kernel, first, second, timeline, beside
        x += 1
    graph.replay()
    torch.cuda.synchronize()
    assert x[0].item() == 2
    assert (s.y == 3).all().item()


def main():
    lib = Library(sys.argv[1])
    print(f"torch {torch.__version__}, CUDA {torch.version.cuda}, {torch.cuda.get_device_name(0)}")
    torch.zeros(1, device="cuda")
    check_contexts(lib)
    print("contexts: one primary context, left as found")
    check_capture(lib)
    print("capture: refused")
    check_work_beside_a_capture(lib)
    print("work beside a capture: done, and so is the capture")
    failed = False
    for test in (by_events, by_streams, on_the_stream, without_order):
        for stride in (1, 3):
            start = time.monotonic()
            wrong = test(lib, stride).wrong.item()
            seconds = time.monotonic() - start
            print(f"{test.__name__}, stride {stride}: {wrong} wrong values, rounds of {SIZE}, in {seconds:.2f} s")
            failed |= (wrong == 0) if test is without_order else (wrong != 0)
    gc.collect()
    print(f"tensors of ours that PyTorch has released: {dlpack_ctypes.released} of {dlpack_ctypes.exported}")
    failed |= dlpack_ctypes.released != dlpack_ctypes.exported
    print("torch-interop:", "FAILED" if failed else "every value right, and wrong ones seen where nothing was ordered")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
