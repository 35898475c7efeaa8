// Part of Halyard, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the stream core asks of a stream-style GPU API. CUDA and HIP each fill it in once; nothing else in src/stream
// knows which of them it runs on.
#ifndef HALYARD_STREAM_NATIVE_API_H_
#define HALYARD_STREAM_NATIVE_API_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "common/status.h"
#include "halyard/device.h"

namespace halyard::stream {

// The vendor's handles, each a type of its own here.
using NativeStream = struct NativeStreamTag*;
using NativeEvent = struct NativeEventTag*;
using NativePool = struct NativePoolTag*;
using NativeModule = struct NativeModuleTag*;
using NativeFunction = struct NativeFunctionTag*;
/// An address as the device sees it.
using NativeAddress = uint64_t;

/// What a device is and can do, read once when it is opened.
struct NativeTraits {
  bool stream_writes = false;   ///< a stream can write 64 bits to registered host memory
  bool memory_pools = false;    ///< stream-ordered allocation from pools
  bool managed_memory = false;  ///< memory that host and device may use at the same time
  uint64_t total_memory = 0;    ///< bytes
  hal_dim3_t max_workgroup_count{};
  hal_dim3_t max_workgroup_size{};
  uint32_t max_workgroup_volume = 0;
  uint32_t max_local_memory = 0;    ///< bytes, with the opt-in where there is one
  uint32_t max_constants_size = 0;  ///< bytes of all kernel parameters together
};

/// Where a pointer of the application points.
enum class NativePointerKind {
  kUnknown,  ///< memory that the API has not heard of
  kHost,     ///< host memory that the device can use
  kDevice,   ///< memory of this device, or managed memory
  kForeign,  ///< memory of another device
};

/// What a loaded kernel is.
struct NativeFunctionInfo {
  uint32_t max_workgroup_volume = 0;  ///< work-items
  uint32_t local_memory_size = 0;     ///< bytes that it declares
};

/// One kernel launch.
struct NativeLaunch {
  NativeFunction function = nullptr;
  hal_dim3_t workgroup_count{};
  hal_dim3_t workgroup_size{};
  uint32_t dynamic_local_memory = 0;  ///< bytes
  void** parameters = nullptr;        ///< the address of each
};

/// One device of the API, with what it takes to call the API for it.
///
/// All calls but Enter(), and those said to, are made between Enter() and Leave() on the calling thread. A failure is
/// returned as a status with the words set: the call, the vendor's name for the error and its text. DEVICE_LOST stands
/// for every failure after which the device does no more work ("sticky" ones, and the API shut down at exit); the core
/// relies on that and on nothing else about vendors' errors. Functions that give something back return nothing: when
/// the API is shut down there is nothing left to give back. Thread-safe.
class NativeApi {
 public:
  virtual ~NativeApi() = default;

  const NativeTraits& traits() const { return traits_; }

  /// @name Threads
  /// @{
  /// Makes the device current on this thread. `*out_entered` is what Leave() takes; pairs nest.
  virtual Status Enter(bool* out_entered) = 0;
  /// Puts back what was current before.
  virtual void Leave(bool entered) = 0;
  /// @}

  /// @name Streams and events
  /// @{
  virtual Status CreateStream(NativeStream* out_stream) = 0;
  virtual void DestroyStream(NativeStream stream) = 0;
  virtual Status SynchronizeStream(NativeStream stream) = 0;
  /// @param timed  records times, for EventMilliseconds(); else SynchronizeEvent() lets its thread sleep
  virtual Status CreateEvent(bool timed, NativeEvent* out_event) = 0;
  virtual void DestroyEvent(NativeEvent event) = 0;
  virtual Status RecordEvent(NativeEvent event, NativeStream stream) = 0;
  /// What comes after in `stream` waits for the event's last record.
  virtual Status WaitEvent(NativeStream stream, NativeEvent event) = 0;
  /// Does not block.
  virtual Status QueryEvent(NativeEvent event, bool* out_done) = 0;
  virtual Status SynchronizeEvent(NativeEvent event) = 0;
  /// The time between two events that are done.
  virtual Status EventMilliseconds(NativeEvent start, NativeEvent end, float* out_milliseconds) = 0;
  /// Writes a value once what is before it in the stream is done. Needs traits().stream_writes.
  virtual Status WriteValue(NativeStream stream, NativeAddress address, uint64_t value) = 0;
  /// Calls a function that must not call the API.
  virtual Status LaunchHostFunction(NativeStream stream, void (*function)(void*), void* user_data) = 0;
  /// @}

  /// @name Memory
  /// @{
  virtual Status AllocateDevice(uint64_t length, NativeAddress* out_address) = 0;
  virtual Status AllocateManaged(uint64_t length, NativeAddress* out_address) = 0;
  /// Of either; may wait for the whole device.
  virtual void FreeDevice(NativeAddress address) = 0;
  /// Pinned memory of the host, at the same address for the device.
  virtual Status AllocateHost(uint64_t length, void** out_memory) = 0;
  virtual void FreeHost(void* memory) = 0;
  /// Pins memory of the application. ALREADY_EXISTS if a part of it is registered.
  virtual Status RegisterHost(void* memory, uint64_t length) = 0;
  virtual void UnregisterHost(void* memory) = 0;
  /// Where the device finds registered memory.
  virtual Status HostAddress(void* memory, NativeAddress* out_address) = 0;
  virtual Status DescribePointer(uint64_t pointer, NativePointerKind* out_kind) = 0;
  /// A pool that keeps up to `keep` bytes for reuse. Needs traits().memory_pools.
  virtual Status CreatePool(uint64_t keep, NativePool* out_pool) = 0;
  virtual void DestroyPool(NativePool pool) = 0;
  /// Gives what is not in use back to the system.
  virtual Status TrimPool(NativePool pool) = 0;
  virtual Status AllocateFromPool(NativePool pool, uint64_t length, NativeStream stream,
                                  NativeAddress* out_address) = 0;
  virtual Status FreeToPool(NativeAddress address, NativeStream stream) = 0;
  /// @}

  /// @name Work
  /// @{
  /// Fills `count` elements of `size` bytes (1, 2 or 4) at a multiple of `size`.
  virtual Status Fill(NativeStream stream, NativeAddress target, uint32_t pattern, uint32_t size, uint64_t count) = 0;
  /// Between any two addresses that the device can use.
  virtual Status Copy(NativeStream stream, NativeAddress target, NativeAddress source, uint64_t length) = 0;
  /// From memory of the application, which stays as it is until the stream gets there.
  virtual Status Upload(NativeStream stream, NativeAddress target, const void* data, uint64_t length) = 0;
  virtual Status Launch(NativeStream stream, const NativeLaunch& launch) = 0;
  /// @}

  /// @name Executables
  /// @{
  /// How well the device runs images of a format for a target; see hal_executable_targets_interface_t. INCOMPATIBLE.
  /// Needs no Enter().
  virtual Status RankImage(std::string_view format, std::string_view target, uint32_t* out_rank) = 0;
  /// Loads an image. ABORTED with the compiler's log, DATA_LOSS, INCOMPATIBLE.
  virtual Status LoadModule(std::string_view format, std::span<const std::byte> image, NativeModule* out_module) = 0;
  virtual void UnloadModule(NativeModule module) = 0;
  /// NOT_FOUND.
  virtual Status FindFunction(NativeModule module, const char* symbol, NativeFunction* out_function) = 0;
  virtual Status DescribeFunction(NativeFunction function, NativeFunctionInfo* out_info) = 0;
  /// The size of a parameter in bytes; NOT_FOUND past the last one, UNIMPLEMENTED if the API does not tell.
  virtual Status ParameterSize(NativeFunction function, uint32_t index, uint64_t* out_size) = 0;
  /// Allows launches with that much dynamic local memory.
  virtual Status AllowDynamicLocalMemory(NativeFunction function, uint32_t bytes) = 0;
  /// @}

 protected:
  NativeTraits traits_;  // filled in by the derived constructor
};

/// Makes a device current on this thread while it lives.
class NativeScope {
 public:
  explicit NativeScope(NativeApi& api) : api_(api), status_(api.Enter(&entered_)) {}
  ~NativeScope() {
    if (status_ == kOk) api_.Leave(entered_);
  }
  NativeScope(const NativeScope&) = delete;
  NativeScope& operator=(const NativeScope&) = delete;

  /// Whether calls can be made.
  Status status() const { return status_; }

 private:
  NativeApi& api_;
  bool entered_ = false;
  const Status status_;
};

}  // namespace halyard::stream

#endif  // HALYARD_STREAM_NATIVE_API_H_
