// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which kind of object a pointer to it must point to. Bindings that pass objects as void* mix them up.
#ifndef HALYARD_DRIVER_KIT_OBJECT_OBJECT_KIND_H_
#define HALYARD_DRIVER_KIT_OBJECT_OBJECT_KIND_H_

#include "base/status.h"
#include "halyard/driver_api.h"
#include "halyard/halyard.h"

namespace halyard {

/// The kind of the objects that are called T; NONE if T is no object.
template <class T>
inline constexpr hal_object_kind_t kKindOf = HAL_OBJECT_KIND_NONE;
template <>
inline constexpr hal_object_kind_t kKindOf<hal_registry_t> = HAL_OBJECT_KIND_REGISTRY;
template <>
inline constexpr hal_object_kind_t kKindOf<hal_driver_t> = HAL_OBJECT_KIND_DRIVER;
template <>
inline constexpr hal_object_kind_t kKindOf<hal_device_t> = HAL_OBJECT_KIND_DEVICE;
template <>
inline constexpr hal_object_kind_t kKindOf<hal_allocator_t> = HAL_OBJECT_KIND_ALLOCATOR;
template <>
inline constexpr hal_object_kind_t kKindOf<hal_buffer_t> = HAL_OBJECT_KIND_BUFFER;
template <>
inline constexpr hal_object_kind_t kKindOf<hal_buffer_view_t> = HAL_OBJECT_KIND_BUFFER_VIEW;
template <>
inline constexpr hal_object_kind_t kKindOf<hal_semaphore_t> = HAL_OBJECT_KIND_SEMAPHORE;
template <>
inline constexpr hal_object_kind_t kKindOf<hal_fence_t> = HAL_OBJECT_KIND_FENCE;
template <>
inline constexpr hal_object_kind_t kKindOf<hal_event_t> = HAL_OBJECT_KIND_EVENT;
template <>
inline constexpr hal_object_kind_t kKindOf<hal_command_buffer_t> = HAL_OBJECT_KIND_COMMAND_BUFFER;
template <>
inline constexpr hal_object_kind_t kKindOf<hal_executable_t> = HAL_OBJECT_KIND_EXECUTABLE;
template <>
inline constexpr hal_object_kind_t kKindOf<hal_executable_cache_t> = HAL_OBJECT_KIND_EXECUTABLE_CACHE;
template <>
inline constexpr hal_object_kind_t kKindOf<hal_descriptor_set_layout_t> = HAL_OBJECT_KIND_DESCRIPTOR_SET_LAYOUT;
template <>
inline constexpr hal_object_kind_t kKindOf<hal_pipeline_layout_t> = HAL_OBJECT_KIND_PIPELINE_LAYOUT;
template <>
inline constexpr hal_object_kind_t kKindOf<hal_file_t> = HAL_OBJECT_KIND_FILE;
template <>
inline constexpr hal_object_kind_t kKindOf<hal_channel_t> = HAL_OBJECT_KIND_CHANNEL;
template <>
inline constexpr hal_object_kind_t kKindOf<hal_device_group_t> = HAL_OBJECT_KIND_DEVICE_GROUP;
template <>
inline constexpr hal_object_kind_t kKindOf<hal_stream_t> = HAL_OBJECT_KIND_STREAM;

template <class T>
concept Object = kKindOf<T>
!= HAL_OBJECT_KIND_NONE;

/// Whether the object, which is not NULL, is what its type says. Every object begins with its head.
template <Object T>
bool IsWhatItSays(const T* object) {
  return reinterpret_cast<const hal_object_t*>(object)->kind == kKindOf<T>;
}

/// INVALID_ARGUMENT, for a pointer that is NULL or leads to an object of another kind.
Status FailKind(const char* argument, const void* object, hal_object_kind_t wanted) noexcept;

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_OBJECT_OBJECT_KIND_H_
