// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "call_runner.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "support/failure.h"

namespace halyard::tools {
namespace {

constexpr size_t kMostBytes = size_t{1} << 46;  // more than a process can address

// The bytes of all elements. `what` names the memref, whose sizes a function may have set to anything.
size_t ByteCount(hal_memref_t& memref, const std::string& what) {
  const std::span sizes(hal_memref_sizes(&memref), memref.rank);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0) Fail(ExitCode::kRun, what, " came with ", sizes[i], " elements in dimension ", i);
  }
  if (std::ranges::find(sizes, 0) != sizes.end()) return 0;
  size_t bytes = hal_element_type_size(memref.element_type);
  for (const int64_t size : sizes) {
    if (bytes > kMostBytes / static_cast<size_t>(size)) Fail(ExitCode::kRun, what, " came with more than 64 TiB");
    bytes *= static_cast<size_t>(size);
  }
  return bytes;
}

const std::byte* FirstElement(const hal_memref_t& memref) {
  const auto size = static_cast<int64_t>(hal_element_type_size(memref.element_type));
  return static_cast<const std::byte*>(memref.aligned) + memref.offset * size;
}

// Copies what lies below one index of each of the first `dimension` dimensions to `target`, densely; returns its end.
std::byte* CopyDense(hal_memref_t& memref, uint32_t dimension, const std::byte* source, std::byte* target) {
  const size_t size = hal_element_type_size(memref.element_type);
  if (dimension == memref.rank) {
    std::memcpy(target, source, size);
    return target + size;
  }
  const int64_t step = hal_memref_strides(&memref)[dimension] * static_cast<int64_t>(size);
  for (int64_t i = 0; i < hal_memref_sizes(&memref)[dimension]; ++i) {
    target = CopyDense(memref, dimension + 1, source + i * step, target);
  }
  return target;
}

NpyArray DenseArray(hal_memref_t& memref, const std::string& what) {
  NpyArray array;
  array.type = memref.element_type;
  array.shape.assign(hal_memref_sizes(&memref), hal_memref_sizes(&memref) + memref.rank);
  array.bytes.resize(ByteCount(memref, what));
  if (!array.bytes.empty()) CopyDense(memref, 0, FirstElement(memref), array.bytes.data());
  return array;
}

NpyArray ScalarArray(hal_element_type_t type, const hal_value_t& value) {
  NpyArray array;
  array.type = type;
  array.bytes.resize(hal_element_type_size(type));
  std::memcpy(array.bytes.data(), &value, array.bytes.size());
  return array;
}

}  // namespace

CallRunner::CallRunner(hal_device_t* device, const Kernel& kernel, const std::vector<BindingPlan>& plans,
                       std::span<const std::byte> constants)
    : kernel_(kernel),
      plans_(plans),
      memrefs_(plans.size()),
      arguments_(kernel.signature->argument_count),
      results_(kernel.signature->result_count) {
  Check(hal_executable_function(kernel.executable.get(), kernel.ordinal, &function_), ExitCode::kDevice,
        "call '" + kernel.name + "'");
  for (size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].binding.is_result) {
      AddResult(i);
    } else {
      AddArgument(device, i);
    }
  }
  AddScalars(constants);
}

CallRunner::~CallRunner() {
  ReleaseResults();
  for (const Buffer& buffer : mapped_) hal_buffer_unmap(buffer.get());
}

void CallRunner::AddArgument(hal_device_t* device, size_t binding) {
  const BindingPlan& plan = plans_[binding];
  const hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  const hal_shape_t shape = {plan.binding.type->element_type, static_cast<uint32_t>(plan.spec.shape.size()),
                             plan.spec.shape.data(), nullptr};
  Buffer buffer = AllocateBuffer(device, params, plan.spec.ByteCount());
  Check(hal_memref_map_buffer(buffer.get(), HAL_MAP_ACCESS_READ | HAL_MAP_ACCESS_WRITE, 0, &shape, &memrefs_[binding]),
        ExitCode::kDevice, "map an argument");
  mapped_.push_back(std::move(buffer));
  arguments_[plan.binding.position] = hal_value_memref(&memrefs_[binding]);
}

void CallRunner::AddResult(size_t binding) {
  const KernelBinding& bound = plans_[binding].binding;
  if (bound.type->kind != HAL_VALUE_KIND_SCALAR) results_[bound.position] = hal_value_memref(&memrefs_[binding]);
}

// A function that asks which workgroup runs is told that it is the only one.
void CallRunner::AddScalars(std::span<const std::byte> constants) {
  for (uint32_t i = 0; i < arguments_.size(); ++i) {
    if (kernel_.signature->arguments[i].role >= HAL_ARGUMENT_ROLE_WORKGROUP_COUNT_X) arguments_[i].as.i64 = 1;
  }
  for (size_t i = 0; i < kernel_.scalars.size(); ++i) {
    const hal_parameter_t& place = kernel_.constants[i];
    std::memcpy(&arguments_[kernel_.scalars[i]], constants.data() + place.offset, place.size);
  }
}

void CallRunner::FillArgument(size_t binding) {
  const BindingPlan& plan = plans_[binding];
  auto* const memory = static_cast<std::byte*>(memrefs_[binding].aligned);
  if (plan.input) {
    std::ranges::copy(plan.input->bytes, memory);
  } else {
    std::fill_n(memory, plan.spec.ByteCount(), std::byte{0});
  }
}

void CallRunner::Prepare() {
  for (size_t i = 0; i < plans_.size(); ++i) {
    if (!plans_[i].binding.is_result) FillArgument(i);
  }
}

void CallRunner::Restore() {
  ReleaseResults();
  for (size_t i = 0; i < plans_.size(); ++i) {
    const KernelBinding& bound = plans_[i].binding;
    if (!bound.is_result && bound.access != HAL_BINDING_ACCESS_READ) FillArgument(i);
  }
}

double CallRunner::Run() {
  const auto start = std::chrono::steady_clock::now();
  const hal_status_t status =
      hal_function_call(function_, arguments_.size(), arguments_.data(), results_.size(), results_.data());
  const auto end = std::chrono::steady_clock::now();
  Check(status, ExitCode::kRun, "run the function");
  return std::chrono::duration<double, std::nano>(end - start).count();
}

NpyArray CallRunner::Result(size_t binding) {
  const BindingPlan& plan = plans_[binding];
  const KernelBinding& bound = plan.binding;
  const bool is_scalar = bound.type->kind == HAL_VALUE_KIND_SCALAR;
  NpyArray array = is_scalar ? ScalarArray(bound.type->element_type, results_[bound.position])
                             : DenseArray(memrefs_[binding], BindingText(kernel_, binding));
  if (plan.spec.type == HAL_ELEMENT_TYPE_NONE) return array;
  if (array.shape != plan.spec.shape) {
    Fail(ExitCode::kRun, BindingText(kernel_, binding), " came as ", ArraySpecText(array.type, array.shape),
         ", not as ", ArraySpecText(plan.spec.type, plan.spec.shape));
  }
  array.type = plan.spec.type;
  return array;
}

void CallRunner::ReleaseResults() {
  for (size_t i = 0; i < plans_.size(); ++i) {
    if (plans_[i].binding.is_result) hal_memref_release(&memrefs_[i]);
  }
}

}  // namespace halyard::tools
