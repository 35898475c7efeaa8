// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// halyard-mlir: functions that MLIR compiled. dense.mlir has a dense layer of a network twice: for one size, which
/// runs on a queue like any kernel, and for any size, which is called and makes the memory of its result.
///
///     halyard-mlir [DEVICE]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "halyard/cpp/submit.hpp"
#include "npy.h"
#include "support/halyard_handles.h"

namespace examples {
namespace {

constexpr float kTolerance = 1e-5f;

using hal::BufferView;

Array ReadData(const std::string& name) { return ReadNpy(std::filesystem::path(DATA) / (name + ".npy")); }

/// Says how far results are from what NumPy has computed; throws if they are too far off.
void Compare(const char* what, const std::vector<float>& values, const Array& expected) {
  if (values.size() != expected.values.size()) throw std::runtime_error("the result has another size than expected");
  float worst = 0;
  for (size_t i = 0; i < values.size(); ++i) worst = std::max(worst, std::abs(values[i] - expected.values[i]));
  std::printf("%s: %zu numbers, at most %.1e off\n", what, values.size(), static_cast<double>(worst));
  if (!(worst <= kTolerance)) throw std::runtime_error("that is not what NumPy has computed");
}

// On a queue: memrefs are bindings. The sizes are in the type, so that the buffers need none.

Buffer Allocate(hal_device_t* device, const Array& array) {
  return AllocateBuffer(device, array.values.size() * sizeof(float));
}

void Dispatch(hal_device_t* device, hal_executable_t* executable) {
  uint32_t ordinal = 0;
  Check(hal_executable_find_export(executable, hal_string_view("dense"), &ordinal), "find 'dense'");
  const Array expected = ReadData("y");
  std::vector<Buffer> buffers;
  for (const Array& input : {ReadData("x"), ReadData("w"), ReadData("b")}) {
    buffers.push_back(Allocate(device, input));
    Check(hal_buffer_write(buffers.back().get(), 0, input.values.data(), input.values.size() * sizeof(float)),
          "write an input");
  }
  buffers.push_back(Allocate(device, expected));

  std::vector<hal_buffer_ref_t> bindings;
  bindings.reserve(buffers.size());
  for (const Buffer& buffer : buffers) bindings.push_back(hal_buffer_ref(buffer.get(), 0, HAL_WHOLE_SIZE));
  hal_dispatch_params_t dispatch = HAL_DISPATCH_PARAMS_INIT;
  dispatch.bindings = hal_buffer_ref_list(bindings.data(), bindings.size());
  Timeline timeline(device);
  timeline.Submit("dispatch 'dense'", [&](hal_semaphore_list_t waits, hal_semaphore_list_t signals) {
    return hal_device_queue_dispatch(device, hal::SubmitParams(waits, signals), executable, ordinal, &dispatch);
  });
  timeline.Wait();

  std::vector<float> values(expected.values.size());
  Check(hal_buffer_read(buffers.back().get(), 0, values.data(), values.size() * sizeof(float)), "read the result");
  Compare("dense, on a queue", values, expected);
}

// As a call: memrefs describe memory with its sizes. What the function allocates is the caller's.

hal_memref_t Describe(Array& array) {
  const hal_shape_t shape = {HAL_ELEMENT_TYPE_F32, static_cast<uint32_t>(array.sizes.size()), array.sizes.data(),
                             nullptr};
  hal_memref_t memref;
  Check(hal_memref_initialize(&shape, array.values.data(), array.values.size() * sizeof(float), &memref),
        "describe an array");
  return memref;
}

/// Makes a view of the memory that the function has made: no copy, and freed with its last user.
BufferView Adopt(hal_device_t* device, hal_memref_t* memref) {
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  hal_buffer_view_t* view = nullptr;
  const hal_status_t status = hal_memref_to_buffer_view(hal_device_allocator(device), &params, memref, &view);
  hal_memref_release(memref);  // does nothing once the view has it
  Check(status, "take the result");
  return BufferView(view);
}

void Call(hal_device_t* device, hal_executable_t* executable, const std::string& size) {
  const hal_function_t* function = nullptr;
  Check(hal_executable_find_function(executable, hal_string_view("dense_any"), &function), "find 'dense_any'");
  Array x = ReadData(size + "x");
  Array w = ReadData(size + "w");
  Array b = ReadData(size + "b");
  hal_memref_t memrefs[] = {Describe(x), Describe(w), Describe(b)};
  const hal_value_t arguments[] = {hal_value_memref(&memrefs[0]), hal_value_memref(&memrefs[1]),
                                   hal_value_memref(&memrefs[2])};
  hal_memref_t made;
  hal_value_t result = hal_value_memref(&made);
  Check(hal_function_call(function, 3, arguments, 1, &result), "call 'dense_any'");

  const BufferView view = Adopt(device, &made);
  std::vector<float> values(hal_buffer_view_element_count(view.get()));
  Check(hal_buffer_read(hal_buffer_view_buffer(view.get()), 0, values.data(), values.size() * sizeof(float)),
        "read the result");
  Compare("dense_any, called", values, ReadData(size + "y"));
}

void Run(const std::string& uri) {
  const auto device = Create<Device>("open the device", hal_device_create, View(uri));
  const Executable executable = LoadExecutable(device.get(), EXECUTABLE);
  Dispatch(device.get(), executable.get());
  Call(device.get(), executable.get(), "");
  Call(device.get(), executable.get(), "any_");
}

}  // namespace
}  // namespace examples

int main(int argc, char** argv) {
  try {
    examples::Run(argc > 1 ? argv[1] : "local");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "halyard-mlir: %s\n", error.what());
    return 1;
  }
}
