// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NCCL or RCCL: loaded at run time, every failure as a status with a message.
#ifndef HALYARD_STREAM_NATIVE_NCCL_LIBRARY_H_
#define HALYARD_STREAM_NATIVE_NCCL_LIBRARY_H_

#include <mutex>

#include "base/host_memory.h"
#include "base/status.h"
#include "base/vendor_gate.h"
#include "driver_kit/device/vendor_library.h"
#include "stream/native/nccl_abi.h"

namespace halyard::stream {

/// How a vendor calls its library of collectives.
struct CollectiveNames {
  const char* name;      ///< "NCCL"
  const char* variable;  ///< of the environment, which names another file
  const char* file;      ///< what the loader finds
};

/// The library of one vendor, with its functions. It stays loaded, as it leaves threads behind.
class NcclLibrary : public nccl::NcclFunctions, public HostObject {
 public:
  /// UNAVAILABLE if there is none, or an old one, with the loader's words.
  Status Load(const CollectiveNames& names);

  /// @name The way of the library's own threads into NCCL and RCCL
  /// Two gates, as those libraries leave things to the end of the process when they are loaded, and others when they
  /// first open: a handler of exit() that is registered later runs earlier.
  /// @{
  static VendorGate& OpeningGate();
  static VendorGate& Gate();
  /// Some engine is open: from now on the end of the process closes Gate() before it ends the library.
  static void HasOpened() noexcept;
  /// @}

  /// Held while a group of operations is put into streams: two channels' groups reach all devices in one order, so that
  /// none waits for the other crosswise. Taken under an engine's lock.
  std::mutex& order() const { return order_; }
  /// "NCCL 2.28.9"
  const HostString& name() const { return name_; }
  /// Turns a result into a status: `ncclAllReduce: NCCL 2.28.9: unhandled system error (what it said of the last one)`.
  /// ncclInProgress is no failure.
  Status Check(const char* call, nccl::ncclResult_t result) const {
    return result == nccl::ncclSuccess || result == nccl::ncclInProgress ? kOk : Explain(call, result);
  }

 private:
  Status Explain(const char* call, nccl::ncclResult_t result) const;

  VendorLibrary file_;
  HostString name_;
  mutable std::mutex order_;
};

/// The one of a Vendor, for LoadOnce().
template <class Vendor>
class VendorNccl final : public NcclLibrary {
 public:
  static constexpr const char* kWhat = Vendor::kCollectives.name;
  static constexpr bool kWorksAfterFork = false;
  Status Load() { return NcclLibrary::Load(Vendor::kCollectives); }
};

/// Calls a function of the library and explains a failure: `HALYARD_NCCL(library, ncclCommDestroy, (comm))`.
#define HALYARD_NCCL(library, name, arguments) (library).Check(#name, (library).name arguments)

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_NATIVE_NCCL_LIBRARY_H_
