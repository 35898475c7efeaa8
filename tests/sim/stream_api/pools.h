// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory pools: what the vendors' functions do, under the runtime's lock.
#ifndef HALYARD_TESTS_SIM_STREAM_API_POOLS_H_
#define HALYARD_TESTS_SIM_STREAM_API_POOLS_H_

#include "stream_api/call.h"

namespace halyard::sim {

// The numbers are the same for all vendors.
enum class PoolAttribute : int {
  kFollowEventDependencies = 1,
  kAllowOpportunistic,
  kAllowInternalDependencies,
  kReleaseThreshold,
  kReservedCurrent,
  kReservedHigh,
  kUsedCurrent,
  kUsedHigh,
};

// Of the vendors' descriptions, which are all alike. `max_size` in bytes; 0 for no bound.
template <typename Props>
Error CreatePool(Out pool, const Props* props, size_t max_size);
Error CreatePoolOn(int device, size_t max_size, Out pool);

Error DestroyPool(const void* pool);
Error SetPoolAttribute(const void* pool, PoolAttribute attribute, const void* value);
Error GetPoolAttribute(const void* pool, PoolAttribute attribute, void* value);
// Lets a device other than the pool's own use its memory, or no longer.
Error SetPoolAccess(const void* pool, int device, bool accessible);
Error TrimPool(const void* pool, size_t bytes_to_keep);
Error AllocateFromPool(Out address, size_t bytes, const void* pool, const void* stream);
// `call` is what reports name.
Error FreeToPool(Word address, const void* stream, const char* call);

template <typename Props>
Error CreatePool(Out pool, const Props* props, size_t max_size) {
  constexpr int kPinned = 1;
  constexpr int kDevice = 1;
  if (pool.IsNull() || props == nullptr) return Error::kInvalidValue;
  const bool known = static_cast<int>(props->allocType) == kPinned && static_cast<int>(props->location.type) == kDevice;
  return known ? CreatePoolOn(props->location.id, max_size, pool) : Error::kInvalidValue;
}

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_STREAM_API_POOLS_H_
