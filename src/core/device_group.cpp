// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "halyard/device_group.h"

#include <algorithm>
#include <mutex>
#include <span>

#include "core/device_queries.h"
#include "core/public_call.h"
#include "core/validation/buffer_ref.h"
#include "core/validation/checks.h"
#include "driver_kit/object/live_objects.h"

struct hal_device_group_t {
  hal_object_t object;
};

namespace halyard {
namespace {

class DeviceGroup final : public hal_device_group_t, public HostObject {
 public:
  explicit DeviceGroup(std::span<hal_device_t* const> devices);
  ~DeviceGroup();
  static DeviceGroup& Of(hal_device_group_t* group) { return *static_cast<DeviceGroup*>(group); }

  /// Asks for all connections.
  Status Open();
  size_t count() const { return devices_.size(); }
  hal_device_t* device(size_t index) const { return devices_[index].get(); }
  const hal_peer_properties_t& peer(size_t from, size_t to) const { return peers_[from * count() + to]; }

  Status BeginProfiling(hal_profiling_flags_t flags, const hal_profiling_sink_t* sink);
  Status EndProfiling();

 private:
  Status EndFirst(size_t sessions) const;

  static const hal_object_vtable_t kVtable;
  HostVector<Ref<hal_device_t>> devices_;
  HostVector<hal_peer_properties_t> peers_;  // row after row
  std::mutex mutex_;                         // held while sessions begin and end; sinks must not do so
  bool profiles_ = false;
};

const hal_object_vtable_t DeviceGroup::kVtable = {sizeof(hal_object_vtable_t),
                                                  DestroyEntry<DeviceGroup, hal_device_group_t>};

DeviceGroup::DeviceGroup(std::span<hal_device_t* const> devices) : hal_device_group_t{} {
  hal_object_initialize(&object, HAL_OBJECT_KIND_DEVICE_GROUP, &kVtable);
  for (hal_device_t* const device : devices) devices_.push_back(Ref<hal_device_t>::Retaining(device));
  peers_.assign(devices.size() * devices.size(), HAL_INIT(hal_peer_properties_t));
  LiveObjects::Made(HAL_OBJECT_KIND_DEVICE_GROUP);  // last: what throws makes none
}

DeviceGroup::~DeviceGroup() {
  if (profiles_) EndFirst(count()).Ignore();
}

Status DeviceGroup::Open() {
  for (size_t i = 0; i < peers_.size(); ++i) {
    HAL_TRY(QueryPeer(device(i / count()), device(i % count()), &peers_[i]));
  }
  return kOk;
}

Status DeviceGroup::BeginProfiling(hal_profiling_flags_t flags, const hal_profiling_sink_t* sink) {
  const std::lock_guard lock(mutex_);
  if (profiles_) return FailWith(HAL_STATUS_FAILED_PRECONDITION, "a session of the group is under way");
  for (size_t i = 0; i < count(); ++i) {
    const Status status = BeginDeviceProfiling(device(i), flags, sink);
    if (status == kOk) continue;
    EndFirst(i).Ignore();
    return Annotate(status, ArgumentName{"device", i}.Text(), ": ");
  }
  profiles_ = true;
  return kOk;
}

Status DeviceGroup::EndProfiling() {
  const std::lock_guard lock(mutex_);
  if (!profiles_) return FailWith(HAL_STATUS_FAILED_PRECONDITION, "no session of the group is under way");
  profiles_ = false;
  return EndFirst(count());
}

// All of them, whatever one says.
Status DeviceGroup::EndFirst(size_t sessions) const {
  Failure first;
  for (size_t i = 0; i < sessions; ++i) {
    Failure refusal(EndDeviceProfiling(device(i)));
    if (!first) first = std::move(refusal);
  }
  return first.Take();
}

Status CheckDevices(std::span<hal_device_t* const> devices) {
  for (size_t i = 0; i < devices.size(); ++i) {
    HAL_TRY(CheckNotNull(ArgumentName{"devices", i}.Text().c_str(), devices[i]));
    const auto before = devices.first(i);
    if (std::ranges::find(before, devices[i]) == before.end()) continue;
    return Fail(HAL_STATUS_INVALID_ARGUMENT, "devices[%zu]%s is in the group already", i,
                LabelWords(devices[i]).c_str());
  }
  return kOk;
}

Status CreateGroup(size_t device_count, hal_device_t* const* devices, hal_device_group_t** out_group) {
  if (device_count == 0) return FailWith(HAL_STATUS_INVALID_ARGUMENT, "device_count is 0; a group has a device");
  if (device_count > HAL_DEVICE_GROUP_MAX) {
    return Fail(HAL_STATUS_OUT_OF_RANGE, "device_count is %zu; a group has %d devices at most", device_count,
                HAL_DEVICE_GROUP_MAX);
  }
  HAL_TRY(CheckNotNull("devices", devices));
  HAL_TRY(CheckDevices({devices, device_count}));
  auto group = Ref<hal_device_group_t>::Adopting(new DeviceGroup({devices, device_count}));
  HAL_TRY(DeviceGroup::Of(group.get()).Open());
  *out_group = group.release();
  return kOk;
}

/// The group, if it is one and has those devices; else NULL.
DeviceGroup* Find(hal_device_group_t* group, size_t index = 0) {
  if (!group || !IsWhatItSays(group)) return nullptr;
  DeviceGroup& found = DeviceGroup::Of(group);
  return index < found.count() ? &found : nullptr;
}

}  // namespace
}  // namespace halyard

using halyard::CheckNotNull;
using halyard::DeviceGroup;
using halyard::Public;

hal_status_t hal_device_group_create(size_t device_count, hal_device_t* const* devices,
                                     hal_device_group_t** out_group) {
  return halyard::PublicThatGives("out_group", out_group,
                                  [&] { return halyard::CreateGroup(device_count, devices, out_group); });
}

void hal_device_group_retain(hal_device_group_t* group) { halyard::RetainHandle(group); }
void hal_device_group_release(hal_device_group_t* group) { halyard::ReleaseHandle(group); }

size_t hal_device_group_count(hal_device_group_t* group) {
  const DeviceGroup* const found = halyard::Find(group);
  return found ? found->count() : 0;
}

hal_device_t* hal_device_group_device(hal_device_group_t* group, size_t index) {
  const DeviceGroup* const found = halyard::Find(group, index);
  return found ? found->device(index) : nullptr;
}

const hal_peer_properties_t* hal_device_group_peer(hal_device_group_t* group, size_t from, size_t to) {
  const DeviceGroup* const found = halyard::Find(group, std::max(from, to));
  return found ? &found->peer(from, to) : nullptr;
}

hal_status_t hal_device_group_profiling_begin(hal_device_group_t* group, hal_profiling_flags_t flags,
                                              const hal_profiling_sink_t* sink) {
  return Public([&] {
    HAL_TRY(CheckNotNull("group", group));
    return DeviceGroup::Of(group).BeginProfiling(flags, sink);
  });
}

hal_status_t hal_device_group_profiling_end(hal_device_group_t* group) {
  return Public([&] {
    HAL_TRY(CheckNotNull("group", group));
    return DeviceGroup::Of(group).EndProfiling();
  });
}
