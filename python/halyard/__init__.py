# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Halyard: compiled kernels on CUDA, HIP, Metal, Vulkan and the host, through one API.

    device = halyard.Device("local")
    kernels = device.load("kernels.halx")
    x = device.array(numpy.arange(4, dtype="float32"))
    kernels.scale[1](x, 10.0)
    print(x.numpy())
"""

from . import _interpreter  # first, as it says where the package cannot be

_interpreter.refuse_others()

from . import _errors, _jobs, _native
from ._errors import (
    Aborted,
    AlreadyExists,
    Cancelled,
    DataLoss,
    DeadlineExceeded,
    DeviceLost,
    Error,
    FailedPrecondition,
    Incompatible,
    Internal,
    InvalidArgument,
    NotFound,
    OutOfRange,
    PermissionDenied,
    ResourceExhausted,
    Unavailable,
    Unimplemented,
)
from ._native import (
    Buffer,
    Commands,
    Device,
    Executable,
    Kernel,
    Launch,
    Number,
    Parameter,
    Point,
    Profile,
    Record,
    Semaphore,
    Slot,
    Stream,
    describe,
    devices,
    drivers,
    load_plugin,
    version,
)

slot = Slot
number = Number
__version__ = version()


def from_dlpack(array: object, device: Device) -> Buffer:
    """A buffer in the memory of an array of another library, without a copy. As Device.adopt()."""
    return device.adopt(array)


_errors.register()
_jobs.register()

__all__ = [name for name in dir() if not name.startswith("_")]
