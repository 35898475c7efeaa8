// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A stream of a device as a backend of ggml.
#ifndef INTEGRATIONS_GGML_BACKEND_H_
#define INTEGRATIONS_GGML_BACKEND_H_

#include "device.h"
#include "ggml_headers.h"

namespace halyard_ggml {

/// NULL if it fails, with a line in ggml's log.
ggml_backend_t CreateBackend(Device& device);

/// @name An event is the last point of a stream at the time when it was recorded
/// @{
ggml_backend_event_t NewEvent(ggml_backend_dev_t device);
void FreeEvent(ggml_backend_dev_t device, ggml_backend_event_t event);
void SynchronizeEvent(ggml_backend_dev_t device, ggml_backend_event_t event);
/// @}

}  // namespace halyard_ggml

#endif  // INTEGRATIONS_GGML_BACKEND_H_
