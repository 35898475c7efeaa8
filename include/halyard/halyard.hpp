// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// The C API for C++20: handles, spans, durations, function objects. Headers alone, outside the ABI: what is compiled
/// of them belongs to the program.
///
///     const hal::Device device = hal::Device::Open("local");
///     const hal::Semaphore done = hal::Semaphore::Create(device);
///     device.queues().Dispatch({}, done.At(1), executable, 0, hal::Dispatch(16).Constant(10.0f).Bind(buffer));
///     done.Wait(1);
///
/// Failures are exceptions, hal::Error. With HAL_CPP_EXCEPTIONS defined as 0, which is the default where the compiler
/// has exceptions turned off, functions return a hal::Status, or a hal::Result of what they make. See
/// docs/embedding.md.
#ifndef HALYARD_HALYARD_HPP_
#define HALYARD_HALYARD_HPP_

#include "halyard/cpp/channel.hpp"         // IWYU pragma: export
#include "halyard/cpp/command_buffer.hpp"  // IWYU pragma: export
#include "halyard/cpp/device.hpp"          // IWYU pragma: export
#include "halyard/cpp/device_group.hpp"    // IWYU pragma: export
#include "halyard/cpp/executable.hpp"      // IWYU pragma: export
#include "halyard/cpp/handle.hpp"          // IWYU pragma: export
#include "halyard/cpp/label.hpp"           // IWYU pragma: export
#include "halyard/cpp/memory.hpp"          // IWYU pragma: export
#include "halyard/cpp/queue.hpp"           // IWYU pragma: export
#include "halyard/cpp/semaphore.hpp"       // IWYU pragma: export
#include "halyard/cpp/status.hpp"          // IWYU pragma: export
#include "halyard/cpp/stream.hpp"          // IWYU pragma: export
#include "halyard/halyard.h"               // IWYU pragma: export

#endif  // HALYARD_HALYARD_HPP_
