// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Device groups in C++.
#ifndef HALYARD_CPP_DEVICE_GROUP_HPP_
#define HALYARD_CPP_DEVICE_GROUP_HPP_

#include <span>

#include "halyard/cpp/handle.hpp"
#include "halyard/cpp/macros_begin.hpp"
#include "halyard/device_group.h"

HAL_CPP_BEGIN

/// Several devices that work together.
class DeviceGroup : public Handle<hal_device_group_t, hal_device_group_retain, hal_device_group_release> {
 public:
  using Handle::Handle;
  static Returned<DeviceGroup> Create(std::span<hal_device_t* const> devices) {
    return detail::Make<DeviceGroup>(
        [&](auto** out) { return hal_device_group_create(devices.size(), devices.data(), out); });
  }
  DeviceGroup Share() const { return DeviceGroup(Retained()); }

  size_t size() const { return hal_device_group_count(get()); }
  /// Without a reference of the caller's own.
  hal_device_t* operator[](size_t index) const { return hal_device_group_device(get(), index); }
  const hal_peer_properties_t* Peer(size_t from, size_t to) const { return hal_device_group_peer(get(), from, to); }
  Done BeginProfiling(hal_profiling_flags_t flags, const hal_profiling_sink_t& sink) const {
    return detail::Finish(hal_device_group_profiling_begin(get(), flags, &sink));
  }
  Done EndProfiling() const { return detail::Finish(hal_device_group_profiling_end(get())); }
};

HAL_CPP_END

#include "halyard/cpp/macros_end.hpp"

#endif  // HALYARD_CPP_DEVICE_GROUP_HPP_
