# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a process may do around the package: exit, fork, signals, subinterpreters."""

import pytest

from conftest import KERNELS

EXIT = """
import sys, threading, halyard
device = halyard.Device("local")
x = device.zeros(1 << 20, "uint32")
gate = device.semaphore()
for step in range(200):
    device.stream.call(lambda: sum(range(2000)))
    device.stream.fill(x, step)
device.stream.wait_for(gate.at(1))
device.stream.upload(bytes(x.nbytes), x)
for _ in range(2):
    threading.Thread(target=lambda: gate.wait(9), daemon=True).start()
threading.Thread(target=lambda: device.stream.wait(), daemon=True).start()
kept = sys.modules  # a cycle through everything
cycle = [device, x, gate]; cycle.append(cycle)
print("leaving", flush=True)
"""


@pytest.mark.parametrize("end", ["", "sys.exit(0)", "gate.signal(1)", "device.stream.call(sys.exit)"])
def test_exit_with_work_in_flight(python, end):
    assert python(EXIT + end).stdout == "leaving\n"


def test_exit_of_a_thread_that_was_never_joined(python):
    python(
        """
import halyard, threading
device = halyard.Device("local")
def work():
    while True: device.stream.fill(device.zeros(1000), 1)
threading.Thread(target=work, daemon=True).start()
device.zeros(10).wait()
"""
    )


WAITS = {
    "semaphore": "device.semaphore().wait(1)",
    "point": "device.semaphore().at(1).wait()",
    "stream": "s = device.semaphore(); device.stream.wait_for(s.at(1)); device.stream.fill(x, 0); device.stream.wait()",
    "buffer": "s = device.semaphore(); device.stream.wait_for(s.at(1)); device.stream.fill(x, 0); x.wait()",
    "numpy": "s = device.semaphore(); device.stream.wait_for(s.at(1)); device.stream.fill(x, 0); x.tobytes()",
    "device": "s = device.semaphore(); device.stream.wait_for(s.at(1)); device.stream.fill(x, 0); device.wait()",
}


@pytest.mark.parametrize("wait", WAITS)
def test_control_c_ends_every_wait(python, wait):
    done = python(
        f"""
import os, signal, threading, time, halyard
from halyard import _native
device = halyard.Device("local")
x = device.zeros(10)
x.wait()
def interrupt():
    while _native._waiting_threads() == 0:
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
try:
    {WAITS[wait]}
except KeyboardInterrupt:
    print("interrupted")
"""
    )
    assert done.stdout == "interrupted\n"


def test_a_child_of_fork_refuses_what_is_its_parents(python):
    done = python(
        """
import os, halyard
device = halyard.Device("local://task")
x = device.zeros(4, "int32")
gate = device.semaphore()
device.stream.call(lambda: None)
x.wait()
pid = os.fork()
if pid == 0:
    for use in (lambda: device.stream.wait(), lambda: x.tobytes(), lambda: gate.wait(1), lambda: device.zeros(3)):
        try:
            use()
        except halyard.FailedPrecondition as error:
            assert "fork" in str(error)
        else:
            os._exit(3)
    del x, gate
    own = halyard.Device("local://task")
    seen = []
    own.stream.call(lambda: seen.append(1))
    y = own.zeros(4, "int32")
    own.stream.wait()
    own.stream.fill(y, 6)
    assert y.numpy().tolist() == [6] * 4 and seen == [1]
    print("child", flush=True)
    raise SystemExit
assert os.waitpid(pid, 0)[1] == 0
assert x.numpy().tolist() == [0] * 4
print("parent")
"""
    )
    assert done.stdout == "child\nparent\n", done.stdout + done.stderr


def test_subinterpreters_are_refused_by_name(python):
    done = python(
        """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
import halyard
own = interpreters.create()
code = '''
try:
    import halyard
except ImportError as error:
    assert "interpreter" in str(error), error
else:
    raise SystemError("imported")
'''
if hasattr(interpreters, "run_string"):
    error = interpreters.run_string(own, code)
else:
    error = interpreters.exec(own, code)
assert error is None, error
print("refused")
"""
    )
    assert done.stdout == "refused\n"


def test_the_module_is_imported_again(python):
    python(
        """
import importlib, sys, halyard
device = halyard.Device("local")
importlib.reload(halyard)
x = device.zeros(3)
try:
    halyard.Device("locl")
except halyard.NotFound:
    pass
assert x.numpy().tolist() == [0] * 3
"""
    )


def test_nothing_is_left_in_the_library(python):
    """hal_shutdown() counts the library's own objects."""
    python(
        f"""
import gc, halyard, numpy
from halyard import _native
def work(device):
    kernels = device.load({str(KERNELS / "cts_basic.halx")!r})
    x = device.adopt(numpy.zeros(64, "uint32"))
    kernels.add_one[1](x)
    kernels.add_constant[1](1, numpy.zeros(64, "uint32"), x)
    y = numpy.from_dlpack(x[3:9])
    device.stream.call(lambda: None)
    device.stream.upload(bytes(1 << 18), device.empty(1 << 18, "uint8"))
    with device.commands(slots=1) as commands:
        kernels.add_one[1, commands](halyard.slot(0))
    device.stream.execute(commands, x)
    with device.profile() as profile:
        device.semaphore().signal(1)
    try:
        device.adopt(3)
    except TypeError:
        pass
    device.wait()
for uri in ("local://sync", "local://task", "null"):
    if uri != "null":
        work(halyard.Device(uri))
    gc.collect(); _native._drop_now()
assert not any(_native._live_objects().values()), _native._live_objects()
_native._shutdown()
work(halyard.Device("local"))
"""
    )


def test_import_is_quick(python):
    """NumPy and asyncio's kin are not imported before they are needed."""
    done = python("import sys, halyard; print('numpy' in sys.modules)")
    assert done.stdout == "False\n"
