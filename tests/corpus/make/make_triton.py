# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the Triton kernels of the corpus with the Triton that Python finds: no GPU is needed.

usage: make_triton.py OUT

Writes OUT/<target>/<label>/ with the files of Triton's cache, and OUT/<target>/<label>.signature.json with what
Triton was asked for, which its cache does not keep.
"""
import ast
import json
import os
import pathlib
import shutil
import sys
import tempfile

CACHE = tempfile.mkdtemp(prefix="triton-cache-")
os.environ["TRITON_CACHE_DIR"] = CACHE
os.environ["TRITON_DISABLE_LINE_INFO"] = os.environ.get("TRITON_DISABLE_LINE_INFO", "1")

import triton  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402

import triton_kernels  # noqa: E402
from triton_table import TABLE, arguments_of  # noqa: E402

KEPT = (".json", ".ttir", ".cubin", ".ptx", ".hsaco")
NEWEST = "3.9.0"
OLDER_TARGETS = {"sm_90", "gfx942"}  # which two show how versions differ
WIDE = {"gfx90a", "gfx942"}


def target_of(name):
    if name.startswith("sm_"):
        return GPUTarget("cuda", int(name[3:]), 32)
    return GPUTarget("hip", name, 64 if name in WIDE else 32)


def value_of(text):
    return ast.literal_eval(text[1:])


class Arguments:
    """The arguments of one entry, in the words of this Triton's ASTSource."""

    def __init__(self, names, arguments):
        self.types, self.values, self.aligned = {}, {}, []
        for i, (name, argument) in enumerate(zip(names, arguments, strict=True)):
            if isinstance(argument, str) and argument.startswith("="):
                self.types[name], self.values[name] = "constexpr", value_of(argument)
            else:
                self.types[name] = argument if isinstance(argument, tuple) else argument.split(":")[0]
                if isinstance(argument, str) and (argument.startswith("*") or argument.endswith(":16")):
                    self.aligned.append(i)

    def source(self, kernel):
        version = tuple(int(part) for part in triton.__version__.split(".")[:2])
        names = list(self.types)
        passed = {name: kind for name, kind in self.types.items() if kind != "constexpr"}
        if version >= (3, 3):
            attributes = {(i, ): [["tt.divisibility", 16]] for i in self.aligned}
            return ASTSource(kernel, self.types, self.values, attributes)
        if version >= (3, 2):
            from triton.backends.compiler import AttrsDescriptor
            attributes = AttrsDescriptor()
            attributes.arg_properties = {"tt.divisibility": self.aligned, "tt.equal_to": []}
            return ASTSource(kernel, passed, self.values, attributes)
        from triton.compiler.compiler import AttrsDescriptor
        passed = {names.index(name): kind for name, kind in passed.items()}
        values = {names.index(name): value for name, value in self.values.items()}
        return ASTSource(kernel, passed, values, AttrsDescriptor(self.aligned, []))


def compile_entry(entry, target, out):
    kernel = getattr(triton_kernels, entry.kernel)
    arguments = Arguments(kernel.arg_names, arguments_of(entry))
    shutil.rmtree(CACHE, ignore_errors=True)
    triton.compile(arguments.source(kernel), target=target_of(target), options=dict(entry.options))
    folder = out / target / entry.label
    folder.mkdir(parents=True)
    for file in pathlib.Path(CACHE).glob("*/*"):
        if file.suffix in KEPT and file.name.removeprefix("__grp__").startswith(entry.kernel + "."):
            shutil.copy(file, folder)
    asked = {"triton": triton.__version__, "kernel": entry.kernel, "arguments": arguments.types,
             "constants": {name: repr(value) for name, value in arguments.values.items()}}
    (out / target / (entry.label + ".signature.json")).write_text(json.dumps(asked, indent=1) + "\n")


def main():
    out = pathlib.Path(sys.argv[1])
    only = set(sys.argv[2:])
    for entry in TABLE:
        if triton.__version__ not in entry.versions or (only and entry.label not in only):
            continue
        for target in entry.targets:
            if triton.__version__ != NEWEST and target not in OLDER_TARGETS:
                continue
            try:
                compile_entry(entry, target, out)
            except Exception as error:  # noqa: BLE001
                print(f"{triton.__version__} {target} {entry.label}: {type(error).__name__}: {str(error)[:600]}", file=sys.stderr)
    shutil.rmtree(CACHE, ignore_errors=True)


main()
