// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A queue of the simulated framework, and what else tests of its execution need.
#ifndef HALYARD_SIM_METAL_UNIT_WORK_TEST_H_
#define HALYARD_SIM_METAL_UNIT_WORK_TEST_H_

#include <functional>
#include <memory>
#include <semaphore>

#include "framework_test.h"

namespace halyard::metal_sim {

using Done = std::shared_ptr<std::binary_semaphore>;

class WorkTest : public FrameworkTest {
 protected:
  static constexpr MTLResourceOptions kUntracked = MTLResourceHazardTrackingModeUntracked;

  WorkTest();
  ~WorkTest() override;

  // The pool of the test owns what these make.
  id<MTLBuffer> Buffer(NSUInteger length, MTLResourceOptions options = kUntracked);
  // A kernel of kKernels, in work_test.mm.
  id<MTLComputePipelineState> Pipeline(NSString* name);
  id<MTLSharedEvent> Event();
  id<MTLFence> Fence();

  // Commits; the semaphore is released when the completed handler has been called.
  static Done Commit(id<MTLCommandBuffer> commands);
  static void Run(id<MTLCommandBuffer> commands) { Commit(commands)->acquire(); }
  // Encodes one thread of a kernel of one buffer.
  void Dispatch(id<MTLComputeCommandEncoder> encoder, NSString* kernel, id<MTLBuffer> buffer);
  // An encoder of its own for that. The fences may be null.
  void Encode(id<MTLCommandBuffer> commands, NSString* kernel, id<MTLBuffer> buffer, id<MTLFence> wait = nil,
              id<MTLFence> update = nil);
  static uint32_t& Word(id<MTLBuffer> buffer) { return *static_cast<uint32_t*>([buffer contents]); }
  // Whether some attempt of many answers yes: for orders that are chosen at random.
  static bool Happens(const std::function<bool()>& attempt);
  static constexpr int kAttempts = 100;

  id<MTLCommandQueue> queue_ = nil;
};

}  // namespace halyard::metal_sim

#endif  // HALYARD_SIM_METAL_UNIT_WORK_TEST_H_
