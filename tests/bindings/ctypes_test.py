#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Uses the generated binding: ctypes_test.py LIBRARY halyard-api.json KERNELS"""

import ctypes
import json
import sys
import unittest

import halyard_ctypes as hal

LIBRARY, DESCRIPTION, KERNELS = sys.argv[1:4]


def view(text):
    data = text.encode()
    return hal.hal_string_view_t(data, len(data))


class BindingTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.library = hal.load(LIBRARY)

    def check(self, status):
        self.assertEqual(status, hal.HAL_STATUS_OK, self.library.hal_last_error_message())

    def open_device(self):
        device = ctypes.POINTER(hal.hal_device_t)()
        self.check(self.library.hal_device_create(view("local://sync"), ctypes.byref(device)))
        self.addCleanup(self.library.hal_device_release, device)
        return device

    def make_semaphore(self, device):
        semaphore = ctypes.POINTER(hal.hal_semaphore_t)()
        self.check(self.library.hal_semaphore_create(device, None, ctypes.byref(semaphore)))
        self.addCleanup(self.library.hal_semaphore_release, semaphore)
        return semaphore

    def zeroed(self, name):
        return getattr(hal, name + "_t")(struct_size=ctypes.sizeof(getattr(hal, name + "_t")))

    def initialized(self, name):
        value = getattr(hal, name + "_t")()
        getattr(self.library, name + "_initialize")(ctypes.byref(value), ctypes.sizeof(value))
        return value

    def test_layout_is_that_of_the_description(self):
        with open(DESCRIPTION, encoding="utf-8") as file:
            structs = json.load(file)["structs"]
        self.assertGreater(len(structs), 80)
        for struct in structs:
            made = getattr(hal, struct["name"])
            self.assertEqual(ctypes.sizeof(made), struct["size"], struct["name"])
            self.assertEqual(ctypes.alignment(made), struct["alignment"], struct["name"])
            for member in struct["members"]:
                if "." not in member["name"]:
                    self.assertEqual(getattr(made, member["name"]).offset, member["offset"], member)
                    self.assertEqual(getattr(made, member["name"]).size, member["size"], member)

    def test_version(self):
        self.assertEqual(self.library.hal_version(), hal.HAL_VERSION)

    def test_dispatch(self):
        library = self.library
        device = self.open_device()
        params = self.zeroed("hal_executable_params")
        params.path = view(KERNELS)
        executable = ctypes.POINTER(hal.hal_executable_t)()
        self.check(library.hal_executable_create(device, ctypes.byref(params), ctypes.byref(executable)))
        self.addCleanup(library.hal_executable_release, executable)
        ordinal = ctypes.c_uint32()
        self.check(library.hal_executable_find_export(executable, view("add_constant"), ctypes.byref(ordinal)))

        buffers = []
        words = (ctypes.c_uint32 * 64)(*range(64))
        for _ in range(2):
            params = self.initialized("hal_buffer_params")
            params.memory_type = hal.HAL_MEMORY_TYPE_HOST_VISIBLE
            params.usage = hal.HAL_BUFFER_USAGE_STORAGE | hal.HAL_BUFFER_USAGE_MAPPING
            buffer = ctypes.POINTER(hal.hal_buffer_t)()
            allocator = library.hal_device_allocator(device)
            self.check(library.hal_allocator_allocate(allocator, ctypes.byref(params), 256, ctypes.byref(buffer)))
            self.addCleanup(library.hal_buffer_release, buffer)
            buffers.append(buffer)
        self.check(library.hal_buffer_write(buffers[0], 0, words, 256))

        refs = (hal.hal_buffer_ref_t * 2)(*[hal.hal_buffer_ref_t(buffer, 0, 0, 0, 256) for buffer in buffers])
        addend = ctypes.c_uint32(1000)
        dispatch = self.initialized("hal_dispatch_params")
        dispatch.constants = ctypes.cast(ctypes.byref(addend), ctypes.c_void_p)
        dispatch.constants_size = 4
        dispatch.bindings = hal.hal_buffer_ref_list_t(refs, 2)
        semaphore = self.make_semaphore(device)
        points = (hal.hal_timeline_point_t * 1)(hal.hal_timeline_point_t(semaphore, 1))
        submit = self.zeroed("hal_submit_params")
        submit.signal_list = hal.hal_semaphore_list_t(points, 1)
        self.check(library.hal_device_queue_dispatch(
            device, ctypes.byref(submit), executable, ordinal, ctypes.byref(dispatch)))
        self.check(library.hal_semaphore_wait(semaphore, 1, hal.HAL_TIMEOUT_INFINITE))
        self.check(library.hal_buffer_read(buffers[1], 0, words, 256))
        self.assertEqual(list(words), list(range(1000, 1064)))

    def test_callback(self):
        seen = []
        semaphore = self.make_semaphore(self.open_device())
        callback = hal.hal_timepoint_fn_t(lambda user_data, status, message: seen.append((user_data, status)))
        self.check(self.library.hal_semaphore_notify(semaphore, 3, callback, 77, None))
        self.assertEqual(seen, [])
        self.check(self.library.hal_semaphore_signal(semaphore, 5))
        self.assertEqual(seen, [(77, hal.HAL_STATUS_OK)])

    def test_failure(self):
        device = ctypes.POINTER(hal.hal_device_t)()
        status = self.library.hal_device_create(view("locl"), ctypes.byref(device))
        self.assertEqual(status, hal.HAL_STATUS_NOT_FOUND)
        self.assertIn(b"locl", self.library.hal_last_error_message())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
