#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls compiled functions that are named like those of libc, libm and libstdc++ from a Python process:

functions_test.py LIBRARY halyard-pack
"""

import ctypes
import os
import subprocess
import sys
import tempfile
import unittest

import halyard_ctypes as hal

LIBRARY, PACK = sys.argv[1:3]

# What else a module may have, and Python's own.
MORE = ["step", "select", "main", "Py_Initialize", "PyObject_Call", "PyLong_FromLong", "_Py_NoneStruct",
        "__truncsfbf2", "memrefCopy", "halyard_import_table"]


def view(text):
    data = text.encode()
    return hal.hal_string_view_t(data, len(data))


def symbols(library):
    """The functions that a library of this machine exports, without their versions."""
    path = subprocess.run(["cc", f"-print-file-name={library}"], check=True, capture_output=True, text=True).stdout
    lines = subprocess.run(["nm", "-D", "--defined-only", path.strip()], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    found = {line.split()[-1].split("@")[0] for line in lines if line.split()[-2] in "TWi"}
    return {name for name in found if name.replace("_", "a").isalnum()}


def names():
    """All plain names of the three libraries, and a part of the internal and of the mangled ones."""
    every = sorted(symbols("libc.so.6") | symbols("libm.so.6") | symbols("libstdc++.so.6"))
    internal = [name for name in every if name.startswith("_")]
    return sorted((set(every) - set(internal)) | set(internal[::20]) | set(MORE))


def function(number, name, other):
    """Writes its number, and calls another function, which has the other convention."""
    attributes = "attributes {llvm.emit_c_interface}" if number % 2 == 0 else ""
    return f"""
func.func @{name}(%out: memref<2xi64>, %depth: i64) -> i64 {attributes} {{
  %zero = arith.constant 0 : i64
  %number = arith.constant {number} : i64
  %slot = arith.constant {number % 2} : index
  memref.store %number, %out[%slot] : memref<2xi64>
  %more = arith.cmpi sgt, %depth, %zero : i64
  %r = scf.if %more -> i64 {{
    %nested = func.call @{other}(%out, %zero) : (memref<2xi64>, i64) -> i64
    scf.yield %nested : i64
  }} else {{
    scf.yield %number : i64
  }}
  return %r : i64
}}
"""


class FunctionsTest(unittest.TestCase):
    def check(self, status):
        self.assertEqual(status, hal.HAL_STATUS_OK, self.library.hal_last_error_message())

    def load(self, module):
        self.library = hal.load(LIBRARY)
        device = ctypes.POINTER(hal.hal_device_t)()
        self.check(self.library.hal_device_create(view("local://sync"), ctypes.byref(device)))
        self.addCleanup(self.library.hal_device_release, device)
        with tempfile.TemporaryDirectory() as folder:
            source, packed = os.path.join(folder, "m.mlir"), os.path.join(folder, "m.halx")
            with open(source, "w", encoding="utf-8") as file:
                file.write(module)
            subprocess.run([PACK, f"--mlir={source}", f"--output={packed}"], check=True, stdout=subprocess.DEVNULL)
            params = hal.hal_executable_params_t(struct_size=ctypes.sizeof(hal.hal_executable_params_t))
            params.path = view(packed)
            executable = ctypes.POINTER(hal.hal_executable_t)()
            self.check(self.library.hal_executable_create(device, ctypes.byref(params), ctypes.byref(executable)))
        self.addCleanup(self.library.hal_executable_release, executable)
        return executable

    def call(self, executable, name, words, depth):
        found = ctypes.POINTER(hal.hal_function_t)()
        self.check(self.library.hal_executable_find_function(executable, view(name), ctypes.byref(found)))
        sizes = (ctypes.c_int64 * 1)(2)
        shape = hal.hal_shape_t(hal.HAL_ELEMENT_TYPE_I64, 1, sizes, None)
        memref = hal.hal_memref_t()
        self.check(self.library.hal_memref_initialize(ctypes.byref(shape), words, 16, ctypes.byref(memref)))
        arguments = (hal.hal_value_t * 2)()
        getattr(arguments[0], "as").memref = ctypes.pointer(memref)
        getattr(arguments[1], "as").i64 = depth
        result = (hal.hal_value_t * 1)()
        self.check(self.library.hal_function_call(found, 2, arguments, 1, result))
        return getattr(result[0], "as").i64

    def test_the_modules_own_functions_are_called(self):
        all_names = names()
        self.assertGreater(len(all_names), 1500)
        for name in ("step", "select", "index", "gamma", "time", "remove", "exp", "abs", "write"):
            self.assertIn(name, all_names)
        # In pairs, as compilers take long for thousands of functions that call each other in a circle.
        others = [all_names[min(number ^ 1, len(all_names) - 1)] for number in range(len(all_names))]
        executable = self.load("".join(map(function, range(len(all_names)), all_names, others)))
        for number, name in enumerate(all_names):
            with self.subTest(name):
                other = min(number ^ 1, len(all_names) - 1)
                words = (ctypes.c_int64 * 2)(-1, -1)
                self.assertEqual(self.call(executable, name, words, 0), number)
                self.assertEqual(words[number % 2], number)
                self.assertEqual(words[1 - number % 2], -1)
                # Through the other function, which has the other convention.
                self.assertEqual(self.call(executable, name, words, 1), other)
                self.assertEqual(words[other % 2], other)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
