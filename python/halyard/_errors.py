# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One exception for each status of the library. Their text is the library's message."""

from . import _native


class Error(Exception):
    """A failure that the library reports. `status` is its name there."""

    status = "UNKNOWN"


class Cancelled(Error):
    """Given up before it began."""

    status = "CANCELLED"


class InvalidArgument(Error, ValueError):
    """Wrong in any state of the system."""

    status = "INVALID_ARGUMENT"


class OutOfRange(Error, ValueError):
    """A range, number or slot past its end."""

    status = "OUT_OF_RANGE"


class NotFound(Error, LookupError):
    """No such driver, device, file or export."""

    status = "NOT_FOUND"


class AlreadyExists(Error):
    """The name is taken."""

    status = "ALREADY_EXISTS"


class PermissionDenied(Error):
    """A usage or access that the object was not created with."""

    status = "PERMISSION_DENIED"


class FailedPrecondition(Error, RuntimeError):
    """Right in another state of the object."""

    status = "FAILED_PRECONDITION"


class ResourceExhausted(Error, MemoryError):
    """Out of memory or of another limited resource."""

    status = "RESOURCE_EXHAUSTED"


class DeadlineExceeded(Error, TimeoutError):
    """The timeout expired."""

    status = "DEADLINE_EXCEEDED"


class Aborted(Error):
    """The operation itself reported a failure."""

    status = "ABORTED"


class Unimplemented(Error, NotImplementedError):
    """This driver or device does not offer it."""

    status = "UNIMPLEMENTED"


class Unavailable(Error):
    """Could work elsewhere or later: a library is missing, a device is busy."""

    status = "UNAVAILABLE"


class Incompatible(Error):
    """Made for another device, format or version."""

    status = "INCOMPATIBLE"


class DataLoss(Error):
    """Data is corrupt or cut off."""

    status = "DATA_LOSS"


class DeviceLost(Error):
    """The device does not work any more: its work and its semaphores fail."""

    status = "DEVICE_LOST"


class Internal(Error):
    """A bug of the library or of a driver."""

    status = "INTERNAL"


def register() -> None:
    """Tells the binding which exception stands for which status."""
    _native._set_errors({error.status: error for error in Error.__subclasses__()})
