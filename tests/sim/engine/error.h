// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a simulated call answers. Each vendor's layer has its own word for each.
#ifndef HALYARD_TESTS_SIM_ENGINE_ERROR_H_
#define HALYARD_TESTS_SIM_ENGINE_ERROR_H_

namespace halyard::sim {

enum class Error {
  kSuccess,
  kInvalidValue,
  kInvalidGrid,     // a launch beyond what the device allows
  kTooManyThreads,  // more threads in a block than the function was compiled for
  kOutOfMemory,
  kNotInitialized,
  kDeinitialized,
  kNoDevice,
  kInvalidDevice,
  kInvalidImage,
  kInvalidSource,
  kNoHostCode,
  kInvalidContext,
  kContextDestroyed,
  kInvalidHandle,
  kNotFound,
  kNotReady,
  kNotPermitted,
  kNotSupported,
  kCaptureForbids,
  kCaptureInvalidated,
  kCaptureUnmatched,
  kCaptureOfOtherThread,
  kPeerUnsupported,
  kPeerAlreadyEnabled,
  kPeerNotEnabled,
  kAlreadyRegistered,
  kNotRegistered,
  kIllegalAddress,
  kLaunchFailed,
  kLaunchTimeout,
  kHardware,
};

}  // namespace halyard::sim

#endif  // HALYARD_TESTS_SIM_ENGINE_ERROR_H_
