// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Validation (HALYARD_VALIDATION=1): every handle that the application has been given.
#ifndef HALYARD_DRIVER_KIT_OBJECT_HANDLE_TABLE_H_
#define HALYARD_DRIVER_KIT_OBJECT_HANDLE_TABLE_H_

#include <cstddef>

#include "base/host_memory.h"
#include "halyard/driver_api.h"

namespace halyard {

/// Knows which references are the application's, and keeps the memory of destroyed objects for a while, so that their
/// handles can be told. Its own memory comes from the application's allocator. All functions are thread-safe.
class HandleTable {
 public:
  /// Blocks of destroyed objects that are kept: the newest ones, at most so many and so many bytes together.
  static constexpr size_t kMostKept = 65536;
  static constexpr size_t kMostKeptBytes = size_t{64} << 20;

  /// The application gets a reference from the public function `function`.
  static void Given(hal_object_t* object, const char* function) noexcept;
  /// The application gets a handle without a reference: an allocator.
  static void Lent(hal_object_t* object, const char* function) noexcept;

  /// The application retains or releases a handle that should be of kind `wanted`, which is not NULL. False if that is
  /// wrong: then the log and this thread's message say why, and nothing may be done.
  [[gnu::cold]] static bool Retained(hal_object_t* object, hal_object_kind_t wanted) noexcept;
  [[gnu::cold]] static bool Released(hal_object_t* object, hal_object_kind_t wanted) noexcept;

  /// The object has no reference left and is destroyed next.
  [[gnu::cold]] static void Destroying(hal_object_t* object) noexcept;
  /// Before each block of the library's memory is freed; whether the table keeps it, as an object was in it.
  static bool KeepBlock(void* memory, size_t size, size_t alignment) noexcept;

  /// What became of a handle of a destroyed object: " (made by hal_semaphore_create)". Empty if that is not known.
  static HostString History(const hal_object_t* object);
  /// The objects of which the application has references, the oldest first, at most `most` of them: "a fence (made by
  /// hal_fence_create at app+0x1234)". `*out_count` is how many there are.
  static HostVector<HostString> DescribeGiven(size_t most, size_t* out_count);

  /// Frees all that is kept and forgets all. No other thread may be in the library.
  static void Clear() noexcept;
};

/// Whether validation is on. Written within the first allocation of host memory, and when the library is shut down. So
/// all threads that have an object see the same; a plain variable is enough.
#if defined(__ELF__)
[[gnu::visibility("hidden")]]
#endif
extern bool g_validation_is_on;
inline bool ValidationIsOn() noexcept { return g_validation_is_on; }
/// Retains or releases for the application, unless HandleTable finds that wrong.
[[gnu::cold]] void RetainValidated(hal_object_t* object, hal_object_kind_t wanted) noexcept;
[[gnu::cold]] void ReleaseValidated(hal_object_t* object, hal_object_kind_t wanted) noexcept;
/// The library is shut down: frees what validation keeps. The next use reads HALYARD_VALIDATION again.
void EndValidation() noexcept;

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_OBJECT_HANDLE_TABLE_H_
