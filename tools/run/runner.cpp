// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runner.h"

#include <chrono>

#include "halyard/cpp/submit.hpp"
#include "support/failure.h"
#include "support/text.h"

namespace halyard::tools {
namespace {

// What a person wants to see of an array.
constexpr size_t kMaxPrinted = 1024;
constexpr size_t kMaxPrintedBytes = size_t{64} * 1024;

hal_buffer_ref_t Whole(const Buffer& buffer) { return hal_buffer_ref(buffer.get(), 0, HAL_WHOLE_SIZE); }

// The function's own element type: that of the plan may be the one which NumPy has for it.
hal_shape_t ShapeOf(const BindingPlan& plan) {
  return {plan.binding.type->element_type, static_cast<uint32_t>(plan.spec.shape.size()), plan.spec.shape.data(),
          nullptr};
}

}  // namespace

Buffer AllocateBuffer(hal_device_t* device, const hal_buffer_params_t& params, uint64_t length) {
  return Create<Buffer>(ExitCode::kDevice, "allocate " + BytesText(length), hal_allocator_allocate,
                        hal_device_allocator(device), &params, length);
}

std::string ArrayText(hal_device_t* device, const NpyArray& array) {
  const hal_buffer_params_t staging = HAL_BUFFER_PARAMS_STAGING_INIT;
  const Buffer buffer = AllocateBuffer(device, staging, array.bytes.size());
  if (!array.bytes.empty()) {
    Check(hal_buffer_write(buffer.get(), 0, array.bytes.data(), array.bytes.size()), ExitCode::kDevice,
          "print a result");
  }
  const auto view = Create<BufferView>(ExitCode::kInternal, "print a result", hal_buffer_view_create, buffer.get(),
                                       array.type, array.shape.size(), array.shape.data());
  std::string text(kMaxPrintedBytes, '\0');
  size_t length = 0;
  const hal_status_t status = hal_buffer_view_format(view.get(), kMaxPrinted, text.data(), text.size(), &length);
  // A text that was cut is still worth printing.
  if (status != HAL_STATUS_OUT_OF_RANGE) Check(status, ExitCode::kDevice, "print a result");
  text.resize(std::min(length, text.size() - 1));
  return text;
}

QueueRunner::QueueRunner(hal_device_t* device, const Kernel& kernel, const std::vector<BindingPlan>& plans)
    : device_(device), kernel_(kernel), plans_(plans), timeline_(device) {
  for (const BindingPlan& plan : plans_) AllocateBinding(plan);
  for (const Memory& memory : memory_) refs_.push_back(Whole(memory.device));
  if (!kernel.signature) return;
  for (const BindingPlan& plan : plans_) shapes_.push_back(ShapeOf(plan));
}

void QueueRunner::AllocateBinding(const BindingPlan& plan) {
  const hal_buffer_params_t on_device = HAL_BUFFER_PARAMS_INIT;
  const hal_buffer_params_t staging = HAL_BUFFER_PARAMS_STAGING_INIT;
  Memory memory;
  memory.length = plan.spec.ByteCount();
  memory.device = AllocateBuffer(device_, on_device, memory.length);
  if (plan.input || plan.IsResult()) memory.staging = AllocateBuffer(device_, staging, memory.length);
  memory_.push_back(std::move(memory));
}

void QueueRunner::Configure(const RunOptions& options, std::span<const std::byte> constants) {
  constants_.assign(constants.begin(), constants.end());
  dispatch_.workgroup_count = options.workgroup_count.value_or(hal_dim3(1, 1, 1));
  dispatch_.workgroup_size = options.workgroup_size;
  dispatch_.dynamic_local_memory = static_cast<uint32_t>(options.local_memory);
  dispatch_.constants = constants_.data();
  dispatch_.constants_size = static_cast<uint32_t>(constants_.size());
  dispatch_.bindings = hal_buffer_ref_list(refs_.data(), refs_.size());
  dispatch_.binding_shapes = shapes_.empty() ? nullptr : shapes_.data();
}

void QueueRunner::Prepare() {
  for (size_t i = 0; i < plans_.size(); ++i) Upload(i);
  timeline_.Wait("put the inputs in place");
}

void QueueRunner::Restore() {
  for (size_t i = 0; i < plans_.size(); ++i) {
    if (plans_[i].binding.access != HAL_BINDING_ACCESS_READ) Upload(i);
  }
  timeline_.Wait("put the inputs in place");
}

void QueueRunner::Upload(size_t binding) {
  const Memory& memory = memory_[binding];
  const BindingPlan& plan = plans_[binding];
  if (memory.length == 0) return;
  if (!plan.input) {
    const uint8_t zero = 0;
    timeline_.Submit("clear a binding", [&](hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
      return hal_device_queue_fill(device_, hal::SubmitParams(waits, signals), Whole(memory.device), &zero,
                                   sizeof(zero));
    });
    return;
  }
  Check(hal_buffer_write(memory.staging.get(), 0, plan.input->bytes.data(), memory.length), ExitCode::kDevice,
        "write an input");
  timeline_.Submit("copy an input", [&](hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
    return hal_device_queue_copy(device_, hal::SubmitParams(waits, signals), Whole(memory.staging),
                                 Whole(memory.device));
  });
}

double QueueRunner::Run() {
  const auto start = std::chrono::steady_clock::now();
  timeline_.Submit(Concat("dispatch '", kernel_.name, "'"),
                   [&](hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
                     return hal_device_queue_dispatch(device_, hal::SubmitParams(waits, signals),
                                                      kernel_.executable.get(), kernel_.ordinal, &dispatch_);
                   });
  timeline_.Wait(kernel_.signature ? "run the function" : "run the kernel");
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

void QueueRunner::Download(size_t binding) {
  const Memory& memory = memory_[binding];
  if (memory.length == 0) return;
  timeline_.Submit("copy a result", [&](hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
    return hal_device_queue_copy(device_, hal::SubmitParams(waits, signals), Whole(memory.device),
                                 Whole(memory.staging));
  });
  timeline_.Wait("copy a result");
}

NpyArray QueueRunner::Result(size_t binding) {
  Download(binding);
  const Memory& memory = memory_[binding];
  NpyArray array;
  array.type = plans_[binding].spec.type;
  array.shape = plans_[binding].spec.shape;
  array.bytes.resize(memory.length);
  if (memory.length > 0) {
    Check(hal_buffer_read(memory.staging.get(), 0, array.bytes.data(), memory.length), ExitCode::kDevice,
          "read a result");
  }
  return array;
}

}  // namespace halyard::tools
