// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The linker (--wrap, see CMakeLists.txt) calls these functions in the place of the driver's.
#include "metal/mutants/driver_defects.h"

#include "metal/queue/metal_lane.h"
#include "metal/recording/metal_staging.h"
#include "submission/block_memory.h"

#define HALYARD_TAKE "_ZN7halyard5metal12MetalStaging4TakeEmmPNS0_11StagedBytesE"
#define HALYARD_TAKE_ROOM "_ZN7halyard5metal9MetalLane8TakeRoomERNS0_11MetalActionE"
#define HALYARD_ACQUIRE "_ZN7halyard11BlockMemory7AcquireERKNS_12BlockRequestEmPNS_10QueuePointEPPNS_11MemoryBlockE"

namespace halyard::metal {
namespace {

DriverDefect g_defect = DriverDefect::kNone;

}  // namespace

void SetDefect(DriverDefect defect) { g_defect = defect; }

Status RealTake(MetalStaging*, uint64_t, uint64_t, StagedBytes*) __asm__("__real_" HALYARD_TAKE);
Status Take(MetalStaging*, uint64_t, uint64_t, StagedBytes*) __asm__("__wrap_" HALYARD_TAKE);
bool RealTakeRoom(MetalLane*, MetalAction&) __asm__("__real_" HALYARD_TAKE_ROOM);
bool TakeRoom(MetalLane*, MetalAction&) __asm__("__wrap_" HALYARD_TAKE_ROOM);
Status RealAcquire(BlockMemory*, const BlockRequest&, hal_queue_mask_t, QueuePoint*,
                   MemoryBlock**) __asm__("__real_" HALYARD_ACQUIRE);
Status Acquire(BlockMemory*, const BlockRequest&, hal_queue_mask_t, QueuePoint*,
               MemoryBlock**) __asm__("__wrap_" HALYARD_ACQUIRE);

Status Take(MetalStaging* staging, uint64_t length, uint64_t alignment, StagedBytes* out) {
  if (g_defect == DriverDefect::kReusesStagingEarly) staging->Begin(0, 0);  // all that used a block is completed
  return RealTake(staging, length, alignment, out);
}

bool TakeRoom(MetalLane* lane, MetalAction& action) {
  return g_defect == DriverDefect::kIgnoresInFlight || RealTakeRoom(lane, action);
}

Status Acquire(BlockMemory* memory, const BlockRequest& request, hal_queue_mask_t queues, QueuePoint* after,
               MemoryBlock** out_block) {
  const QueuePoint before = *after;
  const Status status = RealAcquire(memory, request, queues, after, out_block);
  if (g_defect == DriverDefect::kForgetsPredecessors) *after = before;
  return status;
}

}  // namespace halyard::metal
