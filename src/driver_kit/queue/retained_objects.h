// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// References that are given back together.
#ifndef HALYARD_DRIVER_KIT_QUEUE_RETAINED_OBJECTS_H_
#define HALYARD_DRIVER_KIT_QUEUE_RETAINED_OBJECTS_H_

#include "base/host_memory.h"
#include "driver_kit/object/object.h"

namespace halyard {

/// A bag of references to HAL objects of any kind. Keeps its capacity when cleared.
class RetainedObjects {
 public:
  RetainedObjects() = default;
  RetainedObjects(const RetainedObjects&) = delete;
  RetainedObjects& operator=(const RetainedObjects&) = delete;
  ~RetainedObjects() { Clear(); }

  /// NULL is ignored.
  template <class T>
  void Add(T* object) {
    if (!object) return;
    objects_.push_back(reinterpret_cast<hal_object_t*>(object));
    Retain(object);
  }

  void Clear() noexcept {
    for (hal_object_t* object : objects_) ReleaseObject(object);
    objects_.clear();
  }

 private:
  HostVector<hal_object_t*> objects_;
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_RETAINED_OBJECTS_H_
