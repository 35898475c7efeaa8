#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory of PyTorch and of CUDA in Halyard, and of Halyard in CUDA, in another process, by IPC handles.

    ipc_memory.py <path of libhalyard.so> [libcuda.so.1] [cuda://0]

Prints a line for each way that the bytes took, and what an export and an import cost against CUDA's own calls. Ends
with 0 if every byte and every status was right.
"""
import ctypes as c
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from halyard_ctypes import HANDLE_IPC, IPC, Buffer, Device, ExternalMemory, HalyardError, Library, Semaphore
from halyard_ctypes import SubmitParams, points

LIBRARY = sys.argv[1]
CUDA = sys.argv[2] if len(sys.argv) > 2 else "libcuda.so.1"
URI = sys.argv[3] if len(sys.argv) > 3 else "cuda://0"
UNIT = 2 << 20
RUNS = 40
failures = 0


class IpcHandle(c.Structure):
    _fields_ = [("reserved", c.c_char * 64)]


def tell(right, text):
    global failures
    failures += not right
    print(f"{'right' if right else 'WRONG'}: {text}", flush=True)


def check(result, what):
    if result != 0:
        raise RuntimeError(f"{what}: CUDA result {result}")


class Cuda:
    """Of the primary context that Halyard's device uses."""

    def __init__(self, device):
        self.c = c.CDLL(CUDA)
        context, ordinal = c.c_void_p(), c.c_int32()
        device.call("native_device", c.byref(context), c.byref(ordinal))
        check(self.c.cuCtxSetCurrent(context), "cuCtxSetCurrent")

    def allocate(self, size):
        address = c.c_uint64()
        check(self.c.cuMemAlloc_v2(c.byref(address), c.c_size_t(size)), "cuMemAlloc")
        return address.value

    def fill(self, address, byte, size):
        check(self.c.cuMemsetD8Async(c.c_uint64(address), c.c_ubyte(byte), c.c_size_t(size), None), "fill")
        check(self.c.cuStreamSynchronize(None), "cuStreamSynchronize")

    def read(self, address, size):
        data = (c.c_ubyte * size)()
        check(self.c.cuMemcpyDtoHAsync_v2(data, c.c_uint64(address), c.c_size_t(size), None), "read")
        check(self.c.cuStreamSynchronize(None), "cuStreamSynchronize")
        return bytes(data)

    def handle(self, address):
        handle = IpcHandle()
        check(self.c.cuIpcGetMemHandle(c.byref(handle), c.c_uint64(address)), "cuIpcGetMemHandle")
        return bytes(handle)

    def open(self, handle):
        address = c.c_uint64()
        result = self.c.cuIpcOpenMemHandle_v2(c.byref(address), IpcHandle.from_buffer_copy(handle), c.c_uint(1))
        check(result, "cuIpcOpenMemHandle")
        return address.value

    def close(self, address):
        check(self.c.cuIpcCloseMemHandle(c.c_uint64(address)), "cuIpcCloseMemHandle")


def memory_of(handle, length, offset=0, size=0):
    memory = ExternalMemory(c.sizeof(ExternalMemory), IPC, 0, 0, length, offset, size)
    memory.bytes[:] = handle
    return memory


def fill(device, buffer, byte):
    done = Semaphore(device)
    submit = SubmitParams(c.sizeof(SubmitParams), 1, points(), points((done, 1)))
    pattern = c.c_uint8(byte)
    device.lib.check(device.lib.c.hal_device_queue_fill(device.handle, c.byref(submit), buffer.ref(), c.byref(pattern),
                                                        c.c_size_t(1)))
    done.wait(1)


def microseconds(runs, run):
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        run()
        times.append((time.perf_counter() - begin) * 1e6)
    return sorted(times)[runs // 2]


def serve(uri):
    """The other process: answers requests, a line of JSON each."""
    lib = Library(LIBRARY)
    lib.c.hal_device_queue_fill.argtypes = None
    device = Device(lib, uri.encode())
    cuda = Cuda(device)
    for line in sys.stdin:
        ask = json.loads(line)
        handle = bytes.fromhex(ask["handle"])
        memory = memory_of(handle, ask["length"], ask["offset"])
        answer = {}
        try:
            if ask["what"] == "halyard":
                buffer = Buffer(device, ask["length"], memory=memory)
                answer["bytes"] = cuda.read(buffer.pointer(), ask["length"]).hex()
                fill(device, buffer, ask["fill"])
            elif ask["what"] == "cuda":
                address = cuda.open(handle)
                answer["bytes"] = cuda.read(address + ask["offset"], ask["length"]).hex()
                cuda.fill(address + ask["offset"], ask["fill"], ask["length"])
                cuda.close(address)
            elif ask["what"] == "time":
                answer["raw"] = microseconds(RUNS, lambda: cuda.close(cuda.open(handle)))
                answer["halyard"] = microseconds(RUNS, lambda: Buffer(device, ask["length"], memory=memory))
                answer["raw again"] = microseconds(RUNS, lambda: cuda.close(cuda.open(handle)))
        except (HalyardError, RuntimeError) as error:
            answer["error"] = str(error)
        print(json.dumps(answer), flush=True)


class Other:
    def __init__(self, uri):
        self.process = subprocess.Popen([sys.executable, __file__, LIBRARY, CUDA, uri, "serve"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, what, handle, length, offset=0, byte=0):
        request = {"what": what, "handle": bytes(handle).hex(), "length": length, "offset": offset, "fill": byte}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.startswith("{"):
                return json.loads(line)
        raise RuntimeError("the other process has ended")

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def from_torch(other):
    try:
        import torch
    except ImportError:
        print("no PyTorch here")
        return
    for count in (10, 1000, 1 << 20):
        tensor = torch.arange(count, dtype=torch.int32, device=f"cuda:{URI[-1] if URI[-1].isdigit() else 0}")
        torch.cuda.synchronize()
        shared = tensor.untyped_storage()._share_cuda_()
        handle, offset = shared[1][-64:], shared[3]
        expected = tensor.cpu().numpy().tobytes()
        answer = other.ask("halyard", handle, len(expected), offset, 0x11)
        tell(answer.get("bytes") == expected.hex(),
             f"a tensor of {count} words in Halyard, at byte {offset} of its memory: {answer.get('error', 'read')}")
        torch.cuda.synchronize()
        tell(bool((tensor == 0x11111111).all()), "and what Halyard wrote is in the tensor")


def from_cuda(cuda, other, sizes):
    for size in sizes:
        addresses = [cuda.allocate(size) for _ in range(3)]
        for i, address in enumerate(addresses):
            cuda.fill(address, 0x20 + i, size)
        length = min(size, 4096)
        answer = other.ask("halyard", cuda.handle(addresses[1]), length, 0, 0x33)
        tell(answer.get("bytes") == (b"\x21" * length).hex(), f"cuMemAlloc of {size} in Halyard: {answer.get('error', 'read')}")
        found = [cuda.read(address, length)[0] for address in addresses]
        tell(found == [0x20, 0x33, 0x22], f"and what Halyard wrote is there alone: {[hex(byte) for byte in found]}")
        for address in addresses:
            cuda.c.cuMemFree_v2(c.c_uint64(address))


def from_halyard(device, cuda, other):
    buffer = Buffer(device, 5000, handles=HANDLE_IPC)
    fill(device, buffer, 0x44)
    memory = buffer.export(IPC)
    answer = other.ask("cuda", bytes(memory.bytes), 5000, memory.offset, 0x55)
    tell(answer.get("bytes") == (b"\x44" * 5000).hex(), f"Halyard's buffer in CUDA: {answer.get('error', 'read')}")
    tell(cuda.read(buffer.pointer(), 5000) == b"\x55" * 5000, "and what CUDA wrote is in the buffer")


def refusals(device, cuda, other):
    buffer = Buffer(device, 5000, handles=HANDLE_IPC)
    memory = buffer.export(IPC)
    try:
        Buffer(device, 5000, memory=memory)
        tell(False, "a handle of this process was imported")
    except HalyardError as error:
        tell("of this process" in str(error), f"a handle of this process: {error}")
    answer = other.ask("halyard", b"\x5a" * 64, 5000)
    tell("error" in answer, f"bytes that are no handle: {answer.get('error')}")
    answer = other.ask("halyard", bytes(memory.bytes), memory.allocation_size + 1)
    tell("exceeds" in answer.get("error", ""), f"more than there is: {answer.get('error')}")
    del buffer
    answer = other.ask("halyard", bytes(memory.bytes), 5000)
    tell("error" in answer, f"memory that was freed: {answer.get('error')}")


def times(device, cuda, other):
    buffer = Buffer(device, 64 << 20, handles=HANDLE_IPC)
    memory = buffer.export(IPC)
    address = buffer.pointer()
    raw = microseconds(RUNS, lambda: cuda.handle(address))
    ours = microseconds(RUNS, lambda: buffer.export(IPC))
    print(f"export of 64 MiB: CUDA {raw:.1f} us, Halyard {ours:.1f} us")
    answer = other.ask("time", bytes(memory.bytes), 64 << 20)
    if "error" in answer:
        return tell(False, f"times: {answer['error']}")
    both = raw + min(answer["raw"], answer["raw again"])
    print(f"import and release in the other process: CUDA {answer['raw']:.1f} and {answer['raw again']:.1f} us, "
          f"Halyard {answer['halyard']:.1f} us; export and import, ratio {(ours + answer['halyard']) / both:.3f}")


def main():
    lib = Library(LIBRARY)
    other = Other(URI)
    device = Device(lib, URI.encode())
    cuda = Cuda(device)
    small = [] if "sim" in CUDA else [512, 5000, 1 << 20, (2 << 20) + 4096]
    from_cuda(cuda, other, small + [UNIT, 3 * UNIT])
    from_halyard(device, cuda, other)
    refusals(device, cuda, other)
    times(device, cuda, other)
    from_torch(other)
    other.end()
    count = c.c_int()
    cuda.c.cuDeviceGetCount(c.byref(count))
    if count.value > 1 and URI.startswith("cuda://0"):
        second = Other("cuda://1")
        address = cuda.allocate(UNIT)
        answer = second.ask("halyard", cuda.handle(address), 4096)
        tell(bool(answer.get("bytes")), f"memory of another device, by an unknown UUID: {answer.get('error', 'read')}")
        second.end()
        cuda.c.cuMemFree_v2(c.c_uint64(address))
    return 1 if failures else 0


if len(sys.argv) > 4 and sys.argv[4] == "serve":
    serve(URI)
else:
    sys.exit(main())
