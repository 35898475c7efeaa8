// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What other public functions do with buffers and views: as the public functions of these names, except that the
// application is given nothing, and that messages name the function that it called.
#ifndef HALYARD_CORE_BUFFER_H_
#define HALYARD_CORE_BUFFER_H_

#include "base/status.h"
#include "halyard/allocator.h"
#include "halyard/buffer_view.h"

namespace halyard {

Status MapBuffer(hal_buffer_t* buffer, hal_map_access_t access, uint64_t offset, uint64_t length, void** out_pointer);
Status UnmapBuffer(hal_buffer_t* buffer);
Status InvalidateBuffer(hal_buffer_t* buffer, uint64_t offset, uint64_t length);
/// Defined in allocator.cpp.
Status ImportBuffer(hal_allocator_t* allocator, const hal_buffer_params_t* given_params,
                    const hal_external_memory_t* given_memory, hal_memory_release_fn_t release, void* user_data,
                    hal_buffer_t** out_buffer);
/// Defined in buffer_view.cpp.
Status CreateView(hal_buffer_t* buffer, hal_element_type_t type, size_t rank, const int64_t* sizes,
                  hal_buffer_view_t** out_view);

}  // namespace halyard

#endif  // HALYARD_CORE_BUFFER_H_
