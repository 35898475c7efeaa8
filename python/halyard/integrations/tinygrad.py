# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tinygrad on Halyard: the device HALYARD.

    import halyard.integrations.tinygrad  # before tinygrad looks for its device
    from tinygrad import Tensor
    Tensor([1.0, 2.0], device="HALYARD")  # or DEV=HALYARD in the environment for all

HALYARD_URI names the device: 'local' (the standard), 'cuda://0', 'cuda://{}' for several. On a host clang compiles the kernels. For CUDA
tinygrad's own compiler does, NVRTC. The JIT's graphs are recordings, replayed with the buffers of each call.
"""

import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from tinygrad.device import Compiled, CompileError, Device, LRUAllocator, MultiBuffer, Program
from tinygrad.engine.jit import MultiGraphRunner
from tinygrad.renderer.cstyle import ClangRenderer, CUDARenderer
from tinygrad.runtime.support.compiler_cpu import ClangCompiler
from tinygrad.uop.ops import Ops

import halyard

_INTEGERS = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}


class ObjectCompiler(ClangCompiler):
    """Compiles C to an object, which the local driver links itself."""

    def __init__(self, arch):
        super().__init__(arch, cachekey="compile_halyard_object")
        names = [os.environ.get("CC", ""), "clang", "clang-19", "clang-18", "clang-16", "clang-14"]
        self.clang = next((name for name in names if name and shutil.which(name)), "clang")

    def compile(self, src):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder) / "kernel.o"
            command = [self.clang, "-x", "c", "-O2", "-fPIC", "-c", "-ffreestanding", "-fno-math-errno"]
            done = subprocess.run([*command, *self.args, "-", "-o", str(out)], input=src.encode(), capture_output=True)
            if done.returncode:
                raise CompileError(done.stderr.decode(errors="replace"))
            return out.read_bytes()


class HalyardRenderer(ClangRenderer):
    """C for the host. The grid is one workgroup: threads of the device run other kernels meanwhile."""

    has_threads = False

    def __init__(self, target):
        super().__init__(target)
        self.compiler = ObjectCompiler(target.arch.split(","))


class HalyardAllocator(LRUAllocator):
    """Buffers are halyard.Buffer of bytes."""

    def _alloc(self, size, options):
        if options.external_ptr:
            raise RuntimeError("HALYARD takes no addresses; Device.adopt() takes arrays")
        return self.dev.halyard.empty(size, "uint8", host=options.host or options.cpu_access)

    def _copyin(self, dest, src):
        dest.write(src)

    def _copyout(self, dest, src):
        src.read(dest)

    def _offset(self, buf, size, offset):
        return buf[offset : offset + size]

    def _as_buffer(self, src):
        return memoryview(src)


class HalyardProgram(Program):
    def __init__(self, dev, obj):
        self.dev, self.name, self.profile_key, self.signature = dev, obj.name, obj.profile_key, obj.signature
        numbers = [_INTEGERS[dtype.itemsize] for _, _, dtype, shape in obj.signature if shape == ()]
        if dev.is_host:
            functions = {obj.name: ["void*"] * (len(obj.signature) - len(numbers)) + numbers}
            self.executable = dev.halyard.load(obj.lib, format="host-object", functions=functions)
        else:
            image = obj.lib if obj.lib[:4] == b"\x7fELF" else obj.lib.rstrip(b"\0") + b"\0"
            self.executable = dev.halyard.load(image, format="cubin" if image[:4] == b"\x7fELF" else "ptx")
        self.kernel = self.executable[obj.name]

    def launch(self, global_size, local_size, on=None):
        return self.kernel.launch(tuple(global_size), block=None if self.dev.is_host else tuple(local_size), on=on)

    def __call__(self, *bufs, global_size=(1, 1, 1), local_size=(1, 1, 1), vals=(), wait=False, **_):
        launch = self.launch(global_size, local_size)
        if not wait:
            launch(*bufs, *vals)
            return None
        with self.dev.halyard.profile() as profile:
            launch(*bufs, *vals)
        return next(record.seconds for record in profile.records if record.kind == "dispatch")


class HalyardGraph(MultiGraphRunner):
    """A recording; what changes from call to call is in its slots. With symbolic numbers, which would be a part of the
    recording, each call submits its kernels."""

    def __init__(self, linear, input_uops=()):
        super().__init__(linear, input_uops)
        self.dev = Device[self.calls[0][2][0].device]
        self.inputs = sorted({(index, call[0]) for call, replaced in zip(self.calls, self.uop_replace) for _, index in replaced})
        self.commands = None if self.vars else self.record()

    def record(self):
        with self.dev.halyard.commands(slots=len(self.inputs)) as commands:
            self.run(commands, [halyard.slot(slot) for slot in range(len(self.inputs))], {}, {})
        return commands

    def run(self, on, table, numbers, sizes):
        """Submits all calls to a stream, or records them; `numbers` and `sizes` are those that are not as at first."""
        for j, ((number, ast, bufs, variables), replaced) in enumerate(zip(self.calls, self.uop_replace)):
            places = [buf._buf for buf in bufs]
            for position, index in replaced:
                places[position] = table[self.inputs.index((index, number))]
            if ast.op is Ops.COPY:
                on.copy(places[1], places[0])
                continue
            values = [variables.get(variable.expr, 0) for variable in ast.arg.vars]
            for position, value in numbers.get(j, ()):
                values[position] = value
            dimensions = sizes.get(j) or ast.arg.launch_dims({name: 0 for name in self.vars})
            self.runtimes[j].launch(*dimensions, on=on)(*places, *values)

    def submit(self, input_uops, var_vals):
        buffers = [(input_uops[index].buffer, number) for index, number in self.inputs]
        table = [(b.bufs[number] if isinstance(b, MultiBuffer) else b).ensure_allocated()._buf for b, number in buffers]
        if self.commands is not None:
            self.dev.halyard.stream.execute(self.commands, *table)
            return
        numbers = {}
        for j, position, value in self.updated_vars(var_vals):
            numbers.setdefault(j, []).append((position, value))
        sizes = {j: dimensions for j, *dimensions in self.updated_launch_dims(var_vals)}
        self.run(self.dev.halyard.stream, table, numbers, sizes)

    def __call__(self, input_uops, var_vals, wait=False):
        if not wait:
            self.submit(input_uops, var_vals)
            return None
        with self.dev.halyard.profile() as profile:
            self.submit(input_uops, var_vals)
        return sum(record.seconds for record in profile.records if record.kind == "operation")


@functools.cache
def _open(uri):
    return halyard.Device(uri)


class HalyardDevice(Compiled):
    """HALYARD:1 and further are the device that HALYARD is, unless HALYARD_URI has '{}' in the place of the number."""

    def __init__(self, device):
        number = device.partition(":")[2] or "0"
        self.halyard = _open(os.environ.get("HALYARD_URI", "local").replace("{}", number))
        self.is_host = self.halyard.driver == "local"
        machine = os.uname().machine
        arch = "arm64,native" if machine == "aarch64" else f"{machine},native"
        if not self.is_host:
            arch = self.halyard.properties["architecture"]
        renderer = HalyardRenderer if self.is_host else CUDARenderer
        super().__init__(device, HalyardAllocator(self), [renderer], HalyardProgram, HalyardGraph, arch=arch)

    def synchronize(self):
        self.halyard.stream.wait()


# tinygrad looks for tinygrad.runtime.ops_<device>.
sys.modules["tinygrad.runtime.ops_halyard"] = sys.modules[__name__]
