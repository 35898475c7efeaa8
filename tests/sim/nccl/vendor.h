// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the simulated NCCL calls of the simulated vendor below it: the library that the driver under test has loaded.
#ifndef HALYARD_TESTS_SIM_NCCL_VENDOR_H_
#define HALYARD_TESTS_SIM_NCCL_VENDOR_H_

#include <cstddef>
#include <cstdint>

namespace halyard::sim::nccl {

// A device, current on the calling thread as long as this exists.
class CurrentDevice {
 public:
  explicit CurrentDevice(void* device);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

  bool ok() const { return ok_; }

 private:
  void* before_ = nullptr;
  bool ok_ = false;
};

// All return whether they worked. The device of a call is the current one.
bool FindCurrentDevice(void** out_device, int* out_ordinal);
bool AllocatePinned(size_t size, void** out_memory);
void FreePinned(void* memory);
bool LaunchHostFunction(void* stream, void (*function)(void*), void* user_data);
// Later work of the stream waits until a word is at least `value`.
bool WaitForWord(void* stream, uint64_t* word, uint64_t value);
bool Synchronize(void* stream);

}  // namespace halyard::sim::nccl

#endif  // HALYARD_TESTS_SIM_NCCL_VENDOR_H_
