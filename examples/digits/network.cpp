// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "network.h"

#include <utility>

#include "halyard/cpp/submit.hpp"

namespace digits {
namespace {

/// Allocates memory that the host can write and read through a mapping: the halfway house of uploads and
/// downloads.
Buffer AllocateStaging(hal_device_t* device, uint64_t length) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  params.memory_type = HAL_MEMORY_TYPE_HOST_VISIBLE | HAL_MEMORY_TYPE_HOST_COHERENT;
  params.usage = HAL_BUFFER_USAGE_TRANSFER | HAL_BUFFER_USAGE_MAPPING;
  return Create<Buffer>("allocate staging memory", hal_allocator_allocate, hal_device_allocator(device), &params,
                        length);
}

void SubmitCopy(hal_device_t* device, Timeline& timeline, hal_buffer_t* source, hal_buffer_t* target, uint64_t length) {
  timeline.Submit("submit a copy", [&](hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
    return hal_device_queue_copy(device, hal::SubmitParams(waits, signals), hal_buffer_ref(source, 0, length),
                                 hal_buffer_ref(target, 0, length));
  });
}

/// What one work-item of `dense` computes.
constexpr uint32_t kBlockRows = 4;
constexpr uint32_t kBlockFeatures = 8;
uint32_t BlocksOf(uint32_t count, uint32_t size) { return (count + size - 1) / size; }

}  // namespace

Buffer AllocateOnDevice(hal_device_t* device, uint64_t length) {
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_INIT;
  return Create<Buffer>("allocate device memory", hal_allocator_allocate, hal_device_allocator(device), &params,
                        length);
}

void Upload(hal_device_t* device, Timeline& timeline, std::span<const float> data, hal_buffer_t* target) {
  const Buffer staging = AllocateStaging(device, data.size_bytes());
  Check(hal_buffer_write(staging.get(), 0, data.data(), data.size_bytes()), "write to staging memory");
  SubmitCopy(device, timeline, staging.get(), target,
             data.size_bytes());  // which keeps the staging memory alive
}

std::vector<int32_t> Download(hal_device_t* device, Timeline& timeline, hal_buffer_t* source, size_t count) {
  std::vector<int32_t> data(count);
  const uint64_t length = count * sizeof(int32_t);
  const Buffer staging = AllocateStaging(device, length);
  SubmitCopy(device, timeline, source, staging.get(), length);
  timeline.Wait();
  Check(hal_buffer_read(staging.get(), 0, data.data(), length), "read from staging memory");
  return data;
}

Network::Network(hal_device_t* device, Timeline& timeline, const std::string& kernels, std::span<const Layer> layers,
                 uint32_t rows)
    : device_(device), executable_(examples::LoadExecutable(device, kernels)) {
  std::vector<DeviceLayer> device_layers;
  for (const Layer& layer : layers) {
    const auto upload = [&](std::span<const float> data) {
      Buffer buffer = AllocateOnDevice(device, data.size_bytes());
      Upload(device, timeline, data, buffer.get());
      return buffer;
    };
    Buffer output = AllocateOnDevice(device, uint64_t{rows} * layer.out_features * sizeof(float));
    device_layers.push_back(
        {layer.in_features, layer.out_features, upload(layer.weights), upload(layer.bias), std::move(output)});
  }
  Record(device_layers, rows);  // The recording keeps the buffers alive from here on.
}

void Network::Record(std::span<const DeviceLayer> layers, uint32_t rows) {
  hal_command_buffer_params_t params = HAL_INIT(hal_command_buffer_params_t);  // reusable, as ONE_SHOT is not set
  params.binding_capacity = kSlotCount;
  recording_ = Create<CommandBuffer>("create a command buffer", hal_command_buffer_create, device_, &params);
  const auto barrier = [&] { Check(hal_command_buffer_barrier(recording_.get()), "record a barrier"); };

  Check(hal_command_buffer_begin(recording_.get()), "begin recording");
  hal_buffer_ref_t values = hal_slot_ref(kImagesSlot, 0, uint64_t{rows} * layers.front().in_features * sizeof(float));
  for (const DeviceLayer& layer : layers) {
    const hal_buffer_ref_t output = hal_buffer_ref(layer.output.get(), 0, HAL_WHOLE_SIZE);
    const hal_buffer_ref_t bindings[] = {values, hal_buffer_ref(layer.weights.get(), 0, HAL_WHOLE_SIZE),
                                         hal_buffer_ref(layer.bias.get(), 0, HAL_WHOLE_SIZE), output};
    const uint32_t shape[] = {rows, layer.in_features, layer.out_features};
    Dispatch("dense", BlocksOf(rows, kBlockRows) * BlocksOf(layer.out_features, kBlockFeatures), shape, bindings);
    barrier();
    if (&layer != &layers.back()) {
      const uint32_t count = rows * layer.out_features;
      Dispatch("relu", count, {&count, 1}, {&output, 1});
      barrier();
    }
    values = output;
  }
  const uint32_t shape[] = {rows, layers.back().out_features};
  const hal_buffer_ref_t bindings[] = {values, hal_slot_ref(kPredictionsSlot, 0, uint64_t{rows} * sizeof(int32_t))};
  Dispatch("argmax", rows, shape, bindings);
  Check(hal_command_buffer_end(recording_.get()), "end recording");
}

void Network::Dispatch(const char* kernel, uint32_t extent, std::span<const uint32_t> constants,
                       std::span<const hal_buffer_ref_t> bindings) {
  uint32_t ordinal = 0;
  Check(hal_executable_find_export(executable_.get(), hal_string_view(kernel), &ordinal), "find a kernel");
  const uint32_t workgroup_size = hal_executable_export_info(executable_.get(), ordinal)->workgroup_size.x;

  hal_dispatch_params_t params = HAL_DISPATCH_PARAMS_INIT;
  params.workgroup_count = hal_dim3((extent + workgroup_size - 1) / workgroup_size, 1, 1);
  params.constants = constants.data();
  params.constants_size = static_cast<uint32_t>(constants.size_bytes());
  params.bindings = hal_buffer_ref_list(bindings.data(), bindings.size());
  Check(hal_command_buffer_dispatch(recording_.get(), executable_.get(), ordinal, &params), "record a dispatch");
}

void Network::Submit(Timeline& timeline, hal_buffer_ref_t images, hal_buffer_ref_t predictions) {
  hal_buffer_ref_t table[kSlotCount];
  table[kImagesSlot] = images;
  table[kPredictionsSlot] = predictions;
  timeline.Submit("execute the network", [&](hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
    return hal_device_queue_execute(device_, hal::SubmitParams(waits, signals), recording_.get(),
                                    hal_buffer_ref_list(table, kSlotCount));
  });
}

}  // namespace digits
