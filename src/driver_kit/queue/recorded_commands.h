// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A list of commands that owns all it refers to.
#ifndef HALYARD_DRIVER_KIT_QUEUE_RECORDED_COMMANDS_H_
#define HALYARD_DRIVER_KIT_QUEUE_RECORDED_COMMANDS_H_

#include <span>

#include "base/arena.h"
#include "base/host_memory.h"
#include "driver_kit/object/object.h"
#include "halyard/driver_api.h"

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

/// Deep copies of commands: data, constants, bindings, shapes and labels lie in its arena, and the objects that they
/// name are retained. Used for command buffers and for single commands on a queue. Keeps its memory when cleared.
class RecordedCommands {
 public:
  void Append(const hal_command_t& command);
  std::span<const hal_command_t> commands() const { return commands_; }
  void Clear() noexcept;

 private:
  void Own(hal_buffer_ref_t ref) { retained_.Add(ref.buffer); }
  void OwnDispatch(hal_command_dispatch_t& dispatch);
  const hal_shape_t* CopyShapes(const hal_shape_t* shapes, size_t count);
  void OwnWaitEvents(hal_command_wait_events_t& wait);

  HostVector<hal_command_t> commands_;
  Arena arena_;
  RetainedObjects retained_;
};

}  // namespace halyard

#endif  // HALYARD_DRIVER_KIT_QUEUE_RECORDED_COMMANDS_H_
