// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of Apple's Metal that drivers/metal uses, declared as Apple declares it, for builds without a Mac.
// Sources include <Metal/Metal.h> alone, so that they compile with Apple's headers unchanged.
#ifndef HALYARD_SIM_METAL_METAL_H_
#define HALYARD_SIM_METAL_METAL_H_

#import <Metal/MTLCaptureManager.h>
#import <Metal/MTLCommandBuffer.h>
#import <Metal/MTLCommandEncoder.h>
#import <Metal/MTLComputePipeline.h>
#import <Metal/MTLCounters.h>
#import <Metal/MTLDevice.h>
#import <Metal/MTLEvent.h>
#import <Metal/MTLLibrary.h>
#import <Metal/MTLLogState.h>
#import <Metal/MTLPass.h>
#import <Metal/MTLResource.h>
#import <Metal/MTLTypes.h>

#endif  // HALYARD_SIM_METAL_METAL_H_
