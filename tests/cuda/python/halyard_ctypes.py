# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""As much of Halyard's C API as torch_interop.py and hip_interop.py use: its structs, and thin classes over them."""
import ctypes as c

class StringView(c.Structure):
    _fields_ = [("data", c.c_char_p), ("size", c.c_size_t)]


class Point(c.Structure):
    _fields_ = [("semaphore", c.c_void_p), ("value", c.c_uint64)]


class SemaphoreList(c.Structure):
    _fields_ = [("points", c.POINTER(Point)), ("count", c.c_size_t)]


class SubmitParams(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("queues", c.c_uint64), ("wait_list", SemaphoreList),
                ("signal_list", SemaphoreList)]


class BufferRef(c.Structure):
    _fields_ = [("buffer", c.c_void_p), ("slot", c.c_uint32), ("reserved", c.c_uint32), ("offset", c.c_uint64),
                ("length", c.c_uint64)]


class BufferRefList(c.Structure):
    _fields_ = [("refs", c.POINTER(BufferRef)), ("count", c.c_size_t)]


class Dim3(c.Structure):
    _fields_ = [("x", c.c_uint32), ("y", c.c_uint32), ("z", c.c_uint32)]


class DispatchParams(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("flags", c.c_uint64), ("workgroup_count", Dim3), ("workgroup_size", Dim3),
                ("indirect", BufferRef), ("dynamic_local_memory", c.c_uint32), ("constants_size", c.c_uint32),
                ("constants", c.c_void_p), ("bindings", BufferRefList), ("binding_shapes", c.c_void_p)]


class Parameter(c.Structure):
    _fields_ = [(name, c.c_uint32) for name in ("kind", "offset", "size", "set", "binding", "access")]


class ExportInfo(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("name", StringView), ("symbol", StringView), ("workgroup_size", Dim3),
                ("local_memory_size", c.c_uint32), ("constants_size", c.c_uint32), ("parameter_count", c.c_uint32),
                ("binding_count", c.c_uint32), ("parameters", c.POINTER(Parameter)), ("layout", c.c_void_p),
                ("signature", c.c_void_p)]


class ExecutableParams(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("format", StringView), ("data", c.c_char_p), ("data_size", c.c_size_t),
                ("path", StringView), ("exports", c.POINTER(ExportInfo)), ("export_count", c.c_size_t),
                ("specializations", c.c_void_p), ("specialization_count", c.c_size_t),
                ("unvalidated", c.c_bool), ("imports", c.c_void_p), ("import_count", c.c_size_t), ("blobs", c.c_void_p)]


class BufferParams(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("memory_type", c.c_uint64), ("usage", c.c_uint64), ("queues", c.c_uint64),
                ("alignment", c.c_uint64), ("handles", c.c_uint32), ("reserved", c.c_uint32)]


class ExternalMemory(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("type", c.c_uint32), ("flags", c.c_uint32), ("handle", c.c_uint64),
                ("length", c.c_uint64), ("offset", c.c_uint64), ("allocation_size", c.c_uint64),
                ("uuid", c.c_uint8 * 16), ("bytes", c.c_uint8 * 64), ("dedicated_size", c.c_uint64),
                ("memory_type_index", c.c_uint32), ("reserved", c.c_uint32)]


Release = c.CFUNCTYPE(None, c.c_void_p)


class Interop(c.Structure):
    """hal_stream_interop_interface_t; handles are plain integers here. """
    _fields_ = [
        ("struct_size", c.c_size_t),
        ("native_device", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.POINTER(c.c_void_p), c.POINTER(c.c_int32))),
        ("queue_stream", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_uint32, c.POINTER(c.c_void_p))),
        ("import_event", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p, SemaphoreList)),
        ("export_event", c.CFUNCTYPE(c.c_int32, c.c_void_p, SemaphoreList, c.c_void_p)),
        ("wait_on_stream", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p, SemaphoreList)),
        ("signal_from_stream", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p, SemaphoreList)),
        ("begin_stream", c.CFUNCTYPE(c.c_int32, c.c_void_p, c.c_void_p)),
        ("end_stream", c.CFUNCTYPE(c.c_int32, c.c_void_p)),
        ("dlpack_device_type", c.c_int32),
    ]


OK, INVALID_ARGUMENT, FAILED_PRECONDITION = 0, 2, 7
DEVICE_LOCAL, EXPORTABLE_USAGE = 1, 0b101111
DEVICE_POINTER, IPC = 2, 8
HANDLE_IPC = 0x100
QUEUE_ANY = WHOLE_SIZE = 2**64 - 1
TEN_SECONDS = 10_000_000_000  # nanoseconds


def view(text):
    return StringView(text, len(text))


def points(*pairs):
    """A list of (semaphore, value). It points to memory of its own."""
    array = (Point * len(pairs))(*[Point(semaphore.handle, value) for semaphore, value in pairs])
    return SemaphoreList(array, len(pairs))


class HalyardError(RuntimeError):
    def __init__(self, status, message):
        super().__init__(f"status {status}: {message}")
        self.status = status


class Library:
    def __init__(self, path):
        self.c = c.CDLL(path)
        self.c.hal_last_error_message.restype = c.c_char_p
        self.c.hal_device_allocator.restype = c.c_void_p

    def check(self, status):
        if status != OK:
            raise HalyardError(status, self.c.hal_last_error_message().decode())

    def make(self, function, *arguments):
        """Calls a function whose last argument is where it puts what it makes."""
        handle = c.c_void_p()
        self.check(getattr(self.c, function)(*arguments, c.byref(handle)))
        return handle


class Semaphore:
    def __init__(self, device):
        self.lib = device.lib
        self.handle = self.lib.make("hal_semaphore_create", device.handle, None)

    def wait(self, value):
        self.lib.check(self.lib.c.hal_semaphore_wait(self.handle, c.c_uint64(value), c.c_uint64(TEN_SECONDS)))

    def __del__(self):
        self.lib.c.hal_semaphore_release(self.handle)


# Kept permanently: work in flight keeps a buffer, so it may call this after the Python object is destroyed.
_callbacks = []


class Buffer:
    """Of the device's own memory, or of memory with another owner; `release` is called when the buffer releases that.

    `handles` are those by which its memory is to leave. `memory` is an ExternalMemory to import."""

    def __init__(self, device, length, pointer=None, release=None, handles=0, memory=None):
        self.lib = device.lib
        self.length = length
        params = BufferParams(c.sizeof(BufferParams), DEVICE_LOCAL, EXPORTABLE_USAGE, QUEUE_ANY, 0, handles)
        self.handle = None
        if pointer is None and memory is None:
            self.handle = self.lib.make("hal_allocator_allocate", device.allocator, c.byref(params), c.c_uint64(length))
            return
        memory = memory or ExternalMemory(c.sizeof(ExternalMemory), DEVICE_POINTER, 0, pointer, length)
        release = release or Release(0)
        _callbacks.append(release)
        self.handle = self.lib.make("hal_allocator_import", device.allocator, c.byref(params), c.byref(memory),
                                    release, None)

    def export(self, kind):
        memory = ExternalMemory(struct_size=c.sizeof(ExternalMemory))
        self.lib.check(self.lib.c.hal_buffer_export(self.handle, kind, c.byref(memory)))
        return memory

    def pointer(self):
        return self.export(DEVICE_POINTER).handle

    def ref(self):
        return BufferRef(self.handle, 0, 0, 0, WHOLE_SIZE)

    def __del__(self):
        if self.handle:
            self.lib.c.hal_buffer_release(self.handle)


class Kernel:
    """One kernel of a PTX image. `parameters` are "binding" or the bytes of a constant, in its order."""

    def __init__(self, device, ptx, name, workgroup_size, parameters):
        self.device, self.lib = device, device.lib
        self.workgroup_size = workgroup_size
        listed, bindings, offset = [], 0, 0
        for parameter in parameters:
            if parameter == "binding":
                listed.append(Parameter(0, 0, 0, 0, bindings, 2))
                bindings += 1
            else:
                listed.append(Parameter(1, offset, parameter, 0, 0, 0))
                offset += parameter
        array = (Parameter * len(listed))(*listed)
        info = ExportInfo(struct_size=c.sizeof(ExportInfo), name=view(name), workgroup_size=Dim3(workgroup_size, 1, 1),
                          constants_size=offset, parameter_count=len(listed), binding_count=bindings, parameters=array)
        params = ExecutableParams(struct_size=c.sizeof(ExecutableParams), format=view(b"ptx"), data=ptx,
                                  data_size=len(ptx), exports=c.pointer(info), export_count=1)
        self.handle = self.lib.make("hal_executable_create", device.handle, c.byref(params))

    def dispatch(self, count, constants, buffers, waits=points(), signals=points(), queue=1):
        refs = (BufferRef * len(buffers))(*[buffer.ref() for buffer in buffers])
        groups = (count + self.workgroup_size - 1) // self.workgroup_size
        params = DispatchParams(struct_size=c.sizeof(DispatchParams), workgroup_count=Dim3(groups, 1, 1),
                                constants=c.cast(c.c_char_p(constants), c.c_void_p), constants_size=len(constants),
                                bindings=BufferRefList(refs, len(buffers)))
        submit = SubmitParams(c.sizeof(SubmitParams), queue, waits, signals)
        self.lib.check(self.lib.c.hal_device_queue_dispatch(self.device.handle, c.byref(submit), self.handle,
                                                            c.c_uint32(0), c.byref(params)))

    def __del__(self):
        self.lib.c.hal_executable_release(self.handle)


class Device:
    def __init__(self, lib, uri, extension=b"halyard.cuda.interop"):
        self.lib = lib
        self.handle = lib.make("hal_device_create", view(uri))
        self.allocator = c.c_void_p(lib.c.hal_device_allocator(self.handle))
        table = lib.make("hal_device_query_interface", self.handle, view(extension), c.c_uint32(1))
        self.interop = c.cast(table, c.POINTER(Interop)).contents

    def call(self, function, *arguments):
        """Calls a function of the extension."""
        self.lib.check(getattr(self.interop, function)(self.handle, *arguments))

    def __del__(self):
        self.lib.c.hal_device_release(self.handle)
