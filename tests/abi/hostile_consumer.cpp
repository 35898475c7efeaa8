// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A C++ program that has included <X11/Xlib.h> or <windows.h> before halyard.hpp: every template is used once.
#include <algorithm>
#include <cassert>
#include <chrono>
#include <concepts>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if defined(HALYARD_TEST_X11) && __has_include(<X11/Xutil.h>)
#include <X11/Xlib.h>
#include <X11/Xutil.h>
#else
#include "hostile_macros.h"
#endif

#include "halyard/halyard.hpp"

using namespace std::chrono_literals;

int main() {
  const hal::Device device = hal::Device::Open("local");
  const hal::Semaphore done = hal::Semaphore::Create(device);
  done.Notify(1, [](const hal::CallStatus& status) { static_cast<void>(status.ok()); });
  device.queues().HostCall({}, done.At(1), [](const hal::CallStatus& status) { return status; });
  size_t index = 0;
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  memory.type = HAL_VULKAN_EXTERNAL_MEMORY_TYPE_BUFFER;
  assert(memory.type >= HAL_EXTERNAL_MEMORY_TYPE_VENDOR_BEGIN);
  return done.WaitFor(1, 1s) && hal::WaitAnyFor(done.At(1), 1s, &index) && device.DrainFor(1s) ? 0 : 1;
}
