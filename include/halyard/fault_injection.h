// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// An extension for tests: losing a device on purpose. Get it by
/// `hal_device_query_interface(device, hal_string_view(HAL_FAULT_INJECTION_INTERFACE), 1, &table)`.
///
/// Since 0.1, all of it.
#ifndef HALYARD_FAULT_INJECTION_H_
#define HALYARD_FAULT_INJECTION_H_

#include "halyard/base.h"
#include "halyard/status.h"

HAL_EXTERN_C_BEGIN

/// Name of the extension. The local driver has it; a driver that offers it lets the conformance suite prove how it
/// behaves when its device is lost.
#define HAL_FAULT_INJECTION_INTERFACE "halyard.fault_injection"

/// Version 1 of the extension.
typedef struct hal_fault_injection_interface_t {
  size_t struct_size;  ///< as the driver knows it
  /// Makes the device behave as lost from now on. Its semaphores fail with DEVICE_LOST, operations that are pending or
  /// submitted later fail, and hal_device_query_health() reports it. Thread-safe.
  hal_status_t (*lose_device)(hal_device_t* device, hal_string_view_t reason);
} hal_fault_injection_interface_t;

HAL_EXTERN_C_END

#endif  // HALYARD_FAULT_INJECTION_H_
