// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// @file
/// halyard-hello-cpp: hello.c in C++, as docs/embedding.md shows it.
#include <exception>
#include <halyard/halyard.hpp>
#include <iostream>
#include <string>
#include <vector>

namespace {

void Run(const std::string& uri) {
  const hal::Device device = hal::Device::Open(uri);
  const hal::Executable kernels = hal::Executable::Load(device, "hello.halx");
  const hal::Semaphore timeline = hal::Semaphore::Create(device);
  hal_buffer_params_t params = HAL_BUFFER_PARAMS_STAGING_INIT;
  params.usage |= HAL_BUFFER_USAGE_STORAGE;
  const hal::Buffer buffer = device.allocator().Allocate(4 * sizeof(float), params);

  std::vector<float> values = {1, 2, 3, 4};
  buffer.Write(values);
  device.queues().Dispatch({}, timeline.At(1), kernels, 0, hal::Dispatch().Constant(10.0f).Bind(buffer));
  timeline.Wait(1);
  buffer.Read(values);
  for (const float value : values) std::cout << value << "\n";
}

}  // namespace

// halyard-hello-cpp [URI]
int main(int argc, char** argv) {
  try {
    Run(argc > 1 ? argv[1] : "local");
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "halyard-hello-cpp: " << error.what() << "\n";
    return 1;
  }
}
