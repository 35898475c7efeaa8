// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// Channels in C++.
#ifndef HALYARD_CPP_CHANNEL_HPP_
#define HALYARD_CPP_CHANNEL_HPP_

#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "halyard/channel.h"
#include "halyard/cpp/handle.hpp"
#include "halyard/cpp/macros_begin.hpp"
#include "halyard/cpp/semaphore.hpp"
#include "halyard/cpp/status.hpp"

HAL_CPP_BEGIN

/// A rank of a group of devices. Queue::Collective() submits its operations.
class Channel : public Handle<hal_channel_t, hal_channel_retain, hal_channel_release> {
 public:
  using Handle::Handle;
  static Returned<hal_channel_id_t> CreateId() {
    hal_channel_id_t id = {};
    const hal_status_t code = hal_channel_create_id(&id);
    return detail::Finish(code, std::move(id));
  }
  static Returned<Channel> Create(hal_device_t* device, const hal_channel_params_t& params) {
    return detail::Make<Channel>([&](auto** out) { return hal_channel_create(device, &params, out); });
  }
  /// One channel of several devices of the process: device `i` has rank `i`.
  static Returned<std::vector<Channel>> CreateAll(const std::vector<hal_device_t*>& devices, uint64_t timeout_ns = 0) {
    std::vector<hal_channel_t*> made(devices.size());
    const hal_status_t code = hal_channel_create_all(devices.size(), devices.data(), timeout_ns, made.data());
    std::vector<Channel> channels;
    for (hal_channel_t* const channel : made) {
      if (code == HAL_STATUS_OK) channels.emplace_back(channel);
    }
    return detail::Finish(code, std::move(channels));
  }
  /// Empty with HAL_CHANNEL_NO_COLOR.
  Returned<Channel> Split(uint32_t color, int32_t key) const {
    return detail::Make<Channel>([&](auto** out) { return hal_channel_split(get(), color, key, out); });
  }
  Channel Share() const { return Channel(Retained()); }

  Returned<hal_channel_info_t> Query() const {
    hal_channel_info_t info = HAL_INIT(hal_channel_info_t);
    const hal_status_t code = hal_channel_query(get(), &info);
    return detail::Finish(code, std::move(info));
  }
  Done Wait() const { return detail::Finish(hal_channel_wait(get(), HAL_TIMEOUT_INFINITE)); }
  /// Whether all ranks came in time.
  template <class Rep, class Period>
  Returned<bool> WaitFor(std::chrono::duration<Rep, Period> timeout) const {
    return detail::InTime(hal_channel_wait(get(), detail::Timeout(timeout)));
  }
  Done Abort(hal_status_t code, std::string_view message) const {
    return detail::Finish(hal_channel_abort(get(), code, View(message)));
  }
};

HAL_CPP_END

#include "halyard/cpp/macros_end.hpp"

#endif  // HALYARD_CPP_CHANNEL_HPP_
