// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "unit/submission/batch_device.h"

#include <array>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "driver_kit/device/driver_interface.h"
#include "driver_kit/device/event.h"
#include "driver_kit/device/extension_tables.h"
#include "driver_kit/device/lists.h"
#include "driver_kit/device/options.h"
#include "driver_kit/device/wait_option.h"
#include "driver_kit/queue/drain.h"
#include "local/device/local_cpu.h"
#include "local/executable/local_executable.h"
#include "local/executor/local_executors.h"
#include "local/recording/local_command_buffer.h"
#include "submission/submission_semaphore.h"
#include "unit/submission/batch_lane.h"

namespace halyard {
namespace {

constexpr std::string_view kFormat = HAL_EXECUTABLE_FORMAT_HOST_SHARED_OBJECT;
constexpr hal_string_view_t kFormats[] = {{kFormat.data(), kFormat.size()}};
constexpr std::array<std::string_view, 2> kIds = {"0", "1"};
constexpr uint64_t kMemory = uint64_t{4} << 30;  // bytes

bool IsTransfer(const hal_command_t& command) {
  return command.type == HAL_COMMAND_TYPE_FILL || command.type == HAL_COMMAND_TYPE_COPY ||
         command.type == HAL_COMMAND_TYPE_UPDATE;
}

}  // namespace

void BatchAction::Prepare() {
  SubmissionAction::Prepare();
  cannot_fail_ = type() == HAL_QUEUE_OPERATION_TYPE_BARRIER;
  result_ = {};
  begin_time_ = end_time_ = 0;
}

bool BatchAction::IsForDevice() const {
  return type() == HAL_QUEUE_OPERATION_TYPE_COMMAND || type() == HAL_QUEUE_OPERATION_TYPE_EXECUTE ||
         type() == HAL_QUEUE_OPERATION_TYPE_BARRIER;
}

// A transfer whose memory is there cannot fail any more: its signals are published at once. What else runs may fail,
// and is looked at before it signals.
Status BatchAction::SubmitStage(SubmissionQueue& queue) {
  if (!fails() && type() == HAL_QUEUE_OPERATION_TYPE_COMMAND && IsTransfer(command())) {
    if (Status status = ResolveTransfer(); status != kOk) return status;
    cannot_fail_ = true;
  }
  return queue.Submit(*this);
}

Status BatchAction::ResolveTransfer() {
  local::Pins pins;
  local::MemoryRange memory{};
  BufferRange target;
  if (command().type == HAL_COMMAND_TYPE_COPY) {
    CopyRanges ranges;
    if (Status status = ResolveCopy(command().u.copy, {}, &ranges); status != kOk) return status;
    if (Status status = pins.Add(ranges.source, &memory); status != kOk) return status;
    target = ranges.target;
  } else if (command().type == HAL_COMMAND_TYPE_FILL) {
    if (Status status = ResolveFill(command().u.fill, {}, &target); status != kOk) return status;
  } else if (Status status = halyard::Resolve(command().u.update.target, {}, &target); status != kOk) {
    return status;
  }
  return pins.Add(target, &memory);
}

void BatchAction::Execute() noexcept {
  if (fails()) return;
  begin_time_ = MonotonicNanoseconds();
  result_ = Failure(Guard([this] { return RunWork(); }));
  end_time_ = MonotonicNanoseconds();
}

Status BatchAction::RunWork() {
  const OperationRecord record = MakeRecord();
  const local::CommandContext context{local::TheSyncExecutor(), device().profiling(), table(), device(), &record};
  if (type() == HAL_QUEUE_OPERATION_TYPE_COMMAND) return local::RunCommand(context, command(), 0);
  if (type() == HAL_QUEUE_OPERATION_TYPE_BARRIER) return kOk;
  return static_cast<const local::LocalCommandBuffer*>(command_buffer())->Run(context, commands());
}

void BatchAction::EndWork(uint64_t* start, uint64_t* end) noexcept {
  if (begin_time_ == 0 || !profiled()) return;
  *start = begin_time_;
  *end = end_time_;
}

Status BatchAction::RunOperation() {
  switch (type()) {
    case HAL_QUEUE_OPERATION_TYPE_ALLOCA:
      return static_cast<local::LocalBuffer*>(buffer())->storage().Commit();
    case HAL_QUEUE_OPERATION_TYPE_DEALLOCA:
      static_cast<local::LocalBuffer*>(buffer())->storage().Decommit();
      return kOk;
    default: {  // a read or write
      const local::CommandContext context{local::TheSyncExecutor(), device().profiling(), {}, device()};
      local::Pins pins;
      local::MemoryRange memory{};
      if (Status status = local::Resolve(context, io().buffer, pins, &memory); status != kOk) return status;
      return TransferFile(memory.data, memory.length);
    }
  }
}

const RecordedCommands* BatchAction::recorded() const {
  return &static_cast<const local::LocalCommandBuffer*>(command_buffer())->recorded();
}

void BatchAction::Recycle() noexcept {
  const Ref<hal_device_t> kept = TakeDevice();
  static_cast<BatchDevice*>(kept.get())->actions().Recycle(this);
}

namespace {
constinit VendorGate g_gate;
}  // namespace

BatchDevice::BatchDevice(const hal_driver_interface_t& tables, uint32_t ordinal, uint32_t queues)
    : SubmissionDevice(tables, g_gate, Joins::kOwnQueues),
      allocator_(tables, kMemory, [this] { return TrimActions(); }) {
  info_.id = ToC(kIds[ordinal]);
  info_.ordinal = ordinal;
  info_.name = hal_string_view("submissions in batches");
  info_.queue_count = queues;
  limits_.max_workgroup_count = {INT32_MAX, 65535, 65535};
  limits_.max_workgroup_size = {UINT16_MAX, UINT16_MAX, UINT16_MAX};
  limits_.max_local_memory = local::kMaxLocalMemory;
  limits_.max_constants_size = local::kMaxConstantsSize;
  limits_.max_bindings = local::kMaxBindings;
  limits_.max_descriptor_sets = 16;
  properties_ = local::HostCpuProperties();
  properties_.formats = {std::size(kFormats), kFormats};
  AddExtension(FaultInjection<BatchDevice>());
  allocator = &allocator_;
}

Status BatchDevice::Create(const hal_driver_interface_t& tables, uint32_t ordinal, uint32_t queues,
                           const LaneMaker& make_lane, hal_device_t** out_device) {
  auto device = std::unique_ptr<BatchDevice>(new BatchDevice(tables, ordinal, queues));
  HostVector<std::unique_ptr<Lane>> lanes;
  for (uint32_t i = 0; i < queues; ++i) lanes.push_back(make_lane());
  device->SetLanes(std::move(lanes));
  for (uint32_t i = 0; i < queues; ++i) {
    if (Status status = device->OpenQueue(); status != kOk) return status;
  }
  *out_device = device.release();
  return kOk;
}

Status BatchDevice::QueryFormat(hal_string_view_t format) {
  if (View(format) == kFormat) return kOk;
  return Fail(HAL_STATUS_INCOMPATIBLE, "the batch driver takes executables of format '%.*s', not '%.*s'",
              HALYARD_SV(kFormat), HALYARD_SV(View(format)));
}

Status BatchDevice::QueryPeer(hal_device_t* /*other*/, hal_peer_properties_t* out_properties) {
  out_properties->relation = HAL_PEER_RELATION_SAME;
  out_properties->native_atomics = true;
  out_properties->performance_rank = 0;
  return kOk;
}

Status BatchDevice::CreateEvent(hal_event_t** out_event) {
  *out_event = new Event(tables().event);
  return kOk;
}

Status BatchDevice::CreateCommandBuffer(const hal_command_buffer_params_t* params,
                                        hal_command_buffer_t** out_command_buffer) {
  *out_command_buffer = new local::LocalCommandBuffer(tables().command_buffer, arenas(), *params);
  return kOk;
}

Status BatchDevice::CreateExecutable(const hal_executable_params_t* params, hal_executable_t** out_executable) {
  if (Status status = QueryFormat(params->format); status != kOk) return status;
  return local::LocalExecutable::Create(this, tables().executable, code_, *params, out_executable);
}

Status BatchDevice::Submit(const hal_queue_operation_t* operation) {
  if (Status status = health().Check(); status != kOk) return status;
  auto buffer = Ref<hal_buffer_t>();
  if (operation->type == HAL_QUEUE_OPERATION_TYPE_ALLOCA) {
    const hal_queue_alloca_t& request = operation->u.allocate;
    buffer = Ref<hal_buffer_t>::Adopting(allocator_.MakeTransient(*request.params, request.length));
  }
  ActionPool<BatchAction>::Handle action = actions_.Borrow();
  action->Capture(*this, *operation, buffer.get());
  action->Prepare();
  if (buffer) *operation->u.allocate.out_buffer = buffer.release();
  action.release()->Defer(operation->wait_list);
  return kOk;
}

Status BatchDevice::Drain(uint64_t timeout_ns) {
  return DrainOperations(*this, actions_, timeout_ns, [this] { LookAtAll(); });
}

namespace {

class BatchDriver final : public hal_driver_t, public HostObject {
 public:
  explicit BatchDriver(const hal_driver_interface_t& completed) : hal_driver_t{} {
    hal_object_initialize(&object, HAL_OBJECT_KIND_DRIVER, completed.driver);
    tables = &completed;
  }
  static Status Create(const hal_driver_interface_t& completed, hal_driver_t** out_driver) {
    *out_driver = new BatchDriver(completed);
    return kOk;
  }
  Status ListDevices(size_t* count, hal_device_summary_t* devices) {
    std::array<hal_device_summary_t, kIds.size()> summaries;
    for (size_t i = 0; i < kIds.size(); ++i) {
      summaries[i] = HAL_INIT(hal_device_summary_t);
      summaries[i].id = ToC(kIds[i]);
      summaries[i].name = hal_string_view("submissions in batches");
    }
    return WriteList<hal_device_summary_t>(summaries, count, devices);
  }
  Status CreateDevice(hal_string_view_t id, size_t pair_count, const hal_key_value_t* pairs,
                      hal_device_t** out_device) {
    size_t index = 0;
    if (Status status = FindDevice("batch", View(id), kIds, &index); status != kOk) return status;
    Options options(pair_count, pairs);
    uint64_t queues = 4;
    if (Status status = options.Uint("queues", 1, kMaxQueues, &queues); status != kOk) return status;
    WaitMode wait = WaitMode::kAuto;
    if (Status status = ReadWaitMode(options, &wait); status != kOk) return status;
    if (Status status = options.Finish("batch://0"); status != kOk) return status;
    if (Status status = BatchDevice::Create(*tables, static_cast<uint32_t>(index), static_cast<uint32_t>(queues),
                                            TheLaneMaker(), out_device);
        status != kOk) {
      return status;
    }
    static_cast<BatchDevice*>(*out_device)->SetWaitMode(wait);
    return kOk;
  }
};

struct BatchClasses {
  using Driver = BatchDriver;
  using Device = BatchDevice;
  using Allocator = local::LocalAllocator;
  using Buffer = local::LocalBuffer;
  using Semaphore = SubmissionSemaphore;
  using Event = halyard::Event;
  using CommandBuffer = local::LocalCommandBuffer;
  using Executable = local::LocalExecutable;
};

}  // namespace

LaneMaker& TheLaneMaker() {
  static LaneMaker maker = [] { return std::make_unique<BatchLane>(); };
  return maker;
}

const hal_driver_interface_t* BatchDriverInterface() {
  static const DriverInterface<BatchClasses> driver_interface("batch", "a device that takes submissions in batches");
  return driver_interface.get();
}

}  // namespace halyard
