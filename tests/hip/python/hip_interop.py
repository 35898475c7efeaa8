#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Work of an application that uses HIP itself, and of Halyard, in one order and without the host: halyard.hip.interop.

    hip_interop.py <path of libhalyard.so> [rounds [ordered]]

The library is the one that the driver opens. Needs no kernels: HIP and Halyard fill and copy the same memory in turns,
ordered by streams, by events, in a queue's stream and in a stream that was begun. A control without order has to go
wrong somewhere; "ordered" leaves it out, because on a busy machine it may not. Ends with 0 if all is right.
"""
import ctypes as c
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cuda", "python"))
from halyard_ctypes import Buffer, BufferRef, Device, Library, Semaphore, SubmitParams, points  # noqa: E402

WORDS = 1 << 22
BYTES = 4 * WORDS
MEMCPY_DEFAULT = 4
NON_BLOCKING, DISABLE_TIMING = 1, 2


class Hip:
    """The application's calls. Each failure is an exception."""

    def __init__(self):
        names = [os.environ.get("HALYARD_HIP_LIBRARY") or f"libamdhip64.so.{version}" for version in (7, 6, 5)]
        for name in names:
            try:
                self.c = c.CDLL(name)
                return
            except OSError as error:
                missing = error
        raise missing

    def call(self, function, *arguments):
        result = getattr(self.c, function)(*arguments)
        if result != 0:
            raise RuntimeError(f"{function}: error {result}")

    def make(self, function, flags):
        handle = c.c_void_p()
        self.call(function, c.byref(handle), c.c_uint(flags))
        return handle

    def fill(self, address, word, stream):
        self.call("hipMemsetD32Async", c.c_void_p(address), c.c_int(word), c.c_size_t(WORDS), stream)

    def holds(self, address, word):
        """Whether every word is this one."""
        memory = c.create_string_buffer(BYTES)
        stream = self.make("hipStreamCreateWithFlags", NON_BLOCKING)
        self.call("hipMemcpyAsync", memory, c.c_void_p(address), c.c_size_t(BYTES), c.c_int(MEMCPY_DEFAULT), stream)
        self.call("hipStreamSynchronize", stream)
        self.call("hipStreamDestroy", stream)
        return memory.raw == struct.pack("<I", word) * WORDS


class Setting:
    """Two buffers of Halyard's that HIP uses as well, a stream and two events of the application's, and a timeline."""

    def __init__(self, lib, hip):
        self.lib, self.hip = lib, hip
        self.device = Device(lib, b"hip://0", b"halyard.hip.interop")
        self.source, self.target = Buffer(self.device, BYTES), Buffer(self.device, BYTES)
        self.timeline, self.value = Semaphore(self.device), 0
        self.stream = hip.make("hipStreamCreateWithFlags", NON_BLOCKING)
        self.events = [hip.make("hipEventCreateWithFlags", DISABLE_TIMING) for _ in range(2)]

    def close(self):
        self.hip.call("hipStreamSynchronize", self.stream)
        self.hip.call("hipStreamDestroy", self.stream)
        for event in self.events:
            self.hip.call("hipEventDestroy", event)

    def now(self):
        return points((self.timeline, self.value))

    def next(self):
        self.value += 1
        return self.now()

    def copy(self, waits, signals):
        """Halyard's part: source to target, on its first queue."""
        refs = [BufferRef(buffer.handle, 0, 0, 0, BYTES) for buffer in (self.source, self.target)]
        submit = SubmitParams(c.sizeof(SubmitParams), 1, waits, signals)
        self.lib.check(self.lib.c.hal_device_queue_copy(self.device.handle, c.byref(submit), *refs))

    def wait(self):
        self.timeline.wait(self.value)

    def is_right(self, word):
        return self.hip.holds(self.target.pointer(), word)


def by_streams(s, word):
    s.hip.fill(s.source.pointer(), word, s.stream)
    s.device.call("signal_from_stream", s.stream, s.next())
    s.copy(s.now(), s.next())
    s.device.call("wait_on_stream", s.stream, s.now())
    s.hip.fill(s.source.pointer(), 0, s.stream)  # too late to be copied


def by_events(s, word):
    before, after = s.events
    s.hip.fill(s.source.pointer(), word, s.stream)
    s.hip.call("hipEventRecord", before, s.stream)
    s.device.call("import_event", before, s.next())
    s.copy(s.now(), s.next())
    s.device.call("export_event", s.now(), after)
    s.hip.call("hipStreamWaitEvent", s.stream, after, c.c_uint(0))
    s.hip.fill(s.source.pointer(), 0, s.stream)


def in_the_queues_stream(s, word):
    stream = c.c_void_p()
    s.device.call("queue_stream", c.c_uint32(0), c.byref(stream))
    s.hip.fill(s.source.pointer(), word, stream)
    s.copy(s.now(), s.next())
    s.hip.fill(s.source.pointer(), 0, stream)


def in_a_begun_stream(s, word):
    s.device.call("begin_stream", s.stream)
    s.hip.fill(s.source.pointer(), word, s.stream)
    s.copy(s.now(), s.next())
    s.hip.fill(s.source.pointer(), 0, s.stream)
    s.device.call("end_stream")


def without_order(s, word):
    for _ in range(200):
        s.hip.fill(s.source.pointer(), 0, s.stream)
    s.hip.fill(s.source.pointer(), word, s.stream)
    s.copy(s.now(), s.next())


def run(lib, hip, test, rounds):
    s = Setting(lib, hip)
    wrong = 0
    for word in range(1, rounds + 1):
        test(s, word)
        s.wait()
        wrong += not s.is_right(word)
    hip.call("hipStreamSynchronize", s.stream)
    s.close()
    return wrong


def main():
    lib, hip = Library(sys.argv[1]), Hip()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    tests = [by_streams, by_events, in_the_queues_stream, in_a_begun_stream]
    if sys.argv[3:] != ["ordered"]:
        tests.append(without_order)
    failed = False
    for test in tests:
        wrong = run(lib, hip, test, rounds)
        print(f"{test.__name__}: {wrong} of {rounds} rounds wrong")
        failed |= (wrong == 0) if test is without_order else (wrong != 0)
    print("hip-interop:", "FAILED" if failed else "every ordered round right")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
