// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How functions of the API hand out lists, and how a device is picked from one.
#ifndef HALYARD_DRIVER_KIT_DEVICE_LISTS_H_
#define HALYARD_DRIVER_KIT_DEVICE_LISTS_H_

#include <algorithm>
#include <charconv>
#include <span>
#include <string_view>

#include "base/status.h"
#include "base/text/suggestions.h"

namespace halyard {

/// Answers a query of a list: `*count` is the capacity of `out` before and the length of the list afterwards; with
/// `out` NULL only the length is given. OUT_OF_RANGE if the capacity is too small.
template <class T>
Status WriteList(std::span<const T> items, size_t* count, T* out) {
  const size_t capacity = *count;
  *count = items.size();
  if (!out) return kOk;
  if (capacity < items.size()) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "there are %zu elements, but room for %zu only", items.size(), capacity);
  }
  std::copy(items.begin(), items.end(), out);
  return kOk;
}

/// Picks a device of a driver: by id, by ordinal, or the first one for the empty id.
inline Status FindDevice(std::string_view driver, std::string_view id, std::span<const std::string_view> ids,
                         size_t* out_index) {
  *out_index = 0;
  if (id.empty() && !ids.empty()) return kOk;
  const auto found = std::find(ids.begin(), ids.end(), id);
  if (found != ids.end()) {
    *out_index = static_cast<size_t>(found - ids.begin());
    return kOk;
  }
  const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), *out_index);
  const bool is_ordinal = error == std::errc() && end == id.data() + id.size();
  if (is_ordinal && *out_index < ids.size()) return kOk;
  const HostString known = SuggestionText(id, ids);
  if (is_ordinal) {
    return Fail(HAL_STATUS_NOT_FOUND, "driver '%.*s' has no device %.*s: it has %zu, counted from 0; %s",
                HALYARD_SV(driver), HALYARD_SV(id), ids.size(), known.c_str());
  }
  return Fail(HAL_STATUS_NOT_FOUND, "driver '%.*s' has no device '%.*s'; %s", HALYARD_SV(driver), HALYARD_SV(id),
              known.c_str());
}

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_DEVICE_LISTS_H_
