// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/fence.h"

#include <algorithm>
#include <functional>
#include <memory>

#include "core/application_calls.h"
#include "core/list_wait.h"
#include "core/public_call.h"
#include "core/semaphore.h"
#include "core/validation/checks.h"
#include "driver_kit/object/live_objects.h"

struct hal_fence_t {
  hal_object_t object;
};

namespace halyard {
namespace {

/// A set of points, at most one for each semaphore. Holds a reference to each.
class Fence final : public hal_fence_t, public HostObject {
 public:
  explicit Fence(size_t capacity);
  ~Fence();
  static Fence& Of(hal_fence_t* fence) { return *static_cast<Fence*>(fence); }

  std::span<const hal_timeline_point_t> points() const { return points_; }
  /// Adds all points, or none if it throws.
  void Insert(std::span<const hal_timeline_point_t> points);
  Status Query() const;
  Status Signal() const;
  Status FailAll(hal_status_t failure, hal_string_view_t message) const;

 private:
  void InsertOne(const hal_timeline_point_t& point);
  bool Owns(const hal_timeline_point_t* point) const;

  static const hal_object_vtable_t kVtable;
  HostVector<hal_timeline_point_t> points_;
};

const hal_object_vtable_t Fence::kVtable = {sizeof(hal_object_vtable_t), DestroyEntry<Fence, hal_fence_t>};

Fence::Fence(size_t capacity) : hal_fence_t{} {
  hal_object_initialize(&object, HAL_OBJECT_KIND_FENCE, &kVtable);
  points_.reserve(capacity);
  LiveObjects::Made(HAL_OBJECT_KIND_FENCE);  // last: what throws makes none
}

Fence::~Fence() {
  for (const hal_timeline_point_t& point : points_) Release(point.semaphore);
}

bool Fence::Owns(const hal_timeline_point_t* point) const {
  const std::less<> before;
  return !before(point, points_.data()) && before(point, points_.data() + points_.size());
}

void Fence::Insert(std::span<const hal_timeline_point_t> points) {
  // A fence that is extended by its own list has all of it; and growing would pull the list away.
  if (points.empty() || Owns(points.data())) return;
  const size_t needed = points_.size() + points.size();
  if (needed > points_.capacity()) points_.reserve(std::max(needed, 2 * points_.capacity()));
  for (const hal_timeline_point_t& point : points) InsertOne(point);
}

// The room was reserved.
void Fence::InsertOne(const hal_timeline_point_t& point) {
  const auto known = std::ranges::find(points_, point.semaphore, &hal_timeline_point_t::semaphore);
  if (known != points_.end()) {
    known->value = std::max(known->value, point.value);
    return;
  }
  points_.push_back(point);
  Retain(point.semaphore);
}

Status Fence::Query() const {
  size_t pending = 0;
  HAL_TRY(CountPending(points_, &pending));
  if (pending == 0) return kOk;
  return FailUnreached(points_);
}

Status Fence::Signal() const {
  for (const hal_timeline_point_t& point : points_) {
    const Status status = SignalSemaphore(point.semaphore, point.value);
    if (status != kOk) return status;
  }
  return kOk;
}

Status Fence::FailAll(hal_status_t failure, hal_string_view_t message) const {
  // The caller's view may be of this thread's last message, which callbacks can change from one semaphore to the next.
  const Failure kept(FailWith(failure, View(message)));
  Failure first;
  for (const hal_timeline_point_t& point : points_) {
    Failure refusal(FailSemaphore(point.semaphore, kept.code(), ToC(kept.message())));
    if (!first) first = std::move(refusal);
  }
  return first.Take();
}

Status CreateFence(size_t capacity, hal_fence_t** out_fence) {
  if (capacity > PTRDIFF_MAX / sizeof(hal_timeline_point_t)) {
    return Fail(HAL_STATUS_RESOURCE_EXHAUSTED, "no memory has room for %zu points", capacity);
  }
  *out_fence = new Fence(capacity);
  return kOk;
}

Status Insert(hal_fence_t* fence, const hal_timeline_point_t& point) {
  HAL_TRY(CheckNotNull("fence", fence));
  HAL_TRY(CheckNotNull("semaphore", point.semaphore));
  const Status status = CheckTimelineValue("value", point.semaphore, point.value);
  if (status != kOk) return status;
  Fence::Of(fence).Insert({&point, 1});
  return kOk;
}

Status Extend(hal_fence_t* fence, hal_semaphore_list_t list) {
  HAL_TRY(CheckNotNull("fence", fence));
  std::span<const hal_timeline_point_t> points;
  HAL_TRY(ReadPoints(list, &points));
  Fence::Of(fence).Insert(points);
  return kOk;
}

}  // namespace
}  // namespace halyard

using halyard::Await;
using halyard::CheckNotNull;
using halyard::Fence;
using halyard::Public;
using halyard::PublicAndDrain;

hal_status_t hal_fence_create(size_t capacity, hal_fence_t** out_fence) {
  return halyard::PublicThatGives("out_fence", out_fence, [&] { return halyard::CreateFence(capacity, out_fence); });
}

void hal_fence_retain(hal_fence_t* fence) { halyard::RetainHandle(fence); }
void hal_fence_release(hal_fence_t* fence) { halyard::ReleaseHandle(fence); }

hal_status_t hal_fence_insert(hal_fence_t* fence, hal_semaphore_t* semaphore, uint64_t value) {
  return Public([&] { return halyard::Insert(fence, {semaphore, value}); });
}

hal_status_t hal_fence_extend(hal_fence_t* fence, hal_semaphore_list_t list) {
  return Public([&] { return halyard::Extend(fence, list); });
}

hal_semaphore_list_t hal_fence_list(hal_fence_t* fence) {
  if (!halyard::IsUsable("fence", fence)) return hal_semaphore_list_empty();
  const auto points = Fence::Of(fence).points();
  return hal_semaphore_list(points.data(), points.size());
}

hal_status_t hal_fence_query(hal_fence_t* fence) {
  return Await([&] { return CheckNotNull("fence", fence); },
               [&] {
                 const auto kept = halyard::Ref<hal_fence_t>::Retaining(fence);
                 return Fence::Of(fence).Query();
               });
}

hal_status_t hal_fence_signal(hal_fence_t* fence) {
  return PublicAndDrain([&] {
    HAL_TRY(CheckNotNull("fence", fence));
    return Fence::Of(fence).Signal();
  });
}

hal_status_t hal_fence_fail(hal_fence_t* fence, hal_status_t failure, hal_string_view_t message) {
  return PublicAndDrain([&] {
    HAL_TRY(CheckNotNull("fence", fence));
    HAL_TRY(halyard::CheckFailure(failure));
    HAL_TRY(halyard::CheckText("message", message));
    return Fence::Of(fence).FailAll(failure, message);
  });
}

hal_status_t hal_fence_wait(hal_fence_t* fence, uint64_t timeout_ns) {
  return Await([&] { return CheckNotNull("fence", fence); },
               [&] {
                 const auto kept = halyard::Ref<hal_fence_t>::Retaining(fence);
                 return halyard::WaitForPoints(Fence::Of(fence).points(), HAL_WAIT_ALL, timeout_ns);
               });
}
