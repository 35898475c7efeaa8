// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bytes of a buffer, on one side or on both.
#ifndef HALYARD_SIM_METAL_EXECUTION_STORAGE_H_
#define HALYARD_SIM_METAL_EXECUTION_STORAGE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace halyard::metal_sim {

struct FenceState;

/// Lives until the last command that uses it has run, so that a buffer that goes too early is reported and not a crash.
class Storage : public std::enable_shared_from_this<Storage> {
 public:
  enum class Mode { kShared, kManaged, kPrivate };

  /// Null if the device has no memory left.
  static std::shared_ptr<Storage> Make(Mode mode, size_t length, bool unified);
  /// Over memory of the application.
  static std::shared_ptr<Storage> MakeOver(void* bytes, size_t length);
  ~Storage();

  char* device() const { return device_; }
  char* host() const { return host_; }  // null for private memory
  size_t length() const { return length_; }
  uint64_t address() const { return reinterpret_cast<uintptr_t>(device_); }
  bool has_copies() const { return host_ && host_ != device_; }
  /// Encoders that use it come one after the other from now on, as Metal's tracking of hazards has it.
  void Track();
  const std::shared_ptr<FenceState>& hazards() const { return hazards_; }  // null if it is not tracked
  /// The buffer object is gone.
  void Retire();
  bool alive() const { return alive_.load(std::memory_order_acquire); }

  /// The storage that has an address; null if none has.
  static std::shared_ptr<Storage> Find(uint64_t address);
  static size_t allocated();

 private:
  Storage(size_t length, bool owned) : length_(length), owned_(owned) {}
  static std::shared_ptr<Storage> Register(std::shared_ptr<Storage> storage);

  char* device_ = nullptr;
  char* host_ = nullptr;
  const size_t length_;
  const bool owned_;
  std::shared_ptr<FenceState> hazards_;
  std::atomic<bool> alive_{true};
};

}  // namespace halyard::metal_sim

#endif  // HALYARD_SIM_METAL_EXECUTION_STORAGE_H_
