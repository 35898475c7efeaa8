// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Primary contexts, and which one is current.
#include "cuda/call.h"
#include "cuda/entry_points.h"
#include "stream_api/attributes.h"

namespace halyard::cuda::abi {
namespace {

// The lowest and the highest priority of a stream; lower numbers come first.
constexpr int kLeastPriority = 0;
constexpr int kGreatestPriority = -5;

}  // namespace

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return Call(__func__, Requires::kInit, [&] {
    sim::Device* found = FindDevice(device);
    if (found == nullptr) return Error::kInvalidDevice;
    if (context == nullptr) return Error::kInvalidValue;
    if (found->primary == nullptr) {
      found->primary = std::make_shared<sim::Context>(*found);
      Runtime::Get().contexts.Add(found->primary);
    }
    ++found->primary_references;
    *context = ToHandle<CUcontext>(found->primary.get());
    return Error::kSuccess;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return Call(__func__, Requires::kInit, [&](Lock& lock) {
    sim::Device* found = FindDevice(device);
    if (found == nullptr) return Error::kInvalidDevice;
    if (found->primary == nullptr) return Error::kInvalidContext;
    if (--found->primary_references != 0) return Error::kSuccess;
    const auto context = std::move(found->primary);
    found->primary = nullptr;
    Runtime::Get().Synchronize(context, lock);
    Runtime::Get().DestroyContext(context);
    return Error::kSuccess;
  });
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned int flags) {
  return Call(__func__, Requires::kInit, [&] {
    sim::Device* found = FindDevice(device);
    if (found == nullptr) return Error::kInvalidDevice;
    found->primary_flags = flags;
    return Error::kSuccess;
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active) {
  return Call(__func__, Requires::kInit, [&] {
    const sim::Device* found = FindDevice(device);
    if (found == nullptr) return Error::kInvalidDevice;
    if (flags == nullptr || active == nullptr) return Error::kInvalidValue;
    *flags = found->primary_flags;
    *active = found->primary != nullptr ? 1 : 0;
    return Error::kSuccess;
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return Call(__func__, Requires::kInit, [&] {
    auto found = FindContext(context);
    if (found == nullptr) return Error::kInvalidContext;
    sim::ContextStack().push_back(std::move(found));
    return Error::kSuccess;
  });
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  return Call(__func__, Requires::kInit, [&] {
    auto& stack = sim::ContextStack();
    if (stack.empty()) return Error::kInvalidContext;
    if (context != nullptr) *context = ToHandle<CUcontext>(stack.back().get());
    stack.pop_back();
    return Error::kSuccess;
  });
}

// Replaces the top of the stack; null takes it away.
CUresult cuCtxSetCurrent(CUcontext context) {
  return Call(__func__, Requires::kInit, [&] {
    auto found = context == nullptr ? nullptr : FindContext(context);
    if (context != nullptr && found == nullptr) return Error::kInvalidContext;
    auto& stack = sim::ContextStack();
    if (!stack.empty()) stack.pop_back();
    if (found != nullptr) stack.push_back(std::move(found));
    return Error::kSuccess;
  });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  return Call(__func__, Requires::kInit, [&] {
    if (context == nullptr) return Error::kInvalidValue;
    *context = ToHandle<CUcontext>(CurrentContext().get());
    return Error::kSuccess;
  });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return Call(__func__, Requires::kContext, [&] { return CurrentDevice(device); });
}

CUresult cuCtxSynchronize() {
  return Call(__func__, Requires::kContext, [&](Lock& lock) {
    const auto context = CurrentContext();
    Runtime::Get().Synchronize(context, lock);
    return context->lost;
  });
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return Call(__func__, Requires::kContext, [&] {
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
    return Error::kSuccess;
  });
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindContext(peer);
    if (found == nullptr || found == CurrentContext()) return Error::kInvalidContext;
    return EnablePeer(*CurrentContext(), found->device.ordinal, flags);
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return Call(__func__, Requires::kContext, [&] {
    const auto found = FindContext(peer);
    if (found == nullptr) return Error::kInvalidContext;
    return CurrentContext()->peers.erase(found->device.ordinal) != 0 ? Error::kSuccess : Error::kPeerNotEnabled;
  });
}

}  // namespace halyard::cuda::abi
