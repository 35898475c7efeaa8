# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The thread that calls Python functions for the library, whose own threads never ask for the interpreter's lock."""

import atexit
import os
import sys
import threading

from . import _native

_lock = threading.Lock()
_started = False


def _run() -> None:
    while True:
        job = _native._next_job()
        if job is None:
            return
        function, failure = job
        try:
            function(failure)
        except BaseException:  # a bug of this package: the functions below take what the user's functions raise
            sys.excepthook(*sys.exc_info())
        del job, function, failure


def _start() -> None:
    global _started
    with _lock:
        if not _started:
            threading.Thread(target=_run, name="halyard", daemon=True).start()
            _started = True


def _reset() -> None:
    """In a child of fork(), which has none of the parent's threads."""
    global _lock, _started
    _lock = threading.Lock()
    _started = False
    _native._after_fork_in_child()


def register() -> None:
    atexit.register(_native._begin_exit)
    os.register_at_fork(after_in_child=_reset)


def host_call(function, done):
    """A job that calls a function once the work before it is over, and then moves the timeline `done` to 1."""
    _start()

    def job(failure):
        if failure is not None:
            done.fail(str(failure))
            return
        try:
            function()
        except BaseException as error:
            done.fail(f"{type(error).__name__}: {error}")
        else:
            done.signal(1)

    return job


def wait_for(point):
    """The iterator of `await point`."""
    return _wait_for(point).__await__()


async def _wait_for(point):
    import asyncio  # takes longer than the rest of the package

    if point.done:
        return
    _start()
    loop = asyncio.get_running_loop()
    future = loop.create_future()

    def finish(failure):
        if future.done():  # cancelled
            return
        if failure is None:
            future.set_result(None)
        else:
            future.set_exception(failure)

    def job(failure):
        try:
            loop.call_soon_threadsafe(finish, failure)
        except RuntimeError:  # the loop was closed meanwhile
            pass

    point._notify(job)
    await future
