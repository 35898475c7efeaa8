// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/peer/buffer_share.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "base/process_wide.h"
#include "core/application_calls.h"
#include "core/buffer.h"
#include "core/peer/peer_routes.h"
#include "core/public_call.h"
#include "core/subspan.h"
#include "core/validation/checks.h"
#include "halyard/allocator.h"
#include "halyard/buffer.h"

namespace halyard {
namespace {

/// What a shared buffer is made of, from before it is made until its driver has let go of the memory.
struct Share : HostObject {
  Ref<hal_buffer_t> original;
  bool mapped = false;                   // the original, for the address
  const hal_buffer_t* shared = nullptr;  // once it is made

  ~Share() {
    if (mapped) FromC(VtableOf(original.get())->unmap(original.get())).Ignore();
  }
};

/// All of them.
class Shares : public HostObject {
 public:
  void Add(Share* share) {
    const std::lock_guard lock(mutex_);
    all_.push_back(share);
  }
  void Remove(const Share* share) noexcept {
    const std::lock_guard lock(mutex_);
    std::erase(all_, share);
  }
  // A buffer at that address may be gone, and its share end a little later.
  void SetShared(Share* share, const hal_buffer_t* shared) {
    const std::lock_guard lock(mutex_);
    for (Share* const each : all_) {
      if (each->shared == shared) each->shared = nullptr;
    }
    share->shared = shared;
  }
  hal_buffer_t* OriginalOf(hal_buffer_t* shared) {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(all_, shared, &Share::shared);
    return found == all_.end() ? shared : (*found)->original.get();
  }

 private:
  std::mutex mutex_;  // protects all_ and Share::shared; a leaf
  HostVector<Share*> all_;
};

void EndShare(void* data) {
  auto* const share = static_cast<Share*>(data);
  if (auto* const all = ProcessWide<Shares>::Find()) all->Remove(share);
  delete share;
}

/// One attempt to share, either way. The driver that makes the buffer calls EndShare() in the end.
class Attempt {
 public:
  Attempt(hal_buffer_t* original, hal_device_t* device) : device_(device), share_(std::make_unique<Share>()) {
    share_->original = Ref<hal_buffer_t>::Retaining(original);
    ProcessWide<Shares>::Get().Add(share_.get());
    params_.memory_type = 0;  // whatever it is for that device
    params_.usage = original->usage & ~HAL_BUFFER_USAGE_READ_ONLY;
  }
  ~Attempt() {
    if (share_) ProcessWide<Shares>::Get().Remove(share_.get());
  }
  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  Status ByDriver(hal_buffer_t** out);
  Status ByHostAddress(hal_buffer_t** out);
  /// The buffer exists.
  void Finish(hal_buffer_t* made) {
    made->usage = share_->original->usage;
    std::atomic_ref(made->state).store(kBufferShared, std::memory_order_relaxed);
    ProcessWide<Shares>::Get().SetShared(share_.release(), made);
  }

 private:
  hal_device_t* const device_;
  std::unique_ptr<Share> share_;
  hal_buffer_params_t params_ = HAL_BUFFER_PARAMS_INIT;
};

Status Attempt::ByDriver(hal_buffer_t** out) {
  hal_buffer_t* const original = share_->original.get();
  if (!SameDriver(device_, original->device)) {
    return FailWith(HAL_STATUS_INCOMPATIBLE, "memory of the device alone is shared by devices of one driver only");
  }
  auto call = std::make_unique<ReleaseCall>(EndShare, share_.get());
  hal_buffer_t* made = nullptr;
  HAL_TRY(VtableOf(device_->allocator)
              ->share(device_->allocator, &params_, original, ReleaseCall::OnRelease, call.get(), &made));
  static_cast<void>(call.release());  // it frees itself
  const hal_object_t* const object = made ? &made->object : nullptr;
  HAL_TRY(CheckMade(object, HAL_OBJECT_KIND_BUFFER, sizeof(hal_buffer_vtable_t)));
  AdoptBuffer(device_, params_, original->length, made);
  *out = made;
  return kOk;
}

// Mapped until the share ends.
Status Attempt::ByHostAddress(hal_buffer_t** out) {
  hal_buffer_t* const original = share_->original.get();
  const bool reads_only = (original->usage & HAL_BUFFER_USAGE_READ_ONLY) != 0;
  hal_external_memory_t memory = HAL_INIT(hal_external_memory_t);
  void* data = nullptr;
  HAL_TRY(VtableOf(original)->map(original,
                                  reads_only ? HAL_MAP_ACCESS_READ : HAL_MAP_ACCESS_READ | HAL_MAP_ACCESS_WRITE, 0,
                                  original->length, &data));
  share_->mapped = true;
  memory.type = HAL_EXTERNAL_MEMORY_TYPE_HOST_POINTER;
  memory.handle = reinterpret_cast<uintptr_t>(data);
  memory.length = original->length;
  if (reads_only) memory.flags = HAL_EXTERNAL_MEMORY_READ_ONLY;
  return ImportBuffer(device_->allocator, &params_, &memory, EndShare, share_.get(), out);
}

/// Whether another way may still work.
bool IsRefusal(hal_status_t code) {
  return code == HAL_STATUS_INCOMPATIBLE || code == HAL_STATUS_UNIMPLEMENTED || code == HAL_STATUS_INVALID_ARGUMENT ||
         code == HAL_STATUS_ALREADY_EXISTS || code == HAL_STATUS_OUT_OF_RANGE || code == HAL_STATUS_PERMISSION_DENIED;
}

bool HasHostAddress(const hal_buffer_t& buffer) {
  constexpr hal_memory_type_t kAll = HAL_MEMORY_TYPE_HOST_VISIBLE | HAL_MEMORY_TYPE_HOST_COHERENT;
  return (buffer.memory_type & kAll) == kAll;
}

Status FailToShare(const hal_buffer_t* original, hal_device_t* device, const Failure& reason) {
  return Fail(HAL_STATUS_INCOMPATIBLE, "device%s cannot use the memory of buffer%s: %s", LabelWords(device).c_str(),
              LabelWords(original).c_str(), HostString(reason.message()).c_str());
}

Status ShareAllocation(hal_buffer_t* original, hal_device_t* device, hal_buffer_t** out) {
  Attempt attempt(original, device);
  Failure reason(attempt.ByDriver(out));
  if (reason && IsRefusal(reason.code()) && HasHostAddress(*original)) reason = Failure(attempt.ByHostAddress(out));
  if (reason.code() == HAL_STATUS_UNIMPLEMENTED) {
    reason = Failure(FailWith(HAL_STATUS_INCOMPATIBLE,
                              "it is not HOST_VISIBLE and HOST_COHERENT, and the driver shares no other memory"));
  }
  if (reason && IsRefusal(reason.code())) return FailToShare(original, device, reason);
  if (reason) return reason.Take();
  attempt.Finish(*out);
  return kOk;
}

Status ShareBuffer(hal_buffer_t* buffer, hal_device_t* device, hal_buffer_t** out_buffer) {
  HAL_TRY(CheckNotNull("buffer", buffer));
  HAL_TRY(CheckNotNull("device", device));
  hal_buffer_t* const allocation = OriginalOf(buffer->allocation);
  const uint32_t state = std::atomic_ref(allocation->state).load(std::memory_order_acquire);
  if (state == kBufferFromQueue || state == kBufferDealloced) {
    return Fail(
        HAL_STATUS_INCOMPATIBLE,
        "buffer%s comes from hal_device_queue_alloca; an operation frees its memory, however many buffers share it",
        LabelWords(buffer).c_str());
  }
  const bool whole = buffer == buffer->allocation;
  if (device == allocation->device) {
    *out_buffer = MakeSubspan(*allocation, buffer->allocation_offset, buffer->length, nullptr);
    return kOk;
  }
  hal_buffer_t* made = nullptr;
  HAL_TRY(ShareAllocation(allocation, device, &made));
  const auto kept = Ref<hal_buffer_t>::Adopting(made);
  if (whole) {
    Retain(made);
    *out_buffer = made;
    return kOk;
  }
  *out_buffer = MakeSubspan(*made, buffer->allocation_offset, buffer->length, nullptr);
  return kOk;
}

}  // namespace

hal_buffer_t* OriginalOf(hal_buffer_t* allocation) {
  if (std::atomic_ref(allocation->state).load(std::memory_order_relaxed) != kBufferShared) return allocation;
  auto* const all = ProcessWide<Shares>::Find();
  return all ? all->OriginalOf(allocation) : allocation;
}

}  // namespace halyard

hal_status_t hal_buffer_share(hal_buffer_t* buffer, hal_device_t* device, hal_buffer_t** out_buffer) {
  return halyard::PublicThatGives("out_buffer", out_buffer,
                                  [&] { return halyard::ShareBuffer(buffer, device, out_buffer); });
}
