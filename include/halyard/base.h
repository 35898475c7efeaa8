// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// What every other header builds on: export macros, version, strings, growing structs, host memory, logging.
///
/// Since 0.1, all of it.
#ifndef HALYARD_BASE_H_
#define HALYARD_BASE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// The version of the library that these headers describe. Before 1.0 a new minor version may break the API.
#define HAL_VERSION_MAJOR 0
/// See HAL_VERSION_MAJOR.
#define HAL_VERSION_MINOR 1
/// See HAL_VERSION_MAJOR.
#define HAL_VERSION_PATCH 0
/// The version as one number that can be compared: 0x00MMmmpp. A plain literal, as all constants of these headers are,
/// so that generators of bindings see them.
#define HAL_VERSION 0x000100

/// Marks a function of the library. Define HAL_STATIC where you link the static library: its functions then belong to
/// your program, shared object or plugin alone, which does not export them.
#if defined(HAL_STATIC) && defined(__GNUC__) && !defined(_WIN32)
#define HAL_API __attribute__((visibility("hidden")))
#elif defined(HAL_STATIC)
#define HAL_API
#elif defined(_WIN32) && defined(HAL_BUILDING)
#define HAL_API __declspec(dllexport)
#elif defined(_WIN32)
#define HAL_API __declspec(dllimport)
#elif defined(__GNUC__)
#define HAL_API __attribute__((visibility("default")))
#else
#define HAL_API
#endif

#ifdef __cplusplus
#define HAL_EXTERN_C_BEGIN extern "C" {
#define HAL_EXTERN_C_END }
#else
#define HAL_EXTERN_C_BEGIN
#define HAL_EXTERN_C_END
#endif

/// How a struct begins that grows: all zero, except `struct_size`. Zero is the default of every field. In C an
/// initialiser, and in C++ a value; constant in both.
///
/// Write `hal_executable_params_t params = HAL_INIT(hal_executable_params_t);` in both languages. Where C wants a
/// value, in an assignment or as an argument, name the type, which C++ takes as well: `params = (type)HAL_INIT(type);`.
/// A language without macros zeroes the struct and sets `struct_size` to the size that it knows.
///
/// The few structs whose defaults are not zero have a HAL_…_INIT of their own, used in the same way. It has a function,
/// hal_…_initialize(out, struct_size), for languages without macros. It sets `struct_size` bytes at `out`, the size of
/// the struct as the caller knows it. Fields that the library does not know become 0. Nothing happens if `out` is NULL
/// or `struct_size` is less than the size of a size_t.
#ifdef __cplusplus
#define HAL_INIT(type) (::halyard_zeroed_struct<type>())
#define HAL_INIT_STRUCT(type, ...) (type{__VA_ARGS__})
extern "C++" {
template <class T>
constexpr T halyard_zeroed_struct() {
  T zeroed{};
  zeroed.struct_size = sizeof(T);
  return zeroed;
}
}
#else
#define HAL_INIT(type) \
  { .struct_size = sizeof(type) }
#define HAL_INIT_STRUCT(type, ...) \
  { __VA_ARGS__ }
#endif

HAL_EXTERN_C_BEGIN

/// A value that no enum of this API uses; it makes every enum 32 bits wide in C and in C++.
#define HAL_ENUM_FORCE_32 0x7FFFFFFF

/// A length that means: from the offset to the end of the buffer.
#define HAL_WHOLE_SIZE 0xFFFFFFFFFFFFFFFF

/// The slot of a reference that names neither a buffer nor a slot.
#define HAL_NO_SLOT 0xFFFFFFFFu

/// A timeout in nanoseconds that never runs out.
#define HAL_TIMEOUT_INFINITE 0xFFFFFFFFFFFFFFFF

/// Text of a known length in bytes. UTF-8; need not end in a zero byte. A frozen struct, passed by value.
///
/// A string that the library returns lives as long as the object it came from, and is followed by a zero byte.
typedef struct hal_string_view_t {
  const char* data;  ///< may be NULL if `size` is 0
  size_t size;       ///< bytes
} hal_string_view_t;

/// Makes a view of a string that ends in a zero byte; NULL gives the empty view. Thread-safe.
static inline hal_string_view_t hal_string_view(const char* text) {
  hal_string_view_t view;
  view.data = text;
  view.size = text ? strlen(text) : 0;
  return view;
}

/// A view of a string literal, to initialise with, also static objects. As an argument in C use hal_string_view(), or
/// name the type as for HAL_INIT_STRUCT.
#define HAL_STRING_LITERAL(literal) HAL_INIT_STRUCT(hal_string_view_t, (literal), sizeof(literal) - 1)

/// Three sizes, in the order x, y, z. A frozen struct.
typedef struct hal_dim3_t {
  /// First size; varies fastest.
  uint32_t x;
  /// Second size.
  uint32_t y;
  /// Third size.
  uint32_t z;
} hal_dim3_t;

/// Makes a hal_dim3_t. Thread-safe.
static inline hal_dim3_t hal_dim3(uint32_t x, uint32_t y, uint32_t z) {
  hal_dim3_t dim;
  dim.x = x;
  dim.y = y;
  dim.z = z;
  return dim;
}

/// Which queues of a device may run an operation: bit i stands for queue i.
typedef uint64_t hal_queue_mask_t;
/// Any queue: the device chooses.
#define HAL_QUEUE_ANY 0xFFFFFFFFFFFFFFFF

/// @name Opaque objects
/// All are reference counted: `hal_<object>_retain` and `hal_<object>_release` may be called from any thread and
/// from callbacks, and accept NULL. A child keeps its device alive. See docs/ownership.md.
/// @{
typedef struct hal_registry_t hal_registry_t;                            ///< knows drivers; opens devices by URI
typedef struct hal_driver_t hal_driver_t;                                ///< one backend that could be loaded
typedef struct hal_device_t hal_device_t;                                ///< one device, with its queues
typedef struct hal_allocator_t hal_allocator_t;                          ///< a device's memory
typedef struct hal_buffer_t hal_buffer_t;                                ///< a range of device-visible memory
typedef struct hal_buffer_view_t hal_buffer_view_t;                      ///< a buffer with element type and shape
typedef struct hal_semaphore_t hal_semaphore_t;                          ///< a monotonic 64-bit timeline
typedef struct hal_channel_t hal_channel_t;                              ///< a rank of a group of devices
typedef struct hal_device_group_t hal_device_group_t;                    ///< several devices that work together
typedef struct hal_stream_t hal_stream_t;                                ///< work in order, on one timeline
typedef struct hal_fence_t hal_fence_t;                                  ///< a set of points on timelines
typedef struct hal_event_t hal_event_t;                                  ///< a split barrier in a command buffer
typedef struct hal_command_buffer_t hal_command_buffer_t;                ///< recorded commands that a queue executes
typedef struct hal_executable_t hal_executable_t;                        ///< loaded kernels
typedef struct hal_executable_cache_t hal_executable_cache_t;            ///< executables by content
typedef struct hal_descriptor_set_layout_t hal_descriptor_set_layout_t;  ///< the bindings of one set
typedef struct hal_pipeline_layout_t hal_pipeline_layout_t;              ///< sets and constants of an export
typedef struct hal_file_t hal_file_t;                                    ///< a source or target of queue I/O
/// @}

/// Where the library takes its own host memory from.
///
/// `allocate` returns `size` bytes aligned to `alignment` (a power of two), or NULL. `free` gets what `allocate`
/// returned together with the same size and alignment. Both may be called from any thread, at the same time.
typedef struct hal_host_allocator_t {
  size_t struct_size;                                                          ///< sizeof(hal_host_allocator_t)
  void* user_data;                                                             ///< passed to both functions
  void* (*allocate)(void* user_data, size_t size, size_t alignment);           ///< must not throw
  void (*free)(void* user_data, void* memory, size_t size, size_t alignment);  ///< must not throw
} hal_host_allocator_t;

/// How much a log message matters.
typedef enum hal_log_level_t {
  HAL_LOG_LEVEL_DEBUG = 0,
  HAL_LOG_LEVEL_INFO = 1,
  HAL_LOG_LEVEL_WARNING = 2,
  HAL_LOG_LEVEL_ERROR = 3,
  HAL_LOG_LEVEL_FORCE_32 = HAL_ENUM_FORCE_32
} hal_log_level_t;

/// Receives log messages, from any thread, possibly several at once. Must not call the library. If it throws, the
/// library writes the message to the standard error stream.
typedef void (*hal_log_fn_t)(void* user_data, hal_log_level_t level, hal_string_view_t message);

/// Sends log messages of at least `level` to `callback`; NULL silences the library. At first, warnings and errors go
/// to the standard error stream. Thread-safe; a message under way on another thread may still reach the old callback.
HAL_API void hal_set_log_callback(hal_log_fn_t callback, void* user_data, hal_log_level_t level);

/// The version of the library that is loaded, as HAL_VERSION. Thread-safe.
HAL_API uint32_t hal_version(void);

HAL_EXTERN_C_END

#endif  // HALYARD_BASE_H_
