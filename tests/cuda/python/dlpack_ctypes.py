# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DLPack by ctypes: a tensor's memory as a Halyard buffer, and a Halyard buffer's memory as a tensor."""
import ctypes as c

from halyard_ctypes import Buffer, Release


class DLTensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device_type", c.c_int32), ("device_id", c.c_int32), ("ndim", c.c_int32),
                ("code", c.c_uint8), ("bits", c.c_uint8), ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)),
                ("strides", c.POINTER(c.c_int64)), ("byte_offset", c.c_uint64)]


class DLManagedTensor(c.Structure):
    pass


Deleter = c.CFUNCTYPE(None, c.POINTER(DLManagedTensor))
DLManagedTensor._fields_ = [("tensor", DLTensor), ("manager", c.c_void_p), ("deleter", Deleter)]
DL_CUDA, DL_FLOAT = 2, 2

python = c.pythonapi
python.PyCapsule_New.restype = c.py_object
python.PyCapsule_New.argtypes = [c.c_void_p, c.c_char_p, c.c_void_p]
python.PyCapsule_GetPointer.restype = c.c_void_p
python.PyCapsule_GetPointer.argtypes = [c.py_object, c.c_char_p]
python.PyCapsule_SetName.argtypes = [c.py_object, c.c_char_p]
BYTES = 4  # of an element: float32

_exported = {}  # what a consumer of a capsule still uses, by address
exported = 0  # capsules that were made
released = 0  # those whose consumers have released the buffer


def import_capsule(device, capsule):
    """Takes a capsule over. Returns (buffer, shape, strides); the producer's deleter runs when the buffer is destroyed."""
    address = python.PyCapsule_GetPointer(capsule, b"dltensor")
    managed = c.cast(address, c.POINTER(DLManagedTensor))
    tensor = managed.contents.tensor
    if (tensor.device_type, tensor.code, tensor.bits, tensor.lanes) != (DL_CUDA, DL_FLOAT, 8 * BYTES, 1):
        raise TypeError("expected a tensor of float32 on a CUDA device")
    shape = list(tensor.shape[: tensor.ndim])
    if tensor.strides:
        strides = list(tensor.strides[: tensor.ndim])
    else:  # none given means that the rows lie one after the other
        strides = [1] * tensor.ndim
        for i in reversed(range(tensor.ndim - 1)):
            strides[i] = strides[i + 1] * shape[i + 1]
    python.PyCapsule_SetName(capsule, b"used_dltensor")  # ours from here on
    extent = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides))
    release = Release(lambda _: managed.contents.deleter(managed))
    buffer = Buffer(device, extent * BYTES, tensor.data + tensor.byte_offset, release)
    return buffer, shape, strides


@Deleter
def _delete(managed):
    global released
    released += 1
    del _exported[c.addressof(managed.contents)]


def export_buffer(buffer, shape):
    """A capsule of a contiguous tensor that keeps the buffer until its consumer has released it."""
    global exported
    exported += 1
    dims = (c.c_int64 * len(shape))(*shape)
    managed = DLManagedTensor()
    managed.tensor = DLTensor(data=buffer.pointer(), device_type=DL_CUDA, device_id=0, ndim=len(shape), code=DL_FLOAT,
                              bits=8 * BYTES, lanes=1, shape=dims)
    managed.deleter = _delete
    _exported[c.addressof(managed)] = (managed, dims, buffer)
    return python.PyCapsule_New(c.addressof(managed), b"dltensor", None)
