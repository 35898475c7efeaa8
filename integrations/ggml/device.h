// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One device of Halyard as a device of ggml. It is opened when something is first asked of it that needs that.
#ifndef INTEGRATIONS_GGML_DEVICE_H_
#define INTEGRATIONS_GGML_DEVICE_H_

#include <mutex>
#include <string>
#include <unordered_map>

#include "ggml_headers.h"
#include "operation.h"

namespace halyard_ggml {

/// A device as it is found, before it is opened.
struct FoundDevice {
  std::string uri;
  std::string description;  // of its hardware
  std::string pci_address;  // empty if unknown
  enum ggml_backend_dev_type type = GGML_BACKEND_DEVICE_TYPE_GPU;
  DispatchTraits traits;
};

class Device {
 public:
  Device(size_t number, FoundDevice found, ggml_backend_reg_t reg);
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  static Device& Of(ggml_backend_dev_t device) { return *static_cast<Device*>(device->context); }

  ggml_backend_dev_t ggml() { return &ggml_; }
  ggml_backend_buffer_type_t buffer_type() { return &buffer_type_; }
  ggml_backend_buffer_type_t host_buffer_type() { return &host_buffer_type_; }
  const std::string& name() const { return name_; }
  const std::string& host_name() const { return host_name_; }
  const std::string& description() const { return description_; }
  const FoundDevice& found() const { return found_; }

  /// @name Of the opened device
  /// They open it at the first call, and throw if that fails. Thread-safe.
  /// @{
  const hal::Device& hal();
  const hal::Executable& kernels();
  uint32_t KernelOrdinal(Kernel kernel);
  /// The heap of memory that tensors are in.
  hal_memory_heap_t Heap();
  /// Does what `submit` puts into a stream, and waits for that alone. For what ggml does outside of a backend's stream.
  template <class Submit>
  void RunNow(Submit&& submit) {
    const hal::Stream stream = hal::Stream::Create(hal().get());
    submit(stream);
    stream.Wait();
  }
  /// @}

  /// @name Memory of the host that the device reaches, by its address
  /// @{
  void* AllocateHost(size_t size);
  void FreeHost(void* memory);
  /// @}

 private:
  struct HostMemory {
    hal::Buffer buffer;
    hal::Mapping<std::byte> mapping;
  };

  void Open();

  const FoundDevice found_;
  const std::string name_;
  const std::string host_name_;
  const std::string description_;
  ggml_backend_device ggml_;
  ggml_backend_buffer_type buffer_type_;
  ggml_backend_buffer_type host_buffer_type_;

  std::mutex mutex_;  // protects all below until `hal_` is open, and `host_memory_` always
  hal::Device hal_;
  hal::Executable kernels_;
  std::array<uint32_t, static_cast<size_t>(Kernel::kCount)> ordinals_ = {};
  std::unordered_map<void*, HostMemory> host_memory_;
};

}  // namespace halyard_ggml

#endif  // INTEGRATIONS_GGML_DEVICE_H_
