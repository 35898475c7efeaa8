// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stream/device/nccl_engine.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "driver_kit/object/vtable.h"
#include "driver_kit/queue/signal_end.h"
#include "halyard/buffer_view.h"
#include "stream/device/external_streams.h"
#include "stream/device/stream_device.h"
#include "stream/recording/command_arguments.h"

namespace halyard::stream {
namespace {

using nccl::ncclDataType_t;
using nccl::ncclRedOp_t;

bool Reduces(hal_collective_kind_t kind) {
  return kind == HAL_COLLECTIVE_ALL_REDUCE || kind == HAL_COLLECTIVE_REDUCE || kind == HAL_COLLECTIVE_REDUCE_SCATTER;
}

/// Elements as the library has them.
struct NcclElements {
  ncclDataType_t type = nccl::ncclInt8;
  uint64_t of_piece = 0;
};

/// How the library reduces elements of a type; false if it does not, or not as channels are to.
bool FindElements(const hal_engine_operation_t& operation, NcclElements* out) {
  out->of_piece = operation.count;
  uint32_t type = operation.element_type;
  if ((type & 0x8000u) != 0) {  // each part of a complex number is summed by itself
    if (operation.reduction != HAL_REDUCTION_SUM && operation.reduction != HAL_REDUCTION_AVERAGE) return false;
    type &= 0x7FFFu;
    out->of_piece *= 2;
  }
  // Integers are averaged without an overflow, and small floats are scaled as f32.
  const bool small_float = type == HAL_ELEMENT_TYPE_F16 || type == HAL_ELEMENT_TYPE_BF16;
  const bool is_float = small_float || type == HAL_ELEMENT_TYPE_F32 || type == HAL_ELEMENT_TYPE_F64;
  if (operation.reduction == HAL_REDUCTION_AVERAGE && !is_float) return false;
  if (operation.reduction == HAL_REDUCTION_SCALED_SUM && small_float) return false;
  constexpr std::pair<uint32_t, ncclDataType_t> kTypes[] = {
      {HAL_ELEMENT_TYPE_I8, nccl::ncclInt8},     {HAL_ELEMENT_TYPE_SI8, nccl::ncclInt8},
      {HAL_ELEMENT_TYPE_UI8, nccl::ncclUint8},   {HAL_ELEMENT_TYPE_I32, nccl::ncclInt32},
      {HAL_ELEMENT_TYPE_SI32, nccl::ncclInt32},  {HAL_ELEMENT_TYPE_UI32, nccl::ncclUint32},
      {HAL_ELEMENT_TYPE_I64, nccl::ncclInt64},   {HAL_ELEMENT_TYPE_SI64, nccl::ncclInt64},
      {HAL_ELEMENT_TYPE_UI64, nccl::ncclUint64}, {HAL_ELEMENT_TYPE_INDEX, nccl::ncclInt64},
      {HAL_ELEMENT_TYPE_F16, nccl::ncclFloat16}, {HAL_ELEMENT_TYPE_BF16, nccl::ncclBfloat16},
      {HAL_ELEMENT_TYPE_F32, nccl::ncclFloat32}, {HAL_ELEMENT_TYPE_F64, nccl::ncclFloat64},
  };
  const auto* const found = std::ranges::find(kTypes, type, &std::pair<uint32_t, ncclDataType_t>::first);
  if (found == std::end(kTypes)) return false;
  out->type = found->second;
  return true;
}

/// Whether parts that a kind exchanges by sends and receives lie in each other's place.
bool ExchangesInPlace(const hal_engine_operation_t& operation) {
  if (operation.kind != HAL_COLLECTIVE_ALL_TO_ALL && operation.kind != HAL_COLLECTIVE_PERMUTE) return false;
  return std::any_of(operation.parts, operation.parts + operation.part_count, [](const hal_engine_part_t& part) {
    const bool moves = part.source.buffer && part.target.buffer && part.source.buffer == part.target.buffer;
    return moves && part.source.offset < part.target.offset + part.target.length &&
           part.target.offset < part.source.offset + part.source.length;
  });
}

Status CheckTakes(const hal_engine_operation_t& operation) {
  NcclElements elements;
  if (Reduces(operation.kind) ? FindElements(operation, &elements) : !ExchangesInPlace(operation)) return kOk;
  return FailWith(HAL_STATUS_UNIMPLEMENTED, {});
}

ncclRedOp_t ReductionOf(hal_reduction_t reduction) {
  switch (reduction) {
    case HAL_REDUCTION_PRODUCT:
      return nccl::ncclProd;
    case HAL_REDUCTION_MIN:
      return nccl::ncclMin;
    case HAL_REDUCTION_MAX:
      return nccl::ncclMax;
    case HAL_REDUCTION_AVERAGE:
      return nccl::ncclAvg;
    default:
      return nccl::ncclSum;
  }
}

std::byte* PointerTo(const DeviceRange& range) {
  return reinterpret_cast<std::byte*>(range.address);  // NOLINT(performance-no-int-to-ptr): as the device sees it
}

/// The calls for one rank, on its stream.
struct RankCalls {
  const NcclLibrary& library;
  nccl::ncclComm_t communicator;
  nccl::ncclStream_t stream;
  uint64_t length;  // bytes of a piece

  Status Send(const std::byte* source, uint32_t peer) const {
    return HALYARD_NCCL(library, ncclSend,
                        (source, length, nccl::ncclInt8, static_cast<int>(peer), communicator, stream));
  }
  Status Receive(std::byte* target, uint32_t peer) const {
    return HALYARD_NCCL(library, ncclRecv,
                        (target, length, nccl::ncclInt8, static_cast<int>(peer), communicator, stream));
  }
};

/// What is moved without being combined.
Status EnqueueMove(const RankCalls& calls, const hal_engine_operation_t& operation, const hal_engine_part_t& part,
                   std::byte* source, std::byte* target) {
  const uint64_t length = calls.length;
  const auto count = static_cast<uint32_t>(operation.part_count);
  switch (operation.kind) {
    case HAL_COLLECTIVE_BROADCAST: {
      std::byte* const into = target ? target : source;  // of the root, which may have none
      return HALYARD_NCCL(calls.library, ncclBroadcast,
                          (source ? source : into, into, length, nccl::ncclInt8, static_cast<int>(operation.root),
                           calls.communicator, calls.stream));
    }
    case HAL_COLLECTIVE_ALL_GATHER:
      return HALYARD_NCCL(calls.library, ncclAllGather,
                          (source, target, length, nccl::ncclInt8, calls.communicator, calls.stream));
    case HAL_COLLECTIVE_GATHER: {
      const bool in_place = target && source == target + part.rank * length;
      if (!in_place) HAL_TRY(calls.Send(source, operation.root));
      for (uint32_t peer = 0; target && peer < count; ++peer) {
        if (!in_place || peer != part.rank) HAL_TRY(calls.Receive(target + peer * length, peer));
      }
      return kOk;
    }
    case HAL_COLLECTIVE_SCATTER: {
      const bool in_place = source && target == source + part.rank * length;
      if (!in_place) HAL_TRY(calls.Receive(target, operation.root));
      for (uint32_t peer = 0; source && peer < count; ++peer) {
        if (!in_place || peer != part.rank) HAL_TRY(calls.Send(source + peer * length, peer));
      }
      return kOk;
    }
    case HAL_COLLECTIVE_ALL_TO_ALL:
      for (uint32_t peer = 0; peer < count; ++peer) {
        HAL_TRY(calls.Send(source + peer * length, peer));
        HAL_TRY(calls.Receive(target + peer * length, peer));
      }
      return kOk;
    default:  // PERMUTE, and SEND of two ranks
      if (source) HAL_TRY(calls.Send(source, part.send_to));
      if (target) HAL_TRY(calls.Receive(target, part.receive_from));
      return kOk;
  }
}

Status EnqueueReduction(const RankCalls& calls, const hal_engine_operation_t& operation, const std::byte* source,
                        std::byte* target, ncclRedOp_t reduction) {
  NcclElements elements;
  FindElements(operation, &elements);
  switch (operation.kind) {
    case HAL_COLLECTIVE_REDUCE:
      return HALYARD_NCCL(calls.library, ncclReduce,
                          (source, target, elements.of_piece, elements.type, reduction,
                           static_cast<int>(operation.root), calls.communicator, calls.stream));
    case HAL_COLLECTIVE_REDUCE_SCATTER:
      return HALYARD_NCCL(
          calls.library, ncclReduceScatter,
          (source, target, elements.of_piece, elements.type, reduction, calls.communicator, calls.stream));
    default:
      return HALYARD_NCCL(
          calls.library, ncclAllReduce,
          (source, target, elements.of_piece, elements.type, reduction, calls.communicator, calls.stream));
  }
}

/// Each rank's elements times its own number first: a reduction of the communicator's, for one call.
Status EnqueueScaled(const RankCalls& calls, const hal_engine_operation_t& operation, double scale,
                     const std::byte* source, std::byte* target) {
  const bool is_double = operation.element_type == HAL_ELEMENT_TYPE_F64;
  auto single = static_cast<float>(scale);
  void* const scalar = is_double ? static_cast<void*>(&scale) : static_cast<void*>(&single);
  ncclRedOp_t reduction = nccl::ncclSum;
  HAL_TRY(HALYARD_NCCL(calls.library, ncclRedOpCreatePreMulSum,
                       (&reduction, scalar, is_double ? nccl::ncclFloat64 : nccl::ncclFloat32,
                        nccl::ncclScalarHostImmediate, calls.communicator)));
  const Status status = EnqueueReduction(calls, operation, source, target, reduction);
  static_cast<void>(calls.library.ncclRedOpDestroy(reduction, calls.communicator));
  return status;
}

}  // namespace

// --- making and ending it --------------------------------------------------------------------------------------------

StreamDevice& NcclEngine::DeviceOf(const Rank& rank) { return *static_cast<StreamDevice*>(rank.device.get()); }
NativeApi& NcclEngine::ApiOf(const Rank& rank) const { return DeviceOf(rank).api(); }

NcclEngine::NcclEngine(const NcclLibrary& library, std::span<hal_device_t* const> devices)
    : hal_channel_engine_t{}, library_(library) {
  struct_size = sizeof(hal_channel_engine_t);
  name = ToC(library.name());
  run = [](hal_channel_engine_t* engine, const hal_engine_operation_t* operation) noexcept {
    return ToC(Guard([&] { return Of(engine).Run(*operation); }));
  };
  query = [](hal_channel_engine_t* engine) noexcept { return ToC(Of(engine).Query()); };
  abort = [](hal_channel_engine_t* engine) noexcept { Of(engine).Abort(); };
  destroy = [](hal_channel_engine_t* engine) noexcept { Of(engine).Destroy(); };
  for (hal_device_t* const device : devices) ranks_.push_back({Ref<hal_device_t>::Retaining(device)});
}

Status NcclEngine::Create(std::span<hal_device_t* const> devices, hal_engine_opened_fn_t opened, void* user_data,
                          hal_channel_engine_t** out_engine) {
  const auto api = [](hal_device_t* device) -> NativeApi& { return static_cast<StreamDevice*>(device)->api(); };
  for (size_t i = 0; i < devices.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (api(devices[i]).IsSameDevice(api(devices[j]))) {
        return FailWith(HAL_STATUS_UNIMPLEMENTED, "two ranks are the same device");
      }
    }
  }
  const NcclLibrary* library = nullptr;
  HAL_TRY(api(devices[0]).FindCollectives(&library));
  auto* const engine = new NcclEngine(*library, devices);
  *out_engine = engine;  // before `opened` is called
  const Status status =
      engine->thread_.Start("hal-nccl", "a thread for a channel's engine", [=] { engine->Work(opened, user_data); });
  if (status == kOk) return kOk;
  *out_engine = nullptr;
  delete engine;
  return status;
}

void NcclEngine::Abort() noexcept {
  aborts_.store(true, std::memory_order_release);
  bell_.Set();
}

void NcclEngine::Destroy() noexcept {
  ends_.store(true, std::memory_order_release);
  bell_.Set();
  gone_.Set();  // the engine may be gone now
}

void NcclEngine::Work(hal_engine_opened_fn_t opened, void* user_data) noexcept {
  opened(user_data, this, ToC(Guard([this] { return Open(); })));  // outside the gate: it may call the application
  while (!ends_.load(std::memory_order_acquire)) {
    {
      const LibraryThread::Rest rest;
      bell_.Wait(Deadline());
    }
    bell_.Reset();
    const std::lock_guard lock(mutex_);
    if (aborts_.load(std::memory_order_acquire) && !aborted_) AbortCommunicators();
  }
  gone_.Wait(Deadline());
  Close();
  delete this;
}

Status NcclEngine::Open() {
  const VendorGate::Scope gate(NcclLibrary::OpeningGate());
  if (!gate.open()) return FailAtExit();
  HAL_TRY(OpenStreams());
  HAL_TRY(OpenCommunicators());
  NcclLibrary::HasOpened();
  return kOk;
}

Status NcclEngine::OpenStreams() {
  for (Rank& rank : ranks_) {
    const NativeScope scope(ApiOf(rank));
    HAL_TRY(scope.status());
    HAL_TRY(ApiOf(rank).CreateStream(&rank.stream));
  }
  return kOk;
}

Status NcclEngine::OpenCommunicators() {
  const NativeScope scope(ApiOf(ranks_[0]));
  HAL_TRY(scope.status());
  nccl::ncclUniqueId id{};
  HAL_TRY(HALYARD_NCCL(library_, ncclGetUniqueId, (&id)));
  HAL_TRY(HALYARD_NCCL(library_, ncclGroupStart, ()));
  Failure failure;
  for (size_t i = 0; i < ranks_.size() && !failure; ++i) {
    const NativeScope own(ApiOf(ranks_[i]));
    failure = Failure(own.status());
    if (failure) break;
    failure =
        Failure(HALYARD_NCCL(library_, ncclCommInitRank,
                             (&ranks_[i].communicator, static_cast<int>(ranks_.size()), id, static_cast<int>(i))));
  }
  Failure ended(HALYARD_NCCL(library_, ncclGroupEnd, ()));
  if (!failure) failure = std::move(ended);
  if (failure) {
    for (Rank& rank : ranks_) rank.communicator = nullptr;  // the library has freed them
  }
  return failure.Take();
}

// A lost device tells of its part only once its stream has ended, and that may wait for the other ranks.
Status NcclEngine::Query() {
  for (const Rank& rank : ranks_) HAL_TRY(DeviceOf(rank).health().Check());
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return kOk;  // another thread calls the library, which tells it
  const VendorGate::Scope gate(NcclLibrary::Gate());
  const NativeScope scope(ApiOf(ranks_[0]));
  for (const Rank& rank : ranks_) {
    if (!rank.communicator || !gate.open() || !scope.entered()) continue;
    nccl::ncclResult_t result = nccl::ncclSuccess;
    HAL_TRY(HALYARD_NCCL(library_, ncclCommGetAsyncError, (rank.communicator, &result)));
    HAL_TRY(library_.Check("ncclCommGetAsyncError", result));
  }
  return kOk;
}

/// With the mutex. Kernels that wait for another rank end, and with them the streams' work.
void NcclEngine::AbortCommunicators() noexcept {
  const VendorGate::Scope gate(NcclLibrary::Gate());
  const NativeScope scope(ApiOf(ranks_[0]));
  aborted_ = true;
  if (!gate.open() || !scope.entered()) return;
  for (Rank& rank : ranks_) {
    if (rank.communicator) static_cast<void>(library_.ncclCommAbort(rank.communicator));
    rank.communicator = nullptr;
  }
}

void NcclEngine::Close() noexcept {
  const VendorGate::Scope gate(NcclLibrary::Gate());
  for (Rank& rank : ranks_) {
    const NativeScope scope(ApiOf(rank));
    if (!gate.open() || !scope.entered()) continue;
    if (rank.communicator) static_cast<void>(library_.ncclCommDestroy(rank.communicator));
    if (rank.stream) ApiOf(rank).DestroyStream(rank.stream);
  }
}

// --- operations ------------------------------------------------------------------------------------------------------

/// Puts the operation into the ranks' streams, and its signals after it.
Status NcclEngine::Run(const hal_engine_operation_t& operation) {
  HAL_TRY(CheckTakes(operation));
  HostVector<Started> parts(operation.part_count);
  {
    const std::lock_guard lock(mutex_);
    const VendorGate::Scope gate(NcclLibrary::Gate());
    if (!gate.open()) return FailAtExit();
    if (aborted_) return FailWith(HAL_STATUS_ABORTED, "the channel has failed");
    for (size_t i = 0; i < operation.part_count; ++i) HAL_TRY(Prepare(operation.parts[i], &parts[i]));
    const NativeScope scope(ApiOf(ranks_[operation.parts[0].rank]));
    HAL_TRY(scope.status());
    if (Status status = Enqueue(operation, parts); status != kOk) {
      AbortCommunicators();  // some ranks may run it, and wait for the others
      return status;
    }
    for (size_t i = 0; i < operation.part_count; ++i) MarkEnd(operation.parts[i], &parts[i]);
  }
  const DrainScope scope;
  for (size_t i = 0; i < operation.part_count; ++i) Follow(operation.parts[i], parts[i]);
  return kOk;
}

/// Everything that may fail without harm to other ranks.
Status NcclEngine::Prepare(const hal_engine_part_t& part, Started* out) const {
  StreamDevice& device = DeviceOf(ranks_[part.rank]);
  const NativeScope scope(device.api());
  HAL_TRY(scope.status());
  HAL_TRY(device.health().Check());
  if (part.source.buffer) HAL_TRY(Resolve(part.source, {}, &out->source));
  if (part.target.buffer) HAL_TRY(Resolve(part.target, {}, &out->target));
  return device.context().events().Acquire(&out->end);
}

/// Records the event of a part. Without one, the end of what is in the stream cannot be told.
void NcclEngine::MarkEnd(const hal_engine_part_t& part, Started* started) const noexcept {
  const Rank& rank = ranks_[part.rank];
  NativeApi& api = ApiOf(rank);
  const NativeScope scope(api);
  Status status = scope.status();
  if (status == kOk) status = TryTwice([&] { return api.RecordEvent(started->end.native(), rank.stream); });
  if (status != kOk) started->failure = Failure(DeviceOf(rank).Checked(status));
}

/// Has the device signal the end of a part once the event is reached.
void NcclEngine::Follow(const hal_engine_part_t& part, const Started& started) noexcept {
  const Rank& rank = ranks_[part.rank];
  const auto follow = [&]() -> Status {
    HAL_TRY(started.failure.Share());
    return ImportEvent(DeviceOf(rank), started.end.native(), hal_semaphore_list(&part.done, 1));
  };
  const Failure failure(Guard(follow));
  if (!failure) return;
  // The part may be running: its memory is let go of once it is not.
  const NativeScope scope(ApiOf(rank));
  if (scope.entered()) ApiOf(rank).SynchronizeStream(rank.stream).Ignore();
  FailSemaphore(part.done.semaphore, failure);
}

Status NcclEngine::Enqueue(const hal_engine_operation_t& operation, std::span<const Started> parts) const {
  const std::lock_guard order(library_.order());
  HAL_TRY(HALYARD_NCCL(library_, ncclGroupStart, ()));
  Failure failure;
  for (size_t i = 0; i < parts.size() && !failure; ++i) {
    failure = Failure(EnqueuePart(operation, operation.parts[i], parts[i]));
  }
  Failure ended(HALYARD_NCCL(library_, ncclGroupEnd, ()));
  return failure ? failure.Take() : ended.Take();
}

Status NcclEngine::EnqueuePart(const hal_engine_operation_t& operation, const hal_engine_part_t& part,
                               const Started& started) const {
  const Rank& rank = ranks_[part.rank];
  const RankCalls calls = {library_, rank.communicator, rank.stream, operation.length};
  std::byte* const source = PointerTo(started.source);
  std::byte* const target = PointerTo(started.target);
  if (!Reduces(operation.kind)) return EnqueueMove(calls, operation, part, source, target);
  if (operation.reduction == HAL_REDUCTION_SCALED_SUM) {
    return EnqueueScaled(calls, operation, part.scale, source, target);
  }
  return EnqueueReduction(calls, operation, source, target, ReductionOf(operation.reduction));
}

}  // namespace halyard::stream
