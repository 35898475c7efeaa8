// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The driver of a vendor's devices: what CUDA's and HIP's have in common is all of it.
#ifndef HALYARD_STREAM_VENDOR_DRIVER_H_
#define HALYARD_STREAM_VENDOR_DRIVER_H_

#include <memory>
#include <utility>

#include "stream/stream_driver.h"

namespace halyard::stream {

/// @tparam Api  the vendor's calls for one device, a VendorApi<Vendor>. Its Describe() reads what the device can do,
/// and
///              its Open() makes calls possible.
/// A Vendor says, beside what vendor_call.h lists,
///
///     static constexpr char kDriver[];        // the driver's name
///     static constexpr char kHidden[];        // the variables that hide devices
///     static HostString FormatUuid(Uuid);     // the id of a device, as the vendor's tools write it
template <class Vendor, class Api>
class VendorDriver final : public StreamDriver {
 public:
  using Library = typename Vendor::Library;

  static Status Create(const hal_driver_interface_t& completed, hal_driver_t** out_driver) {
    const Library* library = nullptr;
    HAL_TRY(Library::Get(&library));
    std::unique_ptr<VendorDriver> driver(new VendorDriver(completed, *library));
    HAL_TRY(driver->template Enumerate<Vendor>(*library, Vendor::kHidden, Vendor::FormatUuid));
    *out_driver = driver.release();
    return kOk;
  }

 private:
  VendorDriver(const hal_driver_interface_t& completed, const Library& library)
      : StreamDriver(completed, Vendor::kDriver), library_(library) {}

  Status Open(int ordinal, std::unique_ptr<NativeApi>* out_api) const override {
    auto api = std::make_unique<Api>(library_, ordinal);
    HAL_TRY(api->Open());
    *out_api = std::move(api);
    return kOk;
  }
  Status Describe(int ordinal, std::unique_ptr<NativeApi>* out_api) const override {
    auto api = std::make_unique<Api>(library_, ordinal);
    HAL_TRY(api->Describe());
    *out_api = std::move(api);
    return kOk;
  }

  const Library& library_;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_VENDOR_DRIVER_H_
