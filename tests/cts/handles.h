// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C API as tests write it. Functions that make something throw if they cannot, which GoogleTest reports as a
// failure with the message; functions whose status a test looks at return it. A handle converts to its C pointer, so
// that whatever is missing here can be called directly.
#ifndef HALYARD_TESTS_CTS_HANDLES_H_
#define HALYARD_TESTS_CTS_HANDLES_H_

#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cts/callbacks.h"
#include "cts/options.h"
#include "halyard/halyard.hpp"

namespace halyard::cts {

/// Throws, with status and message, unless `status` is OK. For what a test needs but does not test.
void Check(hal_status_t status, const char* what);

/// A view of text; it must outlive the view.
inline hal_string_view_t View(std::string_view text) { return {text.data(), text.size()}; }
/// The text of a view.
inline std::string Text(hal_string_view_t view) { return {view.data ? view.data : "", view.size}; }

/// A handle of halyard.hpp that copies, too: tests share objects. A temporary one stands for its C pointer as well, as
/// a call that is given one ends before it.
template <class T, void (*kRetain)(T*), void (*kRelease)(T*)>
class Handle : public hal::Handle<T, kRetain, kRelease> {
  using Base = hal::Handle<T, kRetain, kRelease>;

 public:
  using Base::Base;
  Handle() = default;
  Handle(const Handle& other) : Base(other.Retained()) {}
  Handle(Handle&& other) noexcept = default;
  Handle& operator=(Handle other) noexcept {
    Base::operator=(std::move(other));
    return *this;
  }
  ~Handle() = default;

  operator T*() const { return this->get(); }  // NOLINT(google-explicit-constructor): that is the point
};

using Registry = Handle<hal_registry_t, hal_registry_retain, hal_registry_release>;
using Driver = Handle<hal_driver_t, hal_driver_retain, hal_driver_release>;
using Buffer = Handle<hal_buffer_t, hal_buffer_retain, hal_buffer_release>;
using BufferView = Handle<hal_buffer_view_t, hal_buffer_view_retain, hal_buffer_view_release>;
using Event = Handle<hal_event_t, hal_event_retain, hal_event_release>;
using File = Handle<hal_file_t, hal_file_retain, hal_file_release>;
using ExecutableCache = Handle<hal_executable_cache_t, hal_executable_cache_retain, hal_executable_cache_release>;
using DescriptorSetLayout =
    Handle<hal_descriptor_set_layout_t, hal_descriptor_set_layout_retain, hal_descriptor_set_layout_release>;
using PipelineLayout = Handle<hal_pipeline_layout_t, hal_pipeline_layout_retain, hal_pipeline_layout_release>;

class Semaphore : public Handle<hal_semaphore_t, hal_semaphore_retain, hal_semaphore_release> {
 public:
  using Handle::Handle;
  hal_status_t Signal(uint64_t value) const { return hal_semaphore_signal(*this, value); }
  hal_status_t Fail(hal_status_t status, std::string_view message = "failed by the test") const {
    return hal_semaphore_fail(*this, status, View(message));
  }
  hal_status_t Wait(uint64_t value, uint64_t timeout_ns = kForever) const {
    return hal_semaphore_wait(*this, value, timeout_ns);
  }
  /// OK, or the failure of a failed semaphore.
  hal_status_t Query() const;
  /// The last value reached, failed or not.
  uint64_t Value() const;
  /// Calls `callback` once, when `value` is reached or never will be.
  hal_status_t Notify(uint64_t value, std::function<void(hal_status_t, const std::string& message)> callback,
                      hal_timepoint_t* out_timepoint = nullptr) const;
  hal_status_t Cancel(hal_timepoint_t timepoint) const { return hal_semaphore_cancel(*this, timepoint); }
};

/// Points on timelines, written {{semaphore, 1}, {other, 5}}.
class Points {
 public:
  Points() = default;
  Points(std::initializer_list<hal_timeline_point_t> points) : points_(points) {}
  void Add(hal_semaphore_t* semaphore, uint64_t value) { points_.push_back({semaphore, value}); }
  hal_semaphore_list_t list() const { return {points_.data(), points_.size()}; }
  operator hal_semaphore_list_t() const { return list(); }  // NOLINT(google-explicit-constructor)

 private:
  std::vector<hal_timeline_point_t> points_;
};
inline const Points kNoWaits;
inline const Points kNoSignals;

class Fence : public Handle<hal_fence_t, hal_fence_retain, hal_fence_release> {
 public:
  using Handle::Handle;
  /// Makes a fence that holds `points`.
  explicit Fence(const Points& points);
  hal_status_t Insert(hal_semaphore_t* semaphore, uint64_t value) const {
    return hal_fence_insert(*this, semaphore, value);
  }
  hal_status_t Extend(const Points& points) const { return hal_fence_extend(*this, points); }
  std::vector<hal_timeline_point_t> List() const;
  hal_status_t Query() const { return hal_fence_query(*this); }
  hal_status_t Signal() const { return hal_fence_signal(*this); }
  hal_status_t Fail(hal_status_t status, std::string_view message = "failed by the test") const {
    return hal_fence_fail(*this, status, View(message));
  }
  hal_status_t Wait(uint64_t timeout_ns = kForever) const { return hal_fence_wait(*this, timeout_ns); }
};

/// A range of a buffer; a buffer alone stands for all of it.
class Ref {
 public:
  Ref(const Buffer& buffer, uint64_t offset = 0,
      uint64_t length = HAL_WHOLE_SIZE)  // NOLINT(google-explicit-constructor)
      : ref_(hal_buffer_ref(buffer, offset, length)) {}
  Ref(const hal_buffer_ref_t& ref) : ref_(ref) {}     // NOLINT(google-explicit-constructor)
  operator hal_buffer_ref_t() const { return ref_; }  // NOLINT(google-explicit-constructor)

 private:
  hal_buffer_ref_t ref_;
};
/// A range of what the binding table holds in a slot.
inline Ref Slot(uint32_t slot, uint64_t offset = 0, uint64_t length = HAL_WHOLE_SIZE) {
  return hal_slot_ref(slot, offset, length);
}

/// The parameters of a dispatch, put together in the order in which they read:
/// `Dispatch().Workgroups(4).Constant(uint32_t{7}).Bind(input).Bind(output)`.
class Dispatch {
 public:
  Dispatch& Workgroups(uint32_t x, uint32_t y = 1, uint32_t z = 1) {
    params_.workgroup_count = hal_dim3(x, y, z);
    return *this;
  }
  /// As many workgroups as there are work-items, for kernels that go on to whichever element they are sent to.
  Dispatch& WorkItems(uint64_t count) { return Workgroups(static_cast<uint32_t>(count)).WorkgroupSize(1); }
  Dispatch& WorkgroupSize(uint32_t x, uint32_t y = 1, uint32_t z = 1) {
    params_.workgroup_size = hal_dim3(x, y, z);
    return *this;
  }
  /// Takes the number of workgroups from a buffer.
  Dispatch& Indirect(const Ref& counts) {
    params_.flags |= HAL_DISPATCH_INDIRECT;
    params_.indirect = counts;
    return *this;
  }
  Dispatch& LocalMemory(uint32_t bytes) {
    params_.dynamic_local_memory = bytes;
    return *this;
  }
  /// Appends a constant, at the next multiple of its alignment as in a C struct.
  template <class T>
  Dispatch& Constant(const T& value) {
    const size_t offset = (constants_.size() + alignof(T) - 1) / alignof(T) * alignof(T);
    constants_.resize(offset + sizeof(T));
    std::memcpy(constants_.data() + offset, &value, sizeof(T));
    return *this;
  }
  /// Appends a constant that each execution takes from byte `offset` of its block of numbers.
  template <class T>
  Dispatch& ConstantFrom(uint32_t offset, const T& recorded = T()) {
    Constant(recorded);
    return NumberFrom(HAL_NUMBER_KIND_CONSTANTS, static_cast<uint32_t>(constants_.size() - sizeof(T)), offset,
                      sizeof(T));
  }
  /// The workgroup counts in the dimensions from `dimension` on come from byte `offset` of the block.
  Dispatch& CountsFrom(uint32_t dimension, uint32_t count, uint32_t offset) {
    return NumberFrom(HAL_NUMBER_KIND_WORKGROUP_COUNT, 4 * dimension, offset, 4 * count);
  }
  Dispatch& NumberFrom(hal_number_kind_t kind, uint32_t target_offset, uint32_t offset, uint32_t length) {
    numbers_.push_back({kind, target_offset, offset, length});
    return *this;
  }
  /// Appends a binding, and keeps its buffer alive as long as this object.
  Dispatch& Bind(const Ref& ref) {
    bindings_.push_back(ref);
    hal_buffer_retain(bindings_.back().buffer);
    kept_.emplace_back(bindings_.back().buffer);
    return *this;
  }
  /// The C struct; it points into this object.
  const hal_dispatch_params_t* params() const {
    params_.constants = constants_.data();
    params_.constants_size = static_cast<uint32_t>(constants_.size());
    params_.bindings = hal_buffer_ref_list(bindings_.data(), bindings_.size());
    params_.numbers = numbers_.data();
    params_.number_count = numbers_.size();
    return &params_;
  }

 private:
  mutable hal_dispatch_params_t params_ = HAL_DISPATCH_PARAMS_INIT;
  std::vector<unsigned char> constants_;
  std::vector<hal_buffer_ref_t> bindings_;
  std::vector<hal_number_ref_t> numbers_;
  std::vector<Buffer> kept_;
};

class Executable : public Handle<hal_executable_t, hal_executable_retain, hal_executable_release> {
 public:
  using Handle::Handle;
  /// The ordinal of an export.
  uint32_t Export(std::string_view name) const;
};

class CommandBuffer : public Handle<hal_command_buffer_t, hal_command_buffer_retain, hal_command_buffer_release> {
 public:
  using Handle::Handle;
  hal_status_t Begin() const { return hal_command_buffer_begin(*this); }
  hal_status_t End() const { return hal_command_buffer_end(*this); }
  hal_status_t Barrier() const { return hal_command_buffer_barrier(*this); }
  /// Fills with a pattern as wide as `T`.
  template <class T>
  hal_status_t Fill(const Ref& target, T pattern) const {
    return hal_command_buffer_fill(*this, target, &pattern, sizeof(pattern));
  }
  hal_status_t Update(const void* data, const Ref& target) const {
    return hal_command_buffer_update(*this, data, target);
  }
  hal_status_t Copy(const Ref& source, const Ref& target) const {
    return hal_command_buffer_copy(*this, source, target);
  }
  hal_status_t Dispatch(const Executable& executable, std::string_view name, const cts::Dispatch& dispatch) const {
    return hal_command_buffer_dispatch(*this, executable, executable.Export(name), dispatch.params());
  }
  hal_status_t SignalEvent(const Event& event) const { return hal_command_buffer_signal_event(*this, event); }
  hal_status_t WaitEvents(const std::vector<hal_event_t*>& events) const {
    return hal_command_buffer_wait_events(*this, events.size(), events.data());
  }
  hal_status_t BeginDebugGroup(std::string_view label) const {
    return hal_command_buffer_begin_debug_group(*this, View(label));
  }
  hal_status_t EndDebugGroup() const { return hal_command_buffer_end_debug_group(*this); }
};

}  // namespace halyard::cts

#endif  // HALYARD_TESTS_CTS_HANDLES_H_
