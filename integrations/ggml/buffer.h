// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a device as a buffer of ggml.
#ifndef INTEGRATIONS_GGML_BUFFER_H_
#define INTEGRATIONS_GGML_BUFFER_H_

#include <atomic>

#include "device.h"
#include "ggml_headers.h"

namespace halyard_ggml {

ggml_backend_buffer_type_i BufferTypeInterface();
ggml_backend_buffer_type_i HostBufferTypeInterface();

/// What is behind a ggml_backend_buffer_t of this backend.
///
/// ggml names memory by addresses, and a device's memory has none on the host. So every buffer begins at kBase, and the
/// address of a tensor is that and its offset. Nothing follows such an address.
struct Buffer {
  static constexpr uintptr_t kBase = 0x10000;

  Device& device;
  hal::Buffer memory;
  std::atomic<bool> has_failed = false;  // a write of ggml's did, which has no way to say so: graphs refuse the buffer

  /// NULL for a buffer of another backend.
  static Buffer* Of(const ggml_backend_buffer* buffer);
  /// The buffer of a tensor, and where the tensor begins in it.
  static Buffer* Of(const ggml_tensor& tensor, uint64_t* out_offset);

  hal_buffer_ref_t Range(const ggml_tensor& tensor, uint64_t offset, uint64_t length) const;
};

/// Puts a copy from one tensor to another of the same layout into a stream of the target's device. False if one of the
/// two has memory that is none of this backend's.
bool SubmitCopy(const hal::Stream& stream, const ggml_tensor& source, const ggml_tensor& target);

}  // namespace halyard_ggml

#endif  // INTEGRATIONS_GGML_BUFFER_H_
