// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists in arrays of the caller, whose structs may be of another version.
#ifndef HALYARD_CORE_VALIDATION_LISTING_H_
#define HALYARD_CORE_VALIDATION_LISTING_H_

#include <span>

#include "core/validation/checks.h"

namespace halyard {

/// Writes `items` into `array`, which has room for `*count` elements, each as large as the first one's `struct_size`
/// says. `*count` becomes the number of items, also if there is no array or too little room (OUT_OF_RANGE).
template <class T>
Status WriteStructList(const char* function, const char* argument, std::span<const T> items, size_t* count, T* array) {
  const size_t capacity = *count;
  *count = items.size();
  if (!array || items.empty()) return kOk;
  if (capacity < items.size()) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "%s: %s has room for %zu elements, but there are %zu", function, argument,
                capacity, items.size());
  }
  const size_t stride = array->struct_size;
  auto* bytes = reinterpret_cast<unsigned char*>(array);
  for (const T& item : items) {
    if (Status status = WriteStruct(function, argument, item, reinterpret_cast<T*>(bytes)); status != kOk) {
      *count = 0;
      return status;
    }
    bytes += stride;
  }
  return kOk;
}

/// Reads a whole list from a driver. `query(count, array)` answers as the public function does; `blank` is an element
/// before it is filled in.
template <class T, class Query>
Status ReadStructList(const T& blank, Query&& query, HostVector<T>* out) {
  size_t count = 0;
  Status status = query(&count, nullptr);
  // The list may have grown since it was counted, e.g. when a device is plugged in.
  for (int attempt = 0; status == kOk && attempt < 4; ++attempt) {
    out->assign(count, blank);
    if (count == 0) return kOk;
    status = query(&count, out->data());
    if (status == kOk) {
      out->resize(std::min(count, out->size()), blank);
      return kOk;
    }
    if (status == HAL_STATUS_OUT_OF_RANGE && count > out->size()) status = kOk;
  }
  if (status != kOk) return status;
  return FailWith(HAL_STATUS_UNAVAILABLE, "the list keeps growing while it is read");
}

}  // namespace halyard

#endif  // HALYARD_CORE_VALIDATION_LISTING_H_
